from datetime import UTC, datetime, timedelta

import pytest

from core.domain.passage import Span
from core.domain.redaction import PlaceholderMap
from plugin.web.rendering import NO_PLACEHOLDERS, Piece, Segment, ago, highlighted, segments, web_address

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_a_placeholder_becomes_its_value_with_its_kind() -> None:
    placeholders = PlaceholderMap({"<EMAIL_ADDRESS_1>": "a@example.org"})
    assert segments("to <EMAIL_ADDRESS_1>", placeholders) == [
        Segment("to "),
        Segment("a@example.org", "email address"),
    ]


def test_a_placeholder_without_value_is_shown_by_its_kind_only() -> None:
    assert segments("<PERSON_7>", NO_PLACEHOLDERS) == [Segment("", "person")]


def test_what_only_looked_like_a_placeholder_is_plain_text_again() -> None:
    assert segments("<LITERAL_1>", PlaceholderMap({"<LITERAL_1>": "<PERSON_1>"})) == [Segment("<PERSON_1>")]


def test_a_value_that_looks_like_a_placeholder_is_not_looked_into() -> None:
    placeholders = PlaceholderMap({"<PERSON_1>": "<PERSON_2>", "<PERSON_2>": "Eve"})
    assert segments("<PERSON_1>", placeholders) == [Segment("<PERSON_2>", "person")]


def test_an_empty_text_has_no_segments() -> None:
    assert segments("", NO_PLACEHOLDERS) == []


def test_the_pieces_of_a_passage_are_the_passage() -> None:
    pieces = highlighted("abcdefgh", [(Span(1, 4), 1), (Span(3, 6), 2), (Span(7, 99), 3)])
    assert "".join(piece.text for piece in pieces) == "abcdefgh"
    assert Piece("d", (1, 2)) in pieces
    assert pieces[-1] == Piece("h", (3,))


def test_a_passage_nobody_quotes_is_one_piece() -> None:
    assert highlighted("abc", []) == [Piece("abc")]


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//example.org", "file:///etc", "http://[", ""]
)
def test_only_web_addresses_become_links(url: str) -> None:
    assert web_address(url) == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "just now"), (59, "just now"), (60, "1 min ago"), (3600, "1 h ago"), (200_000, "2 d ago")],
)
def test_an_age_is_told_in_the_largest_unit(seconds: int, words: str) -> None:
    assert ago(NOON - timedelta(seconds=seconds), NOON) == words
