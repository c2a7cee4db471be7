"""What a reply can be made of: single sentences, and lists of steps as a whole.

Passages are windows cut from sections; a list may run over the end of one, and neighbours overlap. Therefore the
section is cut into units, and every unit is then placed in the best-ranked passage that holds all of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from core.domain.passage import Passage, Span
from core.domain.retrieval import Retrieval
from core.drafting.quotable import is_navigation, why_never, why_not, why_not_alone
from core.drafting.sentences import Unit, UnitKind, units_of
from core.drafting.words import normalise, squeeze

Sections = Callable[[Passage], str]
"""The text of a passage's whole section: `document.text[passage.section_span.slice]`."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A unit inside a passage: `span` counts in the passage's text, `place` in the document's."""

    passage: Passage
    span: Span
    place: int
    kind: UnitKind

    @property
    def quoted_text(self) -> str:
        return self.passage.text[self.span.slice]

    @property
    def text(self) -> str:
        return squeeze(self.quoted_text)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, or a list of steps with what leads in to it. `rank` is its best passage's, from 1.

    `cut` says that the list goes on where no passage was found.
    """

    quotations: tuple[Quotation, ...]
    rank: int
    heading: str
    cut: bool = False

    @property
    def is_list(self) -> bool:
        return any(quotation.kind is UnitKind.STEP for quotation in self.quotations)

    @property
    def leads_in(self) -> bool:
        return self.quotations[0].kind is not UnitKind.STEP

    @property
    def text(self) -> str:
        return " ".join(quotation.text for quotation in self.quotations)

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Pool:
    """All candidates, best passage first, and how many units were passed over, by reason."""

    candidates: tuple[Candidate, ...]
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A section's text (or one passage's, when the section is unknown) that starts at `offset` of the document."""

    text: str
    offset: int
    passages: tuple[tuple[Passage, int], ...]

    def place(self, unit: Unit) -> tuple[Quotation, int] | None:
        """The unit in the best-ranked passage that holds all of it, with that rank."""
        start, end = self.offset + unit.span.start, self.offset + unit.span.end
        for passage, rank in self.passages:
            if passage.span.start <= start and end <= passage.span.end:
                span = Span(start - passage.span.start, end - passage.span.start)
                return Quotation(passage, span, start, unit.kind), rank
        return None


def gather(retrieval: Retrieval, *, depth: int, sections: Sections | None) -> Pool:
    """Candidates from the best `depth` passages. Passages further down only complete lists begun in those."""
    skipped: Counter[str] = Counter()
    found = [
        candidate
        for stretch in _stretches(retrieval, depth, sections)
        for candidate in _candidates(stretch, skipped)
        if candidate.rank <= depth
    ]
    unique = {(normalise(candidate.text)): candidate for candidate in sorted(found, key=lambda c: -c.rank)}
    skipped["duplicate"] = len(found) - len(unique)
    return Pool(tuple(sorted(unique.values(), key=lambda c: (c.rank, c.quotations[0].place))), +skipped)


def _stretches(retrieval: Retrieval, depth: int, sections: Sections | None) -> Iterator[_Stretch]:
    groups: dict[tuple[str, str, Span], list[tuple[Passage, int]]] = {}
    for rank, (passage, _score) in enumerate(retrieval.ranked, start=1):
        groups.setdefault((passage.doc_id, passage.doc_version, passage.section_span), []).append((passage, rank))
    for group in groups.values():
        if group[0][1] <= depth:
            yield from _stretches_of(group, sections)


def _stretches_of(group: Sequence[tuple[Passage, int]], sections: Sections | None) -> Iterator[_Stretch]:
    """The section as one stretch; each passage by itself when the section's text is unknown or has changed since."""
    first = group[0][0]
    text, offset = sections(first) if sections else "", first.section_span.start
    if text and all(text[p.span.start - offset : p.span.end - offset] == p.text for p, _rank in group):
        yield _Stretch(text, offset, tuple(group))
        return
    for passage, rank in group:
        yield _Stretch(passage.text, passage.span.start, ((passage, rank),))


def _candidates(stretch: _Stretch, skipped: Counter[str]) -> Iterator[Candidate]:
    units = units_of(stretch.text)
    at = 0
    while at < len(units):
        end = at + 1
        if units[at].kind is UnitKind.STEP:
            while end < len(units) and units[end].kind is UnitKind.STEP:
                end += 1
            yield from _list(stretch, units, at, end, skipped)
        elif not _opens_list(stretch, units, at):
            yield from _sentence(stretch, units[at], skipped)
        at = end


def _opens_list(stretch: _Stretch, units: Sequence[Unit], at: int) -> bool:
    """Whether the unit only makes sense with the list after it."""
    followed = at + 1 < len(units) and units[at + 1].kind is UnitKind.STEP
    return followed and stretch.text[units[at].span.slice].rstrip("*_ ").endswith(":")


def _sentence(stretch: _Stretch, unit: Unit, skipped: Counter[str]) -> Iterator[Candidate]:
    placed = stretch.place(unit)
    if placed is None or unit.kind is UnitKind.HEADING:
        return
    quotation, rank = placed
    reason = why_not(quotation.text, unit.kind, quotation.passage)
    if not reason and quotation.text.rstrip("*_ ").endswith(":"):
        reason = "announcement"
    if reason:
        skipped[reason] += 1
        return
    yield Candidate((quotation,), rank, _heading(quotation.passage))


def _list(stretch: _Stretch, units: Sequence[Unit], start: int, end: int, skipped: Counter[str]) -> Iterator[Candidate]:
    """The list with its lead-in, if every step it shows may be quoted and its beginning was found."""
    steps = [stretch.place(unit) for unit in units[start:end]]
    shown = [placed for placed in steps[: _first_gap(steps)] if placed]
    if not shown:
        skipped["list without its beginning"] += any(steps)
        return
    lead = stretch.place(units[start - 1]) if start else None
    if lead and is_navigation(lead[0].text):
        skipped["navigation"] += len(shown)
        return
    reason = next((why for placed in shown if (why := why_never(placed[0].text, placed[0].passage))), "")
    if reason or all(why_not_alone(placed[0].text, UnitKind.STEP) for placed in shown):
        skipped[reason or "navigation"] += len(shown)
        return
    if lead and not why_never(lead[0].text, lead[0].passage) and lead[0].kind in (UnitKind.SENTENCE, UnitKind.HEADING):
        shown.insert(0, lead)
    quotations = tuple(quotation for quotation, _rank in shown)
    rank = min(rank for _quotation, rank in shown)
    yield Candidate(quotations, rank, _heading(quotations[-1].passage), cut=None in steps)


def _first_gap(steps: Sequence[tuple[Quotation, int] | None]) -> int:
    return next((at for at, placed in enumerate(steps) if placed is None), len(steps))


def _heading(passage: Passage) -> str:
    """Title and headings once each, outermost first: what the section is about."""
    return ": ".join(dict.fromkeys((passage.title, *passage.heading_path)))
