"""Technical identifiers in a text, found by expressions that the redaction does not use, and which of them survived.

What they are: names of catalogued objects, missions and archives; programme, observation and publication ids;
coordinates; versions; hashes and UUIDs; error codes; ticket numbers; file names; hosts of web addresses; dotted and
snake_case names and calls; dates and times. What is personal in such a place is left out: e-mail addresses, the part of
a path or address after the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.domain.passage import Span

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_EXTENSION = (
    r"(?:py|pyc|ipynb|fits?|fz|gz|tar|zip|csv|tsv|txt|log|json5?|jsonlz4|xml|vot|html?|css|js|cfg|ini|conf|toml|ya?ml"
    r"|pdf|png|jpe?g|gif|svg|exe|dll|so|dmg|xpi|sqlite|db|md|rst|sh|bat|dat|h5|hdf5|parquet|corrupt|list|reg)"
)
_SURVEYS = (
    r"(?:NGC|IC|UGC|PGC|HD|HIP|HR|SAO|TYC|TIC|KIC|EPIC|TOI|KOI|GJ|Gl|LHS|BD|Abell|ACO|Mrk|Arp|PSR|SN|GRB|2MASS|WASP"
    r"|SDSS|3C|4C|PKS|Barnard|LkCa|Kepler|TRAPPIST|Sh2|LDN|Cl|Melotte|Collinder)"
)
_NAMED = (
    r"(?:Firefox|Thunderbird|Mozilla|Windows|Linux|Ubuntu|Debian|macOS|Android|Chrome|Safari|Edge|Vivaldi|SIMBAD|Simbad"
    r"|VizieR|Vizier|Aladin|TESS|JWST|HST|Hubble|ALMA|Gaia|IRSA|MAST|NED|ESO|ESA|NASA|SDSS|WISE|2MASS|Kepler|Chandra"
    r"|Herschel|Spitzer|Planck|Euclid|MUSE|UVES|HARPS|VLT|APEX|Gemini|Horizons|astroquery|astropy|TOPCAT|Splatalogue"
    r"|SkyView|HEASARC|XMM|Python|python|JavaScript|Java|numpy|pip|conda|Jupyter|ADQL|TAP|WCS|UTC)"
)

EXPRESSIONS: dict[str, str] = {
    "object name": rf"\b{_SURVEYS}[ -]?[J+]?\d[\d.+-]*[a-zA-Z]?\b|\bM ?\d{{1,3}}\b(?! ?(?:b|B|bytes)\b)",
    "product or archive": rf"\b{_NAMED}\b",
    "programme id": r"\b\d{2,4}\.[A-Z]-\d{4}(?:\([A-Z]\))?|\b20\d\d\.\d\.\d{5}\.[A-Z]\b"
    r"|\b(?:GO|GTO|DD|SNAP)[- ]?\d{4,5}\b",
    "publication id": r"\b10\.\d{4,5}/[^\s,;]+\w|\barXiv:\d{4}\.\d{4,5}|\b\d{4}[A-Z][\w&.]{13}[A-Z]\b",
    "coordinate": r"\b\d{1,2}h ?\d{1,2}m ?\d{1,2}(?:\.\d+)?s|[+-]?\b\d{1,2}[d°] ?\d{1,2}[m'′] ?\d{1,2}(?:\.\d+)?[s\"″]"
    r"|\b\d{1,2}:\d\d:\d\d\.\d+ ?[+-]?\d{1,2}:\d\d:\d\d|\b\d{1,3}\.\d{3,} ?,? ?[+-]?\d{1,2}\.\d{3,}\b",
    "version": r"\b[vV]?\d{1,3}\.\d{1,5}(?:\.\d{1,5})?(?:[abr]c?\d{1,2})?\b(?!\.\d|[%€$])",
    "hash or uuid": r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b",
    "error code": r"\b0x[0-9A-Fa-f]{2,16}\b|\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b|\b[A-Z]\w+(?:Error|Exception|Warning)\b"
    r"|\b(?:HTTP|[Ee]rror|[Cc]ode|[Ff]ehler) [1-5]\d\d\b",
    "ticket number": r"(?<![\w&])#\d{2,9}\b|\b[A-Z]{2,6}-\d{2,6}\b",
    "file name": rf"\b[\w-]+(?:\.[\w-]+)*\.{_EXTENSION}\b(?![./@(])",
    "host": r"(?<=://)[A-Za-z0-9.-]+\.[a-z]{2,}(?![\w@])",
    "code name": r"\b[a-z]\w*(?:\.[A-Za-z_]\w*)+(?=\()|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Za-z_]\w{2,}(?=\(\)?['\"\w)])",
    "date or time": r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?|\b\d{1,2}:\d\d(?::\d\d)?\b"
    rf"|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|\b\d{{1,2}} {_MONTH} \d{{4}}\b|\b{_MONTH} \d{{1,2}},? \d{{4}}\b",
}
"""What a technical identifier is, by kind. Overlapping matches count once, the first kind of this order wins."""

_COMPILED = {kind: re.compile(expression) for kind, expression in EXPRESSIONS.items()}
_PRIVATE = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|://[^\s/]+(?P<rest>/\S*)|\b\d{1,3}(?:\.\d{1,3}){3}\b")


@dataclass(frozen=True, slots=True)
class Identifier:
    """An occurrence in a text."""

    kind: str
    span: Span


def find_identifiers(text: str) -> list[Identifier]:
    """Occurrences in text order, apart from each other.

    >>> [text[i.span.slice] for text in ["NGC 6397 in night.py of v1.2.3, see #4711"] for i in find_identifiers(text)]
    ['NGC 6397', 'night.py', 'v1.2.3', '#4711']
    >>> find_identifiers("write to gaia@nasa.example")
    []
    """
    taken = bytearray(len(text))
    for span in _private(text):
        taken[span.slice] = b"\1" * len(span)
    found = []
    for kind, regex in _COMPILED.items():
        for match in regex.finditer(text):
            span = Span(*match.span())
            if not any(taken[span.slice]):
                taken[span.slice] = b"\1" * len(span)
                found.append(Identifier(kind, span))
    return sorted(found, key=lambda identifier: identifier.span.start)


def surviving(identifiers: Iterable[Identifier], replaced: Iterable[Span]) -> Iterator[Identifier]:
    """Those that no replaced span touches.

    >>> found = find_identifiers("TESS and Gaia")
    >>> [i.span.start for i in surviving(found, [Span(5, 8)])]
    [0, 9]
    """
    gone = list(replaced)
    for identifier in identifiers:
        if not any(identifier.span.overlaps(span) for span in gone):
            yield identifier


def _private(text: str) -> Iterator[Span]:
    """Where identifiers are not looked for: e-mail addresses, IP addresses, the path of a web address."""
    for match in _PRIVATE.finditer(text):
        yield Span(*match.span("rest" if match.group("rest") else 0))
