"""Single runs: one index asked for one collection. Whatever an index answers, or that it does not, becomes a `Run`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.domain.passage import Run, ScoredPassage, document_of
from core.domain.retrieval import WeightedQuery
from core.errors import Unavailable
from core.ports import Embedder, LexicalIndex, Timer, Vector, VectorIndex
from core.retrieval.centring import centred_cosines
from core.retrieval.documents import whole
from core.retrieval.fusion import best_first
from core.retrieval.language import lexical_terms

Ranking = Sequence[tuple[str, float]]
"""(passage_id, score), best first."""


def search_lexical(
    queries: Sequence[WeightedQuery],
    names: Iterable[str],
    *,
    index: LexicalIndex,
    depth: int,
    timer: Timer,
    documents: bool = False,
) -> list[Run]:
    """One run a collection: the sum of the queries' BM25 scores by weight; beyond `depth` a query gives nothing.

    With `documents` the items are documents, scored as wholes.
    """
    analysed = [lexical_terms(query) for query in queries]

    def search(name: str) -> Ranking:
        total: dict[str, float] = defaultdict(float)
        for terms, weight in analysed:
            for passage_id, score in index.search(whole(name) if documents else name, terms, depth):
                total[passage_id] += weight * score
        return best_first(total)[:depth]

    stage = "lexical documents" if documents else "lexical"
    return [_run(stage, name, search, depth, timer, queries=len(queries)) for name in names]


def search_dense(
    queries: Sequence[WeightedQuery],
    names: Iterable[str],
    *,
    index: VectorIndex,
    embedder: Embedder,
    depth: int,
    timer: Timer,
    centre: float = 0.0,
    openings: bool = False,
) -> tuple[list[Run], list[Run]]:
    """Two runs a collection: passages and, with `openings`, documents by their opening (without: no second run).

    The score is the cosine to the weighted mean of the queries' vectors: that ranks as the weighted sum of the
    queries' cosines would, over the whole collection and in one search. The passages that are nearest are then
    scored anew with the share `centre` of the collection's mean taken away (`core.retrieval.centring`).
    """
    try:
        vector = query_vector(queries, embedder)
    except Unavailable as error:
        return [degraded("dense", name, depth, error) for name in names], []

    def search(name: str) -> Ranking:
        near = _nearest(index, name, vector, depth, embedder)
        return _centred(index, name, vector, near, centre) if near and vector is not None and centre else near

    def search_openings(name: str) -> Ranking:
        return _nearest(index, whole(name), vector, depth, embedder)

    facts = {"queries": len(queries), "centre": centre}
    listed = list(names)
    passages = [_run("dense", name, search, depth, timer, **facts) for name in listed]
    if not openings:
        return passages, []
    return passages, [_run("openings", name, search_openings, depth, timer, queries=len(queries)) for name in listed]


def by_document(run: Run) -> Run:
    """The run's documents by their best passage.

    >>> items = (ScoredPassage("d@00000000#1", 3.0, 1), ScoredPassage("d@00000000#0", 2.0, 2))
    >>> [(item.passage_id, item.score) for item in by_document(Run("dense", "docs", items, 5)).items]
    [('d', 3.0)]
    """
    best: dict[str, float] = {}
    for item in run.items:
        best.setdefault(document_of(item.passage_id), item.score)
    return replace(run, items=ranked(list(best.items())))


def ranked(ranking: Ranking) -> tuple[ScoredPassage, ...]:
    return tuple(ScoredPassage(name, score, rank) for rank, (name, score) in enumerate(ranking, start=1))


def degraded(stage: str, name: str, depth: int, error: Unavailable) -> Run:
    return Run(stage, name, (), depth, degraded=error.message)


def _run(stage: str, name: str, search: Callable[[str], Ranking], depth: int, timer: Timer, **facts: float) -> Run:
    started = timer()
    try:
        ranking = search(name)
    except Unavailable as error:
        return degraded(stage, name, depth, error)
    parameters = {fact: float(value) for fact, value in facts.items()}
    return Run(stage, name, ranked(ranking), depth, timer() - started, parameters=parameters)


def query_vector(queries: Sequence[WeightedQuery], embedder: Embedder) -> Vector | None:
    """The weighted mean of the queries' vectors, L2-normalised; None without queries."""
    if not queries:
        return None
    weights = np.array([query.weight for query in queries], dtype=np.float32)
    total = weights @ embedder.embed_queries([query.text for query in queries])
    return (total / np.linalg.norm(total)).astype(np.float32)


def _nearest(
    index: VectorIndex, collection: str, vector: Vector | None, depth: int, embedder: Embedder
) -> list[tuple[str, float]]:
    return [] if vector is None else index.search(collection, vector, depth, embedder.identity)


def _centred(index: VectorIndex, collection: str, vector: Vector, near: Ranking, share: float) -> Ranking:
    """The same passages in their new order; one whose vector is gone meanwhile is left out."""
    mean = index.mean(collection)
    stored = index.vectors(collection, [name for name, _ in near])
    names = [name for name, _ in near if name in stored]
    if mean is None or not names:
        return near
    cosines = centred_cosines(vector, np.stack([stored[name] for name in names]), mean, share)
    scores: Mapping[str, float] = {name: round(float(c), 6) for name, c in zip(names, cosines, strict=True)}
    return best_first(scores)
