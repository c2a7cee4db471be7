"""A LibreTranslate server as translator: https://docs.libretranslate.com (POST /translate, GET /languages)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from connectors.models.multilingual import GLOSSED
from core.domain.provenance import Component
from core.domain.retrieval import Translation
from core.errors import ModelUnavailable

TIMEOUT_S = 20.0


class LibreTranslate:
    """Implements `core.ports.Translator` over HTTP; the texts, redacted, go to the configured server and nowhere else.

    The whole list goes in one request. Raises `ModelUnavailable` when the server does not answer, refuses, or answers
    something else. `languages` are those we tell apart and it is asked for; one that the server lacks is refused by it.
    """

    languages = GLOSSED

    def __init__(self, url: str, api_key: str = "", *, timeout_s: float = TIMEOUT_S) -> None:
        self._key = api_key
        self._client = httpx.Client(
            base_url=url.rstrip("/"), timeout=timeout_s, follow_redirects=False, trust_env=False
        )

    @property
    def component(self) -> Component:
        return Component("translator", "LibreTranslate")

    def translate(self, texts: Sequence[str], language: str) -> list[Translation]:
        full = [text for text in texts if text.strip()]
        told = iter(self._ask(full, language) if full else [])
        return [Translation(next(told) if text.strip() else text) for text in texts]

    def warm_up(self) -> None:
        """The server loads its models by itself."""

    def close(self) -> None:
        self._client.close()

    def _ask(self, texts: list[str], language: str) -> list[str]:
        wanted: dict[str, object] = {"q": texts, "source": language, "target": "en", "format": "text"}
        answer = self._post(wanted | ({"api_key": self._key} if self._key else {}))
        told = answer.get("translatedText")
        if not isinstance(told, list) or len(told) != len(texts) or not all(isinstance(text, str) for text in told):
            raise ModelUnavailable("The translation server did not answer with one translation for each text.")
        return told

    def _post(self, body: Mapping[str, object]) -> dict[str, Any]:
        try:
            response = self._client.post("/translate", json=body)
            response.raise_for_status()
            answer = response.json()
        except httpx.HTTPStatusError as error:
            raise ModelUnavailable(f"The translation server answered {error.response.status_code}.") from error
        except (httpx.HTTPError, ValueError) as error:
            raise ModelUnavailable("The translation server does not answer.") from error
        return answer if isinstance(answer, dict) else {}
