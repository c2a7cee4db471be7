"""Relevance judgements of a test collection: which documents answer which query, and how well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.errors import DocumentUnreadable

Qrels = Mapping[str, Mapping[str, int]]
"""query_id -> doc_id -> relevance: above 0 is relevant, a higher grade more so; 0 and below are judged irrelevant."""

COLUMNS = ("query-id", "corpus-id", "score")
HINT = "The layout is BEIR's: docs/evaluation.md describes it."


def parse_qrels(lines: Iterable[str], name: str) -> dict[str, dict[str, int]]:
    """Tab-separated judgements under the header `query-id corpus-id score`, as BEIR has them.

    Blank lines are passed over; where a pair is judged twice, both judgements must agree. Raises
    `DocumentUnreadable` with `name` and the line's number, from 1, for everything else.

    >>> parse_qrels(["query-id\\tcorpus-id\\tscore\\n", "q1\\td1\\t2\\n", "q1\\td2\\t0\\n"], "qrels.tsv")
    {'q1': {'d1': 2, 'd2': 0}}
    """
    qrels: dict[str, dict[str, int]] = {}
    rows = enumerate((line.rstrip("\r\n") for line in lines), 1)
    header = next((cells for _, cells in rows), "")
    if tuple(header.lstrip("\ufeff").split("\t")) != COLUMNS:
        raise DocumentUnreadable(f"{name}, line 1: not the header {' '.join(COLUMNS)}, tab-separated.", hint=HINT)
    for number, row in rows:
        if row.strip():
            query_id, doc_id, grade = _judgement(row, f"{name}, line {number}")
            if qrels.setdefault(query_id, {}).setdefault(doc_id, grade) != grade:
                raise DocumentUnreadable(f"{name}, line {number}: judged before with another score.", hint=HINT)
    return qrels


def answerable(qrels: Qrels) -> dict[str, dict[str, int]]:
    """The queries that have a relevant document: the others say nothing about ranking.

    >>> answerable({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0}})
    {'q1': {'d1': 1, 'd2': 0}}
    """
    return {query_id: dict(grades) for query_id, grades in qrels.items() if max(grades.values(), default=0) > 0}


def _judgement(row: str, place: str) -> tuple[str, str, int]:
    cells = row.split("\t")
    if len(cells) != len(COLUMNS) or not all(cells):
        raise DocumentUnreadable(f"{place}: not three tab-separated columns.", hint=HINT)
    try:
        return cells[0], cells[1], int(cells[2])
    except ValueError as error:
        raise DocumentUnreadable(f"{place}: the score is not a whole number.", hint=HINT) from error
