"""Which translator the settings give, and that nothing is contacted before a ticket needs it."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from connectors.models.multilingual import PackagedTranslator
from connectors.models.translator import LibreTranslate
from core.errors import InvalidSettings
from plugin.bootstrap import translator_of
from plugin.settings import Settings, load_settings
from tests.fakes.translation import LibreTranslateServer


def test_the_packaged_tables_are_the_default() -> None:
    with ExitStack() as stack:
        assert isinstance(translator_of(Settings(_env_file=None), stack), PackagedTranslator)


def test_none_gives_no_translator() -> None:
    with ExitStack() as stack:
        assert translator_of(Settings(_env_file=None, translation="none"), stack) is None


def test_a_server_without_address_is_a_mistake_in_the_settings() -> None:
    settings = Settings(_env_file=None, translation="libretranslate")
    with ExitStack() as stack, pytest.raises(InvalidSettings, match="CITEDESK_LIBRETRANSLATE_URL is empty"):
        translator_of(settings, stack)


def test_another_word_is_a_mistake_in_the_settings() -> None:
    with pytest.raises(InvalidSettings, match="CITEDESK_TRANSLATION"):
        load_settings(translation="deepl")


def test_the_configured_server_is_asked_with_its_key_and_only_for_a_text() -> None:
    with LibreTranslateServer("key of the test") as server, ExitStack() as stack:
        settings = Settings(
            _env_file=None,
            translation="libretranslate",
            libretranslate_url=server.url,
            libretranslate_key="key of the test",
        )
        translator = translator_of(settings, stack)
        assert isinstance(translator, LibreTranslate)
        translator.warm_up()
        assert server.seen == []
        assert translator.translate(["Passwort"], "de")[0].text == "password"
