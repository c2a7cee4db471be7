"""A draft's story in the words of its page; nothing here knows a personal value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.audit import LedgerEntry
from core.domain.draft import Citation, Draft, Evidence, Sentence, SentenceKind
from core.domain.passage import Passage, Run
from core.ports import UnitOfWorkFactory
from core.usecases.audit_draft import Story
from core.usecases.read_vault import VAULT_READ

EVENTS = {
    "DraftCreated": "draft made",
    "DraftEdited": "text edited",
    "DraftApproved": "approved",
    "DraftRejected": "rejected",
    "DraftSuperseded": "superseded by a newer draft",
    "AnotherDraftRequested": "another draft asked for",
    "ReplySent": "reply sent to the customer",
    "VaultRead": "personal values read",
    "DraftErased": "erased, with everything its author wrote",
    "SourceErased": "a solved ticket it quoted was erased",
    "ReplyHandedOver": "reply handed over as a note, to be sent by hand",
}

KINDS = {
    "EMAIL_ADDRESS": "e-mail address",
    "PERSON": "name",
    "PHONE_NUMBER": "phone number",
    "IP_ADDRESS": "IP address",
    "LITERAL": "text that only looked like a placeholder",
}

UNCHANGED = "still the present version"


@dataclass(frozen=True, slots=True)
class Source:
    """What a sentence rests on, as it stood that day; `today` says what became of the document since."""

    citation: Citation
    passage: Passage
    today: str

    @property
    def changed(self) -> bool:
        return self.today != UNCHANGED


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence with its evidence. `number` counts from 1 and is None for greeting and closing."""

    sentence: Sentence
    number: int | None
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Searched:
    """One run in a line. `weight` is the collection's, None where it has none."""

    run: Run
    weight: float | None


def written(draft: Draft, today: dict[str, str]) -> tuple[Written, ...]:
    """`today` is by doc_id, as `documents_today` gives it."""
    passages = {evidence.passage.passage_id: evidence.passage for evidence in _evidence(draft)}
    result: list[Written] = []
    number = 0
    for sentence in draft.sentences:
        counted = sentence.kind in (SentenceKind.EVIDENCE, SentenceKind.QUESTION)
        number += counted
        sources = tuple(
            Source(citation, passages[citation.passage_id], today[passages[citation.passage_id].doc_id])
            for citation in sentence.citations
            if citation.passage_id in passages
        )
        result.append(Written(sentence, number if counted else None, sources))
    return tuple(result)


def documents_today(draft: Draft, uow: UnitOfWorkFactory) -> dict[str, str]:
    """By doc_id, in words: whether the documents the draft rests on are still what they were."""
    passages = {evidence.passage.doc_id: evidence.passage for evidence in _evidence(draft)}
    with uow() as tx:
        documents = {doc_id: tx.documents.get(doc_id) for doc_id in passages}
    words = {}
    for doc_id, passage in passages.items():
        document = documents[doc_id]
        if document is None:
            words[doc_id] = "no longer in the collection"
        elif document.content_hash != passage.doc_version:
            words[doc_id] = "changed since"
        else:
            words[doc_id] = UNCHANGED
    return words


def searched(story: Story) -> tuple[Searched, ...]:
    """Every run, in the order they ran, with the weight its collection had in the fusion."""
    runs = story.provenance.runs
    weights = {name: value for run in runs for name, value in run.parameters.items()}
    return tuple(Searched(run, weights.get(f"weight_{run.collection}")) for run in runs)


def redactions(story: Story) -> list[tuple[str, int]]:
    """(kind in words, how many), the most frequent first."""
    counts = sorted(story.provenance.thread.redactions, key=lambda pair: -pair[1])
    return [(kind_in_words(kind), count) for kind, count in counts]


def kind_in_words(kind: str) -> str:
    """
    >>> kind_in_words("EMAIL_ADDRESS"), kind_in_words("TAX_ID")
    ('e-mail address', 'tax id')
    """
    return KINDS.get(kind, kind.lower().replace("_", " "))


def event_in_words(entry: LedgerEntry) -> str:
    """With the purpose, where the vault was read."""
    words = EVENTS.get(entry.event, entry.event)
    return f"{words} ({entry.details.get('purpose')})" if entry.event == VAULT_READ else words


def delivery(story: Story) -> LedgerEntry | None:
    """The entry that says that the reply went out."""
    sent = [entry for entry in story.proof.entries if entry.event in ("ReplySent", "ReplyHandedOver")]
    return sent[-1] if sent else None


def numbers(entries: Sequence[LedgerEntry]) -> str:
    """But for readings of the vault: those are listed with the others below."""
    return ", ".join(str(entry.number) for entry in entries if entry.event != VAULT_READ)


def _evidence(draft: Draft) -> tuple[Evidence, ...]:
    nearest = draft.abstention.nearest if draft.abstention else ()
    return (*draft.evidence, *nearest)
