"""Retention: after some days without work on a ticket, its personal values are forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from core.domain.jobs import DeliveryKind, JobState
from core.ports import Clock, UnitOfWork, UnitOfWorkFactory
from core.usecases.read_vault import MACHINE, Purpose, Reading, search_vault

BATCH = 100
AT_WORK = frozenset({JobState.PENDING, JobState.WORKING})
VAULT_FORGOTTEN = "VaultForgotten"


def forget_maps(*, uow: UnitOfWorkFactory, clock: Clock, days: float) -> int:
    """How many tickets' values were forgotten; doing it again forgets nothing more. `days` 0 keeps everything.

    A ticket is kept while a reply or a job of it is under way. Placeholders stay spent: in older drafts they show as
    blanks, and a new draft never gives them to somebody else.
    """
    if days <= 0:
        return 0
    before = clock() - timedelta(days=days)
    forgotten, seen = 0, 0
    while True:
        with uow() as tx:
            idle = tx.vault.idle(before, depth=seen + BATCH)[seen:]
            done = [subject for subject in idle if not _at_work(subject, tx)]
            if done:
                _forget(done, tx, clock)
                tx.ledger.append(
                    at=clock(),
                    actor=MACHINE,
                    event=VAULT_FORGOTTEN,
                    subject="vault",
                    details={"tickets": len(done), "days": days},
                )
            tx.commit()
        forgotten += len(done)
        seen += len(idle) - len(done)
        if not idle:
            return forgotten


def _at_work(subject: str, tx: UnitOfWork) -> bool:
    connector, _, ticket_id = subject.partition("|")
    replies = (i for i in tx.outbox.of_ticket(connector, ticket_id) if i.kind is DeliveryKind.REPLY)
    states = [job.state for job in tx.inbox.of_ticket(connector, ticket_id)] + [reply.state for reply in replies]
    return not AT_WORK.isdisjoint(states)


def _forget(subjects: Sequence[str], tx: UnitOfWork, clock: Clock) -> None:
    """The map is read once more: which placeholders were given out must stay known."""
    now = clock()
    for subject, placeholders in search_vault(subjects, tx, Reading(MACHINE, Purpose.RETENTION, now)):
        tx.vault.save(subject, placeholders.without(placeholders.values), at=now)
