"""How well personal data was found: by characters (letters and digits) and by spans.

A character counts once however many spans cover it. Spans and characters under a neutral label
(`core.evaluation.labels.NEUTRAL`) are neither expected, nor false where they are found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.passage import Span
from core.evaluation.labels import family, is_neutral


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """A stretch of a text and the label it was given by a person, or the kind a recognizer gave it."""

    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of characters or spans; sums are micro averages.

    >>> score = Score(right=8, predicted=10, found=8, expected=16)
    >>> score.precision, score.recall, round(score.f2, 3)
    (0.8, 0.5, 0.541)
    >>> (score + Score(found=8, expected=16)).recall
    0.5
    """

    right: int = 0
    predicted: int = 0
    found: int = 0
    expected: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.right + other.right,
            self.predicted + other.predicted,
            self.found + other.found,
            self.expected + other.expected,
        )

    @property
    def precision(self) -> float:
        """Share of what was predicted that is right; 1.0 when nothing was predicted."""
        return self.right / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """Share of what was expected that was found; 1.0 when nothing was expected."""
        return self.found / self.expected if self.expected else 1.0

    @property
    def f2(self) -> float:
        """5PR / (4P + R): a miss weighs four times what a false alarm weighs (van Rijsbergen's F with beta 2)."""
        weighted = 4 * self.precision + self.recall
        return 5 * self.precision * self.recall / weighted if weighted else 0.0


@dataclass(frozen=True, slots=True)
class SpanScores:
    """All measures of one text or, added up, of many.

    `overall`: characters, whatever the label. `by_label`: for each label of the data the characters found (whatever
    the kind), and of those predicted under a kind of its family the ones that lie on a span of that family.
    `strict`: spans with the same start and end. `strict_labelled`: and a kind of the same family. `partial`: spans that
    share a character. `exact_by_label` and `partial_by_label`: the same for spans of one family.
    """

    overall: Score = Score()
    strict: Score = Score()
    strict_labelled: Score = Score()
    partial: Score = Score()
    by_label: Mapping[str, Score] = field(default_factory=dict)
    exact_by_label: Mapping[str, Score] = field(default_factory=dict)
    partial_by_label: Mapping[str, Score] = field(default_factory=dict)

    def __add__(self, other: SpanScores) -> SpanScores:
        return SpanScores(
            self.overall + other.overall,
            self.strict + other.strict,
            self.strict_labelled + other.strict_labelled,
            self.partial + other.partial,
            _sum(self.by_label, other.by_label),
            _sum(self.exact_by_label, other.exact_by_label),
            _sum(self.partial_by_label, other.partial_by_label),
        )


def score_spans(text: str, expected: Sequence[LabelledSpan], predicted: Sequence[LabelledSpan]) -> SpanScores:
    """Compare the spans of one text.

    >>> name, place = LabelledSpan(Span(5, 16), "PERSON"), LabelledSpan(Span(20, 24), "CITY")
    >>> scores = score_spans("I am Maria Lopez in Bonn", [name, place], [LabelledSpan(Span(5, 10), "PERSON"), place])
    >>> scores.overall.precision, round(scores.overall.recall, 3), scores.strict.recall, scores.partial.recall
    (1.0, 0.643, 0.5, 1.0)
    """
    personal = [item for item in expected if not is_neutral(item.label)]
    neutral = _characters(text, (item for item in expected if is_neutral(item.label)))
    wanted = _characters(text, personal)
    counted = [item for item in predicted if _counts(text, item, wanted, neutral)]
    labels = sorted({item.label for item in personal} | {_unmatched(item, personal) for item in counted} - {""})
    return SpanScores(
        overall=_character_score(wanted, _characters(text, counted), neutral),
        strict=_span_score(personal, counted, _same_place),
        strict_labelled=_span_score(personal, counted, lambda a, b: _same_place(a, b) and _same_family(a, b)),
        partial=_span_score(personal, counted, _overlap),
        by_label={label: _label_score(text, label, personal, counted, neutral) for label in labels},
        exact_by_label=_by_label(labels, personal, counted, _same_place),
        partial_by_label=_by_label(labels, personal, counted, _overlap),
    )


def false_characters(
    text: str, expected: Sequence[LabelledSpan], predicted: Sequence[LabelledSpan]
) -> tuple[list[LabelledSpan], list[LabelledSpan]]:
    """(expected spans with a character that was not found, predicted spans with a character nobody expected)."""
    personal = [item for item in expected if not is_neutral(item.label)]
    neutral = _characters(text, (item for item in expected if is_neutral(item.label)))
    wanted = _characters(text, personal)
    counted = [item for item in predicted if _counts(text, item, wanted, neutral)]
    covered = _characters(text, counted)
    missed = [item for item in personal if not _characters(text, [item]) <= covered]
    false = [item for item in counted if not _characters(text, [item]) <= wanted | neutral]
    return missed, false


def _counts(text: str, item: LabelledSpan, wanted: frozenset[int], neutral: frozenset[int]) -> bool:
    """Not what stands on neutral text only, nor what is neutral itself and hits nothing personal."""
    characters = _characters(text, [item])
    return bool(characters & wanted or (characters - neutral and not is_neutral(item.label)))


def _unmatched(item: LabelledSpan, personal: Iterable[LabelledSpan]) -> str:
    """The family of a predicted span when no label of this text belongs to it, else nothing."""
    name = family(item.label)
    return "" if is_neutral(name) or any(family(other.label) == name for other in personal) else name


def _characters(text: str, spans: Iterable[LabelledSpan]) -> frozenset[int]:
    return frozenset(
        position
        for item in spans
        for position in range(item.span.start, min(item.span.end, len(text)))
        if text[position].isalnum()
    )


def _character_score(wanted: frozenset[int], found: frozenset[int], neutral: frozenset[int]) -> Score:
    counted = found - (neutral - wanted)
    right = len(wanted & found)
    return Score(right, len(counted), right, len(wanted))


def _label_score(
    text: str,
    label: str,
    personal: Sequence[LabelledSpan],
    counted: Sequence[LabelledSpan],
    neutral: frozenset[int],
) -> Score:
    name = family(label)
    same = _characters(text, (item for item in personal if family(item.label) == name))
    wanted = _characters(text, (item for item in personal if item.label == label))
    claimed = _characters(text, (item for item in counted if family(item.label) == name)) - (neutral - same)
    covered = _characters(text, counted)
    return Score(len(claimed & same), len(claimed), len(wanted & covered), len(wanted))


Match = Callable[[LabelledSpan, LabelledSpan], bool]


def _span_score(personal: Sequence[LabelledSpan], counted: Sequence[LabelledSpan], match: Match) -> Score:
    right = sum(any(match(item, other) for other in personal) for item in counted)
    found = sum(any(match(item, other) for other in counted) for item in personal)
    return Score(right, len(counted), found, len(personal))


def _by_label(
    labels: Iterable[str], personal: Sequence[LabelledSpan], counted: Sequence[LabelledSpan], match: Match
) -> dict[str, Score]:
    return {label: _sum_scores(_label_spans(label, personal, counted, match)) for label in labels}


def _label_spans(
    label: str, personal: Sequence[LabelledSpan], counted: Sequence[LabelledSpan], match: Match
) -> Iterator[Score]:
    """Found: expected spans of this label met by a span of its family; right: predicted ones that meet the family."""
    name = family(label)
    of_family = [item for item in personal if family(item.label) == name]
    claimed = [item for item in counted if family(item.label) == name]
    wanted = [item for item in personal if item.label == label]
    yield Score(right=_span_score(of_family, claimed, match).right, predicted=len(claimed))
    yield Score(found=_span_score(wanted, claimed, match).found, expected=len(wanted))


def _same_place(one: LabelledSpan, other: LabelledSpan) -> bool:
    return one.span == other.span


def _same_family(one: LabelledSpan, other: LabelledSpan) -> bool:
    return family(one.label) == family(other.label)


def _overlap(one: LabelledSpan, other: LabelledSpan) -> bool:
    return one.span.overlaps(other.span)


def _sum(one: Mapping[str, Score], other: Mapping[str, Score]) -> dict[str, Score]:
    total: defaultdict[str, Score] = defaultdict(Score)
    for scores in (one, other):
        for label, score in scores.items():
            total[label] += score
    return dict(sorted(total.items()))


def _sum_scores(scores: Iterable[Score]) -> Score:
    return sum(scores, Score())
