"""`citedesk ledger`"""

from __future__ import annotations

from typing import Annotated

import typer

from core.domain.audit import LedgerHead, LedgerReport
from core.errors import BadInput, LedgerBroken
from plugin.commands.common import DataOption, EnvOption, settings_for

app = typer.Typer(help="The sealed record of everything that happened to every draft.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps `verify` a sub-command."""


@app.command("verify")
def verify(
    expect: Annotated[str, typer.Option(help="NUMBER:SEAL written down earlier; it must still be in the ledger.")] = "",
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Detect any entry that was altered, dropped or reordered, and any draft that is not what it was.

    Examples:

        citedesk ledger verify

        citedesk ledger verify --expect 214:9f27d249c1
    """
    settings = settings_for(env_file, data_dir=data)
    from core.usecases.verify_ledger import verify_ledger
    from plugin.bootstrap import open_records

    records = open_records(settings)
    try:
        report = verify_ledger(uow=records.uow, keys=records.seal_keys, expected=_head(expect))
    finally:
        records.close()
    _print(report)


def _head(expect: str) -> LedgerHead | None:
    if not expect:
        return None
    number, _, seal = expect.partition(":")
    if not number.isdigit() or not seal:
        raise BadInput("--expect takes NUMBER:SEAL, as `citedesk ledger verify` prints it.")
    return LedgerHead(int(number), seal)


def _print(report: LedgerReport) -> None:
    if not report.intact:
        for problem in report.problems:
            typer.echo(f"- {problem}")
        raise LedgerBroken(f"The ledger is not whole: {len(report.problems)} problem(s).")
    typer.echo(f"The ledger is whole: {report.entries} entries.")
    typer.echo(f"Write this down to detect a later roll-back: {report.head.number}:{report.head.seal}")
