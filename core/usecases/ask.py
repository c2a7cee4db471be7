"""Ask the documentation a question, without a ticket: nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.domain.redaction import PlaceholderMap
from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.composition import Composition
from core.errors import BadInput
from core.ports import EntityRecognizer
from core.redaction.redact import redact

MAX_QUESTION_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Answer:
    """`question` is redacted; `redactions` counts what was replaced."""

    question: str
    redactions: int
    retrieval: Retrieval
    composition: Composition


def ask(
    question: str,
    *,
    recognizer: EntityRecognizer,
    search: Callable[[Inquiry], Retrieval],
    compose: Callable[[Inquiry, Retrieval], Composition],
) -> Answer:
    """Raises `BadInput` for an empty or oversized question."""
    question = checked_question(question)
    redacted, _ = redact(question, recognizer=recognizer, placeholders=PlaceholderMap())
    inquiry = Inquiry(newest=redacted.text)
    retrieval = search(inquiry)
    return Answer(redacted.text, len(redacted.entities), retrieval, compose(inquiry, retrieval))


def checked_question(question: str) -> str:
    """Without white space around it. Raises `BadInput`."""
    question = question.strip()
    if not question:
        raise BadInput("There is no question.", hint="Write what you want to know in a sentence or two.")
    if len(question) > MAX_QUESTION_CHARS:
        raise BadInput(f"The question has {len(question)} characters; at most {MAX_QUESTION_CHARS} are read.")
    return question
