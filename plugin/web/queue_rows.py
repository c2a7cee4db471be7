"""The rows of the review queue: drafts, and jobs that are not a draft yet or failed.

A list shows no personal value: people are told apart by number. Their names are on the review page, whose opening
stands in the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from flask import url_for

from core.domain.draft import OPEN_STATES, Draft, DraftState, SentenceKind
from core.domain.jobs import DeliveryKind, InboxItem, JobState, OutboxItem
from core.drafting.words import shorten
from core.ports import DraftFilter, UnitOfWork
from plugin.web.errors import hint_for
from plugin.web.rendering import Segment, redacted

LINE_CHARS = 180
JOBS_SHOWN = 50

JOB_STATES = {
    DraftState.WAITING: JobState.PENDING,
    DraftState.DRAFTING: JobState.WORKING,
    DraftState.FAILED: JobState.PARKED,
}
"""The states of work that is no draft yet, as people see them."""

FILTERS: dict[str, frozenset[DraftState]] = {
    "open": OPEN_STATES | frozenset(JOB_STATES),
    "all": frozenset(DraftState),
    **{state.value: frozenset({state}) for state in DraftState},
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the queue. `retry` is the address that tries a failed job again."""

    state: DraftState
    title: list[Segment]
    ticket_id: str
    at: datetime
    line: list[Segment]
    who: list[Segment]
    address: str = ""
    strength: str = ""
    sources: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    todo: str = ""
    retry: str = ""


def counts(tx: UnitOfWork) -> dict[str, int]:
    """How many rows each filter has."""
    drafts, inbox, outbox = tx.drafts.counts_by_state(), tx.inbox.counts(), tx.outbox.counts()
    by_state = {state: drafts.get(state, 0) for state in DraftState}
    for state, job_state in JOB_STATES.items():
        by_state[state] = inbox.get(job_state, 0)
    by_state[DraftState.FAILED] += outbox.get(JobState.PARKED, 0)
    return {name: sum(by_state[state] for state in states) for name, states in FILTERS.items()}


def draft_states(name: str) -> frozenset[DraftState]:
    """The states of drafts behind a filter."""
    return FILTERS[name] - frozenset(JOB_STATES)


def draft_rows(tx: UnitOfWork, where: DraftFilter, *, depth: int, offset: int) -> list[Row]:
    return [_draft_row(draft) for draft in tx.drafts.list(where, depth=depth, offset=offset)]


def job_rows(tx: UnitOfWork, name: str, text: str) -> list[Row]:
    """What is being worked on or failed, newest first, at most `JOBS_SHOWN` of each."""
    states = frozenset(JOB_STATES[state] for state in FILTERS[name] & frozenset(JOB_STATES))
    if not states:
        return []
    rows = [_inbox_row(item, tx) for item in tx.inbox.list(states, depth=JOBS_SHOWN)]
    if JobState.PARKED in states:
        rows += [_outbox_row(item, tx) for item in tx.outbox.list(frozenset({JobState.PARKED}), depth=JOBS_SHOWN)]
    wanted = (row for row in rows if text.casefold() in _searched(row))
    return sorted(wanted, key=lambda row: row.at, reverse=True)


def _searched(row: Row) -> str:
    return f"{row.ticket_id}\n{''.join(segment.text for segment in row.title)}".casefold()


def _draft_row(draft: Draft) -> Row:
    return Row(
        state=draft.state,
        title=redacted(draft.subject) or [Segment(f"Ticket {draft.ticket_id}")],
        ticket_id=draft.ticket_id,
        at=draft.created_at,
        line=redacted(shorten(first_line(draft), LINE_CHARS)),
        who=redacted(draft.requester),
        address=url_for("review.show", draft_id=draft.draft_id),
        strength="" if draft.state is DraftState.ABSTAINED else draft.strength.value,
        sources=tuple(dict.fromkeys(item.passage.title for item in draft.evidence)),
        reduced=draft.reduced,
    )


def first_line(draft: Draft) -> str:
    """What the reply says first, greetings apart; for an abstention what is missing."""
    if draft.abstention and not draft.edited_text:
        missing = ", ".join(draft.abstention.missing)
        return f"Missing: {missing}" if missing else f"To ask: {draft.abstention.question_back}"
    if draft.edited_text:
        lines = [line for line in draft.edited_text.splitlines() if line.strip()]
        return next((line for line in lines if not line.rstrip().endswith(",")), lines[0])
    said = (s.text for s in draft.sentences if s.kind is SentenceKind.EVIDENCE and s.grounded)
    return next(said, "")


def _inbox_row(item: InboxItem, tx: UnitOfWork) -> Row:
    event = item.event
    title, who = _known(tx.drafts.for_ticket(event.connector, event.ticket_id), event.ticket_id)
    parked = item.state is JobState.PARKED
    return Row(
        state=next(state for state, job_state in JOB_STATES.items() if job_state is item.state),
        title=title,
        ticket_id=event.ticket_id,
        at=item.received_at,
        line=[Segment(_progress(item))],
        who=who,
        todo=hint_for(item.error_code) if parked else "",
        retry=url_for("queue.retry", box="inbox", item_id=item.item_id) if parked else "",
    )


def _progress(item: InboxItem) -> str:
    if item.state is JobState.WORKING:
        return f"{item.step.capitalize() or 'Starting'} …"
    if item.state is JobState.PARKED:
        return f"{item.error_message} The ticket is kept."
    if item.error_message:
        return f"{item.error_message} Tried {_times(item.attempts)}; it is tried again by itself."
    return "Waits for its turn."


def _times(attempts: int) -> str:
    return "once" if attempts == 1 else f"{attempts} times"


def _outbox_row(item: OutboxItem, tx: UnitOfWork) -> Row:
    draft = tx.drafts.get(item.draft_id)
    title, who = _known([draft], item.ticket_id)
    what = "The approved reply" if item.kind is DeliveryKind.REPLY else "The internal note"
    return Row(
        state=DraftState.FAILED,
        title=title,
        ticket_id=item.ticket_id,
        at=item.created_at,
        line=[Segment(f"{what} could not be posted: {item.error_message} It is kept.")],
        who=who,
        address=url_for("review.show", draft_id=item.draft_id),
        todo=hint_for(item.error_code),
        retry=url_for("queue.retry", box="outbox", item_id=item.item_id),
    )


def _known(drafts: Iterable[Draft], ticket_id: str) -> tuple[list[Segment], list[Segment]]:
    """Subject and requester, if an earlier draft of the ticket knows them."""
    for draft in drafts:
        if draft.subject:
            return redacted(draft.subject), redacted(draft.requester)
    return [Segment(f"Ticket {ticket_id}")], []
