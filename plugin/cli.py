"""The command `citedesk`: parses, calls one function, turns errors into one line and an exit code."""

from __future__ import annotations

import sys

import typer

from core.errors import BadInput, CitedeskError, Conflict, NotFound, Refused, Unavailable
from plugin.commands import accounts, ask, demo, doctor, evaluate, ingest, ledger, person, reranker, serve, tune, vault

EXIT_CODES: tuple[tuple[type[CitedeskError], int], ...] = (
    (BadInput, 2),
    (Refused, 3),
    (NotFound, 4),
    (Conflict, 5),
    (Unavailable, 75),
    (CitedeskError, 1),
)

app = typer.Typer(
    name="citedesk",
    help="Draft helpdesk replies in which every sentence cites its source. Nothing leaves this machine.",
    epilog="Settings come from CITEDESK_* variables or a file citedesk.env; docs/configuration.md lists them all.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("serve")(serve.serve)
app.add_typer(ingest.app, name="ingest")
app.command("ask")(ask.ask)
app.command("doctor")(doctor.doctor)
app.add_typer(accounts.app, name="user")
app.add_typer(ledger.app, name="ledger")
app.add_typer(vault.app, name="vault")
app.add_typer(person.app, name="person")
app.add_typer(evaluate.app, name="eval")
app.command("tune")(tune.tune)
app.add_typer(reranker.app, name="reranker")


def main() -> None:
    """Run a command. Errors of use are one line on stderr; nobody ever sees a traceback."""
    sys.exit(_run())


def _run() -> int:
    """The exit status."""
    try:
        return int(app(standalone_mode=False) or 0)
    except CitedeskError as error:
        _complain(error.message, error.hint)
        return next(code for kind, code in EXIT_CODES if isinstance(error, kind))
    except typer.TyperException as error:
        return _complain_of_use(error)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:  # noqa: BLE001 - the command line's edge
        _report_unforeseen(error)
        return 70


def _complain(message: str, hint: str) -> None:
    typer.echo(f"citedesk: {message}" + (f" {hint}" if hint else ""), err=True)


def _complain_of_use(error: typer.TyperException) -> int:
    """A wrong option or argument; a bare group such as `citedesk user` shows its help instead."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.format_message())
        return 2
    hint = f"Try `{context.command_path} --help`." if context else ""
    _complain(" ".join(error.format_message().split()).rstrip(".") + ".", hint)
    return 2


def _report_unforeseen(error: Exception) -> None:
    """Type and place only: the message of a library's error may quote what it was given."""
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} in {frame.name}"
    _complain(f"Something went wrong that nobody foresaw ({type(error).__name__} at {where}).", "Please report it.")
