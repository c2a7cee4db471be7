"""What it takes to have Presidio run functions of ours: a recognizer made of one, and an engine without a pipeline.

Importing this imports Presidio and spaCy (seconds); `connectors.models.recognizer` does it when the first text comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import spacy
from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

from core.domain.passage import Span
from core.domain.redaction import Entity

Finder = Callable[[str], Sequence[Entity]]
LANGUAGE = "en"
"""A formality: each recognizer takes texts in any language."""


def build_engine(finders: Mapping[str, Finder]) -> AnalyzerEngine:
    """An analyzer with one recognizer for each function, under its name, and no other."""
    recognizers = [FunctionRecognizer(name, find) for name, find in finders.items()]
    registry = RecognizerRegistry(recognizers=recognizers, supported_languages=[LANGUAGE])
    return AnalyzerEngine(nlp_engine=NoPipeline(), registry=registry, supported_languages=[LANGUAGE])


def analyze(engine: AnalyzerEngine, text: str) -> list[Entity]:
    """What the recognizers found, in text order."""
    results = engine.analyze(text, language=LANGUAGE, score_threshold=0)
    return sorted(map(_entity, results), key=lambda entity: (entity.span.start, entity.span.end, entity.kind))


class FunctionRecognizer(EntityRecognizer):
    """Kinds are whatever the function finds; Presidio wants to be told one."""

    def __init__(self, name: str, find: Finder) -> None:
        self._find = find
        super().__init__(supported_entities=["PERSON"], name=name, supported_language=LANGUAGE)

    def load(self) -> None:
        """Nothing to load: the function loads what it needs."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        return [_result(entity) for entity in once(self._find(text))]


def once(entities: Iterable[Entity]) -> list[Entity]:
    """One entity for each kind and span, the surest: of equal ones Presidio would keep any.

    >>> same = Span(0, 3)
    >>> [entity.reason for entity in once([Entity("PERSON", same, 0.6, "a"), Entity("PERSON", same, 0.8, "b")])]
    ['b']
    """
    surest: dict[tuple[str, Span], Entity] = {}
    for entity in sorted(entities, key=lambda entity: (-entity.score, entity.reason)):
        surest.setdefault((entity.kind, entity.span), entity)
    return list(surest.values())


def _result(entity: Entity) -> RecognizerResult:
    named = {RecognizerResult.RECOGNIZER_NAME_KEY: entity.reason}
    return RecognizerResult(entity.kind, entity.span.start, entity.span.end, entity.score, recognition_metadata=named)


def _entity(result: RecognizerResult) -> Entity:
    reason = (result.recognition_metadata or {})[RecognizerResult.RECOGNIZER_NAME_KEY]
    return Entity(result.entity_type, Span(result.start, result.end), float(result.score), reason)


class NoPipeline(NlpEngine):
    """An engine that reads nothing: our recognizers do not look at tokens and lemmas."""

    def __init__(self) -> None:
        self._nothing = spacy.blank("xx")("")

    def load(self) -> None:
        """Nothing to load."""

    def is_loaded(self) -> bool:
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        return NlpArtifacts([], self._nothing, [], [], self, language)

    def process_batch(
        self, texts: Iterable[str], language: str, batch_size: int = 1, n_process: int = 1, **_: Any
    ) -> Iterator[tuple[str, NlpArtifacts]]:
        return ((text, self.process_text(text, language)) for text in texts)

    def is_stopword(self, word: str, language: str) -> bool:
        return False

    def is_punct(self, word: str, language: str) -> bool:
        return False

    def get_supported_entities(self) -> list[str]:
        return []

    def get_supported_languages(self) -> list[str]:
        return [LANGUAGE]
