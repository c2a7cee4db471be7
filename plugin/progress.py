"""A progress bar on a terminal, a line now and then in a log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Bar:
    """Implements `ingest.pipeline.IngestProgress`; one bar for each kind of step."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._what = ""
        self._task = progress.add_task("starting", total=None)

    def step(self, done: int, total: int | None, what: str) -> None:
        self._progress.update(self._task, completed=done, total=total, description=what)
        if not self._progress.console.is_terminal and self._worth_a_line(done, total, what):
            self._progress.console.print(f"{what}: {done}" + (f" of {total}" if total else ""))

    def _worth_a_line(self, done: int, total: int | None, what: str) -> bool:
        is_new, self._what = what != self._what, what
        return is_new or done == total or done % 100 == 0


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """Shows on stderr, so that standard output stays clean."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Bar(progress)
