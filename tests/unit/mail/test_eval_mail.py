"""The command `citedesk eval mail`."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.domain.retrieval import Inquiry
from core.domain.thread import RedactedMessage, RedactedThread
from core.domain.ticket import Author
from core.retrieval.query import inquiry_of
from plugin import cli
from plugin.evaluation.mail_retrieval import CLEANED, NEWEST, WHOLE, readings

CLIENTS = Path(__file__).parents[2] / "data" / "mail" / "clients.jsonl"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["citedesk", "eval", "mail", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def some_mails(tmp_path: Path) -> Path:
    file = tmp_path / "some.jsonl"
    lines = CLIENTS.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([lines[0], lines[-1]]), encoding="utf-8")
    return file


def test_the_figures_are_shown_and_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("CITEDESK_DATA_DIR", str(tmp_path / "data"))
    written = tmp_path / "mail.json"
    assert run(monkeypatch, "--data", str(some_mails(tmp_path)), "--json", str(written)) == 0
    shown = capsys.readouterr().out
    assert all(
        word in shown for word in ("some dev", "some heldout", "citedesk", "mail-parser-reply", "nothing stripped")
    )
    reports = json.loads(written.read_text(encoding="utf-8"))["parts"]
    assert len(reports) == 6
    assert reports[0]["system"] == "citedesk"
    assert reports[0]["parts"]["quote"]["f1"] == 1.0


def test_without_the_library_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("CITEDESK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setitem(sys.modules, "mailparser_reply", None)
    assert run(monkeypatch, "--data", str(some_mails(tmp_path))) == 1
    assert "citedesk[eval]" in capsys.readouterr().err
    assert run(monkeypatch, "--data", str(some_mails(tmp_path)), "--without-library") == 0


def test_the_same_thread_is_read_in_three_ways() -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    message = RedactedMessage("m", Author.CUSTOMER, "No.", at, quoted="> Restart it.\n>> It is slow.", signature="Ana")
    thread = RedactedThread("c", "t", "Re: slow", "<PERSON_1>", (message,), (), "")
    read = readings([thread])
    assert read[WHOLE]["t"] == Inquiry("No.\n\nAna\n\n> Restart it.\n>> It is slow.", "Re: slow")
    assert read[NEWEST]["t"] == Inquiry("No.", "Re: slow")
    assert read[CLEANED]["t"] == inquiry_of(thread) != read[WHOLE]["t"]
