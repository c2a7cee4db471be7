"""The questions a ticket asks, each as a text that can be searched and answered by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.domain.retrieval import Inquiry
from core.drafting.sentences import Unit, UnitKind, units_of
from core.drafting.words import content_stems, normalise, squeeze

_ASKS = re.compile(
    r"(?:how|what|where|when|which|who|why|can|could|is|are|do|does|did|will|would|should|please|tell|explain)\b"
)
_POINTS_BACK = re.compile(r"\b(?:it|its|this|that|they|them|these|those|one|so|either|there)\b")
_MIN_STEMS = 2


@dataclass(frozen=True, slots=True)
class Question:
    """`text` in the customer's words; `query` also names what it is about when the words only point back."""

    text: str
    query: str


def questions_of(inquiry: Inquiry) -> tuple[Question, ...]:
    """Questions of the newest message (or of the subject when the message asks nothing), in order, without repeats.

    Questions that name nothing ("Any ideas?", "Can you help?") are not counted.

    >>> asked = questions_of(Inquiry("Sync fails. How do I reset my password? Any ideas? Does it delete my bookmarks?"))
    >>> [question.text for question in asked]
    ['How do I reset my password?', 'Does it delete my bookmarks?']
    """
    found = {normalise(text): text for text in _asked_in(inquiry.newest) or _asked_in(inquiry.subject)}
    return tuple(Question(text, _self_contained(text, inquiry.subject)) for text in found.values())


def _asked_in(text: str) -> list[str]:
    units = [(unit, squeeze(text[unit.span.slice])) for unit in units_of(text)]
    return [words for unit, words in units if _is_question(unit, words) and len(content_stems(words)) >= _MIN_STEMS]


def _is_question(unit: Unit, words: str) -> bool:
    if unit.kind in (UnitKind.CODE, UnitKind.ROW):
        return False
    return words.rstrip("\"'”’)").endswith(("?", "？")) or (unit.numbered and bool(_ASKS.match(normalise(words))))


def _self_contained(text: str, subject: str) -> str:
    return f"{subject}: {text}" if subject and _POINTS_BACK.search(normalise(text)) else text
