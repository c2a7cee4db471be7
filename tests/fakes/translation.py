"""A detector that knows some words, a translator with a small dictionary, and a server that speaks LibreTranslate."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Self

from core.domain.provenance import Component
from core.domain.retrieval import Translation
from core.errors import ModelUnavailable

GERMAN: Mapping[str, str] = {
    "lesezeichen": "bookmarks",
    "wo": "where",
    "sind": "are",
    "meine": "my",
    "passwort": "password",
    "vergessen": "forgotten",
}


class FakeDetector:
    """German where a word of `GERMAN` stands, else English. `seen` are the texts it was asked about."""

    component = Component("language detector", "fake", "1")

    def __init__(self) -> None:
        self.seen: list[str] = []

    def detect(self, text: str) -> str:
        self.seen.append(text)
        return "de" if _known(text) else "en"


class FakeTranslator:
    """Word by word, from German only. With `down` every translation fails; `with_words` gives words for BM25 too."""

    component = Component("translator", "fake", "1")
    languages = frozenset({"de"})

    def __init__(self, *, down: bool = False, with_words: bool = False) -> None:
        self.down = down
        self.with_words = with_words
        self.asked: list[str] = []

    def translate(self, texts: Sequence[str], language: str) -> list[Translation]:
        if self.down or language not in self.languages:
            raise ModelUnavailable("The translator does not answer.")
        self.asked += texts
        return [Translation(_english(text), self._words(text)) for text in texts]

    def warm_up(self) -> None:
        """Nothing to load."""

    def _words(self, text: str) -> tuple[tuple[str, float], ...]:
        return tuple((GERMAN[word], 0.75) for word in _known(text)) if self.with_words else ()


class LibreTranslateServer:
    """`with LibreTranslateServer() as server: LibreTranslate(server.url)`. Translates as `FakeTranslator` does.

    `POST /translate` as LibreTranslate 1.6 documents it: a list in `q` gives a list, a missing or wrong `api_key` 403,
    an unknown language 400, each error as `{"error": ...}`. `answer` replaces what is sent back, status and body.
    """

    def __init__(self, api_key: str = "") -> None:
        self.api_key = api_key
        self.seen: list[dict[str, Any]] = []
        self.answer: tuple[int, bytes] | None = None
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def respond(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        self.seen.append(body)
        if self.answer:
            return self.answer
        if path != "/translate":
            return _error(404, "Not Found")
        if self.api_key and body.get("api_key") != self.api_key:
            return _error(403, "Invalid API key")
        if body.get("source") != "de" or body.get("target") != "en":
            return _error(400, f"{body.get('source')} is not supported")
        wanted = body["q"]
        told = [_english(text) for text in wanted] if isinstance(wanted, list) else _english(wanted)
        return 200, json.dumps({"translatedText": told}).encode()


def _handler(server: LibreTranslateServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            status, body = server.respond(self.path, json.loads(content))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing is printed."""

    return Handler


def _error(status: int, text: str) -> tuple[int, bytes]:
    return status, json.dumps({"error": text}).encode()


def _known(text: str) -> list[str]:
    return [word for word in text.casefold().replace("?", " ").replace(",", " ").split() if word in GERMAN]


def _english(text: str) -> str:
    return " ".join(GERMAN.get(word.casefold().strip("?,."), word) for word in text.split(" "))
