"""Other languages without a network: which one a text is in, and a rough English of it by packaged phrase tables.

The tables (`phrases/<language>.tsv.gz`) were learned from published translations by `python -m
training.multilingual`; each line is a foreign phrase as stems, a tab, and its English phrases with per cent.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import Any

from connectors.models.weights import check_pinned, sha256_of
from core.domain.provenance import Component
from core.domain.retrieval import Translation
from core.errors import MissingDependency, ModelUnavailable
from core.retrieval.gloss import PhraseTable, translate

FOLDER = Path(__file__).parent / "phrases"

GLOSSED = frozenset({"de", "es", "fr", "it", "pt"})

TOLD_APART = (
    "en", "de", "es", "fr", "it", "pt",
    "ar", "cs", "da", "el", "fi", "hu", "ja", "ko", "nl", "pl", "ro", "ru", "sv", "tr", "uk", "zh",
)  # fmt: skip
"""Languages the detector chooses from. Rarer ones are left out: short texts would be taken for them."""

SURE_FROM = 0.6
"""Probability from which the detector's word is taken; below, a text counts as English."""


class LangidDetector:
    """Implements `core.ports.LanguageDetector` with py3langid (Lui and Baldwin 2012); safe in threads.

    0.2 ms for a ticket; 0.3 s for loading the model at the first text.
    """

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = Lock()

    @property
    def component(self) -> Component:
        return Component("language detector", "py3langid", metadata.version("py3langid"))

    def detect(self, text: str) -> str:
        language, probability = self._loaded().classify(text)
        return str(language) if probability >= SURE_FROM else "en"

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = _load_detector()
            return self._model


class PackagedTranslator:
    """Implements `core.ports.Translator` by phrase tables; safe in threads.

    A language's table is loaded when its first text comes (0.2 s, 30 MB). Raises `ModelCorrupt` when a table is not
    the pinned one.
    """

    languages = GLOSSED

    @property
    def component(self) -> Component:
        return Component("translator", "packaged phrase tables", metadata.version("citedesk"), sha256_of(_files()))

    def translate(self, texts: Sequence[str], language: str) -> list[Translation]:
        table = read_table(language)
        return [translate(text, language, table) for text in texts]

    def warm_up(self) -> None:
        for language in sorted(self.languages):
            read_table(language)


@lru_cache(maxsize=len(GLOSSED))
def read_table(language: str) -> PhraseTable:
    """Raises `ModelUnavailable`, `ModelCorrupt`."""
    file = _file(language)
    if language not in GLOSSED or not file.is_file():
        raise ModelUnavailable(f"There is no phrase table for the language {language}.")
    check_pinned(f"phrases/{file.name}", sha256_of([file]))
    return parse_table(gzip.decompress(file.read_bytes()).decode("utf-8"))


def parse_table(content: str) -> dict[tuple[str, ...], tuple[tuple[str, float], ...]]:
    """Lines `stem stem<tab>english=75|other=20`, the numbers in per cent, best first."""
    table: dict[tuple[str, ...], tuple[tuple[str, float], ...]] = {}
    for line in content.splitlines():
        source, _, targets = line.partition("\t")
        pairs = [target.rpartition("=") for target in targets.split("|")]
        table[tuple(source.split(" "))] = tuple((english, int(per_cent) / 100) for english, _, per_cent in pairs)
    return table


def format_table(table: PhraseTable) -> str:
    """What `parse_table` reads, sorted; probabilities are rounded to whole per cent, at least 1."""
    return "".join(
        " ".join(source) + "\t" + "|".join(f"{english}={max(1, round(p * 100))}" for english, p in choices) + "\n"
        for source, choices in sorted(table.items())
    )


def _file(language: str) -> Path:
    return FOLDER / f"{language}.tsv.gz"


def _files() -> list[Path]:
    return [_file(language) for language in sorted(GLOSSED)]


def _load_detector() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise MissingDependency("The language detector is not installed.", hint="pip install py3langid") from error
    detector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    detector.set_languages(list(TOLD_APART))
    return detector
