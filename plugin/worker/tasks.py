"""Claim a row, do its work, record how it went. Threads and Celery workers call the same functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import structlog

from core.domain.jobs import InboxItem, Job, JobState, OutboxItem, after_failure, is_mine
from core.errors import CitedeskError, JobTakenOver, ModelUnavailable, TicketNotFound
from core.usecases.draft_reply import draft_reply
from core.usecases.forget_maps import forget_maps
from core.usecases.send_reply import send_reply
from plugin.bootstrap import Services

log = structlog.get_logger("citedesk.worker")


class WorkFailed(CitedeskError):
    """Something nobody foresaw; the log has its type and place."""

    code = "unexpected_error"
    retryable = True
    default_hint = "Look for this ticket's id in the log; it is tried again by itself."


def draft_next(services: Services, owner: str) -> bool:
    """Work on the oldest event that is due; False when there is none."""
    settings = services.settings
    with services.uow() as tx:
        item = tx.inbox.claim(services.clock(), lease_s=settings.job_lease_s, owner=owner)
        tx.commit()
    if item is None:
        return False
    with structlog.contextvars.bound_contextvars(ticket=item.event.ticket_id, job=item.item_id):
        done = _guarded(services, item, lambda: _draft(services, item), _save_inbox)
        log.info("inbox item worked on", state=done.state.value, attempt=done.attempts, code=done.error_code or None)
    services.queue.wake()
    return True


def send_next(services: Services, owner: str) -> bool:
    """Post the oldest item of the outbox that is due; False when there is none."""
    settings = services.settings
    with services.uow() as tx:
        item = tx.outbox.claim(services.clock(), lease_s=settings.job_lease_s, owner=owner)
        tx.commit()
    if item is None:
        return False
    with structlog.contextvars.bound_contextvars(ticket=item.ticket_id, job=item.item_id):
        done = _guarded(services, item, lambda: _send(services, item), _save_outbox)
        log.info("outbox item worked on", state=done.state.value, attempt=done.attempts, code=done.error_code or None)
    return True


def forget_idle_maps(services: Services) -> int:
    """Retention, as the settings say; how many tickets' personal values were forgotten."""
    days = services.settings.vault_days
    forgotten = forget_maps(uow=services.uow, clock=services.clock, days=days)
    if forgotten:
        log.info("personal values were forgotten", tickets=forgotten, days=days)
    return forgotten


def _draft(services: Services, item: InboxItem) -> InboxItem:
    try:
        return draft_reply(
            item,
            helpdesk=services.helpdesk(item.event.connector),
            uow=services.uow,
            recognizer=services.recognizer,
            search=services.searcher(services.settings.customers_of(item.event.connector)),
            compose=services.compose,
            components=services.components,
            address_of=services.address_of,
            announce=services.settings.post_notes,
            clock=services.clock,
            timer=services.timer,
            new_id=services.new_id,
            progress=lambda step: _show_step(services, item, step),
        )
    except TicketNotFound as error:
        gone = replace(item, state=JobState.IGNORED, outcome=error.message, lease_owner="", lease_until=None)
        _save_inbox(services, gone)
        return gone


def _show_step(services: Services, item: InboxItem, step: str) -> None:
    _save_inbox(services, replace(item, step=step))


def _send(services: Services, item: OutboxItem) -> OutboxItem:
    return send_reply(
        item,
        helpdesk=services.helpdesk(item.connector),
        uow=services.uow,
        public_replies=services.settings.public_replies,
        clock=services.clock,
    )


def _guarded(services: Services, job: Job, work: Callable[[], Job], save: Callable[[Services, Job], None]) -> Job:
    """Do the work; when it fails, store when it is tried again, or park it for a person."""
    settings = services.settings
    if job.attempts > settings.job_attempts:
        error: CitedeskError = ModelUnavailable("This job ended the process that worked on it, more than once.")
    else:
        try:
            return work()
        except JobTakenOver:
            log.warning("another worker took the job over")
            return job
        except CitedeskError as known:
            error = known
        except Exception:
            log.exception("job failed unexpectedly")
            error = WorkFailed("Something went wrong that nobody foresaw.")
    failed = after_failure(job, error, services.clock(), attempts=settings.job_attempts, base_s=settings.retry_base_s)
    save(services, failed)
    return failed


def _save_inbox(services: Services, item: InboxItem) -> None:
    with services.uow() as tx:
        if is_mine(item, tx.inbox.get(item.item_id)):
            tx.inbox.save(item)
        tx.commit()


def _save_outbox(services: Services, item: OutboxItem) -> None:
    with services.uow() as tx:
        if is_mine(item, tx.outbox.get(item.item_id)):
            tx.outbox.save(item)
        tx.commit()
