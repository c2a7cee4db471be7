"""`citedesk eval pii` from file to table and JSON, with the real recognizer and the real peers."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from plugin.cli import app

TEXT = "Hello,\nI am Jessica Miller, 12 Main Street, Springfield. TESS cutouts of NGC 6397 fail in night.py 1.2.3.\n"
NAME, ADDRESS = "Jessica Miller", "12 Main Street, Springfield"


def labelled(label: str, value: str) -> dict[str, object]:
    return {"start": TEXT.index(value), "end": TEXT.index(value) + len(value), "label": label}


@pytest.mark.models
def test_the_product_and_its_peers_are_measured_in_one_run(tmp_path: Path) -> None:
    data, technical, out = tmp_path / "data.jsonl", tmp_path / "tickets.jsonl", tmp_path / "pii.json"
    spans = [labelled("PERSON", NAME), labelled("STREET_ADDRESS", ADDRESS)]
    data.write_text(json.dumps({"_id": "x-en-1", "text": TEXT, "spans": spans}), encoding="utf-8")
    technical.write_text(json.dumps({"text": TEXT}), encoding="utf-8")
    files = ["--data", str(data), "--technical", str(technical), "--json", str(out), "--errors", str(tmp_path / "e")]
    result = CliRunner().invoke(app, ["eval", "pii", *files])
    assert result.exit_code == 0, result.output
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["overall"]["f2"] == 1.0
    assert report["by_entity"]["PERSON"]["recall"] == 1.0
    assert report["strict"]["recall"] == 1.0
    (survival,) = report["technical"].values()
    assert (survival["share"], survival["identifiers"]) == (1.0, 4)
    assert set(report["systems"]) == {"citedesk", "presidio default", "presidio tuned"}
    assert report["systems"]["presidio default"]["overall"]["f2"] < 1.0
    assert (tmp_path / "e").read_text(encoding="utf-8").strip() == ""
    assert "presidio tuned" in result.output
