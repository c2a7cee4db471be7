"""From an event in the inbox to a draft with its full provenance: the middle of one ticket's path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.domain.draft import OPEN_STATES, Draft, DraftState
from core.domain.erasure import identities_of
from core.domain.fingerprint import fingerprint
from core.domain.jobs import DeliveryKind, EventKind, InboxItem, JobState, OutboxItem, is_mine
from core.domain.passage import Passage
from core.domain.provenance import Component, Provenance
from core.domain.redaction import PlaceholderMap
from core.domain.retrieval import Inquiry, Retrieval
from core.domain.thread import RedactedThread
from core.domain.ticket import Message, Person, Ticket
from core.drafting.composition import Composition, Outcome
from core.drafting.note import note_text
from core.errors import JobTakenOver, Unavailable
from core.ports import (
    Clock,
    EntityRecognizer,
    Helpdesk,
    IdSource,
    Progress,
    Timer,
    UnitOfWork,
    UnitOfWorkFactory,
    no_progress,
)
from core.redaction.thread import redact_thread
from core.retrieval.query import inquiry_of
from core.usecases.erased_people import since_erasure
from core.usecases.read_vault import MACHINE, Purpose, Reading, read_vault, vault_subject

STATES = {
    Outcome.DRAFT: DraftState.READY,
    Outcome.PARTIAL: DraftState.PARTIAL,
    Outcome.ABSTAIN: DraftState.ABSTAINED,
}


@dataclass(frozen=True, slots=True)
class _Work:
    """Everything between reading the ticket and storing the draft. `stamp` is the map's when it was read."""

    message: Message
    requester: Person
    thread: RedactedThread
    stamp: str
    placeholders: PlaceholderMap
    retrieval: Retrieval
    composition: Composition
    timings: tuple[tuple[str, float], ...]


def draft_reply(
    item: InboxItem,
    *,
    helpdesk: Helpdesk,
    uow: UnitOfWorkFactory,
    recognizer: EntityRecognizer,
    search: Callable[[Inquiry], Retrieval],
    compose: Callable[[Inquiry, Retrieval], Composition],
    components: Callable[[], tuple[Component, ...]],
    address_of: Callable[[str], str],
    announce: bool,
    clock: Clock,
    timer: Timer,
    new_id: IdSource,
    progress: Progress = no_progress,
) -> InboxItem:
    """The inbox item as it was stored: DONE with the draft's id, or IGNORED with the reason why no draft was needed.

    Draft, provenance, ledger entry, placeholders, note and the finished inbox item are one transaction: a crash
    before it means that the item is worked on again, after it that it never is.
    """
    laps = _Laps(timer, progress)
    laps.start("reading the ticket")
    ticket = helpdesk.fetch_ticket(item.event.ticket_id)
    with uow() as tx:
        ticket = since_erasure(ticket, tx)
        reason = _why_no_draft(ticket, item, tx)
        loaded = _Loaded("", PlaceholderMap()) if reason else _load(ticket, tx, clock)
        tx.commit()
    message = ticket.newest_customer_message
    if reason or message is None:
        return _store_ignored(item, reason or NOTHING_TO_ANSWER, uow)
    work = _work(ticket, message, loaded, recognizer, search, compose, laps)
    laps.start("storing the draft")
    parts = components()
    with uow() as tx:
        ticket = since_erasure(ticket, tx)
        if not is_mine(item, tx.inbox.get(item.item_id)):
            raise JobTakenOver("Another worker took this job over; what it does counts.")
        reason = _why_no_draft(ticket, item, tx)
        if reason:
            finished = _finished(item, JobState.IGNORED, reason)
            tx.inbox.save(finished)
        else:
            finished = _store(item, work, tx, parts, address_of, announce, clock, new_id)
        tx.commit()
    return finished


@dataclass(frozen=True, slots=True)
class _Loaded:
    stamp: str
    placeholders: PlaceholderMap


def _load(ticket: Ticket, tx: UnitOfWork, clock: Clock) -> _Loaded:
    """The ticket's placeholders so far, so that the same person stays the same placeholder."""
    subject = vault_subject(ticket.connector, ticket.ticket_id)
    reading = Reading(MACHINE, Purpose.DRAFTING, clock())
    return _Loaded(tx.vault.stamp(subject), read_vault(subject, tx, reading))


def _work(
    ticket: Ticket,
    message: Message,
    loaded: _Loaded,
    recognizer: EntityRecognizer,
    search: Callable[[Inquiry], Retrieval],
    compose: Callable[[Inquiry, Retrieval], Composition],
    laps: _Laps,
) -> _Work:
    laps.start("redacting")
    thread, placeholders = redact_thread(ticket, recognizer=recognizer, placeholders=loaded.placeholders)
    laps.start("searching")
    inquiry = inquiry_of(thread)
    retrieval = search(inquiry)
    laps.start("writing")
    composition = compose(inquiry, retrieval)
    parts = (placeholders, retrieval, composition, laps.finish())
    return _Work(message, ticket.requester, thread, loaded.stamp, *parts)


NOTHING_TO_ANSWER = "the ticket has no public message by a customer"


def _why_no_draft(ticket: Ticket, item: InboxItem, tx: UnitOfWork) -> str:
    """Why this ticket needs no draft now; empty when it does. An agent who asks for one always gets one."""
    message = ticket.newest_customer_message
    if message is None:
        return NOTHING_TO_ANSWER
    if item.event.kind is EventKind.DRAFT_REQUESTED:
        return ""
    if ticket.is_finished:
        return f"the ticket is {ticket.status}"
    if ticket.is_answered:
        return "an agent has answered already"
    if draft := tx.drafts.find(ticket.connector, ticket.ticket_id, message.message_id):
        return f"draft {draft.draft_id} answers this message already"
    return ""


def _store_ignored(item: InboxItem, reason: str, uow: UnitOfWorkFactory) -> InboxItem:
    ignored = _finished(item, JobState.IGNORED, reason)
    with uow() as tx:
        tx.inbox.save(ignored)
        tx.commit()
    return ignored


def _finished(item: InboxItem, state: JobState, outcome: str) -> InboxItem:
    return replace(
        item, state=state, outcome=outcome, step="", lease_owner="", lease_until=None, error_code="", error_message=""
    )


def _store(
    item: InboxItem,
    work: _Work,
    tx: UnitOfWork,
    components: tuple[Component, ...],
    address_of: Callable[[str], str],
    announce: bool,
    clock: Clock,
    new_id: IdSource,
) -> InboxItem:
    thread = work.thread
    subject = vault_subject(thread.connector, thread.ticket_id)
    if tx.vault.stamp(subject) != work.stamp:
        raise Unavailable("This ticket was worked on by somebody else at the same moment; it is tried again.")
    older = tx.drafts.for_ticket(thread.connector, thread.ticket_id)
    draft = _draft(work, older, clock, new_id)
    provenance = _provenance(draft.draft_id, work, components)
    if not tx.drafts.add(_with_ledger_entry(draft, provenance, tx), provenance):
        raise Unavailable("Another draft for this message was stored at the same moment; it is tried again.")
    tx.vault.save(subject, work.placeholders, at=draft.created_at)
    tx.people.remember(thread.connector, thread.ticket_id, identities_of(work.requester))
    supersede(older, draft.draft_id, tx, clock)
    if announce:
        tx.outbox.add(_note(draft, address_of(draft.draft_id), clock))
    finished = _finished(item, JobState.DONE, draft.draft_id)
    tx.inbox.save(finished)
    return finished


def _draft(work: _Work, older: Sequence[Draft], clock: Clock, new_id: IdSource) -> Draft:
    composition = work.composition
    same_version = [d.revision for d in older if d.message_id == work.message.message_id]
    return Draft(
        draft_id=new_id(),
        connector=work.thread.connector,
        ticket_id=work.thread.ticket_id,
        message_id=work.message.message_id,
        subject=work.thread.subject,
        requester=work.thread.requester,
        state=STATES[composition.outcome],
        sentences=composition.sentences,
        evidence=composition.evidence,
        abstention=composition.abstention,
        strength=composition.strength,
        confidence=composition.confidence,
        composer="extractive",
        created_at=clock(),
        seconds=sum(seconds for _, seconds in work.timings),
        unanswered=composition.unanswered,
        reduced=work.retrieval.reduced,
        collections=tuple(dict.fromkeys(e.passage.collection for e in composition.evidence)),
        revision=max(same_version, default=0) + 1,
    )


def _provenance(draft_id: str, work: _Work, components: tuple[Component, ...]) -> Provenance:
    retrieval, composition = work.retrieval, work.composition
    return Provenance(
        draft_id=draft_id,
        thread=work.thread,
        queries=tuple(query.text for query in retrieval.queries),
        runs=(*retrieval.runs, retrieval.fused),
        passages=_passages(retrieval),
        outcome=composition.outcome,
        reasons=composition.reasons,
        components=components,
        timings=work.timings,
        signals=composition.signals,
        language=retrieval.language,
    )


def _passages(retrieval: Retrieval) -> tuple[Passage, ...]:
    """Those of the final run, best first, then the others that were kept (similar solved tickets)."""
    ranked = {passage.passage_id: passage for passage, _ in retrieval.ranked}
    return tuple((ranked | {**retrieval.passages, **ranked}).values())


def draft_fingerprint(draft: Draft, provenance: Provenance) -> str:
    """Hash of what must never change about a draft: what it says, what it rests on and how it came about."""
    return fingerprint(draft.sentences, draft.evidence, draft.abstention, draft.confidence, provenance)


def _with_ledger_entry(draft: Draft, provenance: Provenance, tx: UnitOfWork) -> Draft:
    entry = tx.ledger.append(
        at=draft.created_at,
        actor="citedesk",
        event="DraftCreated",
        subject=draft.draft_id,
        details={
            "connector": draft.connector,
            "ticket": draft.ticket_id,
            "message": draft.message_id,
            "state": draft.state.value,
            "sha256": draft_fingerprint(draft, provenance),
        },
    )
    return replace(draft, ledger_number=entry.number)


def supersede(older: Sequence[Draft], by: str, tx: UnitOfWork, clock: Clock) -> None:
    """Close the open drafts among `older`: a newer one takes their place."""
    for draft in older:
        if draft.state in OPEN_STATES:
            entry = tx.ledger.append(
                at=clock(), actor="citedesk", event="DraftSuperseded", subject=draft.draft_id, details={"by": by}
            )
            tx.drafts.save(replace(draft, state=DraftState.SUPERSEDED, superseded_by=by, ledger_number=entry.number))


def _note(draft: Draft, address: str, clock: Clock) -> OutboxItem:
    return OutboxItem(
        item_id=f"note-{draft.draft_id}",
        kind=DeliveryKind.NOTE,
        connector=draft.connector,
        ticket_id=draft.ticket_id,
        draft_id=draft.draft_id,
        body=note_text(draft, address),
        created_at=clock(),
    )


class _Laps:
    """Names each step as it starts and keeps how long it took."""

    def __init__(self, timer: Timer, progress: Progress) -> None:
        self._timer, self._progress = timer, progress
        self._done: list[tuple[str, float]] = []
        self._step, self._since = "", 0.0

    def start(self, step: str) -> None:
        self._close()
        self._step, self._since = step, self._timer()
        self._progress(step)

    def finish(self) -> tuple[tuple[str, float], ...]:
        self._close()
        return tuple(self._done)

    def _close(self) -> None:
        if self._step:
            self._done.append((self._step, self._timer() - self._since))
            self._step = ""
