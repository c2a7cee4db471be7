import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.passage import Span
from core.domain.provenance import Component
from core.domain.redaction import NO_LISTS, Entity, PlaceholderMap
from core.redaction.known import known_values
from core.redaction.placeholders import restore
from core.redaction.redact import redact, redact_all, redact_edit
from tests.fakes.recognizer import FakeRecognizer

EMPTY = PlaceholderMap()
NOTHING = FakeRecognizer({})


class AnywhereRecognizer:
    """Flags the given stretches of any text, sensible or not."""

    component = Component(role="recognizer", name="anywhere")
    lists = NO_LISTS

    def __init__(self, stretches: list[tuple[int, int, str]]) -> None:
        self.stretches = stretches

    def recognize(self, text: str) -> list[Entity]:
        return [Entity(kind, Span(start, start + length), 0.5, "anywhere") for start, length, kind in self.stretches]


def test_values_become_numbered_placeholders_by_kind() -> None:
    recognizer = FakeRecognizer({"Ana Bell": "PERSON", "Bo": "PERSON", "a@example.org": "EMAIL_ADDRESS"})
    redacted, placeholders = redact("Ana Bell and Bo use a@example.org", recognizer=recognizer, placeholders=EMPTY)
    assert redacted.text == "<PERSON_1> and <PERSON_2> use <EMAIL_ADDRESS_1>"
    assert placeholders.values["<PERSON_2>"] == "Bo"
    assert [e.span for e in redacted.entities] == [Span(0, 8), Span(13, 15), Span(20, 33)]


def test_the_same_string_gets_the_same_placeholder_and_another_spelling_its_own() -> None:
    recognizer = FakeRecognizer({"Ana": "PERSON", "ANA": "PERSON"})
    redacted, _ = redact("Ana ANA Ana", recognizer=recognizer, placeholders=EMPTY)
    assert redacted.text == "<PERSON_1> <PERSON_1_B> <PERSON_1>"


def test_numbering_continues_from_the_map() -> None:
    known = PlaceholderMap({"<PERSON_7>": "Zoe", "<IP_1>": "x"})
    redacted, grown = redact("Ana", recognizer=FakeRecognizer({"Ana": "PERSON"}), placeholders=known)
    assert redacted.text == "<PERSON_8>"
    assert dict(grown.values) == {**known.values, "<PERSON_8>": "Ana"}
    assert len(known) == 2


def test_a_value_in_the_map_is_found_where_the_recognizer_misses_it() -> None:
    known = PlaceholderMap({"<PERSON_1>": "Ana Bell"})
    redacted, grown = redact("ana  bell: Ana Bell's Anabell", recognizer=NOTHING, placeholders=known)
    assert redacted.text == "<PERSON_1_B>: <PERSON_1>'s Anabell"
    assert restore(redacted.text, grown) == "ana  bell: Ana Bell's Anabell"


def test_a_value_found_once_is_replaced_everywhere_in_texts_that_belong_together() -> None:
    class OnlyInSignatures:
        component = Component(role="recognizer", name="test")
        lists = NO_LISTS

        def recognize(self, text: str) -> list[Entity]:
            start = text.find("Regards, ") + len("Regards, ")
            return [Entity("PERSON", Span(start, len(text)), 1.0, "test")] if text.startswith("Regards") else []

    texts = ["Quintus is in", "Regards, Quintus"]
    redacted, _ = redact_all(texts, recognizer=OnlyInSignatures(), placeholders=EMPTY)
    assert [r.text for r in redacted] == ["<PERSON_1> is in", "Regards, <PERSON_1>"]


@pytest.mark.parametrize(("value", "text"), [("Li", "Li lives"), ("Will", "it will do"), ("Ana", "banana Anan")])
def test_short_values_everyday_words_and_parts_of_words_are_not_looked_for(value: str, text: str) -> None:
    assert known_values(text, PlaceholderMap({"<PERSON_1>": value})) == []


@pytest.mark.parametrize("text", ["Will asks", "WILL"])
def test_a_name_that_is_also_a_word_is_found_when_capitalised(text: str) -> None:
    assert len(known_values(text, PlaceholderMap({"<PERSON_1>": "Will"}))) == 1


def test_what_looks_like_a_placeholder_is_replaced_itself() -> None:
    recognizer = FakeRecognizer({"Ana": "PERSON"})
    redacted, placeholders = redact("Ana wrote <PERSON_1>", recognizer=recognizer, placeholders=EMPTY)
    assert redacted.text == "<PERSON_1> wrote <LITERAL_1>"
    assert [e.kind for e in redacted.entities] == ["PERSON", "LITERAL"]
    assert restore(redacted.text, placeholders) == "Ana wrote <PERSON_1>"


def test_restoring_leaves_unknown_placeholders_and_values_that_look_like_them_alone() -> None:
    placeholders = PlaceholderMap({"<LITERAL_1>": "<PERSON_1>", "<PERSON_1>": "Ana"})
    assert restore("<LITERAL_1> <PERSON_1> <PERSON_2>", placeholders) == "<PERSON_1> Ana <PERSON_2>"


def test_a_kind_that_is_no_plain_word_still_makes_a_placeholder() -> None:
    redacted, grown = redact("x 1 y", recognizer=FakeRecognizer({"1": "us ssn-2", "y": "ß1"}), placeholders=EMPTY)
    assert redacted.text == "x <US_SSN_1> <SS_1>"
    assert restore(redacted.text, grown) == "x 1 y"


TEXTS = st.lists(
    st.sampled_from(["<PERSON_1>", "<", ">", "_1>", "PERSON", "<LITERAL_2>", "Ana", " ", "\n", "Ana Bell", "é", "<A_"])
    | st.text(max_size=5),
    max_size=12,
).map("".join)
RECOGNIZERS = st.lists(
    st.tuples(
        st.integers(0, 40), st.integers(0, 12), st.sampled_from(["PERSON", "LITERAL", "a_b"]) | st.text(max_size=3)
    ),
    max_size=5,
).map(AnywhereRecognizer)


@given(TEXTS, RECOGNIZERS)
def test_restoring_a_redacted_text_gives_the_text(text: str, recognizer: AnywhereRecognizer) -> None:
    redacted, placeholders = redact(text, recognizer=recognizer, placeholders=EMPTY)
    assert restore(redacted.text, placeholders) == text


@given(TEXTS, TEXTS, RECOGNIZERS)
def test_two_texts_that_share_a_map_are_both_restored(first: str, second: str, recognizer: AnywhereRecognizer) -> None:
    one, placeholders = redact(first, recognizer=recognizer, placeholders=EMPTY)
    two, grown = redact(second, recognizer=recognizer, placeholders=placeholders)
    assert (restore(one.text, grown), restore(two.text, grown)) == (first, second)
    assert placeholders.values.items() <= grown.values.items()


@given(TEXTS, TEXTS, RECOGNIZERS)
def test_an_edit_means_the_same_before_and_after_it_is_redacted(
    first: str, edit: str, recognizer: AnywhereRecognizer
) -> None:
    _, placeholders = redact(first, recognizer=recognizer, placeholders=EMPTY)
    redacted, grown = redact_edit(edit, recognizer=recognizer, placeholders=placeholders)
    assert restore(redacted.text, grown) == restore(edit, placeholders)


def test_an_edit_keeps_its_placeholders_and_hides_what_the_agent_typed() -> None:
    known = PlaceholderMap({"<PERSON_1>": "Ana Bell", "<PERSON_2>": "Li"})
    redacted, grown = redact_edit(
        "Dear <PERSON_1>, ask Ana Bell, <PERSON_2>, Bo Ray or <PERSON_9>.",
        recognizer=FakeRecognizer({"Bo Ray": "PERSON"}),
        placeholders=known,
    )
    assert redacted.text == "Dear <PERSON_1>, ask <PERSON_1>, <PERSON_2>, <PERSON_3> or <LITERAL_1>."
    assert [e.span.start for e in redacted.entities] == [21, 43, 53]
    assert grown.values["<PERSON_3>"] == "Bo Ray"


NAMES = st.lists(
    st.sampled_from(
        ["Maria", "maria", "Lopez", "M. Lopez", "Lopez, Maria", "Maria Lopez", "Maria Garcia", "Ana", "and"]
    ),
    max_size=10,
).map(" met ".join)


@given(NAMES, NAMES, NAMES)
def test_persons_written_in_many_ways_are_restored_exactly(first: str, second: str, third: str) -> None:
    found = ("Maria Lopez", "Maria Garcia", "M. Lopez", "Lopez, Maria", "Maria", "maria", "Lopez", "Ana")
    recognizer = FakeRecognizer(dict.fromkeys(found, "PERSON"))
    (one, two), placeholders = redact_all([first, second], recognizer=recognizer, placeholders=EMPTY)
    later, grown = redact(third, recognizer=recognizer, placeholders=placeholders)
    assert [restore(text, grown) for text in (one.text, two.text, later.text)] == [first, second, third]
    assert not {"Maria", "Lopez", "Ana"} & set(re.findall(r"\w+", one.text + two.text + later.text))


def test_the_reason_of_who_found_it_stays_although_it_is_known_afterwards() -> None:
    recognizer = FakeRecognizer({"Ana Bell": "PERSON"})
    redacted, grown = redact("Ana Bell", recognizer=recognizer, placeholders=EMPTY)
    again, _ = redact("Ana Bell", recognizer=recognizer, placeholders=grown)
    assert [e.reason for e in (*redacted.entities, *again.entities)] == ["fake", "fake"]
