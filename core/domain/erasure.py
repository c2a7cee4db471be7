"""Who somebody is, as far as erasing them goes; and what is written down about an erasure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.fingerprint import fingerprint
from core.domain.ticket import Person


class IdentityKind(StrEnum):
    EMAIL = "email"
    NAME = "name"
    TICKET = "ticket"
    ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Identity:
    """Something a person is known by, normalised. It is personal data: only its keyed hash is ever stored."""

    kind: IdentityKind
    value: str

    def __repr__(self) -> str:
        return f"Identity({self.kind})"


@dataclass(frozen=True, slots=True)
class Burial:
    """Somebody was erased at `at`: what they wrote until then must not come back. `receipt` names the erasure."""

    at: datetime
    receipt: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure removed, in numbers; it names nobody. `by` is who ran the command."""

    receipt_id: str
    at: datetime
    by: str
    counts: Mapping[str, int]

    @property
    def sha256(self) -> str:
        return fingerprint(self.receipt_id, self.at, self.by, dict(self.counts))


def identity_of(text: str) -> Identity:
    """What somebody typed: an e-mail address when there is an @ in it, else a name.

    >>> identity_of(" Ada@Example.org ").value, identity_of("Lovelace, Ada").value
    ('ada@example.org', 'ada lovelace')
    """
    kind = IdentityKind.EMAIL if "@" in text else IdentityKind.NAME
    return Identity(kind, _normalised_email(text) if kind is IdentityKind.EMAIL else _normalised_name(text))


def identities_of(person: Person) -> tuple[Identity, ...]:
    """By which a requester can be found again: e-mail address and whole name, where there are any."""
    given = (text for text in (person.email, person.name) if text.strip())
    return tuple(dict.fromkeys(identity for text in given if (identity := identity_of(text)).value))


def ticket_identity(connector: str, ticket_id: str) -> Identity:
    """Stands for whoever wrote this ticket: used when tickets are erased by their number."""
    return Identity(IdentityKind.TICKET, f"{connector}|{ticket_id}")


def asked_for(identity: Identity) -> Identity:
    """Stands for the request to erase somebody: it only tells that it was carried out already."""
    return Identity(IdentityKind.ASKED, f"{identity.kind}|{identity.value}")


def _normalised_email(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().strip("<>").casefold()


def _normalised_name(text: str) -> str:
    """Case, accents' encoding, punctuation and the order of the parts do not matter."""
    return " ".join(sorted(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())))
