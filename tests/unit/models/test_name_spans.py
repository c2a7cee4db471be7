"""Tokens become names and places: with made-up probabilities, so that no model is loaded."""

import re
from collections.abc import Mapping

import pytest

from connectors.models.name_spans import (
    apart,
    find_foreign,
    find_homes,
    find_names,
    find_places,
    grown_names,
    without_unwanted,
    words_of,
)
from connectors.models.rampart import Token
from core.domain.passage import Span
from core.domain.redaction import Entity

Found = list[tuple[str, str]]


def tokens(text: str, named: Mapping[str, float], placed: Mapping[str, float], kind: str = "street") -> list[Token]:
    """One token a word, with the probability given for it."""
    result = []
    for match in re.finditer(r"\w+", text):
        name, place = named.get(match.group(), 0.0), placed.get(match.group(), 0.0)
        street = place if kind == "street" else 0.0
        result.append(Token(Span(*match.span()), name + place, name, place, street, 0.0))
    return result


def names(text: str, **named: float) -> Found:
    found = find_names(text, words_of(text, tokens(text, named, {})))
    return [(entity.kind, text[entity.span.slice]) for entity in grown_names(text, found)]


def places(
    text: str,
    numbers: Mapping[str, float] | None = None,
    *,
    kind: str = "street",
    never: frozenset[str] = frozenset(),
    **placed: float,
) -> Found:
    words = list(
        without_unwanted(words_of(text, tokens(text, {}, {**placed, **(numbers or {})}, kind)), never, frozenset())
    )
    return [(entity.kind, text[entity.span.slice]) for entity in find_places(text, words)]


class TestNames:
    def test_neighbours_are_one_name_and_others_are_not(self) -> None:
        text = "We asked Ana Bell, then Joe."
        assert names(text, Ana=0.9, Bell=0.9, Joe=0.9) == [("PERSON", "Ana Bell"), ("PERSON", "Joe")]

    def test_a_token_in_a_word_makes_the_whole_word_a_name(self) -> None:
        text = "I met Raghunathan there"
        token = Token(Span(10, 13), 0.9, 0.9, 0.0, 0.0, 0.0)
        (found,) = find_names(text, words_of(text, [token]))
        assert text[found.span.slice] == "Raghunathan"

    def test_the_possessive_is_left(self) -> None:
        assert names("It is Ana's ticket", Ana=0.9, s=0.9) == [("PERSON", "Ana")]

    def test_what_somebody_has_is_no_name(self) -> None:
        assert names("It is Ana's keyring that fails", Ana=0.9, keyring=0.9) == [("PERSON", "Ana")]

    def test_a_capitalised_word_in_a_sentence_needs_less_than_one_that_starts_it(self) -> None:
        assert names("I met Ana", Ana=0.1) == [("PERSON", "Ana")]
        assert names("Ana fails. Ana too", Ana=0.1) == []

    def test_a_lower_case_word_needs_more_unless_nothing_is_capitalised_or_it_stands_alone(self) -> None:
        assert names("We met ana there in the hall", ana=0.3) == []
        assert names("we met ana there", ana=0.3) == [("PERSON", "ana")]
        assert names("We met.\n\nana bell\n", ana=0.3, bell=0.3) == [("PERSON", "ana bell")]
        assert names("He wrote, ana bell <a@b.example>", ana=0.3, bell=0.3) == [("PERSON", "ana bell")]

    def test_lower_case_words_at_the_ends_are_no_part_of_a_capitalised_name(self) -> None:
        text = "the driver Ana van Bell said so"
        assert names(text, driver=0.9, Ana=0.9, van=0.9, Bell=0.9, said=0.9) == [("PERSON", "Ana van Bell")]

    @pytest.mark.parametrize(
        ("text", "sure", "whole"),
        [
            ("I am Ken N. Fukuda.", "Ken", "Ken N. Fukuda"),
            ("I am Ken N Fukuda.", "Ken", "Ken N Fukuda"),
            ("I am Ken N. Fukuda.", "Fukuda", "Ken N. Fukuda"),
            ("I am Ken Fukuda.", "Ken", "Ken"),
        ],
    )
    def test_an_initial_carries_the_name_on(self, text: str, sure: str, whole: str) -> None:
        assert names(text, **{sure: 0.9}) == [("PERSON", whole)]

    @pytest.mark.parametrize("text", ["use Trim(x)", "use Trim[0]", "use Trim_all", "use Trim=1"])
    def test_what_looks_like_code_is_no_name(self, text: str) -> None:
        assert names(text, Trim=0.9) == []

    def test_names_do_not_cross_lines(self) -> None:
        assert names("for Ana\nBell", Ana=0.9, Bell=0.9) == [("PERSON", "Ana"), ("PERSON", "Bell")]


class TestPlaces:
    def test_street_number_postcode_and_town_are_one_address(self) -> None:
        text = "to 12 Main Street, 53111 Bonn, please"
        assert places(text, Main=0.9, Street=0.9, Bonn=0.9) == [("ADDRESS", "12 Main Street, 53111 Bonn")]

    def test_a_flat_between_two_lines_is_bridged(self) -> None:
        text = "25 Rua Igreja\nApt. 236\nRibeirao\nPortugal"
        assert places(text, Rua=0.9, Igreja=0.9, Ribeirao=0.9) == [("ADDRESS", text)]

    def test_a_town_alone_is_a_location(self) -> None:
        assert places("We are in Bonn now", kind="town", Bonn=0.5) == [("LOCATION", "Bonn")]

    def test_a_country_needs_no_model(self) -> None:
        assert places("Users in South Korea and Côte cannot") == [("LOCATION", "South Korea")]
        assert places("org.apache.Iceland-x and Finlandia-1") == []

    def test_a_sentence_end_parts_two_places(self) -> None:
        text = "I was in Bonn yesterday. Paris is next"
        assert places(text, kind="town", Bonn=0.9, Paris=0.9) == [("LOCATION", "Bonn"), ("LOCATION", "Paris")]

    @pytest.mark.parametrize("text", ["take 64677 away", "release 19.3 of it", "part 8211-Office here"])
    def test_a_number_alone_is_no_place(self, text: str) -> None:
        assert places(text, {"64677": 0.9, "19": 0.9, "3": 0.9, "8211": 0.9, "Office": 0.9}) == []

    def test_a_number_called_a_postcode_is_one(self) -> None:
        assert places("My zip code is 64677", {"64677": 0.9}) == [("ADDRESS", "64677")]

    def test_unwanted_words_are_no_places(self) -> None:
        assert places("on Linux Mint, Bonn", never=frozenset({"linux"}), Linux=0.9, Mint=0.9, Bonn=0.9) == [
            ("ADDRESS", "Bonn")
        ]

    def test_a_name_on_the_line_before_is_not_swallowed(self) -> None:
        text = "Ana Bell\n12 Main Street"
        name = Entity("PERSON", Span(0, 8), 0.9, "rampart")
        (place,) = apart(text, [Entity("ADDRESS", Span(4, len(text)), 0.9, "rampart")], [name])
        assert text[place.span.slice].strip() == "12 Main Street"

    def test_a_name_within_a_street_stays_in_it(self) -> None:
        text = "12 Ana Bell Road"
        name = Entity("PERSON", Span(3, 11), 0.9, "rampart")
        (place,) = apart(text, [Entity("ADDRESS", Span(0, len(text)), 0.9, "rampart")], [name])
        assert text[place.span.slice] == text


@pytest.mark.parametrize(
    ("text", "town"),
    [
        ("I live in Assen now", "Assen"),
        ("originally from New Plymouth, I", "New Plymouth"),
        ("Ich wohne in Köln.", "Köln"),
        ("J'habite à Lyon", "Lyon"),
        ("vivo en San Juan", "San Juan"),
        ("abito a Pavia", "Pavia"),
        ("moro em Braga", "Braga"),
    ],
)
def test_towns_are_found_where_people_say_they_live(text: str, town: str) -> None:
    assert [text[entity.span.slice] for entity in find_homes(text)] == [town]


def test_a_path_or_a_menu_is_no_home() -> None:
    assert find_homes("It is located in Settings and lives in memory") == []


class TestForeign:
    def test_a_few_words_in_another_script_are_names(self) -> None:
        text = "Please call Анна Белова about it"
        assert [text[entity.span.slice] for entity in find_foreign(text)] == ["Анна Белова"]

    def test_a_text_in_that_script_is_left_alone(self) -> None:
        assert find_foreign("Привет! Подскажите пожалуйста, как привести поле Object") == []
        assert find_foreign("abcdefghijklmnopqrstuvwxyz " * 20 + "Один, Два, Три, Четыре") == []

    def test_symbols_of_units_are_none(self) -> None:
        assert find_foreign("a shift of Δ 3 and the Ωm of it, in the Ca line") == []
