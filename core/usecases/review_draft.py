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
from core.redaction.placeholders import restore, unknown
from core.redaction.redact import redact_edit
from core.redaction.repair import repair_placeholders
from core.usecases.read_vault import Purpose, Reading, read_vault, vault_subject
from core.usecases.receive_event import receive_event
from core.usecases.send_reply import must_be_known

MAX_REPLY_CHARS = 50_000


@dataclass(frozen=True, slots=True)
class _Wording:
    """What an agent typed, redacted before the transaction begins: recognising takes so long that others would wait.

    `placeholders` are the ticket's with what was found in it, `grown` says whether that is more than before, and
    `stamp` is that of the map they were read from.
    """

    redacted: str
    placeholders: PlaceholderMap
    stamp: str
    grown: bool = False


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

    @property
    def forgotten(self) -> bool:
        """Whether personal values of this ticket are no longer in the vault."""
        thread = self.provenance.thread
        texts = (thread.subject, thread.requester, self.draft.text, *(message.text for message in thread.messages))
        return bool(unknown("\n".join(texts), self.placeholders))


def view_draft(draft_id: str, *, agent: User, uow: UnitOfWorkFactory, clock: Clock) -> DraftView:
    """What the agent's page shows; that it was opened stands in the ledger. Raises `DraftNotFound`, `VaultSealed`."""
    with uow() as tx:
        draft = tx.drafts.get(draft_id)
        provenance = tx.drafts.provenance(draft_id)
        placeholders = _read(draft, tx, agent, Purpose.REVIEW, clock)
        tx.commit()
    return DraftView(draft, provenance, placeholders)


def edit_draft(
    draft_id: str,
    text: str,
    *,
    agent: User,
    uow: UnitOfWorkFactory,
    recognizer: EntityRecognizer,
    clock: Clock,
    seen: int | None = None,
) -> Draft:
    """Keep the agent's own wording; personal values in it become placeholders before it is stored.

    `seen` is the ledger number of the draft the agent looked at: somebody else's change since is a conflict.
    """
    _check_length(text)
    wording = _typed(_Typist(agent, Purpose.EDIT, uow, recognizer, clock), draft_id, text, seen)
    with uow() as tx:
        draft = tx.drafts.get(draft_id, for_update=True)
        _must_be_open(draft)
        edited = _with_text(draft, wording, tx, clock)
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
    seen: int | None = None,
) -> Draft:
    """Approve and put the reply into the outbox, in one transaction. The same approval again changes nothing.

    `text` is what the agent saw and approved (None: as it stands), `seen` the ledger number of the draft it was
    written for. Raises `DraftStateConflict` when the draft was changed, decided on or superseded meanwhile,
    `BadInput` when there is nothing to send, `PersonalDataGone` when it could not be sent with real values.
    """
    _check_stars(stars)
    _check_length(text or "")
    wording = _typed(_Typist(agent, Purpose.APPROVE, uow, recognizer, clock), draft_id, text, seen)
    with uow() as tx:
        draft = tx.drafts.get(draft_id, for_update=True)
        if draft.state in (DraftState.APPROVED, DraftState.SENT):
            _must_be_mine(draft, agent, wording.redacted)
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
    wording = _comment(_Typist(agent, Purpose.REJECT, uow, recognizer, clock), draft_id, comment)
    with uow() as tx:
        draft = tx.drafts.get(draft_id, for_update=True)
        if draft.state is DraftState.REJECTED:
            return draft
        check_transition(draft, DraftState.REJECTED)
        if comment:
            _keep(wording, draft, tx, clock)
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


def _approved(draft: Draft, wording: _Wording, agent: User, stars: int | None, tx: UnitOfWork, clock: Clock) -> Draft:
    edited = _with_text(draft, wording, tx, clock)
    must_be_known(edited.text, wording.placeholders)
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


@dataclass(frozen=True, slots=True)
class _Typist:
    """Who typed something, why, and what it takes to redact it."""

    agent: User
    purpose: Purpose
    uow: UnitOfWorkFactory
    recognizer: EntityRecognizer
    clock: Clock


def _typed(typist: _Typist, draft_id: str, text: str | None, seen: int | None) -> _Wording:
    """What the agent wants to say to the customer. Nothing is looked for in a text that is the present one."""
    with typist.uow() as tx:
        draft = tx.drafts.get(draft_id)
        stamp = tx.vault.stamp(vault_subject(draft.connector, draft.ticket_id))
        placeholders = _read(draft, tx, typist.agent, typist.purpose, typist.clock)
        tx.commit()
    stored = restore(draft.text, placeholders).strip()
    text = stored if text is None else text.replace("\r\n", "\n").strip()
    if text == stored:
        return _Wording(draft.text, placeholders, stamp)
    if seen is not None and seen != draft.ledger_number and draft.state in OPEN_STATES:
        raise DraftStateConflict(
            "Somebody else changed this draft while you were writing.",
            hint="Your text is below. Compare it with the stored reply beside it, then save or approve it.",
        )
    return _redacted(typist, text, draft, placeholders, stamp)


def _comment(typist: _Typist, draft_id: str, comment: str) -> _Wording:
    if not comment:
        return _Wording("", PlaceholderMap(), "")
    with typist.uow() as tx:
        draft = tx.drafts.get(draft_id)
        stamp = tx.vault.stamp(vault_subject(draft.connector, draft.ticket_id))
        placeholders = _read(draft, tx, typist.agent, typist.purpose, typist.clock)
        tx.commit()
    return _redacted(typist, comment, draft, placeholders, stamp)


def _redacted(typist: _Typist, text: str, draft: Draft, before: PlaceholderMap, stamp: str) -> _Wording:
    """Raises `PersonalDataGone` for a placeholder whose value was forgotten and `BadInput` for one that was damaged: as
    words it would reach the customer."""
    blank = [p for p in unknown(text, before) if p in before.spent or p in draft.text]
    must_be_known("".join(blank), before)
    text, damaged = repair_placeholders(text, before.values, bare=False)
    strange = [piece for piece in damaged if piece not in before.values.values()]
    if strange:
        raise BadInput(
            f"{strange[0]} looks like a placeholder for personal data, but stands for nothing in this ticket.",
            hint="Write the words themselves in its place.",
        )
    redacted, after = redact_edit(text, recognizer=typist.recognizer, placeholders=before)
    return _Wording(redacted.text, after, stamp, grown=after != before)


def _with_text(draft: Draft, wording: _Wording, tx: UnitOfWork, clock: Clock) -> Draft:
    """The draft with the agent's text; unchanged when the agent typed nothing new."""
    _keep(wording, draft, tx, clock)
    return draft if wording.redacted == draft.text else replace(draft, edited_text=wording.redacted)


def _keep(wording: _Wording, draft: Draft, tx: UnitOfWork, clock: Clock) -> None:
    """Put the placeholders into the vault, unless somebody changed them since the text was redacted with them."""
    subject = vault_subject(draft.connector, draft.ticket_id)
    if tx.vault.stamp(subject) != wording.stamp:
        raise DraftStateConflict("Somebody worked on this ticket at the same moment.", hint="Please do it once more.")
    if wording.grown:
        tx.vault.save(subject, wording.placeholders, at=clock())


def _must_be_mine(draft: Draft, agent: User, redacted: str) -> None:
    """Raise `DraftStateConflict` when a colleague's approval came first, or the agent's own with another text."""
    decision = draft.decision
    if decision is None or (decision.agent == agent.login and decision.final_text.strip() == redacted.strip()):
        return
    raise DraftStateConflict(
        f"{decision.agent} approved this draft already; that text is the one sent, not this one.",
        hint="If the customer needs to know more, write to them in the helpdesk.",
    )


def _with_entry(
    draft: Draft, event: str, agent: User, tx: UnitOfWork, clock: Clock, details: dict[str, str | int | None]
) -> Draft:
    tx.vault.touch(vault_subject(draft.connector, draft.ticket_id), clock())
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


def _read(draft: Draft, tx: UnitOfWork, agent: User, purpose: Purpose, clock: Clock) -> PlaceholderMap:
    reading = Reading(agent.login, purpose, clock(), draft.draft_id)
    return read_vault(vault_subject(draft.connector, draft.ticket_id), tx, reading)


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
