"""What is left of a draft when a person is erased, and how the ledger goes on vouching for it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from core.domain.draft import Draft, DraftState, Evidence, Sentence
from core.domain.erasure import Receipt
from core.domain.passage import Passage
from core.domain.provenance import Provenance
from core.domain.thread import RedactedThread
from core.ports import UnitOfWork
from core.usecases.draft_reply import draft_fingerprint
from core.usecases.verify_draft import final_text

ERASED_TEXT = "[erased]"
"""Stands in other people's replies for what was quoted from a ticket that was erased."""

WHY = "its source was erased"


def blank(draft: Draft, provenance: Provenance, receipt_id: str) -> tuple[Draft, Provenance]:
    """Nothing that anybody wrote is left: ids, states, numbers, times and who decided."""
    decision = replace(draft.decision, final_text="", comment="") if draft.decision else None
    emptied = replace(
        draft,
        subject="",
        requester="",
        state=DraftState.ERASED,
        sentences=(),
        evidence=(),
        abstention=None,
        unanswered=(),
        edited_text=None,
        decision=decision,
        receipt=receipt_id,
    )
    thread = RedactedThread(draft.connector, draft.ticket_id, "", "", (), ())
    return emptied, replace(provenance, thread=thread, queries=(), runs=(), passages=(), reasons=())


def without_sources(draft: Draft, provenance: Provenance, doc_ids: frozenset[str]) -> tuple[Draft, Provenance]:
    """The draft of somebody else without what came from these documents: passages, quotations, sentences on them."""
    passages = tuple(_emptied(passage, doc_ids) for passage in provenance.passages)
    cited = {item.passage.passage_id for item in draft.evidence if item.passage.doc_id in doc_ids}
    lost = [s.text for s in draft.sentences if _rests_on(s, cited)]
    decision = draft.decision
    abstention = draft.abstention
    left = replace(
        draft,
        sentences=tuple(_struck(s) if _rests_on(s, cited) else s for s in draft.sentences),
        evidence=_emptied_evidence(draft.evidence, doc_ids),
        abstention=replace(abstention, nearest=_emptied_evidence(abstention.nearest, doc_ids)) if abstention else None,
        edited_text=None if draft.edited_text is None else _without(draft.edited_text, lost),
        decision=replace(decision, final_text=_without(decision.final_text, lost)) if decision else None,
    )
    return left, replace(provenance, passages=passages)


def in_ledger(event: str, draft: Draft, provenance: Provenance, receipt: Receipt, tx: UnitOfWork) -> Draft:
    """Record what the draft holds now; the draft with that entry's number."""
    details = {
        "receipt": receipt.receipt_id,
        "sha256": draft_fingerprint(draft, provenance),
        "text_sha256": hashlib.sha256(final_text(draft).encode()).hexdigest(),
    }
    entry = tx.ledger.append(at=receipt.at, actor=receipt.by, event=event, subject=draft.draft_id, details=details)
    return replace(draft, ledger_number=entry.number)


def _rests_on(sentence: Sentence, passage_ids: set[str]) -> bool:
    return any(citation.passage_id in passage_ids for citation in sentence.citations)


def _struck(sentence: Sentence) -> Sentence:
    return replace(sentence, text=ERASED_TEXT, citations=(), grounded=False, reason=WHY)


def _without(text: str, lost: list[str]) -> str:
    for sentence in lost:
        text = text.replace(sentence, ERASED_TEXT)
    return text


def _emptied_evidence(evidence: tuple[Evidence, ...], doc_ids: frozenset[str]) -> tuple[Evidence, ...]:
    return tuple(replace(item, passage=_emptied(item.passage, doc_ids)) for item in evidence)


def _emptied(passage: Passage, doc_ids: frozenset[str]) -> Passage:
    if passage.doc_id not in doc_ids:
        return passage
    return replace(passage, title=ERASED_TEXT, heading_path=(), text="", url="")
