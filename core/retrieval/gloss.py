"""A rough translation by a phrase table: word by word and phrase by phrase, in the order of the original.

Good enough for searching, not for reading. A gloss keeps what is no plain word as it stands: addresses, error codes,
file names, numbers, punctuation.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.domain.retrieval import Translation
from core.retrieval.analysis import identifiers
from core.retrieval.language import stems

Choices = Sequence[tuple[str, float]]
"""English words or phrases with their probabilities, best first."""

PhraseTable = Mapping[tuple[str, ...], Choices]
"""By the stems of a foreign word or phrase."""

MAX_PHRASE = 4
MIN_COMPOUND_PART = 4

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_PHRASE_COST = 1.0
_UNKNOWN_COST = 8.0


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the text: `written` in the original, and what it may mean (nothing: it stays as it is)."""

    written: str
    choices: Choices = ()


def translate(text: str, lang: str, table: PhraseTable) -> Translation:
    """The gloss, and for a lexical search its words with the expected number of times each is meant.

    >>> table = {("lesezeich",): [("bookmarks", 0.75), ("bookmark", 0.25)], ("sind",): [("are", 1.0)]}
    >>> translate("Lesezeichen sind weg: about:config", "de", table).text
    'bookmarks are weg: about:config'
    >>> translate("Lesezeichen sind", "de", table).words
    (('bookmarks', 0.75), ('bookmark', 0.25), ('are', 1.0))
    """
    parts = list(_parts(text, lang, table))
    meant: dict[str, float] = defaultdict(float)
    for part in parts:
        for word, chance in _words(part):
            meant[word] += chance
    return Translation("".join(_gloss(part) for part in parts), tuple(meant.items()))


def _gloss(part: _Part) -> str:
    return part.choices[0][0] if part.choices else part.written


def _words(part: _Part) -> Iterator[tuple[str, float]]:
    if not part.choices:
        if part.written.strip() and any(map(str.isalnum, part.written)):
            yield part.written, 1.0
        return
    total = sum(chance for _, chance in part.choices)
    for english, chance in part.choices:
        for word in english.split():
            yield word, chance / total


def _parts(text: str, lang: str, table: PhraseTable) -> Iterator[_Part]:
    """Runs of plain words are translated together; whatever stands between them ends a run."""
    run: list[str] = []
    for piece in re.findall(r"\S+|\s+", text):
        if piece == " " and run:
            continue
        before, core, after = _peeled(piece)
        plain = bool(core) and bool(_WORD.fullmatch(core.replace("-", ""))) and not identifiers(core)
        if run and (before or not plain):
            yield from _translated_run(run, lang, table)
            yield _Part(" " if piece.strip() else "")
            run = []
        if before:
            yield _Part(before)
        if not plain:
            yield _Part(core)
        else:
            run += [word for word in re.split(r"['’-]", core) if word]
        if after:
            yield from _translated_run(run, lang, table)
            yield _Part(after)
            run = []
    yield from _translated_run(run, lang, table)


def _peeled(piece: str) -> tuple[str, str, str]:
    """What stands before the first and after the last letter or digit, and what lies between."""
    match = re.fullmatch(r"([^\w]*)(.*?)([^\w]*)", piece, re.DOTALL)
    return (match[1], match[2], match[3]) if match else ("", piece, "")


def _translated_run(words: Sequence[str], lang: str, table: PhraseTable) -> Iterator[_Part]:
    """The cheapest way to cover the words by entries of the table (dynamic programming over places)."""
    keys = stems([word.casefold() for word in words], lang)
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(words) + 1):
        best.append(min(_ways(keys, end, best, table)))
    ends, at = [], len(words)
    while at:
        ends.append(at)
        at = best[at][1]
    for number, end in enumerate(reversed(ends)):
        start = best[end][1]
        choices = table.get(tuple(keys[start:end]), ())
        if number:
            yield _Part(" ")
        yield from [_Part(words[start], choices)] if choices else _unknown(words[start], lang, table)


def _ways(
    keys: Sequence[str], end: int, best: Sequence[tuple[float, int]], table: PhraseTable
) -> Iterator[tuple[float, int]]:
    """(cost so far, start of the last phrase) for each phrase that can end here."""
    for start in range(max(0, end - MAX_PHRASE), end):
        choices = table.get(tuple(keys[start:end]))
        if choices:
            yield best[start][0] + _PHRASE_COST - math.log(choices[0][1]), start
        elif start == end - 1:
            yield best[start][0] + _UNKNOWN_COST, start


def _unknown(word: str, lang: str, table: PhraseTable) -> list[_Part]:
    """German writes compounds as one word: both halves, if the table has them; else the word itself."""
    halves = _halves(word.casefold(), lang, table) if lang == "de" else None
    if halves is None:
        return [_Part(word)]
    return [_Part(word, table[(halves[0],)]), _Part(" "), _Part(word, table[(halves[1],)])]


def _halves(word: str, lang: str, table: PhraseTable) -> tuple[str, str] | None:
    """The stems of the most even split into two known words, the first perhaps with a joining s or n."""
    found: list[tuple[int, str, str]] = []
    for cut in range(MIN_COMPOUND_PART, len(word) - MIN_COMPOUND_PART + 1):
        one, other = word[:cut], word[cut:]
        for first in {one, one[:-1] if one.endswith(("s", "n")) else one}:
            head, tail = stems([first, other], lang)
            if (head,) in table and (tail,) in table:
                found.append((min(len(first), len(other)), head, tail))
    return max(found)[1:] if found else None
