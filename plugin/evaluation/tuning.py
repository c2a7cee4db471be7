"""Learns the weights of the fusion from judged tickets, and refuses what is not better by more than noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from core.domain.retrieval import Inquiry
from core.evaluation.qrels import Qrels
from core.evaluation.significance import Difference
from core.evaluation.trec import Ranking
from core.evaluation.tuning import Learner, Weights, a_weight_a_class, compared, fold_of, held_out, one_weight
from core.ports import Embedder, Vectors
from plugin.bootstrap import Services
from plugin.evaluation.retrieval import AUDIENCE, BM25, DEFAULT, DENSE, SEED, Step, document_keys, measure, rankings_of

MEASURE = "ndcg@10"
GRID = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
LEARNERS: Mapping[str, Learner] = {"one weight": one_weight, "a weight a class": a_weight_a_class}


@dataclass(frozen=True, slots=True)
class Trial:
    """What a way of learning gains on queries it did not learn from, against the present weights."""

    name: str
    weights: Weights
    gain: Difference


@dataclass(frozen=True, slots=True)
class Tuning:
    """`chosen` is None when no trial is better by more than noise. `present` and `better_single` are means of MEASURE.

    `against_single` compares what will be used (held-out values where it was learned) with the better single run.
    """

    queries: int
    present_weight: float
    present: float
    trials: tuple[Trial, ...]
    chosen: Trial | None
    single: str
    better_single: float
    against_single: Difference


def tune(services: Services, inquiries: Mapping[str, Inquiry], qrels: Qrels, *, present: float, step: Step) -> Tuning:
    """Search with every candidate weight, learn by cross-validation, choose. Deterministic.

    `present` is the weight of the dense run that must be beaten.
    """
    order = sorted(qrels)
    table, singles = _table(services, {query: inquiries[query] for query in order}, qrels, (*GRID, present), step)
    classes = [services.class_of(inquiries[query]) for query in order]
    folds = [fold_of(query) for query in order]
    return choose(table, singles, classes=classes, folds=folds, present=present)


def choose(
    table: Mapping[float, Sequence[float]],
    singles: Mapping[str, Sequence[float]],
    *,
    classes: Sequence[str],
    folds: Sequence[int],
    present: float,
) -> Tuning:
    """The trial with the best held-out mean, if its gain is no noise and it does not lose to a single run."""
    rows = range(len(classes))
    single = max(singles, key=lambda name: float(np.mean(singles[name])))
    values = {name: held_out(table, classes, folds, present, learn) for name, learn in LEARNERS.items()}
    trials = tuple(
        Trial(name, learn(table, classes, rows, present), compared(values[name], table[present], SEED))
        for name, learn in LEARNERS.items()
    )
    best = max(trials, key=lambda trial: trial.gain.mean)
    kept = best.gain.low > 0 and compared(values[best.name], singles[single], SEED).high >= 0
    used = values[best.name] if kept else table[present]
    return Tuning(
        queries=len(classes),
        present_weight=present,
        present=float(np.mean(table[present])),
        trials=trials,
        chosen=best if kept else None,
        single=single,
        better_single=float(np.mean(singles[single])),
        against_single=compared(used, singles[single], SEED),
    )


def class_weights(weights: Weights) -> str:
    """As the setting of that name spells it.

    >>> class_weights(Weights(0.7, {"error": 0.5, "account": 0.85}))
    'account: dense 0.85; error: dense 0.5'
    """
    return "; ".join(f"{name}: dense {weight}" for name, weight in sorted(weights.by_class.items()))


def _table(
    services: Services, inquiries: Mapping[str, Inquiry], qrels: Qrels, candidates: Sequence[float], step: Step
) -> tuple[dict[float, list[float]], dict[str, list[float]]]:
    """MEASURE of every query, by candidate weight and by single run."""
    names = document_keys(services)
    once = replace(services, embedder=cast(Any, QueriesOnce(services.embedder)))
    table: dict[float, list[float]] = {}
    found: dict[str, dict[str, Ranking]] = {}
    weights = sorted(set(candidates))
    for number, weight in enumerate(weights, 1):
        found = _rankings(_search_with(once, weight), inquiries, names)
        table[weight] = list(measure(DEFAULT, found[DEFAULT], qrels).values[MEASURE])
        step(number, len(weights))
    singles = {name: list(measure(name, found[name], qrels).values[MEASURE]) for name in (BM25, DENSE)}
    return table, singles


def _search_with(services: Services, weight: float) -> Callable[[Inquiry], Any]:
    settings = services.settings.model_copy(update={"dense_weight": weight, "class_weights": ""})
    return replace(services, settings=settings).searcher(AUDIENCE)


def _rankings(
    search: Callable[[Inquiry], Any], inquiries: Mapping[str, Inquiry], names: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, Ranking]]:
    """By system, then by query."""
    found: dict[str, dict[str, Ranking]] = {name: {} for name in (DEFAULT, BM25, DENSE)}
    for query_id, inquiry in inquiries.items():
        by_system = rankings_of(search(inquiry), names)
        for name, rankings in found.items():
            rankings[query_id] = by_system[name]
    return found


class QueriesOnce:
    """Implements `core.ports.Embedder`: embeds a query once, however often it is searched with."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[str, ...], Vectors] = {}

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def identity(self) -> Any:
        return self._embedder.identity

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        key = tuple(texts)
        if key not in self._known:
            self._known[key] = self._embedder.embed_queries(texts)
        return self._known[key]
