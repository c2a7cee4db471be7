from __future__ import annotations

import pytest

from core.errors import DocumentUnreadable
from core.evaluation.qrels import answerable, parse_qrels

HEADER = "query-id\tcorpus-id\tscore"


def test_judgements_are_read_by_query() -> None:
    lines = [HEADER + "\r\n", "q1\ta\t2\r\n", "\n", "q2\tb\t0\n", "q1\tc\t-1\n"]
    assert parse_qrels(lines, "qrels.tsv") == {"q1": {"a": 2, "c": -1}, "q2": {"b": 0}}


def test_a_byte_order_mark_is_no_part_of_the_header() -> None:
    assert parse_qrels(["\ufeff" + HEADER, "q\td\t1"], "f") == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ([], 1),
        (["q1\td1\t1"], 1),
        ([HEADER, "q1\td1\t1", "q1 d2 1"], 3),
        ([HEADER, "q1\td1\t1\t1"], 2),
        ([HEADER, "q1\t\t1"], 2),
        ([HEADER, "q1\td1\thigh"], 2),
        ([HEADER, "", "q1\td1\t1", "q1\td1\t2"], 4),
    ],
)
def test_what_cannot_be_read_is_named_by_file_and_line(lines: list[str], line: int) -> None:
    with pytest.raises(DocumentUnreadable, match=rf"sets/qrels\.tsv, line {line}: "):
        parse_qrels(lines, "sets/qrels.tsv")


def test_the_same_judgement_twice_is_one() -> None:
    assert parse_qrels([HEADER, "q\td\t1", "q\td\t1"], "f") == {"q": {"d": 1}}


def test_queries_without_a_relevant_document_are_not_answerable() -> None:
    assert answerable({"q1": {"a": 0}, "q2": {}, "q3": {"b": 0, "c": 1}}) == {"q3": {"b": 0, "c": 1}}
