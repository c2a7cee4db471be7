from __future__ import annotations

import numpy as np
import pytest

from core.evaluation import significance
from core.evaluation.significance import paired_bootstrap


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_two_queries_by_hand() -> None:
    """Differences 0 and 1: means 0, .5 and 1 with chances 1/4, 1/2, 1/4, so the middle 95 % reach from 0 to 1."""
    found = paired_bootstrap([0.5, 1.0], [0.5, 0.0], rng=rng())
    assert (found.mean, found.low, found.high) == (0.5, 0.0, 1.0)
    narrow = paired_bootstrap([0.5, 1.0], [0.5, 0.0], rng=rng(), confidence=0.4)
    assert (narrow.low, narrow.high) == (0.5, 0.5)


def test_the_interval_is_that_of_the_mean_for_many_queries() -> None:
    """A fair coin: the standard error of the mean of n differences of 0 or 1 is .5 / sqrt(n)."""
    wins = [float(number % 2) for number in range(400)]
    found = paired_bootstrap(wins, [0.0] * 400, rng=rng(), resamples=2000)
    assert found.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.004)
    assert found.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.004)


def test_pairs_count_not_the_two_means() -> None:
    """The same numbers in another order make a difference of 0 that is uncertain, in the same order a certain one."""
    values = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    certain = paired_bootstrap([v + 0.1 for v in values], values, rng=rng())
    assert certain.low == pytest.approx(0.1)
    assert not certain.is_noise
    shuffled = paired_bootstrap([v + 0.1 for v in reversed(values)], values, rng=rng())
    assert shuffled.mean == pytest.approx(0.1)
    assert shuffled.is_noise


def test_the_same_seed_gives_the_same_interval() -> None:
    values = [0.1, 0.9, 0.4, 0.7, 0.3]
    assert paired_bootstrap(values, [0.2] * 5, rng=rng()) == paired_bootstrap(values, [0.2] * 5, rng=rng())


def test_many_queries_are_drawn_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [0.1, 0.9, 0.4, 0.7, 0.3]
    whole = paired_bootstrap(values, [0.2] * 5, rng=rng(), resamples=1000)
    monkeypatch.setattr(significance, "_CELLS_AT_ONCE", 40)
    assert paired_bootstrap(values, [0.2] * 5, rng=rng(), resamples=1000) == whole


@pytest.mark.parametrize(("system", "baseline"), [([], []), ([1.0], [1.0, 0.0]), ([1.0, 0.0], [1.0])])
def test_what_is_not_paired_is_refused(system: list[float], baseline: list[float]) -> None:
    with pytest.raises(ValueError, match="no pairs"):
        paired_bootstrap(system, baseline, rng=rng())
