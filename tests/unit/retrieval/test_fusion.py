from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.fusion import best_first, fuse_rrf, fuse_z, z_scores

SCORES = st.dictionaries(st.sampled_from("abcdef"), st.floats(-50, 50), min_size=2)


@given(SCORES, st.floats(0.1, 9), st.floats(-9, 9))
def test_z_scores_do_not_depend_on_the_scale_of_a_list(scores: dict[str, float], factor: float, shift: float) -> None:
    rounded = {name: round(score, 2) for name, score in scores.items()}
    scaled = {name: score * factor + shift for name, score in rounded.items()}
    assert z_scores(scaled) == pytest.approx(z_scores(rounded), abs=1e-6)


def test_equal_scores_have_z_zero() -> None:
    assert z_scores({"a": 0.1, "b": 0.1, "c": 0.1}) == {"a": 0.0, "b": 0.0, "c": 0.0}
    assert z_scores({}) == {}


def test_a_single_hit_stands_one_deviation_above_what_did_not_match() -> None:
    z = z_scores({"hit": 12.0}, {f"p{n}": 0.0 for n in range(100)})
    assert z["hit"] == pytest.approx(1)
    assert z["p7"] == pytest.approx(-1)


def test_weights_decide_between_lists_that_disagree() -> None:
    lists = {"a": 1.0, "b": -1.0}, {"a": -1.0, "b": 1.0}
    assert best_first(fuse_z([(lists[0], 0.7), (lists[1], 0.3)]))[0][0] == "a"
    assert best_first(fuse_z([(lists[0], 0.3), (lists[1], 0.7)]))[0][0] == "b"


def test_only_the_ratio_of_weights_matters() -> None:
    one, other = {"a": 1.0, "b": -1.0}, {"b": 2.0, "c": 0.0}
    assert fuse_z([(one, 0.3), (other, 0.7)]) == pytest.approx(fuse_z([(one, 3), (other, 7)]))


def test_a_passage_missing_in_a_list_gets_the_lowest_score_of_that_list() -> None:
    assert fuse_z([({"a": 1.0, "b": -1.0}, 1), ({"a": 0.5}, 1)])["b"] == pytest.approx((-1 + 0.5) / 2)


def test_reciprocal_ranks_prefer_what_both_lists_hold() -> None:
    fused = fuse_rrf([(["a", "b"], 1.0), (["c", "b"], 1.0)])
    assert best_first(fused)[0][0] == "b"
    assert fused["b"] == pytest.approx(2 / 62)
    assert fused["a"] == pytest.approx(1 / 61)


def test_a_weight_scales_a_ranking() -> None:
    fused = fuse_rrf([(["a"], 1.0), (["b"], 2.0)], rrf_k=9)
    assert fused == {"a": pytest.approx(0.1), "b": pytest.approx(0.2)}
