"""The internal note."""

from dataclasses import replace
from datetime import UTC, datetime

from core.domain.draft import (
    Abstention,
    Citation,
    Draft,
    DraftState,
    Evidence,
    Layout,
    Sentence,
    SentenceKind,
    Strength,
)
from core.domain.passage import Span
from core.drafting.note import note_text
from tests.unit.drafting.passages import passage

ADDRESS = "https://desk.example.org/drafts/1"
PASSAGE = replace(passage("Open the menu.", title="Menus", heading="Start", url="https://example.org/m"), page=3)
CITED = Citation(1, "a#0", Span(0, 14), "Open the menu.")
DRAFT = Draft(
    draft_id="1",
    connector="folder",
    ticket_id="7",
    message_id="m",
    subject="s",
    requester="<PERSON_1>",
    state=DraftState.PARTIAL,
    sentences=(
        Sentence("Hello,", SentenceKind.GREETING),
        Sentence("Open the menu.", SentenceKind.EVIDENCE, (CITED, CITED), layout=Layout.PARAGRAPH),
        Sentence("Press F9.", SentenceKind.EVIDENCE, grounded=False, reason="no source is cited"),
    ),
    evidence=(Evidence(1, PASSAGE, 0.5),),
    abstention=None,
    strength=Strength.FAIR,
    confidence=0.71,
    composer="extractive",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    seconds=0.92,
    unanswered=("Which printers?",),
    reduced=("lexical only",),
)


def test_a_draft_reads_from_state_to_review_page() -> None:
    assert note_text(DRAFT, ADDRESS) == (
        "Citedesk draft: partial · fair evidence (0.71) · extractive · 0.9 s · lexical only\n\n"
        "Hello,\n\nOpen the menu. [1]\n\n"
        "Left out: 1 of 3 sentences, not supported by their sources.\n\n"
        "Not answered:\n- Which printers?\n\n"
        "Sources:\n[1] Menus > Start, page 3 https://example.org/m\n\n"
        f"Review, edit and approve: {ADDRESS}"
    )


def test_an_abstention_says_what_is_missing_and_what_to_ask() -> None:
    told = Abstention("printer", ("XT-5",), "Which printer is it?", (Evidence(1, PASSAGE, 0.5),))
    note = note_text(replace(DRAFT, state=DraftState.ABSTAINED, abstention=told, reduced=()), ADDRESS)
    assert note == (
        "Citedesk draft: abstained · extractive · 0.9 s\n\n"
        "No reply was drafted: what was found does not answer this ticket.\n\n"
        "Searched for: printer\n\nFound nowhere: XT-5\n\nTo ask the customer: Which printer is it?\n\n"
        "Nearest passages:\n[1] Menus > Start, page 3 https://example.org/m\n    Open the menu.\n\n"
        f"Review, edit and approve: {ADDRESS}"
    )
