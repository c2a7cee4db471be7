"""Reading labelled data, and what is reported of it, with the pattern recognizer."""

import json
from pathlib import Path

import pytest

from core.errors import DocumentUnreadable
from core.redaction.patterns import PatternRecognizer
from plugin.evaluation import pii

TEXT = "Write to ana@example.org about TESS."
LINES = {"_id": "t-de-1", "text": TEXT, "spans": [{"start": 9, "end": 24, "label": "EMAIL_ADDRESS"}]}
RESEARCH = [
    {
        "full_text": TEXT,
        "spans": [{"entity_type": "EMAIL_ADDRESS", "start_position": 9, "end_position": 24, "entity_value": ""}],
    }
]


def written(tmp_path: Path, content: object, *, name: str = "data.jsonl") -> Path:
    file = tmp_path / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


@pytest.mark.parametrize("content", [LINES, RESEARCH])
def test_both_formats_are_read_alike(tmp_path: Path, content: object) -> None:
    (text,) = pii.read_labelled(written(tmp_path, content))
    assert text.text == TEXT
    assert [(span.span.start, span.span.end, span.label) for span in text.spans] == [(9, 24, "EMAIL_ADDRESS")]


def test_the_language_is_told_by_the_id(tmp_path: Path) -> None:
    assert pii.read_labelled(written(tmp_path, LINES))[0].language == "de"
    assert pii.read_labelled(written(tmp_path, RESEARCH))[0].language == ""


@pytest.mark.parametrize(
    "content", ["{", '{"text": "a"}', '{"text": "a", "spans": [{"start": 5, "end": 1, "label": "P"}]}']
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: str) -> None:
    with pytest.raises(DocumentUnreadable, match=r"data\.jsonl"):
        pii.read_labelled(written(tmp_path, content))


def test_subject_title_and_text_are_read_for_survival(tmp_path: Path) -> None:
    assert pii.read_texts(written(tmp_path, {"subject": "a", "text": "b"})) == ["a\n\nb"]
    with pytest.raises(DocumentUnreadable):
        pii.read_texts(written(tmp_path, "[1]"))


def test_the_report_has_the_figures_of_the_product(tmp_path: Path) -> None:
    files = {"data": pii.read_labelled(written(tmp_path, LINES))}
    find = pii.ours(PatternRecognizer())
    lived = {"t": pii.survival([TEXT], find)}
    report = pii.report(pii.measure(files, find), lived)
    assert report["overall"]["precision"] == report["overall"]["recall"] == report["overall"]["f2"] == 1.0
    assert report["by_entity"]["EMAIL_ADDRESS"]["f2"] == 1.0
    assert report["by_language"]["de"]["overall"]["expected"] == 13
    assert report["technical"]["t"] == {
        "share": 1.0,
        "identifiers": 1,
        "by_kind": {"product or archive": {"present": 1, "survived": 1}},
    }


def test_costs_are_of_runs_of_at_least_a_thousand_characters(tmp_path: Path) -> None:
    files = {"data": pii.read_labelled(written(tmp_path, LINES)) * 60}
    measured = pii.measure(files, pii.ours(PatternRecognizer()))
    assert len(measured.costs) == 60 * len(TEXT) // 1_000
    assert measured.cost(0.95) >= measured.cost(0.5) > 0


def test_errors_show_misses_and_false_hits_with_their_surroundings(tmp_path: Path) -> None:
    (text,) = pii.read_labelled(written(tmp_path, {**LINES, "text": TEXT.replace("TESS", "c@d.example"), "spans": []}))
    assert [(e["error"], e["label"]) for e in pii.errors([text], pii.ours(PatternRecognizer()))] == [
        ("false", "EMAIL_ADDRESS"),
        ("false", "EMAIL_ADDRESS"),
    ]
    (missed,) = pii.errors(pii.read_labelled(written(tmp_path, LINES)), lambda _text: [])
    assert missed["text"] == "Write to [[ana@example.org]] about TESS."


def test_what_was_lost_is_told_with_the_reason() -> None:
    gone = pii.survival(["TESS"], lambda _text: list(PatternRecognizer().recognize("a@b.example")))
    assert (gone.share, len(gone.lost)) == (0.0, 1)
    assert gone.lost[0].startswith("product or archive: 'TESS' in EMAIL_ADDRESS")
