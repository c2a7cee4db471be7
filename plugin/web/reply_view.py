"""A reply as it is shown: its sentences with markers, in paragraphs and lists, and the passages they rest on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain.access import PUBLIC, visibility_of
from core.domain.draft import Draft, Evidence, Layout, Sentence, SentenceKind
from core.domain.passage import Span
from core.domain.redaction import PlaceholderMap
from core.drafting.editing import EditedSentence, check_edit
from core.drafting.words import shorten
from plugin.web.rendering import Piece, Segment, highlighted, segments, web_address

EXCERPT_CHARS = 48

_LIST_MARKER = re.compile(r"(?:^|\n)[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]*$")


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """`number` counts from 1 within the reply. `struck`: no source supports it, `note` says why."""

    number: int
    segments: list[Segment]
    quotes: tuple[tuple[int, Span], ...] = ()
    layout: Layout = Layout.RUNNING
    struck: bool = False
    yours: bool = False
    note: str = ""

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)

    @property
    def markers(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(marker for marker, _ in self.quotes))


@dataclass(frozen=True, slots=True)
class Block:
    """Paragraphs, or the items of one list: each line is a row of sentences."""

    is_list: bool
    lines: list[list[ShownSentence]]


@dataclass(frozen=True, slots=True)
class Card:
    """A passage on the page. `sentences` rest on it, by number and first words.

    `changed` says how its document differs today from what it was then; `readers` is the class of readers that its
    document is for, empty when customers are among them.
    """

    marker: int
    title: str
    path: tuple[str, ...]
    page: int | None
    collection: str
    readers: str
    version: str
    url: str
    pieces: list[Piece]
    sentences: tuple[tuple[int, str], ...]
    changed: str = ""


def shown_sentences(draft: Draft, placeholders: PlaceholderMap) -> list[ShownSentence]:
    """The agent's edit, checked sentence by sentence, if there is one; else what the system wrote."""
    if draft.edited_text is not None:
        return _edited(draft.edited_text, draft, placeholders)
    return [_written(number, sentence, placeholders) for number, sentence in enumerate(draft.sentences, start=1)]


def _written(number: int, sentence: Sentence, placeholders: PlaceholderMap) -> ShownSentence:
    struck = sentence.kind is SentenceKind.EVIDENCE and not sentence.grounded
    return ShownSentence(
        number,
        segments(sentence.text, placeholders),
        tuple((citation.marker, citation.quote) for citation in sentence.citations),
        sentence.layout,
        struck=struck,
        note=(sentence.reason or "no source says so") if struck else "",
    )


def _edited(edited: str, draft: Draft, placeholders: PlaceholderMap) -> list[ShownSentence]:
    shown: list[ShownSentence] = []
    done = 0
    for number, sentence in enumerate(check_edit(edited, draft.sentences), start=1):
        place = _place(sentence.text, edited, done)
        gap, text = edited[done : place.start], edited[place.slice] or sentence.text
        shown.append(_checked(number, sentence, segments(text, placeholders), _layout(gap)))
        done = place.end
    return shown


def _place(sentence: str, text: str, done: int) -> Span:
    """Where the sentence, whose white space is collapsed, stands in the text; an empty span when it is not found."""
    found = re.compile(r"\s+".join(map(re.escape, sentence.split()))).search(text, done)
    return Span(*found.span()) if found else Span(done, done)


def _layout(gap: str) -> Layout:
    """How a sentence starts, by what stands between it and the one before."""
    if _LIST_MARKER.search(gap):
        return Layout.ITEM
    return Layout.PARAGRAPH if "\n" in gap else Layout.RUNNING


def _checked(number: int, sentence: EditedSentence, shown: list[Segment], layout: Layout) -> ShownSentence:
    yours = sentence.origin == "agent"
    return ShownSentence(
        number,
        shown,
        tuple((citation.marker, citation.quote) for citation in sentence.citations),
        layout,
        yours=yours,
        note="no source says so" if yours and not sentence.supported else "",
    )


def blocks(sentences: Sequence[ShownSentence]) -> list[Block]:
    """Paragraphs and lists, in order."""
    found: list[Block] = []
    for sentence in sentences:
        is_list = sentence.layout is Layout.ITEM
        if sentence.layout is Layout.RUNNING and found:
            found[-1].lines[-1].append(sentence)
        elif found and is_list and found[-1].is_list:
            found[-1].lines.append([sentence])
        else:
            found.append(Block(is_list, [[sentence]]))
    return found


def cards(draft: Draft, sentences: Sequence[ShownSentence], changes: Mapping[str, str]) -> list[Card]:
    """The cited passages in marker order; for an abstention the nearest ones. `changes` is by doc_id."""
    evidence = draft.evidence or (draft.abstention.nearest if draft.abstention else ())
    return [card(item, sentences, changes.get(item.passage.doc_id, "")) for item in evidence]


def card(item: Evidence, sentences: Sequence[ShownSentence], changed: str = "") -> Card:
    passage = item.passage
    visibility = visibility_of(passage.collection)
    quotes = [(span, s.number) for s in sentences for marker, span in s.quotes if marker == item.marker]
    return Card(
        marker=item.marker,
        title=passage.title,
        path=tuple(heading for heading in passage.heading_path if heading != passage.title),
        page=passage.page,
        collection=passage.collection,
        readers="" if visibility == PUBLIC else visibility,
        version=passage.doc_version[:8],
        url=web_address(passage.url),
        pieces=highlighted(passage.text, quotes),
        sentences=tuple((s.number, shorten(s.text, EXCERPT_CHARS)) for s in sentences if item.marker in s.markers),
        changed=changed,
    )
