from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from core.errors import CitedeskError
from plugin import cli


def commands(command: Any, name: str = "citedesk") -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its whole name."""
    children = getattr(command, "commands", {})
    if not children:
        yield name, command
    for child_name, child in children.items():
        yield from commands(child, f"{name} {child_name}")


ALL = dict(commands(typer.main.get_command(cli.app)))


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["citedesk", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_there_are_the_commands_that_the_documentation_speaks_of() -> None:
    assert set(ALL) >= {"citedesk demo", "citedesk serve", "citedesk ask", "citedesk doctor", "citedesk ledger verify"}


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_command_shows_an_example_of_itself(name: str) -> None:
    description = ALL[name].help or ""
    assert "Example" in description
    assert f"    {name}" in description or f"| {name}" in description


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "--nope"], "No such option: --nope"),
        (["nonsense"], "No such command 'nonsense'"),
        (["ask"], "Missing argument 'QUESTION'"),
        (["serve", "--port", "eighty"], "Invalid value for '--port'"),
        (["ledger", "verify", "--expect", "x"], "--expect takes NUMBER:SEAL"),
    ],
)
def test_a_mistake_is_one_line_with_what_to_do(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.setenv("CITEDESK_DATA_DIR", str(tmp_path))
    assert run(monkeypatch, *arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert said in shown.err


def test_help_is_no_mistake(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--help") == 0
    assert "Nothing leaves this machine" in " ".join(capsys.readouterr().out.split())


def test_what_nobody_foresaw_is_one_line_without_what_the_error_quotes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_options: object) -> None:
        raise RuntimeError("Maria Lopez wrote a secret")

    monkeypatch.setattr(cli, "app", broken)
    assert run(monkeypatch) == 70
    shown = capsys.readouterr().err
    assert "RuntimeError" in shown
    assert "Maria" not in shown
    assert len(shown.splitlines()) == 1


def test_every_kind_of_error_has_an_exit_status() -> None:
    kinds = [kind for kind, _ in cli.EXIT_CODES]
    assert kinds[-1] is CitedeskError
    assert all(issubclass(kind, CitedeskError) for kind in kinds)
    codes = [code for _, code in cli.EXIT_CODES]
    assert len(set(codes)) == len(codes)
    assert 0 not in codes
