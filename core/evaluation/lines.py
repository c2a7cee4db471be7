"""How well the lines of a text were sorted into parts: precision, recall and F1 by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineScore:
    """Counts of lines of one part. Sums of scores are micro averages.

    >>> score = score_lines(["a", "b", "c", "d"], ["a", "b", "x"])
    >>> score.found, round(score.precision, 3), score.recall, round(score.f1, 3)
    (2, 0.667, 0.5, 0.571)
    >>> (score + LineScore(found=4, predicted=4, expected=4)).recall
    0.75
    """

    found: int = 0
    predicted: int = 0
    expected: int = 0

    def __add__(self, other: LineScore) -> LineScore:
        return LineScore(self.found + other.found, self.predicted + other.predicted, self.expected + other.expected)

    @property
    def precision(self) -> float:
        """Share of the predicted lines that belong there; 1.0 when none was predicted."""
        return self.found / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """Share of the expected lines that were found; 1.0 when none was expected."""
        return self.found / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1.0 when there was nothing to find and nothing was found."""
        lines = self.predicted + self.expected
        return 2 * self.found / lines if lines else 1.0


def score_lines(expected: Iterable[str], predicted: Iterable[str]) -> LineScore:
    """Compare two bags of lines. Blank lines do not count; white space and marks of quotation do not matter.

    >>> score_lines(["> Which  version?"], ["Which version?", ""])
    LineScore(found=1, predicted=1, expected=1)
    """
    wanted, got = _bag(expected), _bag(predicted)
    return LineScore((wanted & got).total(), got.total(), wanted.total())


def _bag(lines: Iterable[str]) -> Counter[str]:
    return Counter(filter(None, map(normalised, lines)))


def normalised(line: str) -> str:
    """The line without marks of quotation in front, each run of white space one blank.

    >>> normalised("> >  a\\u00a0b ")
    'a b'
    """
    return " ".join(line.replace("\N{ZERO WIDTH NO-BREAK SPACE}", "").lstrip("> \t").split())
