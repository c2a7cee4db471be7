"""Measures of found spans, on texts small enough to count by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.passage import Span
from core.evaluation.identifiers import EXPRESSIONS, find_identifiers, surviving
from core.evaluation.spans import LabelledSpan, Score, false_characters, score_spans

TEXT = "Ana Bell (Acme) was in Bonn on 3 May."
PERSON = LabelledSpan(Span(0, 8), "PERSON")
COMPANY = LabelledSpan(Span(10, 14), "ORGANIZATION")
TOWN = LabelledSpan(Span(23, 27), "GPE")
DATE = LabelledSpan(Span(31, 36), "DATE_TIME")
EXPECTED = [PERSON, COMPANY, TOWN, DATE]


def predicted(start: int, end: int, label: str = "PERSON") -> LabelledSpan:
    return LabelledSpan(Span(start, end), label)


def test_nothing_found_is_all_missed_and_nothing_false() -> None:
    scores = score_spans(TEXT, EXPECTED, [])
    assert scores.overall == Score(0, 0, 0, 11)
    assert (scores.overall.precision, scores.overall.recall, scores.overall.f2) == (1.0, 0.0, 0.0)


def test_characters_are_found_under_whatever_label_but_spaces_do_not_count() -> None:
    scores = score_spans(TEXT, EXPECTED, [predicted(0, 8, "USERNAME"), predicted(23, 27, "DATE_TIME")])
    assert scores.overall == Score(11, 11, 11, 11)
    assert scores.strict.f2 == 1.0
    assert scores.strict_labelled.recall == 0.0


def test_organisations_and_dates_are_neither_missed_nor_false() -> None:
    over = [predicted(10, 14), predicted(31, 36, "PHONE_NUMBER"), predicted(16, 19, "DATE_TIME")]
    assert score_spans(TEXT, EXPECTED, over).overall == Score(0, 0, 0, 11)


def test_a_span_from_neutral_to_plain_text_is_false_where_it_is_plain() -> None:
    assert score_spans(TEXT, EXPECTED, [predicted(10, 19)]).overall == Score(0, 3, 0, 11)


def test_a_character_counts_once_however_often_it_is_found() -> None:
    scores = score_spans(TEXT, EXPECTED, [predicted(0, 3), predicted(0, 8), predicted(4, 8)])
    assert scores.overall == Score(7, 7, 7, 11)
    assert scores.strict == Score(1, 3, 1, 2)
    assert scores.partial == Score(3, 3, 1, 2)


def test_labels_of_one_family_match_and_others_do_not() -> None:
    scores = score_spans(TEXT, EXPECTED, [predicted(23, 27, "LOCATION"), predicted(0, 8, "LOCATION")])
    assert scores.strict_labelled == Score(1, 2, 1, 2)
    assert scores.by_label["GPE"] == Score(4, 11, 4, 4)
    assert scores.by_label["PERSON"] == Score(0, 0, 7, 7)
    assert scores.exact_by_label["GPE"] == Score(1, 2, 1, 1)
    assert scores.partial_by_label["PERSON"] == Score(0, 0, 0, 1)


def test_a_kind_the_data_does_not_know_is_counted_under_its_family() -> None:
    scores = score_spans(TEXT, EXPECTED, [predicted(16, 19, "US_SSN")])
    assert scores.by_label["NATIONAL_ID"] == Score(0, 3, 0, 0)


def test_sums_are_micro_averages() -> None:
    one = score_spans(TEXT, EXPECTED, [PERSON])
    none = score_spans(TEXT, EXPECTED, [])
    assert (one + none).overall == Score(7, 7, 7, 22)
    assert (one + none).by_label["PERSON"] == Score(7, 7, 7, 14)
    assert (one + none).strict_labelled == Score(1, 1, 1, 4)


def test_errors_name_what_was_missed_and_what_is_false() -> None:
    missed, false = false_characters(TEXT, EXPECTED, [predicted(0, 3), predicted(16, 19), predicted(10, 14)])
    assert missed == [PERSON, TOWN]
    assert false == [predicted(16, 19)]


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 37), st.integers(0, 12)), max_size=6))
def test_shares_stay_within_bounds_and_more_is_never_less_recall(places: list[tuple[int, int]]) -> None:
    spans = [predicted(start, start + length) for start, length in places]
    whole = score_spans(TEXT, EXPECTED, spans).overall
    assert 0 <= whole.precision <= 1
    assert 0 <= whole.f2 <= 1
    assert whole.recall >= score_spans(TEXT, EXPECTED, spans[1:]).overall.recall


SAMPLES = {
    "object name": ("we saw NGC 6397 there", "NGC 6397"),
    "product or archive": ("ask ALMA for it", "ALMA"),
    "programme id": ("of 0102.A-0123(B) only", "0102.A-0123(B)"),
    "publication id": ("see 10.1051/0004-6361/201629272 please", "10.1051/0004-6361/201629272"),
    "coordinate": ("at 10h45m03.6s today", "10h45m03.6s"),
    "version": ("in v2.10.1 only", "v2.10.1"),
    "hash or uuid": ("commit 9f27d249 broke", "9f27d249"),
    "error code": ("got SEC_ERROR_UNKNOWN_ISSUER then", "SEC_ERROR_UNKNOWN_ISSUER"),
    "ticket number": ("like #4711 was", "#4711"),
    "file name": ("open prefs.js now", "prefs.js"),
    "host": ("go to https://archive.example.org/me now", "archive.example.org"),
    "code name": ("call query_object on it", "query_object"),
    "date or time": ("on 2019-09-04 it", "2019-09-04"),
}


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_each_kind_of_identifier_is_found(kind: str) -> None:
    text, identifier = SAMPLES[kind]
    assert [(found.kind, text[found.span.slice]) for found in find_identifiers(text)] == [(kind, identifier)]


def test_personal_places_hold_no_identifiers() -> None:
    assert find_identifiers("gaia2@eso.example and 192.168.10.7") == []
    assert [i.kind for i in find_identifiers("https://host.example/users/v1.2.3/NGC6397")] == ["host"]


def test_an_identifier_survives_unless_a_replaced_span_touches_it() -> None:
    found = find_identifiers("TESS and Gaia")
    assert list(surviving(found, [Span(4, 9)])) == found
    assert list(surviving(found, [Span(4, 10)])) == found[:1]
