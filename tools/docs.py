"""Writes the pages of docs/ that are made from code: `python -m tools.docs`; `--check` fails when one is stale."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import typer.main
from pydantic_core import PydanticUndefined

import core.errors
from core.domain.draft import DraftState
from core.errors import CitedeskError
from plugin.cli import EXIT_CODES, app
from plugin.settings import PREFIX, Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Written by `make docs` from the code; edits here are lost. -->\n\n"


def configuration() -> str:
    """Every setting with default and description."""
    rows = [
        f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(
        [
            "# Configuration\n",
            "Environment variables, or lines `NAME=value` of a file `citedesk.env` in the working folder",
            "(`--env-file` names another). The environment is stronger. An unknown `CITEDESK_` name is an error.\n",
            "| setting | default | meaning |",
            "|---|---|---|",
            *rows,
        ]
    )


def _default(value: object) -> str:
    if value is None or value in ("", PydanticUndefined):
        return "empty"
    return "`" + str(value).replace("\n", "\\n") + "`"


def commands() -> str:
    """`--help` of every command."""
    root = typer.main.get_command(app)
    return "# Commands\n\n" + "\n".join(_help_pages(root, "citedesk", None))


def _help_pages(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(command, info_name=name.rsplit(" ", 1)[-1], parent=parent)
    yield f"## {name}\n\n{_description(command)}\n"
    yield from _parameters(command)
    for child_name, child in getattr(command, "commands", {}).items():
        yield from _help_pages(child, f"{name} {child_name}", context)


def _description(command: click.Command) -> str:
    lines = (command.help or "").splitlines()
    return "\n".join(line if line.startswith("    ") else line.strip() for line in lines)


def _parameters(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        names = ", ".join(f"`{name}`" for name in parameter.opts) or f"`{parameter.name}`"
        text = getattr(parameter, "help", None)
        if text and parameter.name != "help":
            yield f"- {names}: {text}"
    yield ""


def errors() -> str:
    """Every error code with what an operator can do."""
    kinds = sorted(_subclasses(CitedeskError), key=lambda kind: kind.code)
    rows = [
        f"| `{kind.code}` | {_exit_code(kind)} | {'yes' if kind.retryable else 'no'} | {kind.default_hint} |"
        for kind in kinds
    ]
    header = ["# Error codes\n", "| code | exit status | tried again by itself | what to do |", "|---|---|---|---|"]
    return "\n".join([*header, *rows])


def _subclasses(kind: type[CitedeskError]) -> Iterator[type[CitedeskError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == core.errors.__name__:
            yield from _subclasses(child)


def _exit_code(kind: type[CitedeskError]) -> int:
    return next(code for parent, code in EXIT_CODES if issubclass(kind, parent))


def states() -> str:
    """The states of a draft and where each may go."""
    from core.domain.draft import TRANSITIONS

    lines = ["# States of a draft\n", "```mermaid", "stateDiagram-v2"]
    lines += ["    [*] --> waiting", "    waiting --> drafting", "    failed --> waiting: retry"]
    lines += [f"    drafting --> {state}" for state in ("ready", "partial", "abstained", "failed")]
    lines += [f"    {state} --> {to}" for state in DraftState for to in sorted(TRANSITIONS.get(state, ()))]
    return "\n".join([*lines, "```"])


PAGES: dict[str, Callable[[], str]] = {
    "configuration.md": configuration,
    "cli.md": commands,
    "errors.md": errors,
    "states.md": states,
}


def main() -> int:
    """Write the pages, or with `--check` name those that are stale."""
    stale = []
    for name, render in PAGES.items():
        path, text = DOCS / name, NOTE + render().rstrip() + "\n"
        if path.is_file() and path.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(text)
    if stale and "--check" in sys.argv:
        print(f"Stale: {', '.join(stale)}. Run `make docs`.")  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
