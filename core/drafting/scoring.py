"""How near each candidate is to what the ticket says: one batch of embeddings, then plain arithmetic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.domain.access import holds_tickets
from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.candidates import Candidate
from core.drafting.questions import Question
from core.drafting.sentences import UnitKind
from core.ports import Embedder, Vector

HEADING_SHARE = 0.25
"""Share of title and headings in a sentence's score: an article's introduction has the title only."""

LIST_HEADING_SHARE = 0.5
"""The same for a list: single steps ("Press OK.") say little about what they are for."""

RANK_BONUS = 0.06
"""Added to candidates of the best passage; divided by the rank for the others."""

STEPS_BONUS = 0.05
"""Added to lists of which most items tell what to do, unless the ticket asks what or why something is."""

ACTION_BONUS = 0.04
"""Added to sentences that tell what to do, under the same condition."""

INTRODUCTION_MALUS = 0.06
"""Taken, under the same condition, from what stands under no heading: introductions repeat the problem."""

TICKET_MALUS = 0.03
"""Taken from earlier tickets, so that documentation wins among equals."""

COMPARED_WORDS = 32
"""Longer texts are compared by their beginning: a list says early what it is for, and long texts are slow."""

CUT_MALUS = 0.1
"""Taken from a list whose end was not found."""


_ACTION = re.compile(
    r"(?:^|[,;:] |\b(?:then|and|please|to|can|must|should) )(?:click|tap|press|select|choose|open|go to|type|enter|run|"
    r"use|set|make sure|check|uncheck|try|restart|reinstall|install|update|remove|delete|disable|enable|turn|"
    r"switch|add|change|copy|move|drag|sign|log|close|start|call|pass|create|download|contact)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its cosine to the newest message or the subject (the nearer one) and to each question.

    `relevance` decides what is chosen: cosines of text and heading, corrected by rank, form and collection.
    """

    candidate: Candidate
    relevance: float
    cosine: float
    question_cosines: tuple[float, ...]
    vector: Vector


def score(
    candidates: Sequence[Candidate],
    inquiry: Inquiry,
    retrieval: Retrieval,
    questions: Sequence[Question],
    *,
    wants_steps: bool,
    embedder: Embedder,
) -> list[Scored]:
    """One `Scored` a candidate, in the same order. Cost: one embedding for each candidate, heading, and question.

    Candidates are held against the newest message, the subject and, when that says more than those, in a thread, the
    query.
    """
    if not candidates:
        return []
    told = [text for text in (inquiry.newest, inquiry.subject) if text.strip()]
    searched = [query.text for query in retrieval.queries[:1] if inquiry.first and query.text.strip()]
    wanted = embedder.embed_queries([*told, *searched, *(question.query for question in questions)])
    headings = list(dict.fromkeys(candidate.heading for candidate in candidates))
    texts = [_compared(text, embedder) for text in (*(candidate.text for candidate in candidates), *headings)]
    vectors = embedder.embed_passages(texts)
    cosines = vectors @ wanted.T
    of_heading = dict(zip(headings, cosines[len(candidates) :], strict=True))
    aims = _Aims(len(told), len(told) + len(searched), wants_steps)
    return [
        _scored(candidate, cosines[at], of_heading[candidate.heading], vectors[at], aims)
        for at, candidate in enumerate(candidates)
    ]


@dataclass(frozen=True, slots=True)
class _Aims:
    """Columns of the cosines: those told end at `told`, those searched at `asked`; questions follow."""

    told: int
    asked: int
    wants_steps: bool


def _scored(candidate: Candidate, of_text: Vector, of_heading: Vector, vector: Vector, aims: _Aims) -> Scored:
    share = LIST_HEADING_SHARE if candidate.is_list else HEADING_SHARE
    mixed = (1 - share) * of_text + share * of_heading
    return Scored(
        candidate,
        relevance=float(np.max(mixed[: aims.asked], initial=0.0)) + _correction(candidate, aims.wants_steps),
        cosine=float(np.max(of_text[: aims.told], initial=0.0)),
        question_cosines=tuple(float(value) for value in np.maximum(of_text, mixed)[aims.asked :]),
        vector=vector,
    )


def _correction(candidate: Candidate, wants_steps: bool) -> float:
    passage = candidate.quotations[0].passage
    correction = RANK_BONUS / candidate.rank
    if holds_tickets(passage.collection):
        correction -= TICKET_MALUS
    if candidate.cut:
        correction -= CUT_MALUS
    return correction + (_use(candidate) if wants_steps else 0.0)


def _use(candidate: Candidate) -> float:
    """What the form of a candidate says about its use to somebody who wants to get something done."""
    passage = candidate.quotations[0].passage
    steps = [quotation.text for quotation in candidate.quotations if quotation.kind is UnitKind.STEP]
    if steps and sum(bool(_ACTION.search(step)) for step in steps) * 2 >= len(steps):
        return STEPS_BONUS
    bonus = ACTION_BONUS if not steps and _ACTION.search(candidate.text) else 0.0
    headed = any(heading != passage.title for heading in passage.heading_path)
    return bonus if headed or holds_tickets(passage.collection) else bonus - INTRODUCTION_MALUS


def _compared(text: str, embedder: Embedder) -> str:
    """The beginning of the text that is compared; always within what the model can read."""
    words = text.split()[:COMPARED_WORDS]
    while len(words) > 1 and embedder.count_tokens(" ".join(words)) > embedder.max_tokens:
        words = words[: len(words) * 3 // 4]
    return " ".join(words)
