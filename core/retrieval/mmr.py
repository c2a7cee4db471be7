"""Maximal marginal relevance: relevant passages that do not repeat each other (Carbonell and Goldstein 1998)."""

from __future__ import annotations

import numpy as np

from core.ports import Vector, Vectors


def mmr(relevance: Vector, rows: Vectors, *, balance: float, k: int = 3) -> list[tuple[int, float]]:
    """(row, marginal relevance) of the first `k`, in the order they are chosen.

    Each time the candidate d is taken that has the greatest  balance * s(d, q) - (1 - balance) * max s(d, d')  over
    the chosen d'; the first is the most relevant one. `relevance` is float32[n], the cosines s(d, q); `rows` is
    float32[n, dimension], L2-normalised, so that s(d, d') is their product. Equal ones: the lower row first. Cost
    k * n * dimension.

    >>> rows = np.array([[1.0, 0.0], [0.96, 0.28], [0.0, 1.0]], dtype=np.float32)
    >>> [(row, round(score, 2)) for row, score in mmr(np.array([0.9, 0.8, 0.5]), rows, balance=0.5, k=3)]
    [(0, 0.45), (2, 0.25), (1, -0.08)]
    """
    redundancy = np.zeros(len(rows))
    left = np.ones(len(rows), dtype=bool)
    chosen: list[tuple[int, float]] = []
    while len(chosen) < min(k, len(rows)):
        marginal = balance * relevance - (1 - balance) * redundancy
        row = int(np.argmax(np.where(left, marginal, -np.inf)))
        chosen.append((row, float(marginal[row])))
        left[row] = False
        likeness = rows @ rows[row]
        redundancy = likeness if len(chosen) == 1 else np.maximum(redundancy, likeness)
    return chosen
