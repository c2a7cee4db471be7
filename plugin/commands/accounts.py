"""`citedesk user`: who may sign in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import typer

from core.domain.account import Role, User
from core.errors import UserNotFound
from core.ports import UnitOfWork
from plugin.commands.common import DataOption, EnvOption, settings_for

app = typer.Typer(help="Add, list, disable the people who may sign in.", no_args_is_help=True)
Login = Annotated[str, typer.Argument(help="What the person signs in with, usually an e-mail address.")]


@app.command("add")
def add(
    login: Login,
    name: Annotated[str, typer.Option(help="Name shown to others. Default: the login.")] = "",
    role: Annotated[Role, typer.Option(help="agent reviews, manager also audits.")] = Role.AGENT,
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Add somebody; the password (12 characters or more) is asked for, or read from standard input.

    Examples:

        citedesk user add maria@observatory.example

        pass show citedesk | citedesk user add boss@observatory.example --role manager
    """
    from plugin.bootstrap import new_id, now
    from plugin.web.passwords import hash_password

    password_hash = hash_password(_read_password())
    login = login.strip().lower()
    user = User(new_id(), login, name or login, role, password_hash, now())
    _with_store(data, env_file, lambda tx: tx.users.add(user))
    typer.echo(f"{login} may sign in as {role}.")


@app.command("list")
def list_users(data: DataOption = None, env_file: EnvOption = None) -> None:
    """Everybody who has an account.

    Example:

        citedesk user list
    """
    users: list[User] = []
    _with_store(data, env_file, lambda tx: users.extend(tx.users.list()))
    for user in users:
        typer.echo(f"{user.login}\t{user.role}\t{'disabled' if user.disabled else 'active'}\t{user.name}")
    if not users:
        typer.echo("Nobody yet: `citedesk user add LOGIN`.")


@app.command("disable")
def disable(login: Login, data: DataOption = None, env_file: EnvOption = None) -> None:
    """Sign somebody out and keep them out; what they did stays in the ledger.

    Example:

        citedesk user disable maria@observatory.example
    """
    _with_store(data, env_file, lambda tx: tx.users.save(replace(_known(tx, login), disabled=True)))
    typer.echo(f"{login} can no longer sign in.")


@app.command("password")
def password(login: Login, data: DataOption = None, env_file: EnvOption = None) -> None:
    """Give somebody a new password.

    Example:

        citedesk user password maria@observatory.example
    """
    from plugin.web.passwords import hash_password

    password_hash = hash_password(_read_password())
    _with_store(data, env_file, lambda tx: tx.users.save(replace(_known(tx, login), password_hash=password_hash)))
    typer.echo(f"{login} has a new password.")


def _known(tx: UnitOfWork, login: str) -> User:
    user = tx.users.by_login(login.strip().lower())
    if user is None:
        raise UserNotFound(f"Nobody has the login {login}.")
    return user


def _with_store(data: DataOption, env_file: EnvOption, work: Callable[[UnitOfWork], None]) -> None:
    settings = settings_for(env_file, data_dir=data)
    from plugin.bootstrap import open_records

    records = open_records(settings)
    try:
        with records.uow() as tx:
            work(tx)
            tx.commit()
    finally:
        records.close()


def _read_password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\n")
