"""`citedesk ingest`: fill and refresh what is searched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.domain.access import DEFAULT_TENANT, PUBLIC
from plugin.commands.common import DataOption, EnvOption, settings_for

if TYPE_CHECKING:
    from ingest.report import IngestProgress, IngestReport
    from plugin.bootstrap import Services

app = typer.Typer(help="Fill and refresh what is searched.", no_args_is_help=True)
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Drop the collection and build it anew.")]
Visibility = Annotated[str, typer.Option(help="Class of readers: public (customers too), internal, or any other name.")]
AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Let an empty source empty the collection.")]


@app.command("docs")
def docs(
    path: Annotated[Path, typer.Argument(help="Folder of md, html, rst, txt, pdf files; or one file, or a JSONL.")],
    tenant: Annotated[str, typer.Option(help="Whose documentation it is.")] = DEFAULT_TENANT,
    visibility: Visibility = PUBLIC,
    rebuild: Rebuild = False,
    allow_empty: AllowEmpty = False,
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Bring the documentation up to what lies under PATH now: only changes are worked on, deletions are followed.

    Examples:

        citedesk ingest docs ./manuals

        citedesk ingest docs ./manuals --rebuild

        citedesk ingest docs ./notes-for-colleagues --visibility internal
    """
    from plugin.ingestion import ingest_docs

    _run(
        data,
        env_file,
        lambda services, progress: ingest_docs(
            services,
            path,
            tenant=tenant,
            visibility=visibility,
            progress=progress,
            anew=rebuild,
            allow_empty=allow_empty,
        ),
    )


@app.command("tickets")
def tickets(
    connector: Annotated[str, typer.Argument(help="Which helpdesk's solved tickets to take.")] = "folder",
    visibility: Visibility = PUBLIC,
    rebuild: Rebuild = False,
    allow_empty: AllowEmpty = False,
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Take in a helpdesk's solved tickets, redacted, for the tenant that CITEDESK_CONNECTOR_TENANTS gives it.

    Example:

        citedesk ingest tickets folder
    """
    from plugin.ingestion import ingest_tickets

    _run(
        data,
        env_file,
        lambda services, progress: ingest_tickets(
            services, connector, visibility=visibility, progress=progress, anew=rebuild, allow_empty=allow_empty
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
