"""Retrieval: a lexical and a dense run for each collection, fused into one list of passages.

Every stage is a function that gives a `Run` with rank and score of each passage; all of them are kept.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.domain.passage import Passage, Run, ScoredPassage
from core.domain.retrieval import Retrieval, WeightedQuery
from core.errors import IndexUnavailable, Unavailable
from core.ports import Embedder, LexicalIndex, Timer, Vector, VectorIndex
from core.retrieval.analysis import lexical_query
from core.retrieval.fusion import best_first, fuse_z, z_scores

SIMILAR_K = 5


def retrieve(
    queries: Sequence[WeightedQuery],
    *,
    collections: Mapping[str, float],
    lexical: LexicalIndex,
    vectors: VectorIndex,
    embedder: Embedder,
    passages: Callable[[Sequence[str]], Mapping[str, Passage]],
    depth: int,
    k: int,
    dense_weight: float,
    timer: Timer,
    similar_in: str = "",
) -> Retrieval:
    """Search every collection both ways with all queries, fuse, and keep the best `k` passages.

    `collections` maps names to weights: ln(weight) is added to the fused score (in standard deviations) of the
    collection's passages, so 1 changes nothing and 0 leaves it out. `passages` gives those that are still known;
    others are dropped, and counted in the fused run's parameters. What raises `Unavailable` leaves degraded runs
    and a word in `reduced`; when nothing answers, raises `IndexUnavailable`. `EmbedderMismatch` gets through.
    `similar_in` names a collection whose own best `SIMILAR_K` are kept as a run "similar", whether or not they are
    among the best of all: for people to look at, not to draft from.
    """
    weights = {name: weight for name, weight in collections.items() if weight > 0}
    started = timer()
    lexical_runs = search_lexical(queries, weights, index=lexical, depth=depth, timer=timer)
    searched = timer()
    dense_runs = _with_gaps_named(
        lexical_runs,
        search_dense(queries, weights, index=vectors, embedder=embedder, depth=depth, timer=timer),
    )
    found = timer()
    _refuse_when_nothing_answers([*lexical_runs, *dense_runs])
    scores = fuse(lexical_runs, dense_runs, weights=weights, dense_weight=dense_weight)
    kept, known, dropped = _known(best_first(scores), passages, k)
    similar, beside = _similar(similar_in, [*lexical_runs, *dense_runs], scores, passages)
    ended = timer()
    parameters = _parameters(weights, dense_weight, dropped)
    return Retrieval(
        queries=tuple(queries),
        runs=(*lexical_runs, *dense_runs, *similar),
        fused=Run("fusion", "", _ranked(kept), k, ended - found, parameters=parameters),
        passages=beside | known,
        reduced=reduced(lexical_runs, dense_runs),
        timings=(("lexical", searched - started), ("dense", found - searched), ("fusion", ended - found)),
    )


def search_lexical(
    queries: Sequence[WeightedQuery], names: Iterable[str], *, index: LexicalIndex, depth: int, timer: Timer
) -> list[Run]:
    """One run a collection: the sum of the queries' BM25 scores by weight; beyond `depth` a query gives nothing."""
    analysed = [(lexical_query(query.text), query.weight) for query in queries]

    def search(name: str) -> list[tuple[str, float]]:
        total: dict[str, float] = defaultdict(float)
        for terms, weight in analysed:
            for passage_id, score in index.search(name, terms, depth):
                total[passage_id] += weight * score
        return best_first(total)[:depth]

    return [_run("lexical", name, search, depth, timer, len(queries)) for name in names]


def search_dense(
    queries: Sequence[WeightedQuery],
    names: Iterable[str],
    *,
    index: VectorIndex,
    embedder: Embedder,
    depth: int,
    timer: Timer,
) -> list[Run]:
    """One run a collection: cosine to the weighted mean of the queries' vectors.

    That ranks as the weighted sum of the queries' cosines would, over the whole collection and in one search.
    """
    try:
        vector = _mean_vector(queries, embedder)
    except Unavailable as error:
        return [_degraded("dense", name, depth, error) for name in names]

    def search(name: str) -> list[tuple[str, float]]:
        return [] if vector is None else index.search(name, vector, depth, embedder.identity)

    return [_run("dense", name, search, depth, timer, len(queries)) for name in names]


def fuse(
    lexical_runs: Sequence[Run], dense_runs: Sequence[Run], *, weights: Mapping[str, float], dense_weight: float
) -> dict[str, float]:
    """Fused score of every passage of any run; both sequences hold one run a collection, in the same order.

    A stage's scores are standardised over all its collections together, so that a collection in which nothing
    matches well stays behind. A passage that a run lacks is taken to score what the run's last one does if the run
    is full, else 0 (nothing else matched). Where one stage is degraded the other counts alone.
    """
    pairs = list(zip(lexical_runs, dense_runs, strict=True))
    candidates = {
        one.collection: {item.passage_id for run in (one, other) for item in run.items} for one, other in pairs
    }
    lexical_z, dense_z = _standardised(lexical_runs, candidates), _standardised(dense_runs, candidates)
    fused: dict[str, float] = {}
    for one, other in pairs:
        stages = [(one, lexical_z, 1 - dense_weight), (other, dense_z, dense_weight)]
        alive = [(z[run.collection], weight) for run, z, weight in stages if not run.degraded]
        lists = alive if len(alive) > 1 else [(z, 1.0) for z, _ in alive]
        shift = math.log(weights[one.collection])
        fused |= {passage_id: score + shift for passage_id, score in fuse_z(lists).items()}
    return fused


def reduced(lexical_runs: Sequence[Run], dense_runs: Sequence[Run]) -> tuple[str, ...]:
    """What did not work, in words for a badge: "lexical only", "dense only", or which collection that holds for."""
    words = {
        (False, True): "lexical only",
        (True, False): "dense only",
        (True, True): "not searched",
    }
    states = [
        (one.collection, words.get((bool(one.degraded), bool(other.degraded)), ""))
        for one, other in zip(lexical_runs, dense_runs, strict=True)
    ]
    if len({word for _, word in states}) == 1:
        return tuple(filter(None, {word for _, word in states}))
    return tuple(f"{name}: {word}" for name, word in states if word)


def _with_gaps_named(lexical_runs: Sequence[Run], dense_runs: Sequence[Run]) -> list[Run]:
    """A dense search always finds something where there is anything: nothing beside lexical hits is a lost index."""
    return [
        replace(dense, degraded=f"The dense index holds nothing of {dense.collection}.")
        if lexical.items and not dense.items and not dense.degraded
        else dense
        for lexical, dense in zip(lexical_runs, dense_runs, strict=True)
    ]


def _run(
    stage: str,
    name: str,
    search: Callable[[str], list[tuple[str, float]]],
    depth: int,
    timer: Timer,
    query_count: int,
) -> Run:
    started = timer()
    try:
        ranking = search(name)
    except Unavailable as error:
        return _degraded(stage, name, depth, error)
    return Run(stage, name, _ranked(ranking), depth, timer() - started, parameters={"queries": float(query_count)})


def _degraded(stage: str, name: str, depth: int, error: Unavailable) -> Run:
    return Run(stage, name, (), depth, degraded=error.message)


def _ranked(ranking: Sequence[tuple[str, float]]) -> tuple[ScoredPassage, ...]:
    return tuple(ScoredPassage(passage_id, score, rank) for rank, (passage_id, score) in enumerate(ranking, start=1))


def _mean_vector(queries: Sequence[WeightedQuery], embedder: Embedder) -> Vector | None:
    """L2-normalised; None without queries."""
    if not queries:
        return None
    weights = np.array([query.weight for query in queries], dtype=np.float32)
    total = weights @ embedder.embed_queries([query.text for query in queries])
    return (total / np.linalg.norm(total)).astype(np.float32)


def _standardised(runs: Sequence[Run], candidates: Mapping[str, set[str]]) -> dict[str, dict[str, float]]:
    """z of every candidate, by collection; degraded runs have none."""
    answered = [run for run in runs if not run.degraded]
    found = {item.passage_id: item.score for run in answered for item in run.items}
    missing = {
        passage_id: _floor(run)
        for run in answered
        for passage_id in candidates[run.collection]
        if passage_id not in found
    }
    z = z_scores(found, missing)
    return {
        run.collection: {passage_id: z[passage_id] for passage_id in candidates[run.collection]} for run in answered
    }


def _floor(run: Run) -> float:
    return run.items[-1].score if len(run.items) >= run.depth else 0.0


def _known(
    ranking: Sequence[tuple[str, float]], passages: Callable[[Sequence[str]], Mapping[str, Passage]], k: int
) -> tuple[list[tuple[str, float]], dict[str, Passage], int]:
    """The best `k` that the repository still knows, their passages, and how many it did not know on the way there.

    Asks for `k` at a time.
    """
    known: dict[str, Passage] = {}
    kept: list[tuple[str, float]] = []
    dropped = 0
    for start in range(0, len(ranking), k):
        block = ranking[start : start + k]
        known |= passages([passage_id for passage_id, _ in block])
        there = [item for item in block if item[0] in known]
        kept += there
        dropped += len(block) - len(there)
        if len(kept) >= k:
            break
    return kept[:k], {passage_id: known[passage_id] for passage_id, _ in kept[:k]}, dropped


def _similar(
    name: str,
    runs: Sequence[Run],
    scores: Mapping[str, float],
    passages: Callable[[Sequence[str]], Mapping[str, Passage]],
) -> tuple[list[Run], dict[str, Passage]]:
    """The run of the collection's own best passages, if there are any, and those passages."""
    own = {item.passage_id: scores[item.passage_id] for run in runs if run.collection == name for item in run.items}
    kept, known, _ = _known(best_first(own), passages, SIMILAR_K)
    return ([Run("similar", name, _ranked(kept), SIMILAR_K)] if kept else []), known


def _parameters(weights: Mapping[str, float], dense_weight: float, dropped: int) -> dict[str, float]:
    named = {f"weight_{name}": weight for name, weight in weights.items()}
    return {"dense_weight": dense_weight, "dropped": float(dropped), **named}


def _refuse_when_nothing_answers(runs: Sequence[Run]) -> None:
    if runs and all(run.degraded for run in runs):
        reasons = " ".join(dict.fromkeys(run.degraded for run in runs))
        raise IndexUnavailable(f"No index answers: {reasons}")
