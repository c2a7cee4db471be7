"""The gloss: longest matches, alternatives, compounds, and what is left as it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.gloss import PhraseTable, translate

FRENCH: PhraseTable = {
    ("mot",): (("word", 0.6), ("words", 0.2)),
    ("de",): (("of", 0.9),),
    ("pass",): (("pass", 0.5),),
    ("mot", "de", "pass"): (("password", 0.9),),
    ("oubli",): (("forgot", 1.0),),
}
GERMAN: PhraseTable = {
    ("lesezeich",): (("bookmarks", 1.0),),
    ("leist",): (("bar", 1.0),),
    ("sitzung",): (("session", 1.0),),
    ("end",): (("end", 1.0),),
}


def text_of(text: str, lang: str = "fr", table: PhraseTable = FRENCH) -> str:
    return translate(text, lang, table).text


def test_a_phrase_wins_over_its_words() -> None:
    assert text_of("Mot de passe oublié") == "password forgot"


def test_punctuation_ends_a_phrase() -> None:
    assert text_of("mot, de passe") == "word, of pass"


def test_an_unlikely_phrase_loses_to_likely_words() -> None:
    table: PhraseTable = {("a", "b"): (("rare", 0.01),), ("a",): (("one", 1.0),), ("b",): (("two", 1.0),)}
    assert text_of("a b", "fr", table) == "one two"


def test_unknown_words_stay_and_count_once() -> None:
    translation = translate("Firefox oublié", "fr", FRENCH)
    assert (translation.text, translation.words) == ("Firefox forgot", (("Firefox", 1.0), ("forgot", 1.0)))


def test_alternatives_share_one_occurrence() -> None:
    assert dict(translate("mot mot", "fr", FRENCH).words) == pytest.approx({"word": 1.5, "words": 0.5})


def test_a_phrase_of_several_english_words_counts_each() -> None:
    table: PhraseTable = {("onglet",): (("new tab", 0.5), ("tab", 0.5))}
    assert dict(translate("onglet", "fr", table).words) == {"new": 0.5, "tab": 1.0}


def test_an_apostrophe_parts_words() -> None:
    table: PhraseTable = {("l",): (("the", 1.0),), ("écran",): (("screen", 1.0),)}
    assert text_of("L’écran", "fr", table) == "the screen"


@pytest.mark.parametrize(
    "text", ["https://mot.de/passe", "mot@passe.de", "MOT_DE_PASSE", "mot.de", "x86", "12.5", "?!"]
)
def test_what_is_no_plain_word_stays_as_it_is(text: str) -> None:
    assert text_of(f"{text} oublié") == f"{text} forgot"


def test_line_breaks_and_marks_stay() -> None:
    assert text_of("«Mot de passe»\n\n- oublié?  oublié\t(mot)") == "«password»\n\n- forgot?  forgot\t(word)"


@pytest.mark.parametrize(
    ("word", "gloss"),
    [
        ("Lesezeichenleiste", "bookmarks bar"),
        ("Sitzungsende", "session end"),
        ("Leistenfisch", "Leistenfisch"),
    ],
)
def test_a_german_compound_is_read_by_its_halves(word: str, gloss: str) -> None:
    assert text_of(word, "de", GERMAN) == gloss


def test_other_languages_have_no_compounds() -> None:
    assert text_of("motdepassemot", "fr", {**FRENCH, ("motdepass",): (("x", 1.0),)}) == "motdepassemot"


@given(st.text(max_size=200))
def test_any_text_can_be_glossed_and_no_line_is_lost(text: str) -> None:
    assert text_of(text, "de", GERMAN).count("\n") == text.count("\n")


@given(st.text(alphabet="ab ./_1\n-,", max_size=60))
def test_nothing_but_hyphens_and_blanks_changes_with_an_empty_table(text: str) -> None:
    bare = text.replace("-", " ")
    assert text_of(text, "fr", {}).replace("-", " ").split() == bare.split()
