"""Whether one system is better than another on the same queries, or only luckier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000
CONFIDENCE = 0.95
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean difference per query (system less baseline) and its confidence interval, in units of the measure."""

    mean: float
    low: float
    high: float

    @property
    def is_noise(self) -> bool:
        """Whether no difference at all is within the interval."""
        return self.low <= 0 <= self.high


def paired_bootstrap(
    system: Sequence[float],
    baseline: Sequence[float],
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Difference:
    """Percentile bootstrap (Efron and Tibshirani 1993, chapter 13) of the mean difference of paired measurements.

    Both hold one value a query, in the same order. Queries are drawn with replacement, `resamples` times; the
    interval holds the middle `confidence` of the means. Time is linear in queries x resamples, memory is bounded.
    Raises `ValueError` for no queries or unequal numbers of them.

    >>> paired_bootstrap([0.5, 0.75], [0.25, 0.5], rng=np.random.default_rng(0))
    Difference(mean=0.25, low=0.25, high=0.25)
    """
    differences = np.asarray(system, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    if not len(differences) or len(system) != len(baseline):
        raise ValueError(f"{len(system)} and {len(baseline)} values are no pairs")
    means = _resampled_means(differences, rng, resamples)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Difference(float(differences.mean()), float(low), float(high))


def _resampled_means(
    values: npt.NDArray[np.float64], rng: np.random.Generator, resamples: int
) -> npt.NDArray[np.float64]:
    """float64[resamples], a block of draws at a time."""
    block = max(1, _CELLS_AT_ONCE // len(values))
    sizes = [min(block, resamples - start) for start in range(0, resamples, block)]
    draws = (rng.integers(len(values), size=(size, len(values))) for size in sizes)
    return np.concatenate([values[drawn].mean(axis=1) for drawn in draws])
