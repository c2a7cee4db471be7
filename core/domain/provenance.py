"""Everything a draft was made from, kept so that it can be replayed years later."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.passage import Passage, Run
from core.domain.thread import RedactedThread


@dataclass(frozen=True, slots=True)
class Component:
    """A part that had a say: `role` (embedder, recognizer, composer ...), its name, version and file hash."""

    role: str
    name: str
    version: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The full record of one draft; it holds no personal data.

    `passages` are those of the final run, best first, then the similar solved tickets, as they stood that day;
    `reasons` are sentences for a reader; `language` is what the customer wrote in (ISO 639-1; empty: not known);
    `timings` are (step, seconds) in the order they happened.
    """

    draft_id: str
    thread: RedactedThread
    queries: tuple[str, ...]
    runs: tuple[Run, ...]
    passages: tuple[Passage, ...]
    outcome: str
    reasons: tuple[str, ...]
    components: tuple[Component, ...]
    timings: tuple[tuple[str, float], ...]
    signals: tuple[tuple[str, float], ...] = ()
    language: str = ""
