"""Units: where a text may be cut, and where not."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.drafting.sentences import UnitKind, units_of

LETTERS = re.compile("[abA]")


def cut(text: str, *kinds: UnitKind) -> list[str]:
    return [text[unit.span.slice] for unit in units_of(text) if not kinds or unit.kind in kinds]


def test_sentences_of_a_paragraph_are_separate_units() -> None:
    assert cut("Open the menu now. Choose Quit there! Wait.") == ["Open the menu now.", "Choose Quit there!", "Wait."]


@pytest.mark.parametrize(
    "text",
    [
        "Use a browser, e.g. Firefox, for this page.",
        "Ask Dr. Smith about it at once please.",
        "Version 128.0.3 and user.js are both fine here.",
        "Type about:config. in the address bar of it.",
        "The value (i.e. Mode A) is the better one.",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert cut(text) == [text]


def test_a_sentence_goes_on_over_a_hard_wrapped_line() -> None:
    assert cut("This example shows how the service is\nqueried from Python. It is short.") == [
        "This example shows how the service is\nqueried from Python.",
        "It is short.",
    ]


def test_list_items_are_steps_without_their_markers() -> None:
    text = "Do this:\n1. Open the menu. Wait.\n2) Press OK\n- Leave\n* Return"
    assert cut(text, UnitKind.STEP) == ["Open the menu. Wait.", "Press OK", "Leave", "Return"]
    assert [unit.numbered for unit in units_of(text)] == [False, True, True, False, False]


def test_an_item_includes_its_indented_continuation() -> None:
    assert cut("- Open the menu\n  at the top.\n- Quit") == ["Open the menu\n  at the top.", "Quit"]


def test_a_paragraph_after_a_list_is_no_step() -> None:
    assert cut("- Open the menu.\nThe window closes after that.", UnitKind.SENTENCE) == [
        "The window closes after that."
    ]


def test_headings_are_recognised_by_marks_rules_and_by_being_short() -> None:
    text = "## Marked\n\nUnderlined\n----------\nSome sentence stands here.\n\nShort line"
    assert cut(text, UnitKind.HEADING) == ["Marked", "Underlined", "Short line"]


def test_a_table_row_is_one_unit_and_its_rule_is_none() -> None:
    assert cut("| Name | Size |\n|------|------|\n| a. B | 3 |") == ["| Name | Size |", "| a. B | 3 |"]


def test_a_fenced_block_is_one_unit_of_code() -> None:
    text = "Run this command now.\n```\nmake. All\nmake test\n```\nThen look at it."
    assert cut(text, UnitKind.CODE) == ["make. All\nmake test"]
    assert cut(text, UnitKind.SENTENCE) == ["Run this command now.", "Then look at it."]


def test_a_fence_that_is_never_closed_ends_with_the_text() -> None:
    assert cut("```\nmake all") == ["make all"]


def test_a_doctest_prompt_is_code() -> None:
    assert cut("It is called like this:\n\n    >>> query(1)\n    2", UnitKind.CODE) == [">>> query(1)\n    2"]


@given(st.text(alphabet="abA .!?\n-#1|:>", max_size=120))
def test_units_are_in_order_trimmed_and_lose_no_letter(text: str) -> None:
    spans = [unit.span for unit in units_of(text)]
    assert all(first.end <= second.start for first, second in pairwise(spans))
    assert all(text[span.slice] == text[span.slice].strip() != "" for span in spans)
    assert sum(len(LETTERS.findall(text[span.slice])) for span in spans) == len(LETTERS.findall(text))
