"""Ask the documentation: an answer made of quotations, or what was searched and what is missing. Nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from core.domain.account import Role
from core.domain.draft import Evidence, Sentence, SentenceKind
from core.errors import BadInput
from core.usecases.ask import MAX_QUESTION_CHARS, Answer
from plugin.asking import ask_docs
from plugin.web.auth import requires
from plugin.web.rendering import NO_PLACEHOLDERS, segments
from plugin.web.reply_view import Block, Card, ShownSentence, blocks, card
from plugin.web.state import services

blueprint = Blueprint("ask", __name__)

SHOWN_KINDS = (SentenceKind.EVIDENCE, SentenceKind.QUESTION)


@dataclass(frozen=True, slots=True)
class AnswerView:
    """`cards` are the passages the answer cites, or the nearest ones; `others` what else was found, best first."""

    answer: Answer
    blocks: list[Block]
    cards: list[Card]
    others: list[Card]
    seconds: float


@blueprint.get("/ask")
@requires(Role.AGENT)
def show() -> str:
    return _page("")


@blueprint.post("/ask")
@requires(Role.AGENT)
def answer() -> str | tuple[str, int] | Response:
    question = request.form.get("question", "")
    started = services().timer()
    try:
        given = ask_docs(services(), question)
    except BadInput as error:
        return _page(question, problem=f"{error.message} {error.hint}".strip()), 400
    return _page(question, view_of(given, services().timer() - started))


def view_of(answer: Answer, seconds: float) -> AnswerView:
    """Without greeting and closing: this is read by a colleague, not by a customer."""
    composition = answer.composition
    shown = [] if composition.abstention else _shown(composition.sentences)
    evidence = composition.abstention.nearest if composition.abstention else composition.evidence
    cards = [card(item, shown) for item in evidence]
    return AnswerView(answer, blocks(shown), cards, _others(answer, evidence), seconds)


def _shown(sentences: tuple[Sentence, ...]) -> list[ShownSentence]:
    spoken = [sentence for sentence in sentences if sentence.kind in SHOWN_KINDS]
    return [
        ShownSentence(
            number,
            segments(sentence.text, NO_PLACEHOLDERS),
            tuple((citation.marker, citation.quote) for citation in sentence.citations),
            sentence.layout,
            struck=not sentence.grounded,
            note="" if sentence.grounded else sentence.reason or "no source says so",
        )
        for number, sentence in enumerate(spoken, start=1)
    ]


def _others(answer: Answer, evidence: tuple[Evidence, ...]) -> list[Card]:
    """Found and not shown yet; their markers go on counting."""
    shown = {item.passage.passage_id for item in evidence}
    rest = [pair for pair in answer.retrieval.ranked if pair[0].passage_id not in shown]
    first = max((item.marker for item in evidence), default=0) + 1
    return [card(Evidence(marker, passage, score), []) for marker, (passage, score) in enumerate(rest, start=first)]


def _page(question: str, view: AnswerView | None = None, problem: str = "") -> str:
    """The text box keeps what was typed, whatever comes of it."""
    return render_template("ask.html", question=question, view=view, problem=problem, longest=MAX_QUESTION_CHARS)
