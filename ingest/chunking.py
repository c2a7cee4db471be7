"""Cuts a document into passages.

The text is taken apart into the smallest pieces worth keeping whole (sentences, list items, table rows, lines of
code); a dynamic programme then chooses, within each section, the places to cut at, so that passages come near the
wanted length and the cuts fall between blocks rather than inside them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from core.domain.passage import Document, Passage, Section, Span, passage_id

CountTokens = Callable[[str], int]

LONGEST = 1.25
"""A passage has at most this many times the wanted words; only so far is a table or a code block kept whole."""

_BLANK_LINES = re.compile(r"\n{2,}")
_CODE = re.compile(r" {4}(?! *(?:[-*+] |\d+[.)] ))")
_ITEM = re.compile(r"^(?= *(?:[-*+•] |\d+[.)] ))", re.MULTILINE)
_LINE = re.compile(r"^", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[<]?[^\W_a-z])|(?<=[。！？])|\n")

# What a cut costs, in units of the squared relative deviation from the wanted length.
_BETWEEN_BLOCKS = 0.0
_BETWEEN_ITEMS = 0.1
_BETWEEN_SENTENCES = 0.3
_AFTER_COLON = 0.5
_IN_TABLE_OR_CODE = 1.5
_IN_SENTENCE = 4.0


@dataclass(frozen=True, slots=True)
class _Piece:
    """`cut_cost` is the cost of a cut before this piece; only pieces that `may_repeat` are used as overlap."""

    span: Span
    words: int
    tokens: int
    cut_cost: float
    may_repeat: bool


@dataclass(frozen=True, slots=True)
class _Limits:
    """`tokens` is what is left for the text beside its title and headings."""

    words: int
    overlap_words: int
    tokens: int
    count_tokens: CountTokens

    @property
    def most_words(self) -> int:
        return max(1, int(self.words * LONGEST))

    @property
    def fresh_words(self) -> int:
        """Words a passage should have beside what it shares with the one before."""
        return max(1, self.words - self.overlap_words)


def cut(
    document: Document, *, words: int, overlap_words: int, count_tokens: CountTokens, max_tokens: int
) -> list[Passage]:
    """The document's passages in text order; together they hold every character that is no white space.

    A passage has about `words` words and never more than a quarter over, lies within one section, and its
    `contextual_text` has at most `max_tokens` tokens by `count_tokens`. It starts with up to `overlap_words` words of
    whole sentences or items of the passage before, if that is of the same section. Raises `ValueError` when
    `max_tokens` is too small for a single character.
    """
    passages: list[Passage] = []
    for section in document.sections:
        frame = _frame(document, section, count_tokens, max_tokens)
        room = max_tokens - count_tokens(frame.contextual_text)
        limits = _Limits(words, overlap_words, room, count_tokens)
        done = section.span.start
        for span in _spans(document.text, section.span, limits):
            for part in _fitting(document.text, span, frame, count_tokens, max_tokens):
                if part.end <= done:  # a half of a span that had to be cut further: all of it was overlap
                    continue
                done = part.end
                name = passage_id(document.doc_id, document.content_hash, len(passages))
                passages.append(replace(frame, passage_id=name, text=document.text[part.slice], span=part))
    return passages


def _frame(document: Document, section: Section, count_tokens: CountTokens, max_tokens: int) -> Passage:
    """A passage without text. Outer headings go, then the title's end, while they take more than half of the room."""
    frame = Passage(
        passage_id="",
        doc_id=document.doc_id,
        collection=document.collection,
        title=document.title,
        heading_path=section.path,
        text="",
        span=Span(section.span.start, section.span.start),
        section_span=section.span,
        doc_version=document.content_hash,
        url=document.addresses[0] if document.addresses else "",
        page=section.page,
        solved_by=document.solved_by,
    )
    while frame.heading_path and count_tokens(frame.contextual_text) > max_tokens // 2:
        frame = replace(frame, heading_path=frame.heading_path[1:])
    while frame.title and count_tokens(frame.contextual_text) > max_tokens // 2:
        frame = replace(frame, title=frame.title[: len(frame.title) * 3 // 4].rstrip())
    return frame


# ---------------------------------------------------------------- pieces


def _pieces(text: str, section: Span, limits: _Limits) -> list[_Piece]:
    pieces: list[_Piece] = []
    for block in _blocks(text, section):
        after_colon = bool(pieces) and text[pieces[-1].span.end - 1] == ":"
        first_cost = _AFTER_COLON if after_colon else _BETWEEN_BLOCKS
        pieces += _block_pieces(text, block, first_cost, limits)
    return pieces


def _blocks(text: str, section: Span) -> Iterator[Span]:
    """Stretches between blank lines; code with blank lines in it is one."""
    waiting: Span | None = None
    for span in _split(text, section, _BLANK_LINES):
        if waiting and _CODE.match(text, waiting.start) and _CODE.match(text, span.start):
            waiting = Span(waiting.start, span.end)
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting


def _block_pieces(text: str, block: Span, first_cost: float, limits: _Limits) -> Iterator[_Piece]:
    if _CODE.match(text, block.start) or " | " in text[block.start : block.end].partition("\n")[0]:
        pattern, cost, may_repeat = _LINE, _IN_TABLE_OR_CODE, False
    elif _ITEM.match(text, block.start):
        pattern, cost, may_repeat = _ITEM, _BETWEEN_ITEMS, True
    else:
        pattern, cost, may_repeat = _SENTENCE, _BETWEEN_SENTENCES, True
    at = first_cost
    for span in _split(text, block, pattern):
        for part in _small_enough(text, span, limits):
            yield _piece(text, part, at, may_repeat, limits)
            at = _IN_SENTENCE
        at = cost


def _piece(text: str, span: Span, cut_cost: float, may_repeat: bool, limits: _Limits) -> _Piece:
    content = text[span.slice]
    return _Piece(span, len(content.split()), limits.count_tokens(content), cut_cost, may_repeat)


def _small_enough(text: str, span: Span, limits: _Limits) -> Iterator[Span]:
    """The span, or if it is over the limits its halves' halves: at a sentence's end, a space, anywhere."""
    content = text[span.slice]
    if len(content.split()) <= limits.most_words and limits.count_tokens(content) <= limits.tokens:
        yield span
        return
    for half in _halves(text, span):
        yield from _small_enough(text, half, limits)


def _halves(text: str, span: Span) -> list[Span]:
    """Two parts, cut as near to the middle as a boundary of the best kind allows; one if the other is white space."""
    middle = (span.start + span.end) // 2
    for pattern in (_SENTENCE, re.compile(r"\s+")):
        ends = [match.end() for match in pattern.finditer(text, span.start, span.end) if match.end() < span.end]
        near = [end for end in ends if abs(end - middle) <= len(span) // 4]
        if near:
            middle = min(near, key=lambda end: abs(end - middle))
            break
    if len(span) < 2:
        raise ValueError("max_tokens is too small for a single character beside the title")
    halves = (_trimmed(text, Span(span.start, middle)), _trimmed(text, Span(middle, span.end)))
    return [half for half in halves if len(half)]


def _split(text: str, span: Span, pattern: re.Pattern[str]) -> Iterator[Span]:
    """The stretches between the pattern's matches; a match itself goes with what is before it, then is trimmed."""
    cuts = [match.end() for match in pattern.finditer(text, span.start, span.end)]
    for start, end in pairwise([span.start, *cuts, span.end]):
        part = _trimmed(text, Span(start, end))
        if len(part):
            yield part


def _trimmed(text: str, span: Span) -> Span:
    """Without white space around it, but for the indentation of a first line that is there from its start."""
    content = text[span.slice]
    if not content.strip():
        return Span(span.start, span.start)
    first = span.start + len(content) - len(content.lstrip())
    line_start = text.rfind("\n", 0, first) + 1
    start = line_start if line_start >= span.start else first
    return Span(start, span.start + len(content.rstrip()))


# ---------------------------------------------------------------- passages


def _spans(text: str, section: Span, limits: _Limits) -> Iterator[Span]:
    pieces = _pieces(text, section, limits)
    before = 0
    for start, end in _best_cuts(pieces, limits):
        first = start - _overlap(pieces, before, start, end, limits)
        yield Span(pieces[first].span.start, pieces[end - 1].span.end)
        before = start


def _best_cuts(pieces: Sequence[_Piece], limits: _Limits) -> list[tuple[int, int]]:
    """Ranges of pieces whose summed cost is least; each within the limits, or a single piece."""
    words = [0, *accumulate(piece.words for piece in pieces)]
    tokens = [0, *accumulate(piece.tokens for piece in pieces)]
    best, came_from = [0.0], [0]
    for end in range(1, len(pieces) + 1):
        options = []
        for start in range(end - 1, -1, -1):
            length = words[end] - words[start]
            over = length > limits.most_words or tokens[end] - tokens[start] > limits.tokens
            if over and start < end - 1:
                break
            options.append((best[start] + pieces[start].cut_cost * (start > 0) + _misfit(length, limits), start))
        cost, start = min(options)
        best.append(cost)
        came_from.append(start)
    return _ranges(came_from)


def _misfit(words: int, limits: _Limits) -> float:
    return ((words - limits.fresh_words) / limits.fresh_words) ** 2


def _ranges(came_from: Sequence[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    end = len(came_from) - 1
    while end > 0:
        ranges.append((came_from[end], end))
        end = came_from[end]
    return ranges[::-1]


def _overlap(pieces: Sequence[_Piece], before: int, start: int, end: int, limits: _Limits) -> int:
    """How many pieces before `start` the passage repeats; never all of the passage before, which starts at `before`."""
    words = sum(piece.words for piece in pieces[start:end])
    tokens = sum(piece.tokens for piece in pieces[start:end])
    shared = count = 0
    for piece in reversed(pieces[before + 1 : start]):
        shared, words, tokens = shared + piece.words, words + piece.words, tokens + piece.tokens
        fits = shared <= limits.overlap_words and words <= limits.most_words and tokens <= limits.tokens
        if not fits or not piece.may_repeat:
            break
        count += 1
    return count


def _fitting(text: str, span: Span, frame: Passage, count_tokens: CountTokens, max_tokens: int) -> Iterator[Span]:
    """The span, cut further if its tokens are more than its pieces' together, which few tokenizers do."""
    if count_tokens(replace(frame, text=text[span.slice]).contextual_text) <= max_tokens:
        yield span
        return
    for half in _halves(text, span):
        yield from _fitting(text, half, frame, count_tokens, max_tokens)
