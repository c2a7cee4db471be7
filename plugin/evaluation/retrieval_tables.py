"""The figures of a retrieval evaluation on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from core.evaluation.significance import CONFIDENCE, RESAMPLES, Difference
from plugin.evaluation.retrieval import FAILURE, MEASURES, Measured, differences

_COLUMNS = (*MEASURES, FAILURE)


def print_figures(systems: Sequence[Measured], console: Console | None = None) -> None:
    """One row a system: means, then milliseconds a query."""
    table = Table("system", *_COLUMNS, "p50 ms", "p95 ms", box=None, pad_edge=False)
    for system in systems:
        latency = system.latency_ms()
        times = [f"{latency[name]:.1f}" if latency else "" for name in ("p50", "p95")]
        table.add_row(system.name, *(f"{system.mean(name):.3f}" for name in _COLUMNS), *times)
    (console or Console(highlight=False, width=130)).print(table)


def print_differences(systems: Sequence[Measured], baseline: Measured, console: Console | None = None) -> None:
    """One row a system: by how much it differs from the baseline, and between what."""
    out = console or Console(highlight=False, width=130)
    out.print(
        f"\nDifference to {baseline.name}, {CONFIDENCE:.0%} interval of {RESAMPLES:,} paired bootstrap resamples "
        "(* no noise):"
    )
    table = Table("system", *_COLUMNS, box=None, pad_edge=False)
    for system in systems:
        if system.name != baseline.name:
            found = differences(system, baseline)
            table.add_row(system.name, *(_cell(found[name]) for name in _COLUMNS))
    out.print(table)


def _cell(found: Difference) -> str:
    mark = "" if found.is_noise else "*"
    return f"{found.mean:+.3f}{mark}\n{found.low:+.3f} {found.high:+.3f}"
