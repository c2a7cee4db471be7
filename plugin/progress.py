"""A progress bar on a terminal, a line now and then in a log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

LINE_EVERY = 100
"""Where there is no terminal a line is written each time so many more are done, and at the end."""


class Bar:
    """Implements `ingest.report.IngestProgress`."""

    def __init__(self, progress: Progress, label: str) -> None:
        self._progress = progress
        self._label = label
        self._task = progress.add_task(label, total=None, what="")

    def step(self, done: int, total: int | None, what: str) -> None:
        self._progress.update(self._task, completed=done, total=total, what=escape(what[:40]))
        if not self._progress.console.is_terminal and (done == total or (done and done % LINE_EVERY == 0)):
            self._progress.console.print(f"{self._label}: {done}" + (f" of {total}" if total else ""))


@contextmanager
def progress_bar(label: str) -> Iterator[Bar]:
    """Shows on stderr, so that standard output stays clean."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[what]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Bar(progress, label)
