from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.domain.ticket import Author, ContentType, TicketStatus
from core.errors import DocumentUnreadable
from plugin.evaluation.retrieval_data import read_set, read_solved, ticket_of

MINI = Path(__file__).resolve().parents[2] / "data" / "beir-mini"


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MINI, tmp_path / "mini"))


def lines(*records: Any) -> str:
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)


def test_a_folder_is_read_and_what_cannot_be_used_is_said(mini: Path) -> None:
    labelled = read_set(mini, "dev", None)
    assert [ticket.ticket_id for ticket in labelled.tickets] == ["q-password", "q-proxy", "q-thread", "q-rows"]
    assert labelled.qrels["q-rows"] == {"docs/export": 2, "docs/timeout": 1, "docs/quota": 0}
    assert (labelled.name, labelled.corpus) == ("mini", mini / "corpus.jsonl")
    assert labelled.urls == {f"https://help.example.org/tickets/{number}" for number in (1, 2, 3)}
    assert labelled.notes == ("1 queries without a relevant document are left out.",)


def test_the_layout_of_beir_itself_is_read_too(mini: Path) -> None:
    (mini / "dev" / "queries.jsonl").rename(mini / "queries.jsonl")
    (mini / "qrels").mkdir()
    (mini / "dev" / "qrels.tsv").rename(mini / "qrels" / "test.tsv")
    assert len(read_set(mini, "test", None).tickets) == 4


def test_queries_that_name_their_documents_need_no_judgements(tmp_path: Path) -> None:
    queries = tmp_path / "threads.jsonl"
    queries.write_text(lines({"_id": "a", "text": "x", "gold": ["docs/proxy"]}, {"_id": "b", "text": "y"}))
    labelled = read_set(queries, "dev", MINI / "corpus.jsonl")
    assert (labelled.name, labelled.qrels) == ("threads", {"a": {"docs/proxy": 1}})


def test_judgements_that_lead_nowhere_are_counted(mini: Path) -> None:
    with (mini / "dev" / "qrels.tsv").open("a") as file:
        file.write("q-gone\tdocs/proxy\t1\nq-proxy\tdocs/gone\t1\n")
    assert read_set(mini, "dev", None).notes[1:] == (
        "1 judged queries are not among the queries.",
        "1 relevant documents are not in the corpus: they count as not found.",
    )


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("dev/queries.jsonl", lines({"_id": "a", "text": "x"}, "{"), r"queries\.jsonl, line 2: not JSON"),
        ("dev/queries.jsonl", lines({"text": "x"}), r"queries\.jsonl, line 1: no _id"),
        ("dev/queries.jsonl", lines({"_id": "a", "text": " "}), r"queries\.jsonl, line 1: no text"),
        ("dev/queries.jsonl", lines("[1]"), r"queries\.jsonl, line 1: not an object"),
        ("dev/queries.jsonl", lines({"_id": "a", "text": "x"}, {"_id": "a", "text": "y"}), r"line 2: a second query"),
        ("dev/queries.jsonl", lines({"_id": "a", "text": "x", "thread": [{"role": "user"}]}), r"line 1: thread must"),
        ("dev/queries.jsonl", lines({"_id": "a", "text": "x", "subject": 5}), r"line 1: .*must be strings"),
        ("dev/queries.jsonl", lines({"_id": "a", "text": "x", "content_type": "rtf"}), r"line 1: .*ContentType"),
        ("dev/queries.jsonl", lines({"_id": "other", "text": "x"}), r"No query of .*queries\.jsonl has a relevant"),
        ("dev/qrels.tsv", "query-id\tcorpus-id\tscore\nq\n", r"qrels\.tsv, line 2: "),
        ("corpus.jsonl", lines({"_id": "a", "text": "x"}, "nothing"), r"corpus\.jsonl: corpus\.jsonl:2: not JSON"),
        ("corpus.jsonl", lines({"_id": "a"}, {"_id": "a"}), r"corpus\.jsonl: there are two documents a"),
        ("corpus.jsonl", "", r"corpus\.jsonl has no documents"),
    ],
)
def test_bad_input_is_named_by_file_and_line(mini: Path, file: str, content: str, said: str) -> None:
    (mini / file).write_text(content)
    with pytest.raises(DocumentUnreadable, match=said):
        read_set(mini, "dev", None)


def test_a_file_that_is_not_there_or_no_text_is_named(mini: Path) -> None:
    with pytest.raises(DocumentUnreadable, match=r"There is no file .*test/queries\.jsonl"):
        read_set(mini, "test", None)
    (mini / "dev" / "queries.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(DocumentUnreadable, match="is not UTF-8"):
        read_set(mini, "dev", None)


def test_gold_that_is_no_list_is_named(tmp_path: Path) -> None:
    queries = tmp_path / "threads.jsonl"
    queries.write_text(lines({"_id": "a", "text": "x", "gold": ["d"]}, {"_id": "b", "text": "y", "gold": "d"}))
    with pytest.raises(DocumentUnreadable, match=r"threads\.jsonl, line 2: gold must"):
        read_set(queries, "dev", MINI / "corpus.jsonl")


def test_a_query_is_a_ticket_with_sender_subject_and_type() -> None:
    ticket = ticket_of(
        {"_id": "a", "text": "<p>x</p>", "subject": "S", "sender": "Ann B <a@b.org>", "content_type": "text/html"}
    )
    assert (ticket.requester.name, ticket.requester.email, ticket.subject) == ("Ann B", "a@b.org", "S")
    assert ticket.messages[0].content_type is ContentType.HTML


def test_the_thread_ends_with_the_text_whether_it_repeats_it_or_not() -> None:
    turns = [{"role": "customer", "text": "1"}, {"role": "agent", "text": "2"}]
    whole = ticket_of({"_id": "a", "text": "3", "thread": [*turns, {"role": "user", "text": "3"}]})
    short = ticket_of({"_id": "a", "text": "3", "thread": turns})
    assert whole.messages == short.messages
    assert [m.author for m in short.messages] == [Author.CUSTOMER, Author.AGENT, Author.CUSTOMER]
    assert [m.sent_at for m in short.messages] == sorted({m.sent_at for m in short.messages})


def test_a_querys_own_solved_ticket_is_left_out() -> None:
    labelled = read_set(MINI, "dev", None)
    assert [e.ticket.ticket_id for e in read_solved(MINI / "solved.jsonl", frozenset())] == ["s-own", "s-proxy"]
    (example,) = read_solved(MINI / "solved.jsonl", labelled.urls)
    assert example.solved_by == ("docs/proxy",)
    assert example.ticket.status is TicketStatus.SOLVED
    assert [m.author for m in example.ticket.messages] == [Author.CUSTOMER, Author.AGENT]


def test_a_solved_ticket_without_address_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "solved.jsonl"
    file.write_text(lines({"_id": "s", "title": "", "question": "q", "answers": ["a"]}))
    assert len(read_solved(file, frozenset())) == 1


@pytest.mark.parametrize(
    "record",
    [{"_id": "s"}, {"_id": "s", "question": "q", "answers": "a"}, {"_id": "s", "question": "q", "kb": [1]}],
)
def test_a_solved_ticket_that_is_none_is_named(tmp_path: Path, record: dict[str, Any]) -> None:
    file = tmp_path / "solved.jsonl"
    file.write_text(lines({"_id": "ok", "question": "q"}, record))
    with pytest.raises(DocumentUnreadable, match=r"solved\.jsonl, line 2: "):
        read_solved(file, frozenset())
