"""From an approved draft in the outbox to a message in the helpdesk, exactly once."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from core.domain.draft import DraftState, check_transition
from core.domain.jobs import DeliveryKind, JobState, OutboxItem
from core.domain.redaction import PlaceholderMap
from core.errors import PersonalDataGone
from core.ports import Clock, Helpdesk, UnitOfWork, UnitOfWorkFactory
from core.redaction.placeholders import kind_of, restore, unknown
from core.usecases.read_vault import MACHINE, Purpose, Reading, read_vault, vault_subject

BY_HAND = "Approved reply, to be sent by hand:\n\n"


def send_reply(
    item: OutboxItem, *, helpdesk: Helpdesk, uow: UnitOfWorkFactory, public_replies: bool, clock: Clock
) -> OutboxItem:
    """Post the item and record it. A crash between the two posts it again under the same key, which changes nothing."""
    receipt = _post(item, helpdesk, uow, public_replies, clock)
    done = replace(
        item, state=JobState.DONE, receipt=receipt, lease_owner="", lease_until=None, error_code="", error_message=""
    )
    with uow() as tx:
        tx.outbox.save(done)
        if item.kind is DeliveryKind.REPLY:
            _record_sent(done, tx, clock, public_replies and helpdesk.capabilities.public_replies)
        tx.commit()
    return done


def _post(item: OutboxItem, helpdesk: Helpdesk, uow: UnitOfWorkFactory, public_replies: bool, clock: Clock) -> str:
    if item.kind is DeliveryKind.NOTE:
        return helpdesk.post_internal_note(item.ticket_id, item.body, idempotency_key=item.item_id)
    text = _with_values(item, uow, clock)
    if public_replies and helpdesk.capabilities.public_replies:
        return helpdesk.post_reply(item.ticket_id, text, idempotency_key=item.item_id)
    return helpdesk.post_internal_note(item.ticket_id, BY_HAND + text, idempotency_key=item.item_id)


def _with_values(item: OutboxItem, uow: UnitOfWorkFactory, clock: Clock) -> str:
    """Raises `PersonalDataGone` rather than let a customer read a placeholder."""
    reading = Reading(MACHINE, Purpose.SENDING, clock(), item.draft_id)
    with uow() as tx:
        placeholders = read_vault(vault_subject(item.connector, item.ticket_id), tx, reading)
        tx.commit()
    must_be_known(item.body, placeholders)
    return restore(item.body, placeholders)


def must_be_known(text: str, placeholders: PlaceholderMap) -> None:
    """Raise `PersonalDataGone` when the redacted text has placeholders without a value."""
    if gone := unknown(text, placeholders):
        words = ", ".join(sorted({kind_of(placeholder).lower().replace("_", " ") for placeholder in gone}))
        raise PersonalDataGone(f"The reply names personal data that is no longer in the vault ({words}).")


def _record_sent(item: OutboxItem, tx: UnitOfWork, clock: Clock, public: bool) -> None:
    draft = tx.drafts.get(item.draft_id, for_update=True)
    if draft.state is DraftState.SENT:
        return
    check_transition(draft, DraftState.SENT)
    entry = tx.ledger.append(
        at=clock(),
        actor=draft.decision.agent if draft.decision else "",
        event="ReplySent" if public else "ReplyHandedOver",
        subject=draft.draft_id,
        details={
            "receipt": item.receipt,
            "redacted_sha256": hashlib.sha256(item.body.encode()).hexdigest(),
            "chars": len(item.body),
            "changed_by_agent": draft.edited_text is not None,
        },
    )
    tx.vault.touch(vault_subject(draft.connector, draft.ticket_id), clock())
    tx.drafts.save(replace(draft, state=DraftState.SENT, sent_at=clock(), ledger_number=entry.number))
