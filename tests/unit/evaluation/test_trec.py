from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DocumentUnreadable
from core.evaluation.trec import parse_run, run_lines, strictly_falling

SCORES = st.lists(st.floats(-5, 5), max_size=8).map(lambda scores: sorted(scores, reverse=True))


@given(SCORES)
def test_what_is_written_is_read_in_the_same_order(scores: list[float]) -> None:
    ranking = [(f"d{number}", score) for number, score in enumerate(scores)]
    read = parse_run(reversed(list(run_lines({"q": ranking}, "tag"))), "f")
    assert [name for name, _ in read.get("q", [])] == [name for name, _ in ranking]


@given(SCORES)
def test_no_two_scores_are_equal_and_none_moves_far(scores: list[float]) -> None:
    falling = [score for _, score in strictly_falling([("d", score) for score in scores])]
    assert all(one > other for one, other in pairwise(falling))
    assert falling == pytest.approx(scores, abs=1e-12)


def test_an_order_that_scores_do_not_follow_is_kept() -> None:
    assert [name for name, _ in strictly_falling([("a", 1.0), ("b", 9.0)])] == ["a", "b"]
    (_, first), (_, second) = strictly_falling([("a", 1.0), ("b", 9.0)])
    assert first > second


@pytest.mark.parametrize("line", ["q Q0 d 1 0.5", "q Q0 d 1 high tag", "q Q0 d 1 nan tag", "q Q0 d 1 0.5 my tag"])
def test_a_line_that_is_no_run_is_named(line: str) -> None:
    with pytest.raises(DocumentUnreadable, match=r"run\.trec, line 3: "):
        parse_run(["q Q0 d 1 0.5 tag", "", line], "run.trec")
