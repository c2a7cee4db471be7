"""`citedesk person`: what has to be done when somebody asks to be forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from plugin.commands.common import DataOption, EnvOption, settings_for

if TYPE_CHECKING:
    from core.usecases.erase_person import Erasure, TicketKey
    from plugin.bootstrap import Services

app = typer.Typer(help="Erase people who ask to be forgotten.", no_args_is_help=True)

WORDS = {
    "tickets": "tickets of this person",
    "drafts": "drafts emptied",
    "drafts_that_quoted": "other drafts that lost a quotation of their solved tickets",
    "maps": "placeholder maps deleted from the vault",
    "mentions": "values forgotten in other people's tickets",
    "solved_tickets": "solved tickets taken out of the search",
    "passages": "passages taken out of both indexes",
    "jobs": "open jobs cancelled",
}


@app.callback()
def _group() -> None:
    """Keeps `erase` a sub-command."""


@app.command("erase")
def erase(
    who: Annotated[str, typer.Argument(help="The person's e-mail address, or whole name.")],
    ticket: Annotated[
        list[str] | None,
        typer.Option(help="Erase only this ticket (HELPDESK:NUMBER); may be repeated.", show_default=False),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be removed.")] = False,
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Remove a requester from vault, drafts, solved tickets, indexes and jobs; print and keep a receipt.

    Stop the server first. Running it again finishes what was broken off and changes nothing else. The helpdesk itself
    is not touched: erase the person there as well.

    Examples:

        citedesk person erase maria@example.org --dry-run

        citedesk person erase "Maria Lopez" --ticket zendesk:1041
    """
    settings = settings_for(env_file, data_dir=data)
    from plugin.bootstrap import open_services
    from plugin.erasing import erase as erase_everywhere

    services = open_services(settings)
    try:
        erasure = erase_everywhere(services, who, tickets=_tickets(ticket or [], services), dry_run=dry_run)
    finally:
        services.close()
    _print(erasure, dry_run=dry_run)


def _tickets(names: list[str], services: Services) -> list[TicketKey]:
    found = []
    for name in names:
        connector, colon, ticket_id = name.partition(":")
        if not colon or not ticket_id:
            raise BadInput(f"{name!r} is no ticket.", hint="Write HELPDESK:NUMBER, for example folder:1041.")
        services.helpdesk(connector)
        found.append((connector, ticket_id))
    return found


def _print(erasure: Erasure, *, dry_run: bool) -> None:
    from plugin.erasing import receipt_text

    plan, receipt = erasure.plan, erasure.receipt
    if erasure.again and receipt:
        typer.echo(f"Nothing is left: this was done on {receipt.at:%Y-%m-%d %H:%M} UTC. The receipt:")
    elif dry_run:
        typer.echo("Nothing was changed. This would be removed:")
    for name, count in plan.counts.items() if not erasure.again else ():
        typer.echo(f"{count:6d}  {WORDS[name]}")
    if plan.waiting:
        typer.echo(f"{plan.waiting:6d}  replies that quote these tickets wait to be sent: run this again afterwards.")
    if plan.untraced:
        typer.echo(
            f"{plan.untraced} solved tickets do not say whose they are: they were taken in by an older version, or "
            "their requester has no name. Run `citedesk ingest tickets`, then this again.",
            err=True,
        )
    if receipt:
        typer.echo(receipt_text(receipt), nl=False)
