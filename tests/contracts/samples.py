"""Small domain objects, and strategies that make large odd ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from core.domain.account import Role, User
from core.domain.draft import (
    Abstention,
    Citation,
    Decision,
    Draft,
    DraftState,
    Evidence,
    Layout,
    RejectReason,
    Sentence,
    SentenceKind,
    Strength,
)
from core.domain.jobs import DeliveryKind, EventKind, HelpdeskEvent, InboxItem, OutboxItem
from core.domain.passage import Document, Passage, Run, ScoredPassage, Section, Span
from core.domain.provenance import Component, Provenance
from core.domain.thread import RedactedMessage, RedactedThread
from core.domain.ticket import Author

NOW = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def minutes(number: float) -> datetime:
    return NOW + timedelta(minutes=number)


def inbox_item(item_id: str = "i1", *, message: str = "", **changes: Any) -> InboxItem:
    event = HelpdeskEvent("desk", EventKind.MESSAGE_RECEIVED, "t1", message or f"message of {item_id}")
    return replace(InboxItem(item_id, event, NOW), **changes)


def outbox_item(item_id: str = "o1", **changes: Any) -> OutboxItem:
    item = OutboxItem(item_id, DeliveryKind.REPLY, "desk", "t1", "d1", "Hello,\n<PERSON_1>", NOW)
    return replace(item, **changes)


def draft(draft_id: str = "d1", **changes: Any) -> Draft:
    made = Draft(
        draft_id=draft_id,
        connector="desk",
        ticket_id="t1",
        message_id=f"message of {draft_id}",
        subject="Printer on fire",
        requester="<PERSON_1>",
        state=DraftState.READY,
        sentences=(Sentence("Pull the plug.", SentenceKind.EVIDENCE, (Citation(1, "p1", Span(0, 4), "Pull"),)),),
        evidence=(Evidence(1, passage("p1"), 0.75),),
        abstention=None,
        strength=Strength.FAIR,
        confidence=0.5,
        composer="extractive",
        created_at=NOW,
        seconds=1.5,
        collections=("docs",),
    )
    return replace(made, **changes)


def provenance(draft_id: str = "d1") -> Provenance:
    thread = RedactedThread("desk", "t1", "Printer on fire", "<PERSON_1>", (), (("PERSON", 1),))
    return Provenance(draft_id, thread, ("printer fire",), (), (), "ready", ("It was found.",), (), (("search", 0.1),))


def passage(passage_id: str, *, doc_id: str = "doc1", collection: str = "docs", text: str = "Pull") -> Passage:
    span = Span(0, len(text))
    return Passage(passage_id, doc_id, collection, "Fires", ("Fires", "Printers"), text, span, span, "v1", "https://a")


def document(doc_id: str = "doc1", *, collection: str = "docs", content_hash: str = "v1") -> Document:
    sections = (Section(("Fires",), Span(0, 4), page=1),)
    return Document(doc_id, collection, "Fires", "Pull", sections, content_hash, ("https://a",), NOW)


def user(user_id: str = "u1", login: str = "ada") -> User:
    return User(user_id, login, "Ada", Role.MANAGER, "$argon2id$not-a-real-hash", NOW)


_texts = st.text(max_size=12)
_text_tuples = st.lists(_texts, max_size=2).map(tuple)
_numbers = st.floats(allow_nan=False)
_times = st.datetimes(timezones=st.sampled_from([UTC, datetime.fromisoformat("2026-01-01T00:00:00-05:30").tzinfo]))
_spans = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda pair: Span(min(pair), max(pair)))


def _tuples(elements: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(elements, max_size=2).map(tuple)


_passages = st.builds(
    Passage,
    *[_texts] * 4,
    heading_path=_text_tuples,
    text=_texts,
    span=_spans,
    section_span=_spans,
    doc_version=_texts,
    url=_texts,
    page=st.none() | st.integers(1, 9),
)
_citations = st.builds(Citation, st.integers(1, 9), _texts, _spans, _texts)
_sentences = st.builds(
    Sentence,
    _texts,
    st.sampled_from(SentenceKind),
    _tuples(_citations),
    st.booleans(),
    _texts,
    st.sampled_from(Layout),
)
_evidence = _tuples(st.builds(Evidence, st.integers(1, 9), _passages, _numbers))
_decisions = st.builds(
    Decision,
    _texts,
    _times,
    _texts,
    st.none() | st.sampled_from(RejectReason),
    _texts,
    st.none() | st.integers(1, 5),
)

drafts: st.SearchStrategy[Draft] = st.builds(
    Draft,
    *[_texts] * 6,
    state=st.sampled_from(DraftState),
    sentences=_tuples(_sentences),
    evidence=_evidence,
    abstention=st.none() | st.builds(Abstention, _texts, _text_tuples, _texts, _evidence),
    strength=st.sampled_from(Strength),
    confidence=_numbers,
    composer=_texts,
    created_at=_times,
    seconds=_numbers,
    unanswered=_text_tuples,
    reduced=_text_tuples,
    collections=_text_tuples,
    edited_text=_texts,
    decision=st.none() | _decisions,
    superseded_by=_texts,
    sent_at=st.none() | _times,
    ledger_number=st.integers(0, 2**40),
    revision=st.integers(1, 9),
)

_threads = st.builds(
    RedactedThread,
    *[_texts] * 4,
    messages=_tuples(
        st.builds(RedactedMessage, _texts, st.sampled_from(Author), _texts, _times, _texts, _texts, _texts)
    ),
    redactions=_tuples(st.tuples(_texts, st.integers(0, 9))),
    url=_texts,
)
_runs = st.builds(
    Run,
    _texts,
    _texts,
    _tuples(st.builds(ScoredPassage, _texts, _numbers, st.integers(1, 9))),
    st.integers(0, 1000),
    _numbers,
    _texts,
    st.dictionaries(_texts, _numbers, max_size=2),
)

provenances: st.SearchStrategy[Provenance] = st.builds(
    Provenance,
    _texts,
    _threads,
    _text_tuples,
    _tuples(_runs),
    _tuples(_passages),
    _texts,
    _text_tuples,
    _tuples(st.builds(Component, *[_texts] * 4)),
    timings=_tuples(st.tuples(_texts, _numbers)),
    signals=_tuples(st.tuples(_texts, _numbers)),
)
