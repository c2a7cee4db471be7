"""What an agent does with a draft: edit, approve, reject, ask for another."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from core.domain.account import User
from core.domain.draft import OPEN_STATES, Decision, Draft, DraftState, RejectReason, check_transition
from core.domain.jobs import DeliveryKind, EventKind, HelpdeskEvent, OutboxItem
from core.domain.provenance import Provenance
from core.domain.redaction import PlaceholderMap
from core.errors import BadInput, DraftStateConflict
from core.ports import Clock, EntityRecognizer, IdSource, JobQueue, UnitOfWork, UnitOfWorkFactory
from core.redaction.placeholders import restore
from core.redaction.redact import redact_edit
from core.usecases.draft_reply import vault_subject
from core.usecases.receive_event import receive_event

MAX_REPLY_CHARS = 50_000


@dataclass(frozen=True, slots=True)
class _Wording:
    """What an agent typed, redacted before the transaction begins: recognising takes so long that others would wait.

    `before` and `after` are the ticket's placeholders without and with what was found in it.
    """

    redacted: str
    before: PlaceholderMap
    after: PlaceholderMap


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft as an authorised agent may see it; `placeholders` are personal data and go no further than the page."""

    draft: Draft
    provenance: Provenance
    placeholders: PlaceholderMap

    @property
    def text(self) -> str:
        """The reply with the real values put back."""
        return restore(self.draft.text, self.placeholders)


def view_draft(draft_id: str, *, uow: UnitOfWorkFactory) -> DraftView:
    """Raises `DraftNotFound`, `VaultSealed`."""
    with uow() as tx:
        draft = tx.drafts.get(draft_id)
        return DraftView(draft, tx.drafts.provenance(draft_id), _placeholders(draft, tx))


def edit_draft(
    draft_id: str, text: str, *, agent: User, uow: UnitOfWorkFactory, recognizer: EntityRecognizer, clock: Clock
) -> Draft:
    """Keep the agent's own wording; personal values in it become placeholders before it is stored."""
    _check_length(text)
    wording = _reply_wording(draft_id, text, uow, recognizer)
    with uow() as tx:
        draft = tx.drafts.get(draft_id, for_update=True)
        _must_be_open(draft)
        edited = _with_text(draft, wording, tx)
        if edited.edited_text != draft.edited_text:
            edited = _with_entry(edited, "DraftEdited", agent, tx, clock, {"sha256": _sha256(edited.text)})
        tx.drafts.save(edited)
        tx.commit()
    return edited


def approve_draft(
    draft_id: str,
    *,
    agent: User,
    text: str | None,
    stars: int | None,
    uow: UnitOfWorkFactory,
    recognizer: EntityRecognizer,
    queue: JobQueue,
    clock: Clock,
) -> Draft:
    """Approve and put the reply into the outbox, in one transaction. A second approval changes nothing.

    `text` is what the agent saw and approved (None: as it stands). Raises `DraftStateConflict` when the draft was
    rejected or superseded meanwhile, `BadInput` when there is nothing to send.
    """
    _check_stars(stars)
    _check_length(text or "")
    wording = None if text is None else _reply_wording(draft_id, text, uow, recognizer)
    with uow() as tx:
        draft = tx.drafts.get(draft_id, for_update=True)
        if draft.state in (DraftState.APPROVED, DraftState.SENT):
            return draft
        check_transition(draft, DraftState.APPROVED)
        approved = _approved(draft, wording, agent, stars, tx, clock)
        tx.drafts.save(approved)
        tx.outbox.add(_reply(approved, clock))
        tx.commit()
    queue.wake()
    return approved


def reject_draft(
    draft_id: str,
    *,
    agent: User,
    reason: RejectReason,
    comment: str,
    stars: int | None,
    uow: UnitOfWorkFactory,
    recognizer: EntityRecognizer,
    clock: Clock,
) -> Draft:
    """Close the draft with a reason; rejecting it again changes nothing."""
    _check_stars(stars)
    _check_length(comment)
    wording = _wording(draft_id, comment, uow, recognizer)
    with uow() as tx:
        draft = tx.drafts.get(draft_id, for_update=True)
        if draft.state is DraftState.REJECTED:
            return draft
        check_transition(draft, DraftState.REJECTED)
        _keep(wording, draft, tx)
        decision = Decision(agent.login, clock(), reason=reason, comment=wording.redacted, stars=stars)
        rejected = replace(draft, state=DraftState.REJECTED, decision=decision)
        rejected = _with_entry(rejected, "DraftRejected", agent, tx, clock, {"reason": reason.value, "stars": stars})
        tx.drafts.save(rejected)
        tx.commit()
    return rejected


def request_another(
    draft_id: str, *, agent: User, uow: UnitOfWorkFactory, queue: JobQueue, clock: Clock, new_id: IdSource
) -> None:
    """Ask for a new draft of the same ticket; the present one is superseded when the new one is there."""
    with uow() as tx:
        draft = tx.drafts.get(draft_id, for_update=True)
        _must_be_open(draft)
        tx.drafts.save(_with_entry(draft, "AnotherDraftRequested", agent, tx, clock, {}))
        tx.commit()
    event = HelpdeskEvent(draft.connector, EventKind.DRAFT_REQUESTED, draft.ticket_id, delivery_id=new_id())
    receive_event(event, uow=uow, queue=queue, clock=clock, new_id=new_id)


def _approved(
    draft: Draft, wording: _Wording | None, agent: User, stars: int | None, tx: UnitOfWork, clock: Clock
) -> Draft:
    edited = _with_text(draft, wording, tx) if wording else draft
    if not edited.text.strip():
        raise BadInput("There is nothing to send yet.", hint="Write the reply, then approve it.")
    decision = Decision(agent.login, clock(), final_text=edited.text, stars=stars)
    approved = replace(edited, state=DraftState.APPROVED, decision=decision)
    details: dict[str, str | int | None] = {
        "sha256": _sha256(edited.text),
        "stars": stars,
        "changed_by_agent": edited.edited_text is not None,
    }
    return _with_entry(approved, "DraftApproved", agent, tx, clock, details)


def _reply_wording(draft_id: str, text: str, uow: UnitOfWorkFactory, recognizer: EntityRecognizer) -> _Wording:
    """Nothing is looked for in a text that is the present one."""
    text = text.replace("\r\n", "\n").strip()
    with uow() as tx:
        draft = tx.drafts.get(draft_id)
        before = _placeholders(draft, tx)
    if text == restore(draft.text, before).strip():
        return _Wording(draft.text, before, before)
    return _wording(draft_id, text, uow, recognizer)


def _wording(draft_id: str, text: str, uow: UnitOfWorkFactory, recognizer: EntityRecognizer) -> _Wording:
    with uow() as tx:
        before = _placeholders(tx.drafts.get(draft_id), tx)
    redacted, after = redact_edit(text, recognizer=recognizer, placeholders=before)
    return _Wording(redacted.text, before, after)


def _with_text(draft: Draft, wording: _Wording, tx: UnitOfWork) -> Draft:
    """The draft with the agent's text; unchanged when the agent typed nothing new."""
    _keep(wording, draft, tx)
    return draft if wording.redacted == draft.text else replace(draft, edited_text=wording.redacted)


def _keep(wording: _Wording, draft: Draft, tx: UnitOfWork) -> None:
    """Put the placeholders into the vault, unless somebody changed them since the text was redacted with them."""
    if _placeholders(draft, tx) != wording.before:
        raise DraftStateConflict("Somebody worked on this ticket at the same moment.", hint="Please do it once more.")
    if wording.after != wording.before:
        tx.vault.save(vault_subject(draft.connector, draft.ticket_id), wording.after)


def _with_entry(
    draft: Draft, event: str, agent: User, tx: UnitOfWork, clock: Clock, details: dict[str, str | int | None]
) -> Draft:
    entry = tx.ledger.append(at=clock(), actor=agent.login, event=event, subject=draft.draft_id, details=details)
    return replace(draft, ledger_number=entry.number)


def _reply(draft: Draft, clock: Clock) -> OutboxItem:
    return OutboxItem(
        item_id=f"reply-{draft.draft_id}",
        kind=DeliveryKind.REPLY,
        connector=draft.connector,
        ticket_id=draft.ticket_id,
        draft_id=draft.draft_id,
        body=draft.decision.final_text if draft.decision else draft.text,
        created_at=clock(),
    )


def _placeholders(draft: Draft, tx: UnitOfWork) -> PlaceholderMap:
    return tx.vault.load(vault_subject(draft.connector, draft.ticket_id))


def _must_be_open(draft: Draft) -> None:
    if draft.state not in OPEN_STATES:
        raise DraftStateConflict(f"This draft is {draft.state}: it can no longer be changed.")


def _check_stars(stars: int | None) -> None:
    if stars is not None and not 1 <= stars <= 5:
        raise BadInput("Stars go from 1 to 5.")


def _check_length(text: str) -> None:
    if len(text) > MAX_REPLY_CHARS:
        raise BadInput(f"The text has {len(text)} characters; at most {MAX_REPLY_CHARS} can be sent.")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
