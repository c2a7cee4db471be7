from __future__ import annotations

import pytest

from core.evaluation.tuning import LEAST_QUERIES, Weights, a_weight_a_class, fold_of, held_out, one_weight
from plugin.evaluation.tuning import choose, class_weights

N = 60
CLASSES = ["error" if row % 2 else "how-to" for row in range(N)]
FOLDS = [row % 5 for row in range(N)]
SPLIT = {
    0.5: [0.9 if row % 2 else 0.1 for row in range(N)],
    0.7: [0.5 + row / 1000 for row in range(N)],
    0.9: [0.1 if row % 2 else 0.9 for row in range(N)],
}
"""Errors want 0.5, how-tos 0.9; one weight for both does best with 0.7."""


def test_equal_candidates_leave_the_present_weight() -> None:
    table = {0.5: [0.4, 0.4], 0.7: [0.4, 0.4], 0.9: [0.4, 0.4]}
    assert one_weight(table, ["", ""], [0, 1], 0.9).overall == 0.9
    assert one_weight(table, ["", ""], [0, 1], 0.6).overall == 0.5


def test_only_the_given_queries_are_learned_from() -> None:
    assert one_weight({0.5: [1.0, 0.0], 0.7: [0.0, 1.0]}, ["", ""], [1], 0.5).overall == 0.7


def test_each_class_gets_the_weight_it_wants() -> None:
    learned = a_weight_a_class(SPLIT, CLASSES, range(N), 0.7)
    assert learned == Weights(0.7, {"error": 0.5, "how-to": 0.9})
    assert (learned.of("error"), learned.of("policy")) == (0.5, 0.7)
    assert class_weights(learned) == "error: dense 0.5; how-to: dense 0.9"


def test_a_small_class_gets_none() -> None:
    rows = [row for row in range(N) if CLASSES[row] == "how-to" or row < 2 * LEAST_QUERIES - 2]
    assert sum(CLASSES[row] == "error" for row in rows) == LEAST_QUERIES - 1
    assert "error" not in a_weight_a_class(SPLIT, CLASSES, rows, 0.7).by_class
    assert a_weight_a_class(SPLIT, CLASSES, [*rows, 2 * LEAST_QUERIES - 1], 0.7).by_class["error"] == 0.5


def test_held_out_values_come_from_weights_that_did_not_see_the_query() -> None:
    """By hand: fold 0 is served with fold 1's favourite and the other way round."""
    table = {0.5: [1.0, 0.0], 0.7: [0.0, 1.0]}
    assert held_out(table, ["", ""], [0, 1], 0.5, one_weight) == [0.0, 0.0]
    assert held_out(table, ["", ""], [0, 0], 0.5, one_weight) == [1.0, 0.0]


def test_what_a_class_gains_is_kept() -> None:
    found = choose(SPLIT, {"bm25": [0.1] * N, "dense": [0.2] * N}, classes=CLASSES, folds=FOLDS, present=0.7)
    assert found.chosen is not None
    assert found.chosen.name == "a weight a class"
    assert found.chosen.weights.by_class == {"error": 0.5, "how-to": 0.9}
    assert found.chosen.gain.mean == pytest.approx(0.9 - sum(SPLIT[0.7]) / N)
    assert found.single == "dense"
    assert found.better_single == pytest.approx(0.2)
    assert found.against_single.mean == pytest.approx(0.7)


def test_noise_is_not_kept() -> None:
    """0.5 is better in three queries of sixty, by little."""
    table = {
        0.5: [0.5 + (0.01 if row % 20 == 0 else 0.0) - (0.009 if row % 20 == 1 else 0.0) for row in range(N)],
        0.7: [0.5] * N,
    }
    found = choose(table, {"bm25": [0.1] * N}, classes=[""] * N, folds=FOLDS, present=0.7)
    assert found.chosen is None
    assert (found.present, found.present_weight) == (0.5, 0.7)
    assert found.against_single.mean == pytest.approx(0.4)


def test_a_gain_that_still_loses_to_a_single_run_is_not_kept() -> None:
    table = {0.5: [0.6] * N, 0.7: [0.5] * N}
    assert choose(table, {"bm25": [0.7] * N}, classes=[""] * N, folds=FOLDS, present=0.7).chosen is None
    assert choose(table, {"bm25": [0.6] * N}, classes=[""] * N, folds=FOLDS, present=0.7).chosen is not None


def test_folds_are_of_similar_size_whatever_the_ids_are() -> None:
    sizes = [sum(fold_of(f"ticket-{number}") == fold for number in range(500)) for fold in range(5)]
    assert sum(sizes) == 500
    assert all(70 <= size <= 130 for size in sizes)
