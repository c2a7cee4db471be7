"""`citedesk doctor`"""

from __future__ import annotations

from typing import Annotated

import typer

from plugin.commands.common import DataOption, EnvOption, settings_for


def doctor(
    data: DataOption = None,
    env_file: EnvOption = None,
    quick: Annotated[bool, typer.Option("--quick", help="Do not load the models.")] = False,
) -> None:
    """Check everything for real and say what to do about what is wrong. Exit status 1 if anything is.

    Examples:

        citedesk doctor

        citedesk doctor --quick --data /var/lib/citedesk
    """
    settings = settings_for(env_file, data_dir=data)
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from plugin.doctor import Verdict, examine

    colours = {Verdict.OK: "green", Verdict.WARNING: "yellow", Verdict.WRONG: "bold red"}
    findings = examine(settings, load_models=not quick)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        text = escape(finding.text) + (f"\n-> {escape(finding.fix)}" if finding.fix else "")
        table.add_row(finding.area, f"[{colours[finding.verdict]}]{finding.verdict}[/]", text)
    Console(highlight=False).print(table)
    if any(finding.verdict is Verdict.WRONG for finding in findings):
        raise typer.Exit(1)
