"""The one way to personal data: whoever reads a ticket's placeholder map leaves an entry in the ledger.

The entry stands in the same transaction as the reading, so the caller must commit. It says who read, whose draft and
why, and how many values there were; never a value. A map without values reveals nothing and leaves no entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.redaction import PlaceholderMap
from core.ports import UnitOfWork

MACHINE = "citedesk"
"""The reader when no person is: drafting reuses a map, sending puts the values back."""

VAULT_READ, VAULT_SEARCHED = "VaultRead", "VaultSearched"


class Purpose(StrEnum):
    """Why a map is read. The first four are an agent's, with the draft open; the others are the machine's."""

    REVIEW = "review"
    EDIT = "edit"
    APPROVE = "approve"
    REJECT = "reject"
    DRAFTING = "drafting"
    SENDING = "sending"
    ERASING = "erasing"
    RETENTION = "retention"


@dataclass(frozen=True, slots=True)
class Reading:
    """Who reads, why and when. `about` is the draft's id; empty when there is none, then the ticket stands for it."""

    reader: str
    purpose: Purpose
    at: datetime
    about: str = ""


def vault_subject(connector: str, ticket_id: str) -> str:
    """Under which name the vault keeps a ticket's placeholders."""
    return f"{connector}|{ticket_id}"


def search_vault(
    subjects: Sequence[str], tx: UnitOfWork, reading: Reading | None
) -> Iterator[tuple[str, PlaceholderMap]]:
    """Subjects and maps, for retention and erasing: one entry for all of them, not one each.

    `reading` is None only for maps that the entry of an earlier search covers. Raises `VaultSealed`.
    """
    if reading is not None:
        details = {"purpose": reading.purpose.value, "tickets": len(subjects)}
        tx.ledger.append(at=reading.at, actor=reading.reader, event=VAULT_SEARCHED, subject="vault", details=details)
    return ((subject, tx.vault.load(subject)) for subject in subjects)


def read_vault(subject: str, tx: UnitOfWork, reading: Reading) -> PlaceholderMap:
    """The map of `subject`; the caller commits. Raises `VaultSealed`."""
    placeholders = tx.vault.load(subject)
    if placeholders.values:
        tx.ledger.append(
            at=reading.at,
            actor=reading.reader,
            event=VAULT_READ,
            subject=reading.about or subject,
            details={"purpose": reading.purpose.value, "values": len(placeholders)},
        )
    return placeholders
