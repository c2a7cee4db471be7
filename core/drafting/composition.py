"""What drafting hands back: a reply made of quotations, or an abstention, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.domain.draft import Abstention, Evidence, Sentence, Strength


class Outcome(StrEnum):
    DRAFT = "draft"
    PARTIAL = "partial"
    ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True)
class Composition:
    """A reply before it becomes a draft.

    `evidence` holds the cited passages in marker order. With ABSTAIN the sentences are the counter-question with
    greeting and closing, and `evidence` is empty. `confidence` is 0..1. `unanswered` are questions of the ticket in its
    own words. `reasons` are sentences for a manager; `signals` the numbers behind them.
    """

    outcome: Outcome
    sentences: tuple[Sentence, ...]
    evidence: tuple[Evidence, ...]
    abstention: Abstention | None
    strength: Strength
    confidence: float
    unanswered: tuple[str, ...]
    reasons: tuple[str, ...]
    signals: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Style:
    """How a reply starts and ends; an empty text leaves it out."""

    greeting: str = "Hello,"
    closing: str = "Kind regards,\nYour support team"


@dataclass(frozen=True, slots=True)
class Limits:
    """Where drafting stops. `abstain_below` and `strong_from` are confidences, 0..1.

    A list of steps is quoted whole or not at all: the first thing chosen may be a list of up to twice `max_words`.
    """

    abstain_below: float
    strong_from: float
    max_words: int = 110
    max_units: int = 6
    max_passages: int = 3
