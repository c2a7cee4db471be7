"""Several ranked lists into one, by standardised scores or by reciprocal ranks."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence

NOTHING: Mapping[str, float] = {}


def z_scores(found: Mapping[str, float], missing: Mapping[str, float] = NOTHING) -> dict[str, float]:
    """Scores as distances from their mean, in population standard deviations.

    `missing` are passages the list does not hold, each with the score it is taken to have (its floor): they get a z
    as well, but each distinct floor counts only once towards mean and deviation, so that one hit against a hundred
    passages without any does not become an outlier. All zero when every score is the same.

    >>> z_scores({"a": 3.0, "b": 1.0})
    {'a': 1.0, 'b': -1.0}
    >>> z_scores({"a": 10.0}, {"b": 0.0, "c": 0.0})
    {'a': 1.0, 'b': -1.0, 'c': -1.0}
    """
    values = [*found.values(), *sorted(set(missing.values()))]
    if not values:
        return {}
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    if deviation <= 1e-9 * max(map(abs, values), default=0.0):
        return dict.fromkeys([*found, *missing], 0.0)
    return {name: (score - mean) / deviation for name, score in [*found.items(), *missing.items()]}


def fuse_z(lists: Sequence[tuple[Mapping[str, float], float]]) -> dict[str, float]:
    """Weighted sum of (z-scores, weight) lists; weights are divided by their sum.

    A passage that one list lacks gets the lowest z of that list (give it a floor in `z_scores` to do better).

    >>> fuse_z([({"a": 1.0, "b": -1.0}, 3), ({"b": 2.0, "c": 0.0}, 1)])
    {'a': 0.75, 'b': -0.25, 'c': -0.75}
    """
    total = sum(weight for _, weight in lists) or 1.0
    names = dict.fromkeys(name for scores, _ in lists for name in scores)
    fused = dict.fromkeys(names, 0.0)
    for scores, weight in lists:
        lowest = min(scores.values(), default=0.0)
        for name in names:
            fused[name] += scores.get(name, lowest) * weight / total
    return fused


def fuse_rrf(rankings: Sequence[tuple[Sequence[str], float]], *, rrf_k: float = 60) -> dict[str, float]:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009) of (names best first, weight).

    The score is the sum of weight / (rrf_k + rank) over the rankings that hold the name, ranks from 1.

    >>> fused = fuse_rrf([(["a", "b"], 1.0), (["b", "c"], 1.0)], rrf_k=1)
    >>> {name: round(score, 3) for name, score in fused.items()}
    {'a': 0.5, 'b': 0.833, 'c': 0.333}
    """
    fused: dict[str, float] = defaultdict(float)
    for names, weight in rankings:
        for rank, name in enumerate(names, start=1):
            fused[name] += weight / (rrf_k + rank)
    return dict(fused)


def best_first(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """(name, score), highest score first, equal scores by name.

    >>> best_first({"b": 1.0, "c": 2.0, "a": 1.0})
    [('c', 2.0), ('a', 1.0), ('b', 1.0)]
    """
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
