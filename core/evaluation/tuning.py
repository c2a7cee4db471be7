"""Learns weights from judged queries, and whether what was learned holds on queries it was not learned from.

Everything works on one table: for each candidate weight, what every query scores with it (one measure, same order).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.evaluation.significance import Difference, paired_bootstrap

FOLDS = 5
LEAST_QUERIES = 20
"""A class of fewer queries gets no weight of its own."""

Table = Mapping[float, Sequence[float]]
"""candidate weight -> one value a query."""


@dataclass(frozen=True, slots=True)
class Weights:
    """`overall` holds for every class that `by_class` does not name."""

    overall: float
    by_class: Mapping[str, float] = field(default_factory=dict)

    def of(self, name: str) -> float:
        return self.by_class.get(name, self.overall)


Learner = Callable[[Table, Sequence[str], Sequence[int], float], Weights]
"""(table, class of each query, which queries to learn from, present weight) -> weights."""


def one_weight(table: Table, _classes: Sequence[str], rows: Sequence[int], present: float) -> Weights:
    """The candidate with the highest mean; of equal ones the nearest to the present weight, then the smaller.

    >>> one_weight({0.5: [0.0, 1.0], 0.7: [0.0, 0.5]}, ["", ""], [0, 1], 0.7)
    Weights(overall=0.5, by_class={})
    """
    return Weights(_best(table, rows, present))


def a_weight_a_class(table: Table, classes: Sequence[str], rows: Sequence[int], present: float) -> Weights:
    """As `one_weight`, and the same again within each class of at least `LEAST_QUERIES` queries."""
    overall = _best(table, rows, present)
    counts = Counter(classes[row] for row in rows)
    large = sorted(name for name, count in counts.items() if count >= LEAST_QUERIES)
    best = {name: _best(table, [row for row in rows if classes[row] == name], overall) for name in large}
    return Weights(overall, {name: weight for name, weight in best.items() if weight != overall})


def held_out(table: Table, classes: Sequence[str], folds: Sequence[int], present: float, learn: Learner) -> list[float]:
    """What every query scores with the weights that were learned from the other folds."""
    values = [0.0] * len(classes)
    for fold in sorted(set(folds)):
        learned = learn(table, classes, [row for row, other in enumerate(folds) if other != fold], present)
        for row in (row for row, own in enumerate(folds) if own == fold):
            values[row] = table[learned.of(classes[row])][row]
    return values


def fold_of(query_id: str) -> int:
    """0 to FOLDS - 1, the same for an id whatever else is in the set.

    >>> fold_of("q1"), fold_of("q2"), fold_of("q1")
    (3, 1, 3)
    """
    return int(hashlib.sha256(query_id.encode()).hexdigest(), 16) % FOLDS


def compared(values: Sequence[float], with_these: Sequence[float], seed: int) -> Difference:
    """The paired difference; the same seed draws the same queries."""
    return paired_bootstrap(values, with_these, rng=np.random.default_rng(seed))


def _best(table: Table, rows: Sequence[int], present: float) -> float:
    def key(weight: float) -> tuple[float, float, float]:
        values = table[weight]
        mean = sum(values[row] for row in rows) / max(len(rows), 1)
        return (-round(mean, 9), abs(weight - present), weight)

    return min(table, key=key)
