"""The stages after fusion: they put the first of the fused passages in another order. All are off by default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from core.domain.passage import Run
from core.domain.retrieval import Retrieval
from core.ports import Embedder, Reranker, Timer, Vector, VectorIndex
from core.retrieval.learned import learned_run
from core.retrieval.rerank import mmr_run, pagerank_run, reordered, rerank_run
from core.retrieval.runs import Ranking, query_vector, ranked
from core.retrieval.stages import Stages

POOL = 50
"""Fused passages among which MMR chooses."""

Stage = Callable[[Ranking], Run]


def ordered(
    retrieval: Retrieval,
    *,
    stages: Stages,
    vectors: VectorIndex,
    embedder: Embedder,
    reranker: Reranker | None,
    timer: Timer,
    k: int,
) -> Retrieval:
    """The retrieval after ranker, MMR, PageRank and cross-encoder, in this order, as far as they are on; its best `k`.

    The runs gain the fused one and one for each stage; `fused` is then the run "ordered". A cross-encoder that does
    not answer is named in `reduced`. Where no stage is on nothing but the cut to `k` happens.
    """
    ranking: Ranking = [(item.passage_id, item.score) for item in retrieval.fused.items]
    runs: list[Run] = []
    started = timer()
    for stage in _stages(retrieval, stages, vectors, embedder, reranker, timer):
        runs.append(stage(ranking))
        ranking = reordered(ranking, [item.passage_id for item in runs[-1].items])
    if runs:
        retrieval = _with(retrieval, runs, ranking, timer() - started)
    best = retrieval.fused.items[:k]
    elsewhere = {item.passage_id for run in retrieval.runs if run.stage == "similar" for item in run.items}
    kept = elsewhere | {item.passage_id for item in best}
    passages = {name: passage for name, passage in retrieval.passages.items() if name in kept}
    return replace(retrieval, fused=replace(retrieval.fused, items=best, depth=k), passages=passages)


def depth_for(stages: Stages, k: int) -> int:
    """How many fused passages the stages need, for `k` to come out."""
    learned = stages.ranker.depth if stages.ranker else 0
    return max(k, learned, stages.rerank_depth, stages.pagerank_k, POOL if stages.mmr_lambda < 1 else 0)


def _stages(
    retrieval: Retrieval,
    stages: Stages,
    vectors: VectorIndex,
    embedder: Embedder,
    reranker: Reranker | None,
    timer: Timer,
) -> list[Stage]:
    chosen: list[Stage] = []
    if stages.ranker is not None:
        chosen.append(partial(learned_run, retrieval, ranker=stages.ranker))
    if stages.mmr_lambda < 1 or stages.pagerank_k:
        chosen += _graph_stages(retrieval, stages, vectors, embedder)
    if stages.rerank_depth and reranker is not None and retrieval.queries:
        chosen.append(
            partial(
                rerank_run,
                text=retrieval.queries[0].text,
                passages=retrieval.passages,
                reranker=reranker,
                depth=stages.rerank_depth,
                share=stages.rerank_share,
                timer=timer,
            )
        )
    return chosen


def _graph_stages(retrieval: Retrieval, stages: Stages, vectors: VectorIndex, embedder: Embedder) -> list[Stage]:
    """MMR and PageRank: they need the passages' vectors, so without the dense index there are none."""
    stored = _stored(retrieval, vectors)
    query = query_vector(retrieval.queries, embedder) if stored else None
    if query is None:
        return []
    chosen: list[Stage] = []
    if stages.mmr_lambda < 1:
        chosen.append(partial(mmr_run, query=query, stored=stored, balance=stages.mmr_lambda, k=stages.mmr_k))
    if stages.pagerank_k:
        chosen.append(partial(pagerank_run, query=query, stored=stored, k=stages.pagerank_k, tau=stages.pagerank_tau))
    return chosen


def _stored(retrieval: Retrieval, vectors: VectorIndex) -> Mapping[str, Vector]:
    """The vectors of the fused passages; none when the dense run was not there either."""
    if not any(run.stage == "dense" and not run.degraded for run in retrieval.runs):
        return {}
    stored: dict[str, Vector] = {}
    for collection in sorted({passage.collection for passage, _ in retrieval.ranked}):
        stored |= vectors.vectors(collection, [p.passage_id for p, _ in retrieval.ranked if p.collection == collection])
    return stored


def _with(retrieval: Retrieval, runs: list[Run], ranking: Ranking, seconds: float) -> Retrieval:
    missing = tuple("not reranked" for run in runs if run.degraded)
    return replace(
        retrieval,
        runs=(*retrieval.runs, retrieval.fused, *runs),
        fused=replace(retrieval.fused, stage="ordered", items=ranked(ranking), seconds=seconds, parameters={}),
        reduced=(*retrieval.reduced, *missing),
        timings=(*retrieval.timings, ("order", seconds)),
    )
