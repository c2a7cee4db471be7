"""What every translator does, and every language detector: the fakes, the packaged ones, a LibreTranslate server."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from connectors.models import multilingual
from connectors.models.multilingual import LangidDetector, PackagedTranslator, format_table, parse_table, read_table
from connectors.models.translator import LibreTranslate
from core.errors import ModelCorrupt, ModelUnavailable
from core.ports import LanguageDetector, Translator
from tests.fakes.translation import FakeDetector, FakeTranslator, LibreTranslateServer


@lru_cache(maxsize=1)
def langid() -> LangidDetector:
    """One for the whole module: loading takes most of a second."""
    return LangidDetector()


@pytest.fixture(params=["fake", "packaged", "libretranslate"])
def translator(request: pytest.FixtureRequest) -> Iterator[Translator]:
    if request.param == "fake":
        yield FakeTranslator()
    elif request.param == "packaged":
        yield PackagedTranslator()
    else:
        with LibreTranslateServer() as server:
            client = LibreTranslate(server.url)
            yield client
            client.close()


@pytest.fixture(params=["fake", "packaged"])
def detector(request: pytest.FixtureRequest) -> LanguageDetector:
    return FakeDetector() if request.param == "fake" else langid()


def test_texts_come_back_in_english_in_their_order(translator: Translator) -> None:
    told = translator.translate(["Wo sind meine Lesezeichen", "Passwort vergessen"], "de")
    assert ["bookmarks" in one.text for one in told] == [True, False]
    assert "password" in told[1].text


def test_an_empty_text_stays_empty_and_keeps_its_place(translator: Translator) -> None:
    first, empty, last = translator.translate(["Passwort", "", "Lesezeichen"], "de")
    assert (first.text, empty.text, empty.words, last.text) == ("password", "", (), "bookmarks")


def test_no_texts_give_no_translations(translator: Translator) -> None:
    assert translator.translate([], "de") == []


def test_german_is_among_the_languages_and_english_is_not(translator: Translator) -> None:
    assert "de" in translator.languages
    assert "en" not in translator.languages


def test_a_language_it_does_not_know_is_refused(translator: Translator) -> None:
    with pytest.raises(ModelUnavailable):
        translator.translate(["Gdzie są moje zakładki"], "pl")


def test_it_says_what_it_is(translator: Translator) -> None:
    translator.warm_up()
    assert translator.component.role == "translator"
    assert translator.component.name


def test_english_and_german_are_told_apart(detector: LanguageDetector) -> None:
    assert detector.detect("Where are all the things that I saved in the browser?") == "en"
    assert detector.detect("Wo sind meine Lesezeichen, ich habe das Passwort vergessen?") == "de"
    assert detector.component.role == "language detector"


# ---------------------------------------------------------------- the packaged ones


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Firefox se cierra solo cuando abro una pestaña nueva", "es"),
        ("Firefox schließt sich, sobald ich einen neuen Tab öffne", "de"),
        ("Firefox se ferme dès que j'ouvre un nouvel onglet", "fr"),
        ("Firefox si chiude appena apro una nuova scheda", "it"),
        ("O Firefox fecha sozinho quando abro uma nova aba", "pt"),
        ("Firefox closes as soon as I open a new tab", "en"),
        ("Firefox sluit zodra ik een nieuw tabblad open", "nl"),
        ("Firefox закрывается, как только я открываю вкладку", "ru"),
        ("Master Password", "en"),
        ("about:config", "en"),
        ("", "en"),
    ],
)
def test_the_detector_tells_languages_apart_and_counts_doubtful_texts_as_english(text: str, language: str) -> None:
    assert langid().detect(text) == language


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("es", "¿Dónde están mis marcadores? La barra de herramientas está vacía.", ("bookmarks", "toolbar", "empty")),
        ("de", "Die Lesezeichenleiste zeigt meine Passwörter nicht", ("bookmark", "password", "not")),
        ("fr", "J'ai oublié le mot de passe principal", ("password",)),
        ("it", "Impossibile aggiornare il componente aggiuntivo", ("update", "add on")),
        ("pt", "Não consigo salvar a senha na nova aba", ("password", "new tab", "save")),
    ],
)
def test_the_words_of_a_ticket_are_found_in_its_gloss(language: str, text: str, wanted: tuple[str, ...]) -> None:
    gloss = PackagedTranslator().translate([text], language)[0].text
    assert [word for word in wanted if word not in gloss] == []


def test_identifiers_addresses_and_line_breaks_survive() -> None:
    text = "Öffnen Sie about:config\nund https://example.org/Passwort/vergessen (SEC_ERROR_UNKNOWN_ISSUER, 128.0.3)."
    gloss = PackagedTranslator().translate([text], "de")[0].text
    for kept in ("about:config\n", "https://example.org/Passwort/vergessen (SEC_ERROR_UNKNOWN_ISSUER, 128.0.3)."):
        assert kept in gloss


def test_a_table_is_read_as_it_was_written() -> None:
    table = {("mot", "de", "pass"): (("password", 0.9), ("passphrase", 0.1)), ("de",): (("of", 0.004),)}
    assert parse_table(format_table(table)) == {**table, ("de",): (("of", 0.01),)}
    assert format_table(table).splitlines()[1] == "mot de pass\tpassword=90|passphrase=10"


def test_a_table_with_other_bytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "de.tsv.gz").write_bytes(gzip.compress(b"passwort\tsecret=100\n"))
    monkeypatch.setattr(multilingual, "FOLDER", tmp_path)
    read_table.cache_clear()
    with pytest.raises(ModelCorrupt, match="phrases/de"):
        PackagedTranslator().translate(["Passwort"], "de")
    read_table.cache_clear()


def test_the_hash_of_the_tables_is_named() -> None:
    assert len(PackagedTranslator().component.sha256) == 64


def test_detecting_english_loads_no_table() -> None:
    code = (
        "from connectors.models.multilingual import LangidDetector, PackagedTranslator, read_table;"
        "from core.domain.retrieval import Inquiry; from core.retrieval.language import understand;"
        "told = understand(Inquiry('My bookmarks are gone since the update'),"
        " detector=LangidDetector(), translator=PackagedTranslator());"
        "assert told.language == 'en', told; assert read_table.cache_info().currsize == 0;"
        "import sys; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# ---------------------------------------------------------------- LibreTranslate


def test_a_ticket_is_one_request_with_the_documented_fields() -> None:
    with LibreTranslateServer("key of the test") as server:
        LibreTranslate(server.url + "/", "key of the test").translate(["Passwort", " ", "Lesezeichen"], "de")
    assert server.seen == [
        {
            "q": ["Passwort", "Lesezeichen"],
            "source": "de",
            "target": "en",
            "format": "text",
            "api_key": "key of the test",
        }
    ]


def test_no_request_is_made_without_text() -> None:
    with LibreTranslateServer() as server:
        LibreTranslate(server.url).translate(["", "\n"], "de")
    assert server.seen == []


def test_a_wrong_key_is_refused_without_naming_it() -> None:
    with LibreTranslateServer("right") as server, pytest.raises(ModelUnavailable, match="answered 403") as raised:
        LibreTranslate(server.url, "wrong").translate(["Passwort"], "de")
    assert "wrong" not in raised.value.message


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"{}", b'{"translatedText": "one"}', b'{"translatedText": []}', b'{"translatedText": [1]}'],
)
def test_any_other_answer_is_an_error_of_ours(body: bytes) -> None:
    with LibreTranslateServer() as server:
        server.answer = (200, body)
        with pytest.raises(ModelUnavailable):
            LibreTranslate(server.url).translate(["Passwort"], "de")


def test_a_server_that_is_down_is_unavailable() -> None:
    with LibreTranslateServer() as server:
        url = server.url
    with pytest.raises(ModelUnavailable, match="does not answer"):
        LibreTranslate(url, timeout_s=2).translate(["Passwort"], "de")
