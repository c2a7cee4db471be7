"""Erasing a person: everything that was kept of what they wrote goes; that it went stays in the ledger.

Their own tickets are erased whole. In other people's tickets only the person's own values are forgotten, so that the
placeholder stays blank. The ledger held references and hashes from the beginning: its chain stays as it is, and new
entries say what each draft holds now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.access import holds_tickets
from core.domain.erasure import (
    Burial,
    Identity,
    IdentityKind,
    Receipt,
    asked_for,
    identity_of,
    ticket_identity,
)
from core.domain.jobs import DeliveryKind, InboxItem, JobState, OutboxItem
from core.domain.redaction import PlaceholderMap
from core.errors import BadInput, PersonAmbiguous, PersonNotFound
from core.ports import Clock, IdSource, LexicalIndex, SourceRecord, UnitOfWork, UnitOfWorkFactory, VectorIndex
from core.retrieval.documents import whole
from core.usecases.blank_draft import blank, in_ledger, without_sources
from core.usecases.read_vault import Purpose, Reading, search_vault, vault_subject

PERSON_ERASED = "PersonErased"
OUTCOME = "the person who asked was erased"
UNDER_WAY = frozenset({JobState.PENDING, JobState.WORKING, JobState.PARKED})

TicketKey = tuple[str, str]
"""(connector, ticket id)"""


@dataclass(frozen=True, slots=True)
class PriorTickets:
    """The indexes of solved tickets; `source_key` names a ticket in the manifests of their collections."""

    lexical: LexicalIndex
    vectors: VectorIndex
    source_key: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an erasure will remove. `mentions` are placeholders by vault subject in other people's tickets.

    `waiting` counts replies of other tickets that quote this person's solved tickets and are about to be sent: those
    are left, and erased when the command is run again. `untraced` counts solved tickets that were taken in before
    requesters were remembered.
    """

    tickets: tuple[TicketKey, ...]
    drafts: tuple[str, ...]
    citing: tuple[str, ...]
    mentions: Mapping[str, tuple[str, ...]]
    sources: tuple[SourceRecord, ...]
    gone_docs: tuple[str, ...]
    passages: int
    jobs: int
    maps: int
    waiting: int
    untraced: int

    @property
    def is_empty(self) -> bool:
        return not (self.drafts or self.citing or self.mentions or self.sources or self.jobs or self.maps)

    @property
    def counts(self) -> dict[str, int]:
        return {
            "tickets": len(self.tickets),
            "drafts": len(self.drafts),
            "drafts_that_quoted": len(self.citing),
            "maps": self.maps,
            "mentions": sum(map(len, self.mentions.values())),
            "solved_tickets": len(self.sources),
            "passages": self.passages,
            "jobs": self.jobs,
        }


@dataclass(frozen=True, slots=True)
class Erasure:
    """`receipt` is None for a dry run; `again` says that it is an earlier erasure's and nothing was left to do."""

    plan: Plan
    receipt: Receipt | None
    again: bool = False


def erase_person(
    who: str,
    *,
    tickets: Sequence[TicketKey] = (),
    dry_run: bool = False,
    by: str,
    prior: PriorTickets,
    uow: UnitOfWorkFactory,
    purge: Callable[[Sequence[str]], None],
    clock: Clock,
    new_id: IdSource,
) -> Erasure:
    """Erase a requester, or exactly `tickets` when some are given. Nobody else may use the store meanwhile.

    `who` is an e-mail address or a whole name. `purge` makes what was deleted from these collections, and from the
    store, unrecoverable. A crash leaves nothing that running it again does not finish. Raises `PersonNotFound`, and
    `PersonAmbiguous` for a name that several e-mail addresses share.
    """
    identity = identity_of(who)
    if not identity.value:
        raise BadInput("Nobody is called that.", hint="Give an e-mail address or a whole name.")
    with uow() as tx:
        plan = _plan(identity, tuple(tickets), prior, tx, Reading(by, Purpose.ERASING, clock()))
        earlier = tx.people.burial([asked_for(identity)]) if plan.is_empty else None
        tx.commit()
    if plan.is_empty:
        return _earlier(plan, earlier, uow, purge, dry_run)
    if dry_run:
        return Erasure(plan, None)
    _clear_indexes(plan, prior)
    receipt = Receipt(new_id(), clock(), by, plan.counts)
    with uow() as tx:
        _erase(plan, identity, whole=not tickets, receipt=receipt, tx=tx)
        tx.commit()
    purge(sorted({record.collection for record in plan.sources}))
    return Erasure(plan, receipt)


def _earlier(
    plan: Plan, earlier: Burial | None, uow: UnitOfWorkFactory, purge: Callable[[Sequence[str]], None], dry_run: bool
) -> Erasure:
    """Nothing is left: say what was removed before. A crash may have come before the files were purged."""
    if earlier is None:
        raise PersonNotFound("Nothing is kept of anybody by that name or address.")
    with uow() as tx:
        collections = _collections(tx)
        (entry,) = (e for e in tx.ledger.about(earlier.receipt) if e.event == PERSON_ERASED)
    if not dry_run:
        purge(collections)
    counts = {name: value for name, value in entry.details.items() if isinstance(value, int)}
    return Erasure(plan, Receipt(earlier.receipt, entry.at, entry.actor, counts), again=True)


# ---------------------------------------------------------------- what there is


def _plan(
    identity: Identity, only: tuple[TicketKey, ...], prior: PriorTickets, tx: UnitOfWork, reading: Reading
) -> Plan:
    found = _Found(only, {}) if only else _find(identity, tx, reading)
    keys = {prior.source_key(*ticket) for ticket in found.tickets}
    manifest = [record for name in _collections(tx) for record in tx.documents.manifest(name).values()]
    held = [record for record in manifest if record.source_key in keys]
    doc_ids = sorted({record.doc_id for record in held})
    gone = [d for d in doc_ids if {source.source_key for source in tx.documents.sources_of(d)} <= keys]
    own = [d.draft_id for ticket in found.tickets for d in tx.drafts.for_ticket(*ticket) if not d.receipt]
    citing = [name for name in tx.drafts.made_from(gone) if name not in own]
    waiting = [name for name in citing if _is_waiting(name, tx)]
    return Plan(
        tickets=found.tickets,
        drafts=tuple(own),
        citing=tuple(name for name in citing if name not in waiting and _shows(name, gone, tx)),
        mentions=found.mentions,
        sources=tuple(held),
        gone_docs=tuple(gone),
        passages=sum(len(tx.documents.passages_of(doc_id)) for doc_id in gone),
        jobs=sum(len(_open_jobs(ticket, tx)) for ticket in found.tickets),
        maps=sum(bool(tx.vault.stamp(vault_subject(*ticket))) for ticket in found.tickets),
        waiting=len(waiting),
        untraced=len({r.source_key for r in manifest} - {prior.source_key(*t) for t in tx.people.tickets()}),
    )


def _collections(tx: UnitOfWork) -> list[str]:
    """Those of solved tickets, whoever's and for whomever they are."""
    return [size.collection for size in tx.documents.sizes() if holds_tickets(size.collection)]


@dataclass(frozen=True, slots=True)
class _Found:
    tickets: tuple[TicketKey, ...]
    mentions: Mapping[str, tuple[str, ...]]


def _find(identity: Identity, tx: UnitOfWork, reading: Reading) -> _Found:
    tickets = set(tx.people.tickets_of(identity))
    _must_be_one(identity, tickets, tx)
    maps = dict(search_vault(tx.vault.subjects(), tx, reading))
    tickets |= {_ticket_of(subject) for subject, kept in maps.items() if _is_untraced_own(subject, kept, identity, tx)}
    own = {vault_subject(*ticket) for ticket in tickets}
    names = {name for subject in own & maps.keys() for name in _requesters(subject, maps[subject], tx)}
    mentions: dict[str, tuple[str, ...]] = {}
    for subject in sorted(maps.keys() - own):
        wanted = {identity} if _has_namesake(subject, tx, names) else {identity, *names}
        found = tuple(p for p, value in maps[subject].values.items() if identity_of(value) in wanted)
        mentions |= {subject: found} if found else {}
    return _Found(tuple(sorted(tickets)), mentions)


def _must_be_one(identity: Identity, tickets: set[TicketKey], tx: UnitOfWork) -> None:
    addresses = {token for ticket in tickets for token in tx.people.tokens(*ticket, IdentityKind.EMAIL)}
    if identity.kind is IdentityKind.NAME and len(addresses) > 1:
        raise PersonAmbiguous(f"{len(addresses)} people with different e-mail addresses are called that.")


def _is_untraced_own(subject: str, kept: PlaceholderMap, identity: Identity, tx: UnitOfWork) -> bool:
    """A ticket drafted before requesters were remembered counts as the person's when its map has the address, or when
    its requester has the name."""
    if any(tx.people.tokens(*_ticket_of(subject), kind) for kind in IdentityKind):
        return False
    if identity.kind is IdentityKind.EMAIL:
        return any(identity_of(value) == identity for value in kept.values.values())
    return identity in _requesters(subject, kept, tx)


def _requesters(subject: str, kept: PlaceholderMap, tx: UnitOfWork) -> set[Identity]:
    """The name of whoever asked, as the ticket's drafts and map know it."""
    names = (kept.values.get(draft.requester, "") for draft in tx.drafts.for_ticket(*_ticket_of(subject)))
    return {identity_of(name) for name in names if name}


def _has_namesake(subject: str, tx: UnitOfWork, names: set[Identity]) -> bool:
    """Whether somebody else of the same name asked for this ticket: then the name in it is theirs."""
    return any(_ticket_of(subject) in tx.people.tickets_of(name) for name in names)


def _ticket_of(subject: str) -> TicketKey:
    connector, _, ticket_id = subject.partition("|")
    return connector, ticket_id


def _is_waiting(draft_id: str, tx: UnitOfWork) -> bool:
    draft = tx.drafts.get(draft_id)
    replies = (i for i in tx.outbox.of_ticket(draft.connector, draft.ticket_id) if i.kind is DeliveryKind.REPLY)
    return any(reply.draft_id == draft_id and reply.state in UNDER_WAY for reply in replies)


def _shows(draft_id: str, gone: Sequence[str], tx: UnitOfWork) -> bool:
    """Whether something of these documents can still be read in what is kept of the draft."""
    passages = tx.drafts.provenance(draft_id).passages
    return any(passage.text for passage in passages if passage.doc_id in gone)


def _open_jobs(ticket: TicketKey, tx: UnitOfWork) -> list[InboxItem | OutboxItem]:
    jobs: list[InboxItem | OutboxItem] = [*tx.inbox.of_ticket(*ticket), *tx.outbox.of_ticket(*ticket)]
    return [job for job in jobs if job.state in UNDER_WAY]


# ---------------------------------------------------------------- taking it away


def _clear_indexes(plan: Plan, prior: PriorTickets) -> None:
    """Before the documents go: after a crash in between, the next run still finds what to do."""
    for collection in sorted({record.collection for record in plan.sources}):
        held = {record.doc_id for record in plan.sources if record.collection == collection}
        doc_ids = sorted(held & set(plan.gone_docs))
        for name in (collection, whole(collection)):
            prior.lexical.replace(name, doc_ids, [])
            if space := prior.vectors.identity(name):
                prior.vectors.replace(name, doc_ids, [], space)


def _erase(plan: Plan, identity: Identity, *, whole: bool, receipt: Receipt, tx: UnitOfWork) -> None:
    burial = Burial(receipt.at, receipt.receipt_id)
    tx.people.bury(asked_for(identity), burial)
    if whole and identity.kind is IdentityKind.EMAIL:
        tx.people.bury(identity, burial)
    for name in plan.drafts:
        _blank_draft(name, receipt, tx)
    for name in plan.citing:
        _blank_sources(name, plan.gone_docs, receipt, tx)
    for ticket in plan.tickets:
        _forget_ticket(ticket, burial, whole, tx)
    for subject, placeholders in plan.mentions.items():
        kept = dict(search_vault([subject], tx, None))[subject]
        tx.vault.save(subject, kept.without(placeholders), at=receipt.at)
    _delete_documents(plan, tx)
    details: dict[str, str | int | float | bool | None] = {**receipt.counts, "sha256": receipt.sha256}
    tx.ledger.append(at=receipt.at, actor=receipt.by, event=PERSON_ERASED, subject=receipt.receipt_id, details=details)


def _blank_draft(draft_id: str, receipt: Receipt, tx: UnitOfWork) -> None:
    draft, provenance = blank(tx.drafts.get(draft_id), tx.drafts.provenance(draft_id), receipt.receipt_id)
    tx.drafts.rewrite(in_ledger("DraftErased", draft, provenance, receipt, tx), provenance)


def _blank_sources(draft_id: str, doc_ids: Sequence[str], receipt: Receipt, tx: UnitOfWork) -> None:
    before = tx.drafts.get(draft_id)
    draft, provenance = without_sources(before, tx.drafts.provenance(draft_id), frozenset(doc_ids))
    tx.drafts.rewrite(in_ledger("SourceErased", draft, provenance, receipt, tx), provenance)
    for item in tx.outbox.of_ticket(draft.connector, draft.ticket_id):
        if item.draft_id == draft_id:
            _empty(item, tx)


def _forget_ticket(ticket: TicketKey, burial: Burial, whole: bool, tx: UnitOfWork) -> None:
    tx.people.bury(ticket_identity(*ticket), burial)
    if whole:
        tx.people.bury_requester(*ticket, burial)
    tx.people.forget(*ticket)
    tx.vault.forget(vault_subject(*ticket))
    for job in tx.inbox.of_ticket(*ticket):
        if job.state in UNDER_WAY:
            tx.inbox.save(replace(job, state=JobState.IGNORED, outcome=OUTCOME, lease_owner="", lease_until=None))
    for item in tx.outbox.of_ticket(*ticket):
        _empty(item, tx)


def _empty(item: OutboxItem, tx: UnitOfWork) -> None:
    """What was posted loses its text here; what was not is not posted any more."""
    state = JobState.IGNORED if item.state in UNDER_WAY else item.state
    tx.outbox.save(replace(item, state=state, body="", lease_owner="", lease_until=None))


def _delete_documents(plan: Plan, tx: UnitOfWork) -> None:
    """A document that another ticket holds too, word for word, stays that one's; only this address goes."""
    for record in plan.sources:
        tx.documents.forget(record.collection, record.source_key)
    for doc_id in plan.gone_docs:
        tx.documents.delete(doc_id)
    for doc_id in {record.doc_id for record in plan.sources} - set(plan.gone_docs):
        addresses = [source.address for source in tx.documents.sources_of(doc_id) if source.address]
        tx.documents.set_addresses(doc_id, list(dict.fromkeys(addresses)))
