"""A helpdesk says that something happened: write it down, answer at once, work later."""

from __future__ import annotations

from core.domain.jobs import HelpdeskEvent, InboxItem
from core.ports import Clock, IdSource, JobQueue, UnitOfWorkFactory


def receive_event(
    event: HelpdeskEvent, *, uow: UnitOfWorkFactory, queue: JobQueue, clock: Clock, new_id: IdSource
) -> bool:
    """Whether the event is new. When this returns, the event survives a crash; a repeat changes nothing."""
    with uow() as tx:
        is_new = tx.inbox.add(InboxItem(new_id(), event, clock()))
        tx.commit()
    queue.wake()
    return is_new
