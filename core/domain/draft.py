"""A proposed reply, what it rests on, and the states it goes through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.passage import Passage, Span
from core.errors import DraftStateConflict


class DraftState(StrEnum):
    """One word each, the same everywhere: queue, page, panel, note, ledger."""

    WAITING = "waiting"
    DRAFTING = "drafting"
    READY = "ready"
    PARTIAL = "partial"
    ABSTAINED = "abstained"
    SUPERSEDED = "superseded"
    APPROVED = "approved"
    SENT = "sent"
    REJECTED = "rejected"
    FAILED = "failed"
    ERASED = "erased"


OPEN_STATES = frozenset({DraftState.READY, DraftState.PARTIAL, DraftState.ABSTAINED})
"""States an agent can decide on."""

TRANSITIONS: Mapping[DraftState, frozenset[DraftState]] = {
    **{state: frozenset({DraftState.APPROVED, DraftState.REJECTED, DraftState.SUPERSEDED}) for state in OPEN_STATES},
    DraftState.APPROVED: frozenset({DraftState.SENT}),
    DraftState.SUPERSEDED: frozenset(),
    DraftState.SENT: frozenset(),
    DraftState.REJECTED: frozenset(),
    DraftState.ERASED: frozenset(),
}
"""What work on a draft leads to. Erasing a person takes a draft from any state to `erased`."""


class SentenceKind(StrEnum):
    GREETING = "greeting"
    EVIDENCE = "evidence"
    QUESTION = "question"
    CLOSING = "closing"


class Layout(StrEnum):
    """How a sentence starts: in the running text, as a new paragraph, or as an item of a list."""

    RUNNING = "running"
    PARAGRAPH = "paragraph"
    ITEM = "item"


class Strength(StrEnum):
    """The evidence as a word; the number behind it is `Draft.confidence`."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


class RejectReason(StrEnum):
    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OUTDATED_SOURCE = "outdated source"
    TONE = "tone"
    NOT_NEEDED = "not needed"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Citation:
    """Marker `[n]` of a sentence; `quote` is a span of the passage's own text, which `quoted_text` repeats."""

    marker: int
    passage_id: str
    quote: Span
    quoted_text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a draft. An EVIDENCE sentence that is not `grounded` is shown struck through with `reason`."""

    text: str
    kind: SentenceKind
    citations: tuple[Citation, ...] = ()
    grounded: bool = True
    reason: str = ""
    layout: Layout = Layout.RUNNING


@dataclass(frozen=True, slots=True)
class Evidence:
    """A cited or nearest passage as it stood when the draft was made. Markers count from 1."""

    marker: int
    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class Abstention:
    """Why there is no draft: what was looked for, what is missing, what to ask the customer."""

    searched_for: str
    missing: tuple[str, ...]
    question_back: str
    nearest: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent decided, and when. `final_text` is redacted; personal values come back only when sending."""

    agent: str
    at: datetime
    final_text: str = ""
    reason: RejectReason | None = None
    comment: str = ""
    stars: int | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposed reply to one version of a ticket (`message_id` is the newest customer message it answers).

    All texts are redacted. `confidence` is 0..1. `composer` names what wrote it ("extractive" or a model).
    `reduced` names what did not work while it was made ("lexical only", ...): shown as a badge.
    `edited_text` is what an agent wrote instead, None as long as nobody did; an agent may also leave nothing of it.
    `ledger_number` is the newest ledger entry about this draft. `revision` counts the drafts made for one version
    of a ticket: 1, then more when an agent asks for another. `receipt` names the erasure that took its texts away.
    """

    draft_id: str
    connector: str
    ticket_id: str
    message_id: str
    subject: str
    requester: str
    state: DraftState
    sentences: tuple[Sentence, ...]
    evidence: tuple[Evidence, ...]
    abstention: Abstention | None
    strength: Strength
    confidence: float
    composer: str
    created_at: datetime
    seconds: float
    unanswered: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    edited_text: str | None = None
    decision: Decision | None = None
    superseded_by: str = ""
    sent_at: datetime | None = None
    ledger_number: int = 0
    revision: int = 1
    receipt: str = ""

    @property
    def text(self) -> str:
        """The reply as plain text without markers: the agent's edit if there is one, else the grounded sentences."""
        return render_text(self.sentences) if self.edited_text is None else self.edited_text


def render_text(sentences: tuple[Sentence, ...]) -> str:
    """Plain text of the sentences that may be shown to a customer, lists as lines that start with a dash.

    >>> render_text((Sentence("Hello,", SentenceKind.GREETING),
    ...              Sentence("Open the menu.", SentenceKind.EVIDENCE, layout=Layout.PARAGRAPH),
    ...              Sentence("Press Quit.", SentenceKind.EVIDENCE, layout=Layout.ITEM)))
    'Hello,\\n\\nOpen the menu.\\n- Press Quit.'
    """
    leads = {Layout.RUNNING: " ", Layout.PARAGRAPH: "\n\n", Layout.ITEM: "\n- "}
    text = "".join(leads[sentence.layout] + sentence.text for sentence in sentences if sentence.grounded)
    return text.lstrip()


def check_transition(draft: Draft, to: DraftState) -> None:
    """Raise `DraftStateConflict` unless the draft may go from its present state to `to`."""
    if to not in TRANSITIONS.get(draft.state, frozenset()):
        raise DraftStateConflict(f"This draft is {draft.state}; it cannot become {to}.")
