"""Runs in the format of TREC: one ranked document a line, `query_id Q0 doc_id rank score tag`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.errors import DocumentUnreadable

Ranking = Sequence[tuple[str, float]]
"""(doc_id, score), best first."""

_FIELDS = 6


def strictly_falling(ranking: Ranking) -> list[tuple[str, float]]:
    """The same order with every tied score made the next smaller number, as evaluators sort by score alone.

    >>> strictly_falling([("a", 2.0), ("b", 1.0)])
    [('a', 2.0), ('b', 1.0)]
    >>> first, second = strictly_falling([("b", 1.0), ("a", 1.0)])
    >>> first, second[0], 0.99 < second[1] < 1
    (('b', 1.0), 'a', True)
    """
    falling: list[tuple[str, float]] = []
    ceiling = math.inf
    for name, score in ranking:
        ceiling = min(score, math.nextafter(ceiling, -math.inf))
        falling.append((name, ceiling))
    return falling


def run_lines(rankings: Mapping[str, Ranking], tag: str) -> Iterator[str]:
    """Lines with their end, queries in order of their ids, ranks from 1. Blanks in ids and tag become `_`.

    >>> list(run_lines({"q1": [("d 2", 0.5), ("d1", 0.25)]}, "ours"))
    ['q1 Q0 d_2 1 0.5 ours\\n', 'q1 Q0 d1 2 0.25 ours\\n']
    """
    for query_id in sorted(rankings):
        for rank, (doc_id, score) in enumerate(strictly_falling(rankings[query_id]), 1):
            yield f"{_word(query_id)} Q0 {_word(doc_id)} {rank} {score!r} {_word(tag)}\n"


def parse_run(lines: Iterable[str], name: str) -> dict[str, list[tuple[str, float]]]:
    """Rankings by query, best score first whatever order the lines have.

    Raises `DocumentUnreadable` with `name` and the line's number, from 1.

    >>> parse_run(["q1 Q0 d1 2 0.25 ours", "q1 Q0 d2 1 0.5 ours"], "ours.trec")
    {'q1': [('d2', 0.5), ('d1', 0.25)]}
    """
    rankings: dict[str, list[tuple[str, float]]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if fields:
            query_id, doc_id, score = _ranked(fields, f"{name}, line {number}")
            rankings.setdefault(query_id, []).append((doc_id, score))
    return {query_id: sorted(ranking, key=lambda item: -item[1]) for query_id, ranking in rankings.items()}


def _ranked(fields: Sequence[str], place: str) -> tuple[str, str, float]:
    try:
        score = float(fields[4]) if len(fields) == _FIELDS else math.nan
    except ValueError:
        score = math.nan
    if math.isnan(score):
        raise DocumentUnreadable(f"{place}: not a line of a TREC run.", hint="query_id Q0 doc_id rank score tag")
    return fields[0], fields[2], score


def _word(text: str) -> str:
    return "_".join(text.split())
