"""Presidio's analyzer with two recognizers of ours: names and places found by Rampart, and our own patterns.

None of Presidio's own recognizers is loaded: its e-mail recognizer fetches a list of domain suffixes, its address,
telephone and web address recognizers take version numbers, timestamps and file names, and our patterns find all that
theirs find of these. It needs no language pipeline either: ours do not look at lemmas. So nothing touches the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from connectors.models.name_spans import (
    apart,
    find_foreign,
    find_homes,
    find_names,
    find_places,
    grown_names,
    without_unwanted,
    words_of,
)
from connectors.models.rampart import DISTRIBUTION, INSTALL, Rampart
from core.domain.provenance import Component
from core.domain.redaction import NO_LISTS, Entity, RedactionLists
from core.errors import MissingDependency
from core.redaction.lists import digest
from core.redaction.patterns import VERSION, find_patterns
from core.redaction.technical import code_spans, drop_technical, is_allowed
from core.redaction.words import ALSO_NAMES, NEVER_NAMES

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine

SPANS_VERSION = "1"
"""Raised with every change of what is made of the classifier's tokens; written in the provenance."""


class PresidioRecognizer:
    """Loads its model at the first text, or in `warm_up`; may be shared by threads.

    What `lists` allow is never taken for a person or a place, in any case. `threads` 0 means one a core.
    Raises `MissingDependency` without the packages, `ModelUnavailable` when the model does not load, and `ModelCorrupt`
    when its files are not the pinned ones.
    """

    def __init__(self, *, lists: RedactionLists = NO_LISTS, threads: int = 0) -> None:
        self._lists = lists
        self._allow = lists.allow
        self._rampart = Rampart(threads=threads)
        self._engine: AnalyzerEngine | None = None
        self._lock = Lock()

    @property
    def component(self) -> Component:
        parts = (
            f"presidio-analyzer {_version('presidio-analyzer')}",
            f"rampart {_version(DISTRIBUTION)} spans {SPANS_VERSION}",
            f"patterns {VERSION}",
            *([f"lists {digest(self._lists)[:12]}"] if len(self._lists) else []),
        )
        return Component("recognizer", "presidio", ", ".join(parts), self._rampart.sha256)

    @property
    def lists(self) -> RedactionLists:
        return self._lists

    @property
    def location(self) -> Path:
        """The file with the model's weights."""
        return self._rampart.location

    def warm_up(self) -> None:
        self.recognize("Hello Ana Bell")

    def recognize(self, text: str) -> list[Entity]:
        engine = self._loaded()
        from connectors.models.presidio_engine import analyze

        return analyze(engine, text)

    def _loaded(self) -> AnalyzerEngine:
        with self._lock:
            if self._engine is None:
                _ = self._rampart.sha256  # refuses files that are not the pinned ones
                self._engine = _load_engine({"rampart": self._names_and_places, "patterns": self._patterns})
            return self._engine

    def _names_and_places(self, text: str) -> list[Entity]:
        words = words_of(text, self._rampart.classify(text))
        names = [*find_names(text, words), *find_foreign(text)]
        kept = grown_names(text, drop_technical(text, names, allow=self._allow))
        wanted = list(without_unwanted(words, NEVER_NAMES | self._allow, ALSO_NAMES))
        places = [*find_places(text, wanted), *find_homes(text)]
        return [*kept, *self._outside_code(text, apart(text, places, kept))]

    def _outside_code(self, text: str, places: Iterable[Entity]) -> Iterator[Entity]:
        """Places that are no technical word; in lines of code only addresses that have a number and a capital."""
        code = code_spans(text)
        for place in places:
            said = text[place.span.slice]
            in_code = any(place.span.overlaps(span) for span in code)
            signs = any(map(str.isdigit, said)) + any(map(str.isupper, said))
            is_address = place.kind == "ADDRESS" and signs > in_code
            if is_address or (place.kind != "ADDRESS" and not in_code and not is_allowed(said, self._allow)):
                yield place

    def _patterns(self, text: str) -> list[Entity]:
        return find_patterns(text, allow=self._allow)


def _load_engine(finders: Mapping[str, Callable[[str], Sequence[Entity]]]) -> AnalyzerEngine:
    try:
        from connectors.models.presidio_engine import build_engine
    except ImportError as error:
        raise MissingDependency("Presidio is not installed.", hint="pip install presidio-analyzer") from error
    return build_engine(finders)


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError as error:
        hint = INSTALL if distribution == DISTRIBUTION else f"pip install {distribution}"
        raise MissingDependency(f"The package {distribution} is not installed.", hint=hint) from error
