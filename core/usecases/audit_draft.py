"""Why did we tell the customer this? One draft as a story, with proof that nobody rewrote it since."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.audit import LedgerEntry, SealKeys, seal_entry
from core.domain.draft import Draft, render_text
from core.domain.passage import Passage, Run, ScoredPassage
from core.domain.provenance import Provenance
from core.ports import UnitOfWorkFactory
from core.usecases.verify_draft import final_text, problems_of


class ChangeKind(StrEnum):
    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of words that the agent kept, removed or added, with the blanks and line ends between them."""

    kind: ChangeKind
    text: str


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage as it stood that day.

    `places` has one entry for each of the story's stages: its own place, that of its document where the stage ranks
    documents, None if it is not in it.
    """

    passage: Passage
    places: tuple[ScoredPassage | None, ...]
    marker: int | None


@dataclass(frozen=True, slots=True)
class Proof:
    """The ledger's entries about a draft, oldest first, and what is wrong with them or with the draft."""

    entries: tuple[LedgerEntry, ...]
    problems: tuple[str, ...]

    @property
    def verified(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class Story:
    """A draft from the first query to the last ledger entry. Everything in it is redacted.

    `stages` are the names of the columns of `found`, in the order they ran; `found` is in the order of the last one.
    `changes` lead from the draft's own text to the text that was (or would be) sent.
    """

    draft: Draft
    provenance: Provenance
    stages: tuple[str, ...]
    found: tuple[FoundPassage, ...]
    changes: tuple[Change, ...]
    proof: Proof

    @property
    def changed(self) -> bool:
        return any(change.kind is not ChangeKind.KEPT for change in self.changes)


def story_of(draft_id: str, *, uow: UnitOfWorkFactory, keys: SealKeys) -> Story:
    """Raises `DraftNotFound`. `keys` are the ledger's."""
    with uow() as tx:
        draft = tx.drafts.get(draft_id)
        provenance = tx.drafts.provenance(draft_id)
        entries = tuple(tx.ledger.about(draft_id))
    stages = tuple(dict.fromkeys(run.stage for run in provenance.runs))
    return Story(
        draft=draft,
        provenance=provenance,
        stages=stages,
        found=_found(draft, provenance, stages),
        changes=changes(render_text(draft.sentences), final_text(draft)),
        proof=_proof(draft, provenance, entries, keys),
    )


def was_changed(draft: Draft) -> bool:
    """Whether the text that was (or would be) sent differs from what the system wrote."""
    return final_text(draft).split() != render_text(draft.sentences).split()


def changes(before: str, after: str) -> tuple[Change, ...]:
    """Word by word, what was kept, removed and added; kept and added together are `after`, to the letter.

    >>> [(c.kind.value, c.text) for c in changes("Press the red key.", "Press the blue key.")]
    [('kept', 'Press the '), ('removed', 'red '), ('added', 'blue '), ('kept', 'key.')]
    """
    old, new = _words(before), _words(after)
    matcher = difflib.SequenceMatcher(None, [w.strip(" ") for w in old], [w.strip(" ") for w in new], autojunk=False)
    found: list[Change] = []
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        removed, added = "".join(old[old_start:old_end]), "".join(new[new_start:new_end])
        if tag == "equal":
            found.append(Change(ChangeKind.KEPT, added))
            continue
        if removed and _blank_was_dropped(old[:old_start], new[:new_start]):
            removed = f" {removed}"
        found += [Change(ChangeKind.REMOVED, removed)] if removed else []
        found += [Change(ChangeKind.ADDED, added)] if added else []
    return tuple(found)


def _blank_was_dropped(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the last word in common was followed by a blank only in the old text."""
    return bool(old and new) and old[-1].endswith(" ") and not new[-1].endswith(" ")


def _words(text: str) -> list[str]:
    """Words with the blanks around them, and runs of line ends; joined they are the text."""
    return re.findall(r"\n+|[^\S\n]*\S+[^\S\n]*|[^\S\n]+", text)


def _found(draft: Draft, provenance: Provenance, stages: Sequence[str]) -> tuple[FoundPassage, ...]:
    places = {stage: _places([run for run in provenance.runs if run.stage == stage]) for stage in stages}
    markers = {evidence.passage.passage_id: evidence.marker for evidence in draft.evidence}
    return tuple(
        FoundPassage(
            passage,
            tuple(places[stage].get(passage.passage_id) or places[stage].get(passage.doc_id) for stage in stages),
            markers.get(passage.passage_id),
        )
        for passage in provenance.passages
    )


def _places(runs: Sequence[Run]) -> dict[str, ScoredPassage]:
    """By passage_id. The runs of one stage are over different collections, so that no passage is in two of them."""
    return {item.passage_id: item for run in runs for item in run.items}


def _proof(draft: Draft, provenance: Provenance, entries: Sequence[LedgerEntry], keys: SealKeys) -> Proof:
    return Proof(tuple(entries), (*_altered(entries, keys), *problems_of(draft, provenance, entries)))


def _altered(entries: Sequence[LedgerEntry], keys: SealKeys) -> list[str]:
    return [
        f"Entry {entry.number} was altered."
        for entry in entries
        if _seal(entry, keys.key_of(entry.number)) != entry.seal
    ]


def _seal(entry: LedgerEntry, key: bytes) -> str:
    return seal_entry(
        key,
        number=entry.number,
        at=entry.at,
        actor=entry.actor,
        event=entry.event,
        subject=entry.subject,
        details=entry.details,
        previous_seal=entry.previous_seal,
    ).seal
