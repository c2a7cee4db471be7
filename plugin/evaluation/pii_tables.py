"""The figures of `citedesk eval pii` as tables on a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from core.evaluation.spans import Score, SpanScores
from plugin.evaluation.pii import Measured, Survival

_HEADINGS = ("precision", "recall", "F2")


def print_measured(results: Mapping[str, Measured], console: Console | None = None) -> None:
    """One row for each file and system, then one for each label and system."""
    out = console or Console(highlight=False, width=120)
    out.print(_overall(results))
    out.print(_labels(results))


def _overall(results: Mapping[str, Measured]) -> Table:
    table = Table("set", "system", *_HEADINGS, "strict F2", "with label", "partial F2", "ms/kB p50", "p95", box=None)
    for name, measured in results.items():
        cost = (f"{measured.cost(0.5):.0f}", f"{measured.cost(0.95):.0f}")
        for file, scores in measured.by_file.items():
            table.add_row(file, name, *_row(scores), "", "")
        for language, scores in sorted(measured.by_language.items()):
            table.add_row(f"  in {language}", name, *_row(scores), "", "")
        table.add_row("all", name, *_row(measured.total), *cost, end_section=True)
    return table


def _row(scores: SpanScores) -> tuple[str, ...]:
    spans = (scores.strict, scores.strict_labelled, scores.partial)
    return (*_cells(scores.overall), *(f"{score.f2:.3f}" for score in spans))


def _cells(score: Score) -> tuple[str, ...]:
    return tuple(f"{figure:.3f}" for figure in (score.precision, score.recall, score.f2))


def _labels(results: Mapping[str, Measured]) -> Table:
    table = Table("label", "system", "characters", *_HEADINGS, "exact F2", "partial F2", box=None)
    labels = sorted({label for measured in results.values() for label in measured.total.by_label})
    for label in labels:
        for name, measured in results.items():
            score = measured.total.by_label.get(label)
            if score is not None:
                exact, partial = measured.total.exact_by_label[label], measured.total.partial_by_label[label]
                table.add_row(label, name, str(score.expected), *_cells(score), f"{exact.f2:.3f}", f"{partial.f2:.3f}")
    return table


def print_survival(results: Mapping[str, Mapping[str, Survival]], console: Console | None = None) -> None:
    """The share of technical identifiers that each system left as they were."""
    out = console or Console(highlight=False, width=120)
    table = Table("technical texts", "system", "identifiers", "survived", "share", box=None)
    for name, files in results.items():
        for file, result in files.items():
            present, survived = sum(result.present.values()), sum(result.survived.values())
            table.add_row(file, name, str(present), str(survived), f"{result.share:.4f}")
    out.print(table)
