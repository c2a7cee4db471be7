"""Trains a ranker, measures it on queries it has not seen, and says whether it has earned its place."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from connectors.models.fine_tuning import Course, Example, Report, fine_tune
from core.domain.passage import Passage
from core.domain.provenance import Component
from core.errors import BadInput, NotEarned
from core.evaluation.significance import Difference, paired_bootstrap
from core.ports import Reranker
from core.retrieval.learned import Ranker, candidates, learned_run
from core.retrieval.learning import Judged, learn
from core.retrieval.rerank import reordered, rerank_run
from core.retrieval.runs import Ranking
from plugin.evaluation.reranker_judgements import JudgedRetrieval, documents_of
from plugin.evaluation.retrieval import SEED, measure

MEASURE = "ndcg@10"
FOLDS = 5
FEWEST = 20
"""Judged queries below which nothing is learned: an interval over fewer says nothing."""

PENALTIES = (0.03, 0.3, 3.0)
SHARES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
VALIDATION_SHARE = 0.15
TEST_SHARE = 0.3
HARDEST = 30
"""Fused passages from which negatives are drawn."""

Order = Callable[[JudgedRetrieval], Ranking]
"""The passages in the order a ranker gives them."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One set of queries: nDCG@10 without and with the ranker, and the paired difference."""

    name: str
    queries: int
    before: float
    after: float
    difference: Difference

    @property
    def as_json(self) -> dict[str, Any]:
        found = self.difference
        figures = {"before": self.before, "after": self.after, "low": found.low, "high": found.high}
        return {"set": self.name, "queries": self.queries, **{key: round(value, 4) for key, value in figures.items()}}


def judge_learned(ranker: Ranker) -> None:
    """Raise `NotEarned` for a ranker that changes nothing, whatever those of the folds did."""
    if not any(ranker.weights.values()):
        raise NotEarned("Nothing was learned: the judgements contradict the fused score, or say nothing.")


def judge_place(comparison: Comparison, guards: Sequence[Comparison]) -> None:
    """Raise `NotEarned` unless the gain is beyond chance, and no other set loses beyond chance."""
    if comparison.difference.low <= 0:
        raise NotEarned(
            f"It has not earned its place: {_signed(comparison)} nDCG@10 on {comparison.name} may be chance.",
        )
    for guard in guards:
        if guard.difference.high < 0:
            raise NotEarned(f"It has not earned its place: it harms {guard.name} ({_signed(guard)} nDCG@10).")


def _signed(comparison: Comparison) -> str:
    found = comparison.difference
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def compare(name: str, judged: Sequence[JudgedRetrieval], order: Order) -> Comparison:
    return compare_orders(name, judged, {each.query_id: order(each) for each in judged})


def compare_orders(name: str, judged: Sequence[JudgedRetrieval], orders: Mapping[str, Ranking]) -> Comparison:
    """`orders` of passages by query, against the fused order of the same retrievals."""
    before = _values(judged, {each.query_id: fused_order(each) for each in judged})
    after = _values(judged, orders)
    difference = paired_bootstrap(after, before, rng=np.random.default_rng(SEED))
    return Comparison(name, len(judged), float(np.mean(before)), float(np.mean(after)), difference)


def quality(judged: Sequence[JudgedRetrieval], orders: Mapping[str, Ranking]) -> float:
    """Mean nDCG@10, rounded: what is equal but for the last digits is equal."""
    return round(float(np.mean(_values(judged, orders))), 6)


def _values(judged: Sequence[JudgedRetrieval], orders: Mapping[str, Ranking]) -> Sequence[float]:
    qrels = {each.query_id: dict(each.grades) for each in judged}
    documents = {query_id: documents_of(order) for query_id, order in orders.items()}
    return measure("", documents, qrels).values[MEASURE]


def fused_order(judged: JudgedRetrieval) -> list[tuple[str, float]]:
    return [(item.passage_id, item.score) for item in judged.retrieval.fused.items]


# ---------------------------------------------------------------- the learned ranker


def learned_order(judged: JudgedRetrieval, ranker: Ranker) -> Ranking:
    ranking = fused_order(judged)
    return reordered(ranking, [item.passage_id for item in learned_run(judged.retrieval, ranking, ranker).items])


def learn_from(judged: Sequence[JudgedRetrieval]) -> Ranker:
    """With the penalty that does best when it is cross-validated on these queries, the higher one of equals."""
    found = {
        penalty: quality(judged, cross_validated(judged, partial(learn_with, penalty=penalty))) for penalty in PENALTIES
    }
    return learn_with(judged, max(found, key=lambda penalty: (found[penalty], penalty)))


def learn_with(judged: Sequence[JudgedRetrieval], penalty: float) -> Ranker:
    return learn([Judged(candidates(each.retrieval), each.grades) for each in judged], penalty=penalty)


def cross_validated(
    judged: Sequence[JudgedRetrieval], learner: Callable[[Sequence[JudgedRetrieval]], Ranker] = learn_from
) -> dict[str, Ranking]:
    """Every query ordered by a ranker that was learned without it."""
    folds = _shuffled(judged)
    orders: dict[str, Ranking] = {}
    for fold in range(FOLDS):
        ranker = learner([each for number, each in enumerate(folds) if number % FOLDS != fold])
        orders |= {each.query_id: learned_order(each, ranker) for each in folds[fold::FOLDS]}
    return orders


def enough(judged: Sequence[JudgedRetrieval]) -> None:
    if len(judged) < FEWEST:
        raise BadInput(
            f"{len(judged)} judged queries are too few to learn from; {FEWEST} is the least.",
            hint="Judge more, or wait until more drafts were approved.",
        )


# ---------------------------------------------------------------- fine-tuned models


def split(judged: Sequence[JudgedRetrieval], share: float) -> tuple[list[JudgedRetrieval], list[JudgedRetrieval]]:
    """(the rest, `share` of them), at random but always the same."""
    shuffled = _shuffled(judged)
    cut = max(1, round(share * len(shuffled)))
    return shuffled[cut:], shuffled[:cut]


def examples_from(judged: Sequence[JudgedRetrieval]) -> list[Example]:
    """One an answering document that was found: its best passage against the best of documents that do not answer."""
    return [example for each in judged for example in _examples(each)]


def _examples(judged: JudgedRetrieval) -> list[Example]:
    passages = judged.passages
    wrong = tuple(p.contextual_text for p in _first_of_each(passages[:HARDEST]) if p.doc_id not in judged.grades)
    right = [p for p in _first_of_each(passages) if p.doc_id in judged.grades]
    if not wrong or not judged.text:
        return []
    return [Example(judged.text, p.contextual_text, wrong, p.doc_id) for p in right]


def _first_of_each(passages: Sequence[Passage]) -> list[Passage]:
    best: dict[str, Passage] = {}
    for passage in passages:
        best.setdefault(passage.doc_id, passage)
    return list(best.values())


def train(judged: Sequence[JudgedRetrieval], course: Course, out: Path, report: Report) -> list[JudgedRetrieval]:
    """Fine-tune on most of the queries; gives those that only said when to stop."""
    learning, checking = split(judged, VALIDATION_SHARE)
    fine_tune(examples_from(learning), examples_from(checking), course, out, report)
    return checking


def reranked(judged: JudgedRetrieval, reranker: Reranker, share: float, depth: int) -> Ranking:
    ranking = fused_order(judged)
    run = rerank_run(
        ranking, judged.text, judged.retrieval.passages, reranker=reranker, depth=depth, share=share, timer=lambda: 0.0
    )
    return reordered(ranking, [item.passage_id for item in run.items])


def best_share(judged: Sequence[JudgedRetrieval], reranker: Reranker, depth: int) -> float:
    """The weight of the cross-encoder beside the fused score that did best; the lowest of equals."""
    found = {}
    for share in SHARES:
        orders = {each.query_id: reranked(each, reranker, share, depth) for each in judged}
        found[share] = quality(judged, orders)
    return max(found, key=lambda share: (found[share], -share))


def _shuffled(judged: Sequence[JudgedRetrieval]) -> list[JudgedRetrieval]:
    order = sorted(judged, key=lambda each: each.query_id)
    random.Random(SEED).shuffle(order)
    return order


class RememberingReranker:
    """Implements `core.ports.Reranker`: a pair that was scored before is looked up."""

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._scores: dict[tuple[str, str], float] = {}

    @property
    def component(self) -> Component:
        return self._reranker.component

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        unknown = [text for text in dict.fromkeys(texts) if (query, text) not in self._scores]
        for text, score in zip(unknown, self._reranker.score(query, unknown), strict=True):
            self._scores[query, text] = score
        return [self._scores[query, text] for text in texts]

    def truncated(self, query: str, texts: Sequence[str]) -> int:
        return self._reranker.truncated(query, texts)
