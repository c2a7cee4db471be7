"""Drafts of every kind in a fake store, for pages: a ready one, a doubtful one, an abstention, jobs, people."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.domain.account import Role, User
from core.domain.draft import (
    Abstention,
    Citation,
    Draft,
    DraftState,
    Evidence,
    Layout,
    Sentence,
    SentenceKind,
    Strength,
)
from core.domain.jobs import EventKind, HelpdeskEvent, InboxItem, JobState
from core.domain.passage import Document, Passage, Span
from core.domain.provenance import Provenance
from core.domain.redaction import PlaceholderMap
from core.domain.thread import RedactedMessage, RedactedThread
from core.domain.ticket import Author
from core.usecases.read_vault import vault_subject
from tests.fakes.services import FakeServices

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NAME, MAIL = "Maria Lopez", "maria.lopez@example.org"
PERSONAL = PlaceholderMap({"<PERSON_1>": NAME, "<EMAIL_ADDRESS_1>": MAIL})
HOSTILE = '<script>alert("x")</script> [click](javascript:alert(1)) "><img src=x onerror=alert(1)>'

RESTORE = Passage(
    passage_id="restore#0",
    doc_id="restore",
    collection="docs",
    title="Restore bookmarks from a backup",
    heading_path=("Restore bookmarks from a backup", "Restoring from backups"),
    text=(
        "Firefox automatically creates backups of your bookmarks and saves the last 15 backups for safekeeping. "
        "To restore a backup, open the Library window with Ctrl+Shift+O. From the Import and Backup menu choose "
        "Restore, then select the backup you want. Your current bookmarks will be replaced with the ones in the "
        "backup file."
    ),
    span=Span(0, 312),
    section_span=Span(0, 312),
    doc_version="7d1f00c4" * 8,
    url="https://support.example.org/kb/restore-bookmarks",
)
PROFILE = Passage(
    passage_id="profile#0",
    doc_id="profile",
    collection="docs",
    title="Recover user data missing after an update",
    heading_path=("Your data is in another profile",),
    text=(
        "After an update, Firefox may have started with a new profile. Your old profile folder still contains your "
        "bookmarks, history and passwords. Open about:profiles to see all profiles and start the one with your data."
    ),
    span=Span(0, 215),
    section_span=Span(0, 215),
    doc_version="19aa02be" * 8,
    url="https://support.example.org/kb/recover-user-data",
    page=3,
)
SOLVED = Passage(
    passage_id="t77#0",
    doc_id="t77",
    collection="tickets",
    title="All my bookmarks vanished overnight",
    heading_path=(),
    text="Dear <PERSON_1>, the bookmarks were in the profile default-release-1. Starting it brought them back.",
    span=Span(0, 99),
    section_span=Span(0, 99),
    doc_version="5e5e5e5e" * 8,
)


def quote(marker: int, passage: Passage, text: str) -> Citation:
    start = passage.text.index(text)
    return Citation(marker, passage.passage_id, Span(start, start + len(text)), text)


def said(text: str, citation: Citation, layout: Layout = Layout.RUNNING) -> Sentence:
    return Sentence(text, SentenceKind.EVIDENCE, (citation,), layout=layout)


BACKUPS = "Firefox automatically creates backups of your bookmarks and saves the last 15 backups for safekeeping."
LIBRARY = "To restore a backup, open the Library window with Ctrl+Shift+O."
MENU = "From the Import and Backup menu choose Restore, then select the backup you want."
PROFILES = "Open about:profiles to see all profiles and start the one with your data."

SENTENCES = (
    Sentence("Hello,", SentenceKind.GREETING),
    said(BACKUPS, quote(1, RESTORE, BACKUPS), Layout.PARAGRAPH),
    said(LIBRARY, quote(1, RESTORE, LIBRARY), Layout.ITEM),
    said(MENU, quote(1, RESTORE, MENU), Layout.ITEM),
    said(PROFILES, quote(2, PROFILE, PROFILES), Layout.PARAGRAPH),
    Sentence("Kind regards,\nYour support team", SentenceKind.CLOSING, layout=Layout.PARAGRAPH),
)
EVIDENCE = (Evidence(1, RESTORE, 0.82), Evidence(2, PROFILE, 0.74))

READY = Draft(
    draft_id="ready",
    connector="fake",
    ticket_id="1041",
    message_id="m2",
    subject="Bookmarks gone after the update",
    requester="<PERSON_1>",
    state=DraftState.READY,
    sentences=SENTENCES,
    evidence=EVIDENCE,
    abstention=None,
    strength=Strength.STRONG,
    confidence=0.71,
    composer="extractive",
    created_at=NOON - timedelta(minutes=4),
    seconds=0.92,
    collections=("docs",),
)
STRUCK = Sentence(
    "You can also call us on Sundays.", SentenceKind.EVIDENCE, grounded=False, reason="no source is cited"
)
PARTIAL = replace(
    READY,
    draft_id="partial",
    ticket_id="1038",
    subject="Restore bookmarks, and does it also work on Android?",
    state=DraftState.PARTIAL,
    sentences=(*SENTENCES[:5], STRUCK, SENTENCES[5]),
    unanswered=("Does it also work on Android?",),
    strength=Strength.FAIR,
    reduced=("lexical only",),
    created_at=NOON - timedelta(minutes=50),
)
ABSTAINED = replace(
    READY,
    draft_id="abstained",
    ticket_id="1035",
    subject="Invoice 2291 is wrong",
    state=DraftState.ABSTAINED,
    sentences=(
        SENTENCES[0],
        Sentence("Which version do you use?", SentenceKind.QUESTION, layout=Layout.PARAGRAPH),
        SENTENCES[5],
    ),
    evidence=(),
    abstention=Abstention(
        searched_for="Invoice 2291 is wrong, the amount was charged twice to <PERSON_1>",
        missing=("invoice", "charged twice"),
        question_back="Which version do you use?",
        nearest=(Evidence(1, PROFILE, 0.21),),
    ),
    strength=Strength.WEAK,
    confidence=0.2,
    created_at=NOON - timedelta(hours=3),
)

THREAD = RedactedThread(
    connector="fake",
    ticket_id="1041",
    subject="Bookmarks gone after the update",
    requester="<PERSON_1>",
    messages=(
        RedactedMessage("m1", Author.CUSTOMER, "Hi, is anybody there?", NOON - timedelta(hours=5)),
        RedactedMessage("a1", Author.AGENT, "We are. How can we help?", NOON - timedelta(hours=4)),
        RedactedMessage(
            "m2",
            Author.CUSTOMER,
            "Since this morning's update all my bookmarks are gone!\n\nI need them for work. You can reach me at "
            f"<EMAIL_ADDRESS_1>.\n\n{HOSTILE}",
            NOON - timedelta(minutes=6),
            quoted="> We are. How can we help?",
            signature="<PERSON_1>\nExample Ltd",
            author_name="<PERSON_1>",
        ),
    ),
    redactions=(("PERSON", 2), ("EMAIL_ADDRESS", 1)),
    url="https://helpdesk.example.org/tickets/1041",
)


def provenance_of(draft: Draft) -> Provenance:
    return Provenance(
        draft_id=draft.draft_id,
        thread=replace(THREAD, ticket_id=draft.ticket_id, subject=draft.subject),
        queries=("bookmarks gone after the update",),
        runs=(),
        passages=(RESTORE, PROFILE, SOLVED),
        outcome="draft",
        reasons=(),
        components=(),
        timings=(("searching", 0.4),),
    )


def put_draft(services: FakeServices, draft: Draft, placeholders: PlaceholderMap = PERSONAL) -> Draft:
    """Store the draft with its provenance and personal data."""
    with services.uow() as tx:
        entry = tx.ledger.append(
            at=draft.created_at, actor="citedesk", event="DraftCreated", subject=draft.draft_id, details={}
        )
        stored = replace(draft, ledger_number=entry.number)
        assert tx.drafts.add(stored, provenance_of(draft))
        tx.vault.save(vault_subject(draft.connector, draft.ticket_id), placeholders, at=draft.created_at)
        tx.commit()
    return stored


def put_documents(services: FakeServices) -> None:
    """The documents that the passages were cut from, as they were."""
    with services.uow() as tx:
        for passage in (RESTORE, PROFILE):
            document = Document(
                passage.doc_id, passage.collection, passage.title, passage.text, (), passage.doc_version
            )
            tx.documents.put(document, [passage])
        tx.commit()


def put_job(services: FakeServices, ticket_id: str, state: JobState = JobState.PENDING, **fields: str) -> InboxItem:
    """A message that is on its way to a draft."""
    event = HelpdeskEvent("fake", EventKind.MESSAGE_RECEIVED, ticket_id, f"new-{ticket_id}")
    item = InboxItem(f"job-{ticket_id}", event, services.clock(), state, attempts=1, **fields)  # type: ignore[arg-type]
    with services.uow() as tx:
        assert tx.inbox.add(item)
        tx.commit()
    return item


def put_user(
    services: FakeServices, login: str, role: Role = Role.AGENT, *, password_hash: str = "none", disabled: bool = False
) -> User:
    name = login.partition("@")[0].capitalize()
    user = User(f"u-{login}", login, name, role, password_hash, NOON, disabled)
    with services.uow() as tx:
        tx.users.add(user)
        tx.commit()
    return user
