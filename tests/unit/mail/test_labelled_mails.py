"""The labelled set: how it is made, and how well its mails are taken apart."""

import json
from pathlib import Path

import pytest

from core.errors import DocumentUnreadable
from core.evaluation.lines import LineScore, score_lines
from plugin.evaluation.mail import NOTHING, OURS, PARTS, MailReport, has_gold, library, measure, read_mails, systems
from tests.data.mail.build import mails

CLIENTS = Path(__file__).parents[2] / "data" / "mail" / "clients.jsonl"


def test_the_file_is_what_the_templates_make() -> None:
    stored = [json.loads(line) for line in CLIENTS.read_text(encoding="utf-8").splitlines()]
    assert stored == json.loads(json.dumps(list(mails())))


def test_the_set_is_broad() -> None:
    made = list(mails())
    assert len(made) >= 120
    assert len({mail["lang"] for mail in made}) >= 6
    assert len({mail["format"] for mail in made}) >= 12
    assert {mail["content_type"] for mail in made} == {"text/plain", "text/html"}


@pytest.fixture(scope="module")
def reports() -> list[MailReport]:
    return list(measure(read_mails(CLIENTS), systems(with_library=False)))


def test_both_halves_are_taken_apart_well(reports: list[MailReport]) -> None:
    mine = [report for report in reports if report.system == OURS]
    assert [report.group for report in mine] == ["clients dev", "clients heldout"]
    assert all(report.scores[part].f1 >= 0.97 for report in mine for part in PARTS)


def test_without_stripping_everything_is_text(reports: list[MailReport]) -> None:
    nothing = [report.scores for report in reports if report.system == NOTHING]
    assert all(scores["text"].recall == 1.0 and scores["quote"].recall == 0.0 for scores in nothing)


def test_the_library_reads_an_easy_mail() -> None:
    mail = next(mail for mail in read_mails(CLIENTS) if mail.mail_id == "gmail_text-en")
    assert score_lines(mail.parts["quote"], library()(mail)["quote"]).recall == 1.0


def test_threads_are_read_by_their_newest_message(tmp_path: Path) -> None:
    record = {
        "_id": "t",
        "latest_message": "No.",
        "text": "No.\n\n-- \nAna\nTel. 1\n\nOn 1, Bo wrote:\n> Hi",
        "gold": ["d"],
    }
    file = tmp_path / "threads.jsonl"
    file.write_text(json.dumps(record), encoding="utf-8")
    (mail,) = read_mails(file)
    assert mail.parts["signature"] == ["-- ", "Ana", "Tel. 1"]
    assert [line for line in mail.parts["quote"] if line] == ["On 1, Bo wrote:", "> Hi"]
    assert has_gold(file)
    assert not has_gold(CLIENTS)


@pytest.mark.parametrize("line", ["{", '{"lines": []}', '{"text": "a", "latest_message": "b"}', '["x"]'])
def test_a_line_that_is_no_labelled_mail_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(DocumentUnreadable, match=r"bad\.jsonl, line 1"):
        read_mails(file)


def test_line_scores() -> None:
    score = score_lines(["a", "a", "b"], ["a", "c", "> b", ""])
    assert score == LineScore(found=2, predicted=3, expected=3)
    assert (score_lines([], []).f1, score_lines(["a"], []).f1, score_lines([], ["a"]).precision) == (1.0, 0.0, 0.0)
