"""`citedesk ingest`: fill and refresh what is searched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plugin.commands.common import DataOption, EnvOption, settings_for

if TYPE_CHECKING:
    from ingest.report import IngestProgress, IngestReport
    from plugin.bootstrap import Services

app = typer.Typer(help="Fill and refresh what is searched.", no_args_is_help=True)
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Drop the collection and build it anew.")]
AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Let an empty source empty the collection.")]


@app.command("docs")
def docs(
    path: Annotated[Path, typer.Argument(help="Folder of md, html, rst, txt, pdf files; or one file, or a JSONL.")],
    rebuild: Rebuild = False,
    allow_empty: AllowEmpty = False,
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Bring the documentation up to what lies under PATH now: only changes are worked on, deletions are followed.

    Examples:

        citedesk ingest docs ./manuals

        citedesk ingest docs ./manuals --rebuild
    """
    from plugin.ingestion import ingest_docs

    _run(
        data,
        env_file,
        lambda services, progress: ingest_docs(
            services, path, progress=progress, anew=rebuild, allow_empty=allow_empty
        ),
    )


@app.command("tickets")
def tickets(
    connector: Annotated[str, typer.Argument(help="Which helpdesk's solved tickets to take.")] = "folder",
    rebuild: Rebuild = False,
    allow_empty: AllowEmpty = False,
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Take in a helpdesk's solved tickets, redacted, as a collection of its own.

    Example:

        citedesk ingest tickets folder
    """
    from plugin.ingestion import ingest_tickets

    _run(
        data,
        env_file,
        lambda services, progress: ingest_tickets(
            services, connector, progress=progress, anew=rebuild, allow_empty=allow_empty
        ),
    )


def _run(data: DataOption, env_file: EnvOption, work: Callable[[Services, IngestProgress], IngestReport]) -> None:
    settings = settings_for(env_file, data_dir=data)
    from plugin.bootstrap import open_services
    from plugin.progress import progress_bar

    services = open_services(settings)
    try:
        with progress_bar("Ingesting") as bar:
            report = work(services, bar)
    finally:
        services.close()
    print_report(report)


def print_report(report: IngestReport) -> None:
    """Counts in one line, then what was skipped and why."""
    typer.echo(
        f"{report.added} added, {report.changed} changed, {report.unchanged} unchanged, {report.deleted} deleted, "
        f"{report.duplicates} duplicates, {len(report.skipped)} skipped; {report.passages} passages written."
    )
    for skipped in report.skipped:
        typer.echo(f"  skipped {skipped.source_key}: {skipped.reason}")
