"""An inquiry in another language is searched in English; an English one is left alone."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.passage import Run
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.retrieval.language import language_of, lexical_terms, prose, search_in_english, understand
from core.retrieval.query import queries_for
from tests.fakes.translation import FakeDetector, FakeTranslator

GERMAN = Inquiry("Wo sind meine Lesezeichen", "Passwort vergessen")


def test_an_english_inquiry_never_reaches_the_translator() -> None:
    translator = FakeTranslator(with_words=True)
    inquiry = Inquiry("Where did everything go", "Help")
    understood = understand(inquiry, detector=FakeDetector(), translator=translator)
    assert (understood.inquiry, understood.queries, understood.language) == (inquiry, queries_for(inquiry), "en")
    assert not understood.translated
    assert translator.asked == []


def test_subject_and_message_of_a_german_inquiry_are_translated() -> None:
    understood = understand(GERMAN, detector=FakeDetector(), translator=FakeTranslator())
    assert understood.inquiry == Inquiry("where are my bookmarks", "password forgotten")
    assert [query.text for query in understood.queries] == ["password forgotten\n\nwhere are my bookmarks"]
    assert (understood.language, understood.translated, understood.failure) == ("de", True, "")


def test_the_last_reply_and_the_opening_message_are_translated_and_the_others_left() -> None:
    thread = Inquiry("Wo", "", first="Passwort vergessen", between=("Lesezeichen",), replies=("sind", "meine"))
    english = understand(thread, detector=FakeDetector(), translator=FakeTranslator()).inquiry
    assert english.first == "password forgotten"
    assert english.between == ("Lesezeichen",)
    assert english.replies == ("sind", "my")


def test_each_query_has_the_words_of_its_own_texts() -> None:
    thread = Inquiry("Wo", "Lesezeichen", first="Passwort", replies=("meine",))
    queries = understand(thread, detector=FakeDetector(), translator=FakeTranslator(with_words=True)).queries
    assert [[word for word, _ in query.words] for query in queries] == [
        ["bookmarks", "password", "where"],
        ["where"],
        ["my"],
    ]
    assert [query.weight for query in queries] == [query.weight for query in queries_for(thread)]


def test_without_translator_the_language_is_still_told() -> None:
    understood = understand(GERMAN, detector=FakeDetector(), translator=None)
    assert (understood.language, understood.translated, understood.inquiry) == ("de", False, GERMAN)


def test_a_language_the_translator_does_not_know_is_left_alone() -> None:
    translator = FakeTranslator()
    translator.languages = frozenset({"fr"})
    understood = understand(GERMAN, detector=FakeDetector(), translator=translator)
    assert (understood.queries, understood.translated, understood.failure) == (queries_for(GERMAN), False, "")


def test_a_translator_that_is_down_leaves_the_original_and_a_label() -> None:
    asked: list[WeightedQuery] = []

    def search(queries: Sequence[WeightedQuery]) -> Retrieval:
        asked.extend(queries)
        return _found(reduced=("lexical only",))

    retrieval = search_in_english(GERMAN, search, detector=FakeDetector(), translator=FakeTranslator(down=True))
    assert tuple(asked) == queries_for(GERMAN)
    assert retrieval.reduced == ("lexical only", "not translated")
    assert (retrieval.language, retrieval.translated) == ("de", None)


def test_the_retrieval_tells_language_and_what_was_searched_for() -> None:
    retrieval = search_in_english(
        GERMAN, lambda _queries: _found(), detector=FakeDetector(), translator=FakeTranslator()
    )
    assert (retrieval.language, retrieval.reduced) == ("de", ())
    assert retrieval.translated == Inquiry("where are my bookmarks", "password forgotten")


def test_the_retrieval_of_an_english_inquiry_has_no_translation() -> None:
    retrieval = search_in_english(
        Inquiry("Help"), lambda _queries: _found(), detector=FakeDetector(), translator=FakeTranslator()
    )
    assert (retrieval.language, retrieval.translated, retrieval.reduced) == ("en", None, ())


def test_code_logs_addresses_and_placeholders_have_no_language() -> None:
    text = (
        "Hallo <PERSON_1>,\n2024-05-01 10:00:00 worker ERROR no space left on device\n"
        "Traceback (most recent call last):\nsiehe https://example.org/where/are/they und a@b.org, prefs.js"
    )
    assert prose(text).split() == ["Hallo", ",", "siehe", "und"]


def test_the_language_is_that_of_the_customers_words() -> None:
    detector = FakeDetector()
    assert language_of(Inquiry("new", "subject", first="first", between=("b",), replies=("reply",)), detector) == "en"
    assert detector.seen == ["subject\nfirst\nnew"]


def test_without_prose_nobody_is_asked() -> None:
    detector = FakeDetector()
    assert language_of(Inquiry("https://example.org/a\n<PERSON_1>"), detector) == "en"
    assert detector.seen == []


def test_a_word_counts_in_the_lexical_search_as_often_as_it_is_meant() -> None:
    query = WeightedQuery("remove", 2.0, words=(("delete", 1.0), ("remove", 0.3), ("erase", 0.1)))
    terms, weight = lexical_terms(query)
    assert terms["body"] == ["delet"] * 4 + ["remov"]
    assert weight == 0.5


def test_without_words_the_text_itself_is_searched_for() -> None:
    terms, weight = lexical_terms(WeightedQuery("remove bookmarks", 2.0))
    assert (terms["body"], weight) == (["remov", "bookmark"], 2.0)


def _found(reduced: tuple[str, ...] = ()) -> Retrieval:
    return Retrieval((), (), Run("fusion", "", (), 10), reduced=reduced)
