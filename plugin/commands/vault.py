"""`citedesk vault`: the keys that personal data is sealed with, and how much of it there is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from plugin.commands.common import DataOption, EnvOption, settings_for

if TYPE_CHECKING:
    from plugin.bootstrap import Records

app = typer.Typer(help="The vault that holds personal data: keys and retention.", no_args_is_help=True)


@app.command("rotate")
def rotate(
    new_secret_from: Annotated[
        str,
        typer.Option(help="File, or name of a variable, with the new secret; needed where the settings hold one."),
    ] = "",
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Replace the keys of vault and ledger and the master key they are wrapped with; the old ones open nothing more.

    Stop the server first. When it is killed half-way nothing is lost: run it again and it finishes.

    Examples:

        citedesk vault rotate

        citedesk vault rotate --new-secret-from /run/secrets/new_key
    """
    settings = settings_for(env_file, data_dir=data)
    from plugin.bootstrap import owned, replace_master_key
    from plugin.erasing import operator

    with owned(settings) as records:
        unfinished = _is_unfinished(records)
        secret = None if unfinished else _secret(new_secret_from, needed=settings.secret_key is not None)
        if unfinished:
            typer.echo("An earlier rotation was broken off: it is finished first, no other key is made.")
        else:
            replace_master_key(records, secret, by=operator())
        count = _reencrypt(records)
        records.settle_key_file()
    typer.echo(f"Done: {count} maps are sealed with the new key, and the old one is deleted.")
    if secret:
        typer.echo("From now on set CITEDESK_SECRET_KEY to the new secret: the old one opens nothing.")
    typer.echo("Everybody must sign in again. Backups made before need the old key.")


@app.command("status")
def status(data: DataOption = None, env_file: EnvOption = None) -> None:
    """How much personal data there is, since when, and how long it is kept.

    Example:

        citedesk vault status
    """
    settings = settings_for(env_file, data_dir=data)
    from plugin.bootstrap import open_records

    records = open_records(settings)
    try:
        with records.uow() as tx:
            size = tx.vault.size()
    finally:
        records.close()
    typer.echo(f"{size.tickets} tickets with personal values.")
    if size.oldest:
        typer.echo(f"The longest untouched was last worked on {size.oldest:%Y-%m-%d}.")
    kept = f"{settings.vault_days:g} days after the last work on a ticket" if settings.vault_days else "until erased"
    typer.echo(f"Kept: {kept} (CITEDESK_VAULT_DAYS).")
    if size.outdated:
        typer.echo(f"{size.outdated} maps are still sealed with an older key: run `citedesk vault rotate`.")


def _is_unfinished(records: Records) -> bool:
    with records.uow() as tx:
        return tx.vault.size().outdated > 0


def _reencrypt(records: Records) -> int:
    from plugin.bootstrap import now
    from plugin.erasing import operator
    from plugin.progress import progress_bar

    with progress_bar("Sealing anew") as bar:
        count = records.store.reencrypt(
            at=now(), actor=operator(), progress=lambda done, total: bar.step(done, total, "")
        )
    records.store.purge()
    return count


def _secret(source: str, *, needed: bool) -> str | None:
    """The new secret, without white space around it; None when the key file is to be replaced."""
    if not source:
        if needed:
            raise BadInput(
                "CITEDESK_SECRET_KEY holds the master secret, so the new one must come from somewhere.",
                hint="Use --new-secret-from FILE, or --new-secret-from NAME_OF_A_VARIABLE.",
            )
        return None
    from plugin.settings import variable

    path = Path(source)
    text = path.read_text(encoding="utf-8") if path.is_file() and os.access(path, os.R_OK) else variable(source)
    if not text.strip():
        raise BadInput(f"There is no new secret in {source}.", hint="Name a file, or a variable that is set.")
    return text.strip()
