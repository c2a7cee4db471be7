from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.passage import Passage, Span
from core.retrieval.analysis import FIELD_BOOSTS, MAX_QUERY_TERMS, analyse, identifiers, lexical_entry, lexical_query


def test_words_are_folded_stemmed_and_freed_of_stop_words() -> None:
    assert analyse("The Certificates were EXPIRING") == ["certif", "expir"]


def test_both_apostrophes_make_the_same_stop_words() -> None:
    assert analyse("doesn't DON’T Firefox’s") == ["firefox"]


def test_repeated_words_stay_repeated_in_text_order() -> None:
    assert analyse("proxy server proxy") == ["proxi", "server", "proxi"]


def test_compatibility_forms_are_folded() -> None:
    assert analyse("ﬁle Ｆｉｒｅｆｏｘ straße") == ["file", "firefox", "strass"]


@pytest.mark.parametrize(
    ("written", "whole", "parts"),
    [
        ("SEC_ERROR_UNKNOWN_ISSUER", "sec_error_unknown_issuer", ["sec", "error", "unknown", "issuer"]),
        ("128.0.3", "128.0.3", ["128", "0", "3"]),
        ("about:config", "about:config", ["config"]),
        ("prefs.js", "prefs.js", ["pref", "js"]),
        ("astroquery.mast.Observations", "astroquery.mast.observations", ["astroqueri", "mast", "observ"]),
        ("query_region_async", "query_region_async", ["queri", "region", "async"]),
        ("NoResultsWarning", "noresultswarning", ["result", "warn"]),
        ("HTTPServerError", "httpservererror", ["http", "server", "error"]),
        ("ESO-1234", "eso-1234", ["eso", "1234"]),
        ("NGC1068", "ngc1068", ["ngc", "1068"]),
        ("std::vector", "std::vector", ["std", "vector"]),
    ],
)
def test_an_identifier_is_kept_whole_and_split(written: str, whole: str, parts: list[str]) -> None:
    assert analyse(written) == [whole, *parts]
    assert identifiers(f"see {written}, please.") == [whole]


@pytest.mark.parametrize(
    "written", ["e.g.", "i.e. this", "10:30", "Windows 7", "add-on", "end. Next", "__init__", "I'm"]
)
def test_ordinary_words_times_and_abbreviations_are_no_identifiers(written: str) -> None:
    assert identifiers(written) == []


def test_a_single_digit_is_a_word_and_a_single_letter_is_not() -> None:
    assert analyse("Windows 7 x") == ["window", "7"]


def test_a_hyphenated_word_is_found_joined_and_in_parts() -> None:
    assert set(analyse("e-mail")) == {"email", "mail"}


def test_an_address_gives_its_host_and_the_words_of_its_path() -> None:
    text = "see <https://www.support.mozilla.org/en-US/kb/how-to-fix-proxies?x=1>."
    assert identifiers(text) == ["support.mozilla.org"]
    assert {"support.mozilla.org", "fix", "proxi"} <= set(analyse(text))
    assert "https" not in analyse(text)


def test_blobs_of_more_than_a_hundred_characters_are_no_terms() -> None:
    assert analyse("a" * 101) == []
    assert identifiers("x_" * 60) == []
    assert analyse("a" * 100) == ["a" * 100]


@given(st.text(max_size=200))
def test_no_term_of_any_text_holds_white_space_or_is_empty(text: str) -> None:
    for term in [*analyse(text), *identifiers(text)]:
        assert term
        assert term.split() == [term]


def test_an_entry_has_the_four_fields_that_engines_know() -> None:
    text = "Set network.proxy.type there."
    passage = Passage(
        "p1", "d1", "docs", "Proxy settings", ("Proxy settings", "Advanced"), text, Span(0, len(text)), Span(0, 40), "v"
    )
    entry = lexical_entry(passage)
    assert (entry.passage_id, entry.doc_id) == ("p1", "d1")
    assert entry.fields["title"] == ["proxi", "set"]
    assert entry.fields["headings"] == ["advanc"]
    assert entry.fields["body"] == ["set", "network.proxy.type", "network", "proxi", "type"]
    assert entry.fields["identifiers"] == ["network.proxy.type"]
    assert entry.fields.keys() == FIELD_BOOSTS.keys()


def test_a_query_asks_for_each_term_as_often_as_it_is_there_in_every_field() -> None:
    terms = lexical_query("proxy proxy server 128.0.3 128.0.3")
    assert terms["body"] == terms["title"] == terms["headings"]
    assert sorted(terms["body"]) == sorted(["proxi", "server", *["128.0.3", "128", "0", "3"] * 2, "proxi"])
    assert terms["identifiers"] == ["128.0.3"] * 2


def test_a_long_query_keeps_its_most_frequent_terms() -> None:
    text = " ".join(f"w{number}x" for number in range(300)) + " late late"
    terms = lexical_query(text)["body"]
    assert len(set(terms)) == MAX_QUERY_TERMS
    assert "late" in terms
