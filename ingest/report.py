"""What is asked of an ingestion and what it tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ingest.sources import Skipped


@dataclass(frozen=True, slots=True)
class Cutting:
    """How long passages are, in words, and how many they share with the one before."""

    words: int
    overlap_words: int


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Counts of source items, and of `passages` written to the indexes by this run.

    A duplicate is an item whose content another item's document holds already. `notes` are (source_key, what was
    guessed or left out).
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    duplicates: int = 0
    skipped: tuple[Skipped, ...] = ()
    passages: int = 0
    notes: tuple[tuple[str, str], ...] = ()


class IngestProgress(Protocol):
    def step(self, done: int, total: int | None, what: str) -> None:
        """`done` items of `total` (None when the source does not know) are read; `what` is the newest one's key."""
        ...
