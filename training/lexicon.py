"""Phrase tables from sentence pairs: which English words stand for a foreign word or a short run of words.

Word alignment: IBM model 1 (Brown et al. 1993) with the diagonal preference of Dyer, Chahuneau and Smith (2013), in
both directions, joined by growing the intersection (Koehn, Och and Marcu 2003); phrases consistent with it are counted.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.retrieval.language import foreign_words, stems

Ints = npt.NDArray[np.int64]
Alignment = set[tuple[int, int]]
Table = dict[tuple[str, ...], list[tuple[str, float]]]

MAX_WORDS = 40
MAX_PHRASE = 4
ROUNDS = 5
DIAGONAL = 4.0
NEAR = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


@dataclass(frozen=True, slots=True)
class Bitext:
    """Sentence pairs as words: stems of the foreign side, English words as written (in lower case)."""

    foreign: list[list[str]]
    english: list[list[str]]


def bitext(pairs: Iterable[tuple[str, str]], lang: str) -> Bitext:
    """(foreign text, English text), without empty and very long ones."""
    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    for foreign, english in pairs:
        one, other = stems(foreign_words(foreign), lang), english_words(english)
        if 0 < len(one) <= MAX_WORDS and 0 < len(other) <= MAX_WORDS:
            sides[0].append(one)
            sides[1].append(other)
    return Bitext(*sides)


def english_words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.replace("’", "'").casefold())


def phrase_table(text: Bitext) -> Table:
    """For each foreign phrase its best English ones with probabilities, best first."""
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    forward = viterbi(text.foreign, text.english)
    backward = viterbi(text.english, text.foreign)
    for foreign, english, one, other in zip(text.foreign, text.english, forward, backward, strict=True):
        links = grow(set(one), {(f, e) for e, f in other})
        for source, target in phrases(foreign, english, links):
            counts[source][target] += 1
        for f, e in links:
            counts[(foreign[f],)][english[e]] += 0.5  # type: ignore[assignment]
    return _without_the_obvious(_pruned(counts))


def viterbi(source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> list[list[tuple[int, int]]]:
    """For each sentence the links (source place, target place): every target word's likeliest source word, if any."""
    flat = _flatten(source, target)
    chances = _expectation_maximisation(flat)
    scores = chances[flat.key] * flat.prior
    order = np.lexsort((scores, flat.word))
    last = order[np.append(flat.word[order][1:] != flat.word[order][:-1], True)]
    links: list[list[tuple[int, int]]] = [[] for _ in source]
    for sentence, place, into in zip(flat.sentence[last], flat.place[last], flat.into[last], strict=True):
        if place >= 0:
            links[sentence].append((int(place), int(into)))
    return links


@dataclass(frozen=True, slots=True)
class _Flat:
    """One row for each (source word or nothing, target word) of each sentence pair."""

    key: Ints
    source: Ints
    word: Ints
    sentence: Ints
    place: Ints
    into: Ints
    prior: npt.NDArray[np.float64]


def _flatten(source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> _Flat:
    sources: dict[str, int] = {}
    targets: dict[str, int] = {}
    columns: tuple[list[Ints], ...] = ([], [], [], [], [], [])
    priors: list[npt.NDArray[np.float64]] = []
    words = 0
    for number, (one, other) in enumerate(zip(source, target, strict=True)):
        ids = np.array([0, *(sources.setdefault(word, len(sources) + 1) for word in one)])
        into = np.array([targets.setdefault(word, len(targets)) for word in other])
        i, j = (grid.ravel() for grid in np.meshgrid(np.arange(len(ids)), np.arange(len(into))))
        distance = np.abs((i - 0.5) / len(one) - (j + 0.5) / len(other))
        prior = np.where(i == 0, 0.08 * np.exp(-DIAGONAL * 0.3), np.exp(-DIAGONAL * distance))
        row = (ids[i], into[j], words + j, np.full(len(i), number), i - 1, j)
        for column, values in zip(columns, row, strict=True):
            column.append(values)
        priors.append(prior)
        words += len(into)
    from_, to, word, sentence, place, into_ = (np.concatenate(column).astype(np.int64) for column in columns)
    _, key = np.unique(from_ * len(targets) + to, return_inverse=True)
    return _Flat(key, from_, word, sentence, place, into_, np.concatenate(priors))


def _expectation_maximisation(flat: _Flat) -> npt.NDArray[np.float64]:
    """p(target word | source word) by key."""
    keys = int(flat.key.max()) + 1
    source_of = np.zeros(keys, dtype=np.int64)
    source_of[flat.key] = flat.source
    chances = np.ones(keys)
    for _ in range(ROUNDS):
        weights = chances[flat.key] * flat.prior
        weights /= np.bincount(flat.word, weights)[flat.word]
        counts = np.bincount(flat.key, weights, keys) + 1e-9
        chances = counts / np.bincount(source_of, counts)[source_of]
    return chances


def grow(one: Alignment, other: Alignment) -> Alignment:
    """The intersection, grown by neighbouring links of the union that join a word without link."""
    links, union = one & other, one | other
    grew = True
    while grew:
        grew = False
        for f, e in sorted(links):
            for step_f, step_e in NEAR:
                link = (f + step_f, e + step_e)
                if link in union and link not in links and _joins(link, links):
                    links.add(link)
                    grew = True
    return links


def _joins(link: tuple[int, int], links: Alignment) -> bool:
    return all(f != link[0] for f, _ in links) or all(e != link[1] for _, e in links)


def phrases(foreign: Sequence[str], english: Sequence[str], links: Alignment) -> Iterator[tuple[tuple[str, ...], str]]:
    """Runs of at most `MAX_PHRASE` foreign words with the English run that nothing outside is linked to.

    >>> list(phrases(["mot", "de", "passe"], ["password"], {(0, 0), (2, 0)}))
    [(('mot', 'de', 'passe'), 'password')]
    """
    by_foreign: dict[int, list[int]] = defaultdict(list)
    by_english: dict[int, list[int]] = defaultdict(list)
    for f, e in links:
        by_foreign[f].append(e)
        by_english[e].append(f)
    for start in by_foreign:
        for end in range(start, min(start + MAX_PHRASE, len(foreign))):
            if end not in by_foreign:
                continue
            into = [e for f in range(start, end + 1) for e in by_foreign.get(f, ())]
            first, last = min(into), max(into)
            back = [f for e in range(first, last + 1) for f in by_english.get(e, ())]
            if last - first < MAX_PHRASE + 1 and min(back) >= start and max(back) <= end:
                yield tuple(foreign[start : end + 1]), " ".join(english[first : last + 1])


def _pruned(counts: Mapping[tuple[str, ...], Counter[str]]) -> Table:
    table: Table = {}
    for source, targets in counts.items():
        total = sum(targets.values())
        if total < (1 if len(source) == 1 else 3):
            continue
        best = [(target, count / total) for target, count in targets.most_common(5 if len(source) == 1 else 2)]
        kept = [(target, chance) for target, chance in best if chance >= max(0.04, 0.15 * best[0][1])]
        if kept and (len(source) == 1 or kept[0][1] >= 0.25):
            table[source] = kept
    return table


def _without_the_obvious(table: Table) -> Table:
    """Leave out phrases that give the same words as their words one by one."""
    return {source: kept for source, kept in table.items() if len(source) == 1 or kept[0][0] != _literal(source, table)}


def _literal(source: tuple[str, ...], table: Table) -> str:
    return " ".join(table[(word,)][0][0] if (word,) in table else word for word in source)
