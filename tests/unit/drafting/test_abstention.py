"""How sure the system is, and what it says when it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.retrieval import Inquiry
from core.drafting.abstention import abstain, confidence, likelihood, missing_terms, question_back
from tests.unit.drafting.passages import found, passage

FOUND = found(passage("Baking bread at home takes an hour.", title="Bread"))


def test_only_the_three_best_cosines_count() -> None:
    few, _ = confidence(Inquiry("x"), FOUND, [0.6, 0.5, 0.4])
    many, signals = confidence(Inquiry("x"), FOUND, [0.1, 0.4, 0.6, 0.0, 0.5])
    assert few == many == pytest.approx(likelihood((0.6 + 0.5) / 2))
    assert dict(signals)["mean of the three best cosines"] == 0.5
    assert dict(signals)["best cosine"] == 0.6


def test_nothing_to_compare_is_no_confidence() -> None:
    assert confidence(Inquiry("x"), FOUND, [])[0] == 0.0


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_higher_cosine_never_means_less_confidence(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= likelihood(low) <= likelihood(high) <= 1


def test_missing_terms_are_names_then_identifiers_then_words_that_no_passage_has() -> None:
    inquiry = Inquiry(
        "The bread oven of Bosch fails with E_42 at baking, says the thermometer. Ask <PERSON_1>.\nRegards", "Breads"
    )
    assert missing_terms(inquiry, FOUND) == ("Bosch", "E_42", "thermometer", "fails")


def test_what_was_searched_for_is_cut_between_words_at_200_characters() -> None:
    searched = abstain(Inquiry("x"), found(query="word " * 100)).searched_for
    assert len(searched) <= 200
    assert searched.endswith("word…")


@pytest.mark.parametrize(
    ("ticket", "asked", "not_asked"),
    [
        ("It fails", ["version", "wording", "steps"], []),
        ("Version 12.1 fails", ["wording", "steps"], ["version"]),
        ('"No such host" appears', ["version", "steps"], ["wording"]),
        ("Fails when opened", ["version", "wording"], ["steps"]),
    ],
)
def test_a_short_ticket_is_asked_for_what_it_lacks(ticket: str, asked: list[str], not_asked: list[str]) -> None:
    question = question_back(Inquiry(ticket), ("term",))
    assert question.endswith("?")
    assert all(word in question for word in asked)
    assert not any(word in question for word in not_asked)


def test_a_long_ticket_is_asked_about_what_was_not_understood() -> None:
    ticket = "Our big spectrograph shows strange fringes along each order of the red detector"
    assert "“spectrograph” and “fringes”" in question_back(Inquiry(ticket), ("spectrograph", "fringes", "detector"))
