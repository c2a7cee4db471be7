"""Work that must survive a crash: what came in (inbox) and what must go out (outbox)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from core.errors import CitedeskError


class EventKind(StrEnum):
    """What a webhook can tell us that makes us work."""

    MESSAGE_RECEIVED = "message_received"
    DRAFT_REQUESTED = "draft_requested"


@dataclass(frozen=True, slots=True)
class HelpdeskEvent:
    """What a webhook said, after its secret was checked. Ids only: the ticket is read again from the helpdesk."""

    connector: str
    kind: EventKind
    ticket_id: str
    message_id: str = ""
    delivery_id: str = ""

    @property
    def idempotency_key(self) -> str:
        """Equal for every delivery of the same message; a ping without message id falls back to its delivery id."""
        version = self.message_id or f"delivery:{self.delivery_id}"
        return "|".join((self.connector, self.ticket_id, version, self.kind))


class JobState(StrEnum):
    """`parked` waits for a person: it failed for good or too often; `ignored` needed no work (`outcome` says why)."""

    PENDING = "pending"
    WORKING = "working"
    DONE = "done"
    IGNORED = "ignored"
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class InboxItem:
    """An event on its way to a draft. `step` is what the worker is doing now; `outcome` a draft id or a reason."""

    item_id: str
    event: HelpdeskEvent
    received_at: datetime
    state: JobState = JobState.PENDING
    attempts: int = 0
    not_before: datetime | None = None
    lease_owner: str = ""
    lease_until: datetime | None = None
    step: str = ""
    outcome: str = ""
    error_code: str = ""
    error_message: str = ""


class DeliveryKind(StrEnum):
    NOTE = "note"
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """Something to post to a helpdesk exactly once; `item_id` is the idempotency key the helpdesk sees.

    `body` is redacted; what is personal comes back from the vault at the moment of posting a reply.
    """

    item_id: str
    kind: DeliveryKind
    connector: str
    ticket_id: str
    draft_id: str
    body: str
    created_at: datetime
    state: JobState = JobState.PENDING
    attempts: int = 0
    not_before: datetime | None = None
    lease_owner: str = ""
    lease_until: datetime | None = None
    receipt: str = ""
    error_code: str = ""
    error_message: str = ""


Job = TypeVar("Job", InboxItem, OutboxItem)

LONGEST_WAIT_S = 600.0


def after_failure(job: Job, error: CitedeskError, now: datetime, *, attempts: int, base_s: float) -> Job:
    """The job as it should be stored after `error`: due again later, or parked for a person to look at.

    The n-th failure waits base_s * 2^(n-1) seconds, at most `LONGEST_WAIT_S`.
    """
    again = error.retryable and job.attempts < attempts
    wait = timedelta(seconds=min(base_s * 2 ** (job.attempts - 1), LONGEST_WAIT_S))
    return replace(
        job,
        state=JobState.PENDING if again else JobState.PARKED,
        not_before=now + wait if again else None,
        lease_owner="",
        lease_until=None,
        error_code=error.code,
        error_message=error.message,
    )


def is_mine(claimed: Job, stored: Job | None) -> bool:
    """Whether the worker that claimed the job still holds it: nobody claimed or finished it since."""
    return stored is not None and stored.state is JobState.WORKING and stored.attempts == claimed.attempts


def tried_again(job: Job) -> Job:
    """The job as it should be stored when a person wants a parked one to be tried afresh."""
    return replace(job, state=JobState.PENDING, attempts=0, not_before=None, error_code="", error_message="")
