"""Judged retrievals, and drafts with the provenance they would come from, in which one feature tells the answer."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from core.domain.draft import Citation, Draft, DraftState, Evidence, Sentence, SentenceKind
from core.domain.passage import Passage, Run, Span, passage_id
from core.domain.provenance import Provenance
from core.domain.retrieval import Retrieval, WeightedQuery
from core.retrieval.fusion import best_first
from core.retrieval.runs import ranked
from plugin.evaluation.reranker_judgements import JudgedRetrieval
from tests.fakes.scenes import READY, THREAD

DOCUMENTS = 8

Answer = Callable[[random.Random, list[float]], int]
"""Which document answers, from the scores of their openings."""


def by_opening(_draw: random.Random, openings: list[float]) -> int:
    """Mostly the one with the best opening; a little the fused score counts as well."""
    values = [opening - 0.02 * number for number, opening in enumerate(openings)]
    return values.index(max(values))


def by_chance(draw: random.Random, _openings: list[float]) -> int:
    return draw.randrange(DOCUMENTS)


def by_fusion(_draw: random.Random, _openings: list[float]) -> int:
    """The first document always has the highest fused score."""
    return 0


def found_passage(number: int, query: int, text: str = "") -> Passage:
    """Passage 0 of document `number`; unless told another text it says of which query."""
    text = text or f"document {number} of query {query}"
    name = passage_id(f"docs:d{number}", "0" * 8, 0)
    return Passage(name, f"docs:d{number}", "docs", f"Title {number}", (), text, Span(0, 9), Span(0, 9), "0" * 8)


def judged_retrieval(query: int, answer: Answer, texts: tuple[str, str] = ("", "")) -> JudgedRetrieval:
    """Eight documents in a fixed fused order, with random openings; one of them answers.

    `texts` are what the passage that answers says, and what the others say.
    """
    draw = random.Random(query)
    openings = [draw.random() for _ in range(DOCUMENTS)]
    right = answer(draw, openings)
    passages = [found_passage(number, query, texts[number != right]) for number in range(DOCUMENTS)]
    fused = [(p.passage_id, 1 - 0.1 * number) for number, p in enumerate(passages)]
    runs = (
        Run("dense", "docs", ranked(fused), 10),
        Run("openings", "docs", ranked(best_first({p.doc_id: o for p, o in zip(passages, openings, strict=True)})), 10),
    )
    retrieval = Retrieval(
        (WeightedQuery(f"query {query}"),),
        runs,
        Run("fusion", "", ranked(fused), 10),
        {p.passage_id: p for p in passages},
    )
    return JudgedRetrieval(f"q{query}", retrieval, {passages[right].doc_id: 1})


def approved_draft(query: int, answer: Answer, texts: tuple[str, str] = ("", "")) -> tuple[Draft, Provenance]:
    """The draft that was made from such a retrieval, approved and sent: it cites what answers."""
    judged = judged_retrieval(query, answer, texts)
    cited = next(p for p in judged.passages if p.doc_id in judged.grades)
    citation = Citation(1, cited.passage_id, Span(0, 8), cited.text[:8])
    draft = replace(
        READY,
        draft_id=judged.query_id,
        ticket_id=f"t{query}",
        state=DraftState.SENT,
        sentences=(Sentence(cited.text, SentenceKind.EVIDENCE, (citation,)),),
        evidence=(Evidence(1, cited, 0.8),),
    )
    retrieval = judged.retrieval
    record = Provenance(
        draft_id=draft.draft_id,
        thread=replace(THREAD, ticket_id=draft.ticket_id),
        queries=tuple(each.text for each in retrieval.queries),
        runs=(*retrieval.runs, retrieval.fused),
        passages=tuple(judged.passages),
        outcome="draft",
        reasons=(),
        components=(),
        timings=(),
    )
    return draft, record
