import pytest

from core.domain.passage import Span
from core.domain.redaction import Entity
from core.redaction.technical import code_spans, drop_technical


def surviving(text: str, name: str, allow: frozenset[str] = frozenset()) -> list[str]:
    start = text.index(name)
    found = [Entity("PERSON", Span(start, start + len(name)), 0.85, "presidio:SpacyRecognizer")]
    return [text[e.span.slice] for e in drop_technical(text, found, allow=allow)]


@pytest.mark.parametrize(
    "name",
    [
        *("Firefox", "TESS", "ALMA", "Gaia", "Hubble", "Linux Mint", "NGC 6397", "R400", "night.py", "eso_login"),
        *(
            "SIMBAD",
            "java.lang.String",
            "std::vector",
            "MediaResult(void",
            "Halley",
            "IRSA",
            "http",
            "-",
            "INFO Getting",
        ),
    ],
)
def test_a_technical_word_is_no_person(name: str) -> None:
    assert surviving(f"We asked {name} about it", name) == []


@pytest.mark.parametrize("name", ["Maria Lopez", "Gaia Rossi", "Chandra Patel", "O'Brien", "Jean-Luc", "J. Webb", "Ng"])
def test_a_name_is_a_person_even_beside_a_technical_word(name: str) -> None:
    assert surviving(f"We asked {name} about it", name) == [name]


def test_greeting_words_are_taken_off_a_name_and_line_ends_part_it() -> None:
    assert surviving("Hi Maria\nKind regards", "Hi Maria\nKind regards") == ["Maria"]


def test_a_full_name_only_loses_the_technical_word_after_it() -> None:
    assert surviving("Jessica Miller Phone 5", "Jessica Miller Phone") == ["Jessica Miller"]


def test_an_installation_adds_its_own_products_in_any_case() -> None:
    assert surviving("Start Nova Base first", "Nova Base", frozenset({"nova base"})) == []
    assert surviving("Start Nova Base first", "Nova Base") == ["Nova Base"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nMaria = 1\n```",
        "call `Maria` twice",
        "see https://example.org/Maria",
        '  File "Maria", line 3, in main',
        "    Maria.load(x)",
        ">>> Maria",
        "from Maria import x",
    ],
)
def test_a_name_in_code_is_no_person(text: str) -> None:
    assert surviving(text, "Maria") == []


def test_a_log_line_is_no_code_because_it_names_people() -> None:
    assert code_spans("2024-05-03 10:22:41 ERROR no rights for Maria Lopez") == []


def test_other_kinds_are_not_touched() -> None:
    found = [Entity("USERNAME", Span(0, 7), 0.9, "pattern:x")]
    assert drop_technical("Firefox", found) == found
