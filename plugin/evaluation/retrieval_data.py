"""Reads test collections: documents, queries as tickets, and judgements, in BEIR's layout or one file of queries.

A query is a raw ticket. `text` is its newest customer message, mail furniture and all; optional are `subject`,
`sender` (`Name <address>`), `content_type` (`text/plain`, `text/html`), `url`, and `thread`, a list of
`{"role": ..., "text": ...}`, oldest first, in which `user` and `customer` are the customer and all others agents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parseaddr
from pathlib import Path
from typing import Any

from core.domain.ticket import Author, ContentType, Message, Person, Ticket, TicketStatus
from core.errors import DocumentUnreadable
from core.evaluation.qrels import HINT, Qrels, answerable, parse_qrels
from ingest.sources import Skipped, jsonl_items

CONNECTOR = "evaluation"
_OPENED = datetime(2020, 1, 1, tzinfo=UTC)
_CUSTOMER_ROLES = ("user", "customer")
_TEXTS = ("subject", "sender", "content_type", "url")


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """`corpus` is the file of documents; every query of `tickets` has a relevant document in `qrels`.

    `urls` are the addresses of all queries, judged or not. `notes` say what of the set could not be used.
    """

    name: str
    corpus: Path
    tickets: tuple[Ticket, ...]
    qrels: Qrels
    urls: frozenset[str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SolvedExample:
    """`solved_by` are ids of documents; empty where nobody said: then what the answers link to counts."""

    ticket: Ticket
    solved_by: tuple[str, ...]


def read_solved(file: Path, leave_out: frozenset[str]) -> tuple[SolvedExample, ...]:
    """Solved tickets of a JSON-lines file with `_id`, `title`, `question`, `answers`, `url` and `kb`.

    Those whose `url` is among `leave_out` are the queries themselves. Raises `DocumentUnreadable`.
    """
    examples = []
    for number, record in read_records(file):
        try:
            example = _solved(record)
        except ValueError as error:
            raise DocumentUnreadable(f"{file}, line {number}: {error}.", hint=HINT) from error
        if not example.ticket.url or example.ticket.url not in leave_out:
            examples.append(example)
    return tuple(examples)


def read_set(data: Path, split: str, corpus: Path | None) -> LabelledSet:
    """`data` is a BEIR folder, or a JSON-lines file whose queries name their documents in a list `gold`.

    In a folder, queries and judgements are SPLIT/queries.jsonl and SPLIT/qrels.tsv, else queries.jsonl and
    qrels/SPLIT.tsv. Raises `DocumentUnreadable` naming file and line.
    """
    documents = corpus or data / "corpus.jsonl"
    return read_judged(data, split, documents, lambda: document_names(documents))


def read_judged(data: Path, split: str, corpus: Path, known: Callable[[], frozenset[str]]) -> LabelledSet:
    """As `read_set`, for documents that are already known by these names; `corpus` is only noted."""
    queries_file, qrels_file = _files(data, split)
    records = list(read_records(queries_file))
    qrels = _gold(records, queries_file) if qrels_file is None else _judgements(qrels_file)
    names = known()
    tickets = {ticket.ticket_id: ticket for ticket in _tickets(records, queries_file)}
    usable = {query_id: grades for query_id, grades in answerable(qrels).items() if query_id in tickets}
    if not usable:
        raise DocumentUnreadable(f"No query of {queries_file} has a relevant document.", hint=HINT)
    return LabelledSet(
        name=data.stem if data.is_file() else data.resolve().name,
        corpus=corpus,
        tickets=tuple(ticket for query_id, ticket in tickets.items() if query_id in usable),
        qrels=usable,
        urls=frozenset(ticket.url for ticket in tickets.values() if ticket.url),
        notes=tuple(_notes(tickets, qrels, usable, names)),
    )


def document_names(corpus: Path) -> frozenset[str]:
    """The ids of a corpus. Raises `DocumentUnreadable` at the first line that is no document."""
    names: set[str] = set()
    for item in jsonl_items(_existing(corpus)):
        if isinstance(item, Skipped):
            raise DocumentUnreadable(f"{corpus}: {item.source_key}: {item.reason}.", hint=HINT)
        if item.source_key in names:
            raise DocumentUnreadable(f"{corpus}: there are two documents {item.source_key}.", hint=HINT)
        names.add(item.source_key)
    if not names:
        raise DocumentUnreadable(f"{corpus} has no documents.", hint=HINT)
    return frozenset(names)


def read_records(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number from 1, object) of a JSON-lines file; raises `DocumentUnreadable` for a line that is none."""
    for number, line in enumerate(_lines(file), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DocumentUnreadable(f"{file}, line {number}: not JSON.", hint=HINT) from error
        if not isinstance(record, dict):
            raise DocumentUnreadable(f"{file}, line {number}: not an object.", hint=HINT)
        yield number, record


def ticket_of(record: Mapping[str, Any]) -> Ticket:
    """The ticket a query stands for; raises `ValueError` saying what is wrong with the record.

    >>> ticket = ticket_of({"_id": "q1", "text": "Still broken.", "thread": [
    ...     {"role": "user", "text": "It broke."}, {"role": "agent", "text": "Restart it."}]})
    >>> [(message.author.value, message.body) for message in ticket.messages]
    [('customer', 'It broke.'), ('agent', 'Restart it.'), ('customer', 'Still broken.')]
    """
    query_id, text = record.get("_id"), record.get("text")
    if not isinstance(query_id, str) or not query_id:
        raise ValueError("no _id")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("no text")
    subject, sender, content_type, url = (record.get(name) or "" for name in _TEXTS)
    if not all(isinstance(value, str) for value in (subject, sender, content_type, url)):
        raise ValueError(f"{', '.join(_TEXTS)} must be strings")
    name, address = parseaddr(sender)
    return Ticket(
        connector=CONNECTOR,
        ticket_id=query_id,
        subject=subject,
        status=TicketStatus.OPEN,
        requester=Person("requester", name, address),
        messages=tuple(_messages(_turns(record.get("thread"), text), ContentType(content_type or ContentType.TEXT))),
        created_at=_OPENED,
        url=url,
    )


def _solved(record: Mapping[str, Any]) -> SolvedExample:
    question, answers, kb = record.get("question"), record.get("answers") or [], record.get("kb") or []
    if not isinstance(question, str) or not _are_strings(answers) or not _are_strings(kb):
        raise ValueError("no question, or answers or kb are not lists of strings")
    asked = {name: record.get(name) for name in ("_id", "url")} | {"subject": record.get("title"), "text": question}
    turns = [(Author.CUSTOMER, question), *((Author.AGENT, answer) for answer in answers)]
    messages = tuple(_messages(turns, ContentType.TEXT))
    return SolvedExample(replace(ticket_of(asked), status=TicketStatus.SOLVED, messages=messages), tuple(kb))


def _are_strings(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _turns(thread: object, text: str) -> list[tuple[Author, str]]:
    """The conversation; `text` is its last turn, whether or not the thread repeats it."""
    if thread is None:
        return [(Author.CUSTOMER, text)]
    if not isinstance(thread, list) or not all(map(_is_turn, thread)):
        raise ValueError("thread must be a list of objects with role and text")
    turns = [(Author.CUSTOMER if turn["role"] in _CUSTOMER_ROLES else Author.AGENT, turn["text"]) for turn in thread]
    newest = (Author.CUSTOMER, text)
    return turns if turns and turns[-1] == newest else [*turns, newest]


def _is_turn(turn: object) -> bool:
    return isinstance(turn, dict) and isinstance(turn.get("role"), str) and isinstance(turn.get("text"), str)


def _messages(turns: Sequence[tuple[Author, str]], content_type: ContentType) -> Iterator[Message]:
    for number, (author, body) in enumerate(turns):
        yield Message(str(number), author, body, _OPENED + timedelta(minutes=number), content_type)


def _tickets(records: Sequence[tuple[int, dict[str, Any]]], file: Path) -> Iterator[Ticket]:
    seen: set[str] = set()
    for number, record in records:
        try:
            ticket = ticket_of(record)
        except ValueError as error:
            raise DocumentUnreadable(f"{file}, line {number}: {error}.", hint=HINT) from error
        if ticket.ticket_id in seen:
            raise DocumentUnreadable(f"{file}, line {number}: a second query of this _id.", hint=HINT)
        seen.add(ticket.ticket_id)
        yield ticket


def _files(data: Path, split: str) -> tuple[Path, Path | None]:
    if data.is_file():
        return data, None
    own = data / split / "queries.jsonl"
    if own.is_file() or not (data / "queries.jsonl").is_file():
        return own, data / split / "qrels.tsv"
    return data / "queries.jsonl", data / "qrels" / f"{split}.tsv"


def _judgements(file: Path) -> Qrels:
    return parse_qrels(_lines(file), str(file))


def _gold(records: Sequence[tuple[int, dict[str, Any]]], file: Path) -> Qrels:
    """Judgements from the queries' own lists `gold`: each document named there is relevant, grade 1."""
    qrels: dict[str, dict[str, int]] = {}
    for number, record in records:
        gold = record.get("gold") or []
        if not _are_strings(gold):
            raise DocumentUnreadable(f"{file}, line {number}: gold must be a list of document ids.", hint=HINT)
        qrels[str(record.get("_id"))] = dict.fromkeys(gold, 1)
    return qrels


def _notes(tickets: Mapping[str, Ticket], qrels: Qrels, usable: Qrels, known: frozenset[str]) -> Iterator[str]:
    if unjudged := len(tickets) - len(usable):
        yield f"{unjudged} queries without a relevant document are left out."
    if unknown := len(answerable(qrels).keys() - tickets.keys()):
        yield f"{unknown} judged queries are not among the queries."
    missing = {name for grades in usable.values() for name, grade in grades.items() if grade > 0} - known
    if missing:
        yield f"{len(missing)} relevant documents are not in the corpus: they count as not found."


def _lines(file: Path) -> list[str]:
    try:
        return _existing(file).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(f"{file} is not UTF-8.", hint=HINT) from error


def _existing(file: Path) -> Path:
    if not file.is_file():
        raise DocumentUnreadable(f"There is no file {file}.", hint=HINT)
    return file
