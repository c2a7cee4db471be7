"""What is asked, and what retrieval found for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain.passage import Passage, Run


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What somebody wants to know, redacted: a ticket's thread boiled down, or one question to the docs.

    `newest` is the newest customer message, `first` the one that opened the thread (empty when they are the same),
    `between` the customer's messages in between and `replies` the agents' own, both oldest first.
    """

    newest: str
    subject: str = ""
    first: str = ""
    between: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """One text to search with; scores of several queries are added by weight.

    `words`, when there are any, are what the lexical search looks for instead of the text's own words, each with the
    expected number of times it is meant.
    """

    text: str
    weight: float = 1.0
    words: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Translation:
    """A text in English. `words` as in `WeightedQuery`: empty where the text itself is good enough to search with."""

    text: str
    words: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """All runs, stage by stage, and the final one (`fused`, best first) with its passages.

    `reduced` names the stages that did not work ("lexical only" ...). `timings` are (step, seconds).
    `language` is what the inquiry is written in (ISO 639-1; empty: nobody looked), `translated` the inquiry in English
    where it was searched with that.
    """

    queries: tuple[WeightedQuery, ...]
    runs: tuple[Run, ...]
    fused: Run
    passages: Mapping[str, Passage] = field(default_factory=dict)
    reduced: tuple[str, ...] = ()
    timings: tuple[tuple[str, float], ...] = ()
    language: str = ""
    translated: Inquiry | None = None

    @property
    def ranked(self) -> tuple[tuple[Passage, float], ...]:
        """(passage, fused score), best first."""
        return tuple((self.passages[item.passage_id], item.score) for item in self.fused.items)
