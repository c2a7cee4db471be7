"""Where a draft stands, in a sentence an agent can act on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import url_for

from core.domain.draft import OPEN_STATES, Draft, DraftState
from core.domain.jobs import EventKind, InboxItem, JobState, OutboxItem
from core.ports import UnitOfWork
from plugin.web.errors import hint_for

AT_WORK = frozenset({JobState.PENDING, JobState.WORKING})


@dataclass(frozen=True, slots=True)
class Status:
    """`line` says where it stands, `at` since when; `link` leads on. `settled`: nothing will change by itself."""

    state: DraftState
    line: str
    at: datetime | None = None
    todo: str = ""
    retry: str = ""
    link: str = ""
    link_text: str = ""
    newer_message: bool = False
    settled: bool = False


def status_of(draft: Draft, tx: UnitOfWork) -> Status:
    if draft.state in OPEN_STATES:
        return _open(draft, tx)
    if draft.state is DraftState.APPROVED:
        return _approved(draft, tx)
    if draft.state is DraftState.SENT:
        return Status(draft.state, _sent_line(draft, tx), draft.sent_at, settled=True)
    if draft.state is DraftState.SUPERSEDED:
        return _superseded(draft)
    if draft.state is DraftState.ERASED:
        return _erased(draft, tx)
    return _rejected(draft)


def _erased(draft: Draft, tx: UnitOfWork) -> Status:
    """Since when, and where it is written down."""
    erased = [entry for entry in tx.ledger.about(draft.draft_id) if entry.event == "DraftErased"]
    line = f"Erased with everything its author wrote. Receipt {draft.receipt}."
    return Status(draft.state, line, erased[-1].at if erased else None, settled=True)


def _open(draft: Draft, tx: UnitOfWork) -> Status:
    """An open draft needs a line only when something is going on about its ticket."""
    job = _job_of(draft, tx)
    if job is None:
        return Status(draft.state, "")
    asked = job.event.kind is EventKind.DRAFT_REQUESTED
    what = "Another draft is being made" if asked else "The customer wrote again; a new draft is being made"
    step = f" ({job.step})" if job.step else ""
    return Status(draft.state, f"{what}{step}. It will take this one's place.", newer_message=not asked)


def _job_of(draft: Draft, tx: UnitOfWork) -> InboxItem | None:
    ticket = (draft.connector, draft.ticket_id)
    return next((job for job in tx.inbox.list(AT_WORK) if (job.event.connector, job.event.ticket_id) == ticket), None)


def _approved(draft: Draft, tx: UnitOfWork) -> Status:
    by = f"Approved by {draft.decision.agent}" if draft.decision else "Approved"
    at = draft.decision.at if draft.decision else None
    item = tx.outbox.get(f"reply-{draft.draft_id}")
    if item is None or not item.error_message:
        return Status(draft.state, f"{by}; it is being sent.", at)
    if item.state is JobState.PARKED:
        return _stuck(draft, item, by, at)
    return Status(draft.state, f"{by}. {item.error_message} Tried {item.attempts}×; it is tried again by itself.", at)


def _stuck(draft: Draft, item: OutboxItem, by: str, at: datetime | None) -> Status:
    return Status(
        draft.state,
        f"{by}, but it could not be sent: {item.error_message} The text is kept.",
        at,
        todo=hint_for(item.error_code),
        retry=url_for("queue.retry", box="outbox", item_id=item.item_id),
    )


def _sent_line(draft: Draft, tx: UnitOfWork) -> str:
    by = f" by {draft.decision.agent}" if draft.decision else ""
    if any(entry.event == "ReplyHandedOver" for entry in tx.ledger.about(draft.draft_id)):
        return f"Approved{by} and handed over as an internal note, to be sent by hand."
    return f"Sent{by}. Undo is not possible."


def _superseded(draft: Draft) -> Status:
    newer = url_for("review.show", draft_id=draft.superseded_by) if draft.superseded_by else ""
    line = "A newer draft took its place."
    return Status(draft.state, line, link=newer, link_text="Open the newer draft" if newer else "", settled=True)


def _rejected(draft: Draft) -> Status:
    decision = draft.decision
    if decision is None:
        return Status(draft.state, "Rejected.", settled=True)
    reason = f": {decision.reason.value}" if decision.reason else ""
    return Status(draft.state, f"Rejected by {decision.agent}{reason}.", decision.at, settled=True)
