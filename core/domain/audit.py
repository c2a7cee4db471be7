"""The ledger: an append-only chain in which each entry seals the one before it.

The seal is HMAC-SHA256 over the entry's canonical JSON and the previous seal, with a key that lives outside
the database; so whoever can write to the database but not read the key cannot alter an entry and re-seal
the rest (compare RFC 9162, which chains without a key and publishes the head instead).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class SealKeys:
    """Which key seals which entry: (number of the first entry sealed with it, key), ascending, from 1 on.

    When a key is replaced, older entries keep their seals: the first entry under the new key seals the last one
    under the old key, so whoever learns the old key later cannot rewrite what it sealed.
    """

    keys: tuple[tuple[int, bytes], ...]

    @classmethod
    def single(cls, key: bytes) -> SealKeys:
        return cls(((1, key),))

    def key_of(self, number: int) -> bytes:
        """The key of entry `number`.

        >>> keys = SealKeys(((1, b"old"), (5, b"new")))
        >>> keys.key_of(4), keys.key_of(5)
        (b'old', b'new')
        """
        return next((key for first, key in reversed(self.keys) if first <= number), self.keys[0][1])

    def __repr__(self) -> str:
        return f"SealKeys({len(self.keys)} keys)"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """`number` counts from 1. `details` hold ids, counts and hashes; never personal data, never a ticket's text."""

    number: int
    at: datetime
    actor: str
    event: str
    subject: str
    details: Mapping[str, str | int | float | bool | None]
    previous_seal: str
    seal: str


@dataclass(frozen=True, slots=True)
class LedgerHead:
    """Number and seal of the newest entry; (0, GENESIS) for an empty ledger."""

    number: int = 0
    seal: str = GENESIS


@dataclass(frozen=True, slots=True)
class LedgerReport:
    """`problems` is empty when every entry is where and what it was."""

    entries: int
    head: LedgerHead
    problems: tuple[str, ...]

    @property
    def intact(self) -> bool:
        return not self.problems


def seal_entry(
    key: bytes,
    *,
    number: int,
    at: datetime,
    actor: str,
    event: str,
    subject: str,
    details: Mapping[str, str | int | float | bool | None],
    previous_seal: str,
) -> LedgerEntry:
    """The entry with its seal. `at` must be aware: it is sealed as UTC microseconds."""
    canonical = json.dumps(
        [number, round(at.timestamp() * 1_000_000), actor, event, subject, dict(details), previous_seal],
        sort_keys=True,
        separators=(",", ":"),
    )
    seal = hmac.new(key, canonical.encode(), hashlib.sha256).hexdigest()
    return LedgerEntry(number, at, actor, event, subject, dict(details), previous_seal, seal)


def verify_chain(entries: Iterable[LedgerEntry], keys: SealKeys, head: LedgerHead) -> LedgerReport:
    """Check numbers, links and seals of all entries (oldest first) and that the chain ends at `head`."""
    problems: list[str] = []
    previous = LedgerHead()
    count = 0
    for entry in entries:
        count += 1
        problems += _problems_of(entry, previous, keys.key_of(entry.number))
        previous = LedgerHead(entry.number, entry.seal)
    if previous != head:
        problems.append(f"the chain ends at entry {previous.number}, the recorded head is entry {head.number}")
    return LedgerReport(count, previous, tuple(problems))


def _problems_of(entry: LedgerEntry, previous: LedgerHead, key: bytes) -> list[str]:
    problems = []
    if entry.number != previous.number + 1:
        problems.append(f"entry {entry.number} follows entry {previous.number}: entries are missing or reordered")
    if entry.previous_seal != previous.seal:
        problems.append(f"entry {entry.number} does not continue entry {previous.number}")
    expected = seal_entry(
        key,
        number=entry.number,
        at=entry.at,
        actor=entry.actor,
        event=entry.event,
        subject=entry.subject,
        details=entry.details,
        previous_seal=entry.previous_seal,
    )
    if not hmac.compare_digest(expected.seal, entry.seal):
        problems.append(f"entry {entry.number} was altered")
    return problems
