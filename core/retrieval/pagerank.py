"""Passages that support each other: PageRank over their similarity graph, started from the query's similarities.

Personalised PageRank (Haveliwala 2002), with the graph of AstroRAG: an edge where the cosine of two passages is above
tau = 0.01, weighted by it; the random surfer restarts at a passage in proportion to its similarity to the query.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from core.ports import Vector, Vectors

TAU = 0.01
DAMPING = 0.85


def pagerank(relevance: Vector, rows: Vectors, *, tau: float = TAU, damping: float = DAMPING) -> list[float]:
    """One value a row, together 1; higher is better.

    `relevance` is float32[n], the cosines to the query (negative ones count as 0; all 0: every row alike); `rows` is
    float32[n, dimension], L2-normalised. Cost n squared: for tens of passages, not thousands.

    >>> rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    >>> [round(value, 3) for value in pagerank(np.array([0.5, 0.5, 0.0]), rows)]
    [0.318, 0.5, 0.182]

    By hand: p1 = .075 + .85 (p0 + p2), p0 = .075 + .85 p1 (.8 / 1.4), p2 = .85 p1 (.6 / 1.4), so p1 = .13875 / .2775.
    """
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(len(rows)))
    likeness = rows @ rows.T
    pairs = combinations(range(len(rows)), 2)
    graph.add_weighted_edges_from((a, b, float(likeness[a, b])) for a, b in pairs if likeness[a, b] > tau)
    start = np.maximum(relevance, 0.0)
    weights = {row: float(value) for row, value in enumerate(start)} if start.any() else None
    values = nx.pagerank(graph, alpha=damping, personalization=weights, weight="weight") if len(rows) else {}
    return [values[row] for row in range(len(rows))]
