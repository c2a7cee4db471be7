"""Is a draft still what the ledger says it was?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from core.domain.audit import LedgerEntry
from core.domain.draft import Draft, DraftState
from core.domain.provenance import Provenance
from core.usecases.draft_reply import draft_fingerprint

STATE_AFTER = {
    "DraftSuperseded": DraftState.SUPERSEDED,
    "DraftApproved": DraftState.APPROVED,
    "DraftRejected": DraftState.REJECTED,
    "ReplySent": DraftState.SENT,
    "ReplyHandedOver": DraftState.SENT,
    "DraftErased": DraftState.ERASED,
}
"""Which state an event leaves a draft in; events that are not here leave it as it was."""


ERASING_EVENTS = ("DraftErased", "SourceErased")
"""All of a draft's texts were taken away; or only what came from a solved ticket that was erased."""

WORDED_BY = {
    "DraftEdited": "sha256",
    "DraftApproved": "sha256",
    **dict.fromkeys(ERASING_EVENTS, "text_sha256"),
}
"""Events after which the reply's text has a hash, and under which name the entry holds it."""


def problems_of(draft: Draft, provenance: Provenance, entries: Sequence[LedgerEntry]) -> list[str]:
    """What contradicts the ledger's entries about this draft (oldest first); the entries themselves are not checked."""
    if not entries or entries[0].event != "DraftCreated":
        return ["The ledger does not say how this draft came about."]
    return [
        *_missing(draft, entries),
        *_rewritten(draft, provenance, entries),
        *_misstated(draft, entries),
    ]


def final_text(draft: Draft) -> str:
    """What was approved, or what would be: the agent's edit if there is one, else the draft's own text."""
    return draft.decision.final_text if draft.decision and draft.decision.final_text else draft.text


def _missing(draft: Draft, entries: Sequence[LedgerEntry]) -> list[str]:
    if entries[-1].number >= draft.ledger_number:
        return []
    return [f"Entry {draft.ledger_number} about this draft is missing."]


def _rewritten(draft: Draft, provenance: Provenance, entries: Sequence[LedgerEntry]) -> list[str]:
    """The newest entry that says what the draft holds counts: an erasure takes texts away, and says what is left."""
    told = [entry for entry in entries if entry.event == "DraftCreated" or entry.event in ERASING_EVENTS][-1]
    if draft_fingerprint(draft, provenance) == told.details.get("sha256"):
        return []
    return [f"The draft or what it was made from is not what entry {told.number} says it was."]


def _misstated(draft: Draft, entries: Sequence[LedgerEntry]) -> list[str]:
    """Where the draft's state, text or decision contradict what the ledger recorded when they came about."""
    problems = []
    state = entries[0].details.get("state")
    for entry in entries:
        state = STATE_AFTER.get(entry.event, state)
        if entry.event in ("DraftApproved", "DraftRejected"):
            problems += _decision_problems(draft, entry)
    if draft.state != state:
        problems.append(f"The draft is {draft.state}, but after its newest entry it should be {state}.")
    worded = [(entry, entry.details.get(WORDED_BY[entry.event])) for entry in entries if entry.event in WORDED_BY]
    if worded and _sha256(final_text(draft)) != worded[-1][1]:
        problems.append(f"The reply's text is not what entry {worded[-1][0].number} says it was.")
    return problems


def _decision_problems(draft: Draft, entry: LedgerEntry) -> list[str]:
    decision = draft.decision
    recorded = (entry.actor, entry.details.get("stars"), entry.details.get("reason"))
    if decision and (decision.agent, decision.stars, decision.reason) == recorded:
        return []
    return [f"The decision is not the one that entry {entry.number} records."]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
