"""The committed table: each kind is found exactly, in six languages, and nothing else is."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.redaction.overlaps import resolve_overlaps
from core.redaction.patterns import find_patterns

TABLE = Path(__file__).parents[2] / "data" / "redaction" / "kinds.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["_id"] for case in CASES])
def test_what_is_personal_is_found_exactly(case: dict[str, Any]) -> None:
    text = case["text"]
    found = [(e.kind, text[e.span.slice]) for e in resolve_overlaps(text, find_patterns(text))]
    assert found == [(span["label"], text[span["start"] : span["end"]]) for span in case["spans"]]


def test_the_table_has_every_kind_in_every_language_and_look_alikes() -> None:
    languages = Counter(case["_id"].split("-")[1] for case in CASES)
    kinds = {span["label"] for case in CASES for span in case["spans"]}
    assert set(languages) == {"en", "de", "fr", "es", "it", "pt"}
    assert min(languages.values()) >= 15
    assert len(kinds) >= 16
    assert sum(not case["spans"] for case in CASES) >= 40
