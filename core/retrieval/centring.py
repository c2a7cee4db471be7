"""Cosines after part of the collection's mean vector was taken away on both sides.

What all passages of a collection have in common says nothing about any of them, yet is most of their cosine to a
ticket of that field. Taking the mean away is the first step of "all but the top" (Mu and Viswanath 2018); half of it
measured best or equal on every set, whitening harmed.
"""

from __future__ import annotations

import numpy as np

from core.ports import Vector, Vectors


def centred_cosines(query: Vector, rows: Vectors, mean: Vector, share: float) -> Vector:
    """float32[n]: the cosine of `query - share * mean` with each row of `rows - share * mean`.

    `query` is float32[dimension], `rows` float32[n, dimension], both L2-normalised; `mean` is not.

    >>> query, rows = np.array([1.0, 0.0]), np.array([[0.6, 0.8], [0.8, -0.6]])
    >>> [round(float(value), 2) for value in centred_cosines(query, rows, np.array([0.8, 0.0]), 0.5)]
    [0.24, 0.55]
    """
    point = query - share * mean
    shifted = rows - share * mean
    lengths = np.linalg.norm(shifted, axis=1) * np.linalg.norm(point)
    cosines: Vector = ((shifted @ point) / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return cosines
