"""Everything the review page shows of one draft."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.domain.access import holds_tickets
from core.domain.draft import OPEN_STATES, Draft, DraftState
from core.domain.passage import Passage
from core.domain.provenance import Provenance
from core.domain.redaction import PlaceholderMap
from core.domain.thread import RedactedMessage
from core.drafting.words import shorten
from core.ports import DraftFilter, UnitOfWork
from core.redaction.placeholders import restore
from core.usecases.review_draft import DraftView
from plugin.web.draft_status import Status, status_of
from plugin.web.rendering import NO_PLACEHOLDERS, Segment, segments, web_address
from plugin.web.reply_view import Block, Card, blocks, cards, shown_sentences
from plugin.web.state import services

SOLVED_SHOWN, EXCERPT_CHARS = 3, 220
NEXT_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class ShownMessage:
    message: RedactedMessage
    text: list[Segment]
    quoted: list[Segment]
    signature: list[Segment]
    disclaimer: list[Segment]
    earlier: list[list[Segment]]
    attachments: list[list[Segment]]
    author: list[Segment]


@dataclass(frozen=True, slots=True)
class SolvedTicket:
    """An earlier ticket that was found; its placeholders are another ticket's and have no values here."""

    title: str
    excerpt: list[Segment]
    url: str


@dataclass(frozen=True, slots=True)
class Page:
    """`text` is what the textarea holds. `doubts` are asked about once before sending. `typed`: the text was carried
    over from a request that did not go through."""

    draft: Draft
    subject: list[Segment]
    requester: list[Segment]
    newest: ShownMessage | None
    older: list[ShownMessage]
    ticket_url: str
    solved: list[SolvedTicket]
    blocks: list[Block]
    cards: list[Card]
    searched_for: list[Segment]
    unanswered: list[list[Segment]]
    missing: list[list[Segment]]
    question_back: list[Segment]
    proposal: str
    text: str
    typed: bool
    doubts: list[str]
    status: Status
    following: str
    forgotten: bool

    @property
    def is_open(self) -> bool:
        return self.draft.state in OPEN_STATES

    @property
    def title(self) -> str:
        return "".join(segment.text for segment in self.subject) or f"Ticket {self.draft.ticket_id}"


def page_of(view: DraftView, typed: str | None = None) -> Page:
    """`typed` is what the agent wrote in a request that did not go through: it is shown instead of the stored text."""
    with services().uow() as tx:
        status = status_of(view.draft, tx)
        changes = _changes(view.draft, tx)
        following = _next_open(view.draft, tx)
    return _page(view, typed, status, changes, following)


def _page(view: DraftView, typed: str | None, status: Status, changes: dict[str, str], following: str) -> Page:
    draft, placeholders = view.draft, view.placeholders
    sentences = shown_sentences(draft, placeholders)
    newest, older = _messages(draft, view.provenance, placeholders)
    abstention = draft.abstention
    return Page(
        draft=draft,
        subject=segments(draft.subject, placeholders),
        requester=segments(draft.requester, placeholders),
        newest=newest,
        older=older,
        ticket_url=web_address(view.provenance.thread.url),
        solved=_solved(view.provenance.passages),
        blocks=blocks(sentences),
        cards=cards(draft, sentences, changes),
        searched_for=segments(abstention.searched_for, placeholders) if abstention else [],
        unanswered=[segments(question, placeholders) for question in draft.unanswered],
        missing=[segments(term, placeholders) for term in abstention.missing] if abstention else [],
        question_back=segments(abstention.question_back, placeholders) if abstention else [],
        proposal=proposal(view),
        text=_text(view) if typed is None else typed,
        typed=typed is not None,
        doubts=doubts(draft, status),
        status=status,
        following=following,
        forgotten=view.forgotten,
    )


def proposal(view: DraftView) -> str:
    """What `use the question` puts into the textarea: the counter-question with greeting and closing."""
    if view.draft.abstention is None:
        return ""
    return view.text.strip() or restore(view.draft.abstention.question_back, view.placeholders)


def _text(view: DraftView) -> str:
    untouched = view.draft.state is DraftState.ABSTAINED and not view.draft.edited_text
    return "" if untouched else view.text


def doubts(draft: Draft, status: Status) -> list[str]:
    """What speaks against sending without a second look; empty when all is green."""
    found = []
    struck = 0 if draft.edited_text else sum(not sentence.grounded for sentence in draft.sentences)
    if struck:
        found.append(f"{_sentences(struck)} struck through and will not be sent: no source supports it.")
    if draft.abstention:
        found.append("The system found no sufficient evidence: nothing in this reply was checked against a source.")
    if draft.unanswered:
        found.append(f"Questions without an answer: {len(draft.unanswered)}.")
    if status.newer_message:
        found.append("The customer wrote again: a newer message is being worked on.")
    return found


def _sentences(number: int) -> str:
    return "1 sentence is" if number == 1 else f"{number} sentences are"


def _messages(
    draft: Draft, provenance: Provenance, placeholders: PlaceholderMap
) -> tuple[ShownMessage | None, list[ShownMessage]]:
    """The message the draft answers, and all others, newest first."""
    shown = [_shown(message, placeholders) for message in reversed(provenance.thread.messages)]
    newest = next((m for m in shown if m.message.message_id == draft.message_id), None)
    return newest, [m for m in shown if m is not newest]


def _shown(message: RedactedMessage, placeholders: PlaceholderMap) -> ShownMessage:
    return ShownMessage(
        message,
        text=segments(message.text, placeholders),
        quoted=segments(message.quoted, placeholders),
        signature=segments(message.signature, placeholders),
        disclaimer=segments(message.disclaimer, placeholders),
        earlier=[segments(mail, placeholders) for mail in message.earlier],
        attachments=[segments(name, placeholders) for name in message.attachments],
        author=segments(message.author_name, placeholders),
    )


def _solved(passages: Iterable[Passage]) -> list[SolvedTicket]:
    best: dict[str, Passage] = {}
    for passage in passages:
        if holds_tickets(passage.collection):
            best.setdefault(passage.doc_id, passage)
    return [
        SolvedTicket(p.title, segments(shorten(p.text, EXCERPT_CHARS), NO_PLACEHOLDERS), web_address(p.url))
        for p in list(best.values())[:SOLVED_SHOWN]
    ]


def _changes(draft: Draft, tx: UnitOfWork) -> dict[str, str]:
    """How the documents differ today from what the draft was made from, by doc_id; only those that do."""
    found = {}
    nearest = draft.abstention.nearest if draft.abstention else ()
    for item in (*draft.evidence, *nearest):
        document = tx.documents.get(item.passage.doc_id)
        if document is None:
            found[item.passage.doc_id] = "no longer in the sources"
        elif document.content_hash != item.passage.doc_version:
            found[item.passage.doc_id] = "changed since this draft"
    return found


def _next_open(draft: Draft, tx: UnitOfWork) -> str:
    """The open draft that follows this one in the queue, else the first; empty when there is none."""
    waiting = tx.drafts.list(DraftFilter(states=OPEN_STATES), depth=NEXT_LOOKED_AT)
    others = [other for other in waiting if other.draft_id != draft.draft_id]
    older = [other for other in others if other.created_at <= draft.created_at]
    return next((other.draft_id for other in (*older, *others)), "")
