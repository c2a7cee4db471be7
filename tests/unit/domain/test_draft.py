from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain.draft import (
    OPEN_STATES,
    TRANSITIONS,
    DraftState,
    Layout,
    Sentence,
    SentenceKind,
    check_transition,
    render_text,
)
from core.errors import DraftStateConflict
from tests.contracts import samples

ALLOWED = {
    (before, after)
    for before in (DraftState.READY, DraftState.PARTIAL, DraftState.ABSTAINED)
    for after in (DraftState.APPROVED, DraftState.REJECTED, DraftState.SUPERSEDED)
} | {(DraftState.APPROVED, DraftState.SENT)}


def said(text: str, layout: Layout = Layout.RUNNING, *, grounded: bool = True) -> Sentence:
    return Sentence(text, SentenceKind.EVIDENCE, layout=layout, grounded=grounded)


@pytest.mark.parametrize("before", DraftState)
@pytest.mark.parametrize("after", DraftState)
def test_a_draft_changes_state_only_as_decided(before: DraftState, after: DraftState) -> None:
    draft = samples.draft(state=before)
    if (before, after) in ALLOWED:
        check_transition(draft, after)
        return
    with pytest.raises(DraftStateConflict, match=f"is {before}; it cannot become {after}"):
        check_transition(draft, after)


def test_nothing_is_sent_that_nobody_approved() -> None:
    assert [state for state, after in TRANSITIONS.items() if DraftState.SENT in after] == [DraftState.APPROVED]
    assert DraftState.APPROVED not in OPEN_STATES


def test_sentences_follow_their_layout() -> None:
    text = render_text(
        (
            said("Hello,"),
            said("do this:", Layout.PARAGRAPH),
            said("one", Layout.ITEM),
            said("two", Layout.ITEM),
            said("!"),
        )
    )
    assert text == "Hello,\n\ndo this:\n- one\n- two !"


def test_a_reply_may_start_with_a_list() -> None:
    assert render_text((said("one", Layout.ITEM), said("two", Layout.ITEM))) == "- one\n- two"


def test_a_reply_may_start_with_a_paragraph() -> None:
    assert render_text((said("one", Layout.PARAGRAPH),)) == "one"


def test_a_sentence_without_support_is_never_in_the_reply() -> None:
    assert render_text((said("Invented.", grounded=False), said("Found.", Layout.PARAGRAPH))) == "Found."
    assert render_text((said("Invented.", grounded=False),)) == ""


def test_the_agent_s_edit_is_the_reply() -> None:
    draft = samples.draft()
    assert draft.text == "Pull the plug."
    assert replace(draft, edited_text="Leave it.").text == "Leave it."
