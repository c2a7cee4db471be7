"""The people who sign in."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import ColumnElement, Connection, RowMapping, select, update

from connectors.storage.schema import users
from connectors.storage.statements import insert_once
from core.domain.account import Role, User
from core.errors import AlreadyExists, UserNotFound


class Users:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, user: User) -> None:
        if not insert_once(self._connection, users, asdict(user)):
            raise AlreadyExists("There is a user with this login already.")

    def get(self, user_id: str) -> User | None:
        return self._one(users.c.user_id == user_id)

    def by_login(self, login: str) -> User | None:
        return self._one(users.c.login == login)

    def _one(self, condition: ColumnElement[bool]) -> User | None:
        row = self._connection.execute(select(users).where(condition)).mappings().one_or_none()
        return _user(row) if row else None

    def save(self, user: User) -> None:
        """Raises `UserNotFound`."""
        statement = update(users).where(users.c.user_id == user.user_id).values(asdict(user))
        if self._connection.execute(statement).rowcount == 0:
            raise UserNotFound(f"There is no user {user.user_id}.")

    def list(self) -> list[User]:
        """By login."""
        rows = self._connection.execute(select(users)).mappings()
        return sorted((_user(row) for row in rows), key=lambda user: user.login)


def _user(row: RowMapping) -> User:
    return User(**{**row, "role": Role(row["role"])})
