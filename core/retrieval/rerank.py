"""The stages that put the first of a ranked list in another order: MMR, PageRank, a cross-encoder.

Each gives a `Run` with its own scores, in its own order. In the final list a passage then has the fused score of the
place it came to, so that scores keep falling and keep their scale whatever stages ran.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.domain.passage import Passage, Run
from core.errors import Unavailable
from core.ports import Reranker, Timer, Vector, Vectors
from core.retrieval.fusion import best_first, z_scores
from core.retrieval.mmr import mmr
from core.retrieval.pagerank import pagerank
from core.retrieval.runs import Ranking, degraded, ranked


def reordered(ranking: Ranking, order: Sequence[str]) -> list[tuple[str, float]]:
    """The names of `order` first, then the others as they were; scores stay at their places.

    >>> reordered([("a", 3.0), ("b", 2.0), ("c", 1.0)], ["c"])
    [('c', 3.0), ('a', 2.0), ('b', 1.0)]
    """
    names = dict.fromkeys([*order, *(name for name, _ in ranking)])
    return [(name, score) for name, (_, score) in zip(names, ranking, strict=True)]


def mmr_run(ranking: Ranking, query: Vector, stored: Mapping[str, Vector], *, balance: float, k: int) -> Run:
    """MMR over the whole ranking, the first `k` places. Passages without a vector are left out."""
    names, rows = _matrix(ranking, stored)
    chosen = mmr(rows @ query, rows, balance=balance, k=k) if names else []
    items = ranked([(names[row], score) for row, score in chosen])
    return Run("mmr", "", items, k, parameters={"lambda": balance})


def pagerank_run(ranking: Ranking, query: Vector, stored: Mapping[str, Vector], *, k: int, tau: float) -> Run:
    """The first `k` passages by personalised PageRank. Passages without a vector are left out."""
    names, rows = _matrix(ranking[:k], stored)
    values = pagerank(rows @ query, rows, tau=tau) if names else []
    items = ranked(best_first(dict(zip(names, values, strict=True))))
    return Run("pagerank", "", items, k, parameters={"tau": tau})


def rerank_run(
    ranking: Ranking,
    text: str,
    passages: Mapping[str, Passage],
    *,
    reranker: Reranker,
    depth: int,
    timer: Timer,
    share: float = 1.0,
) -> Run:
    """The first `depth` passages by the cross-encoder, which reads the ticket and the passage with its headings.

    Its scores and the fused ones are standardised over these passages; its own count `share`, the fused ones the rest.
    `truncated` among the parameters counts the pairs it could not read to the end.
    """
    started = timer()
    names = [name for name, _ in ranking[:depth] if name in passages]
    texts = [passages[name].contextual_text for name in names]
    try:
        scores = reranker.score(text, texts)
    except Unavailable as error:
        return degraded("rerank", "", depth, error)
    own = z_scores(dict(zip(names, scores, strict=True)))
    fused = z_scores({name: score for name, score in ranking[:depth] if name in passages})
    mixed = {name: share * own[name] + (1 - share) * fused[name] for name in names}
    items = ranked(best_first(mixed))
    facts = {"share": share, "truncated": float(reranker.truncated(text, texts))}
    return Run("rerank", "", items, depth, timer() - started, parameters=facts)


def _matrix(ranking: Ranking, stored: Mapping[str, Vector]) -> tuple[list[str], Vectors]:
    names = [name for name, _ in ranking if name in stored]
    return names, np.stack([stored[name] for name in names]) if names else np.zeros((0, 0), dtype=np.float32)
