"""Column types that mean the same in SQLite and PostgreSQL."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import DateTime, Dialect, Text, TypeDecorator

T = TypeVar("T")

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with U+FFFD for what a database cannot hold: U+0000 (PostgreSQL) and halves of surrogate pairs (both).

    HTML parsers do the same. Webhooks can carry either, as `\\u0000` or as an emoji cut in two.

    >>> storable("a\\x00b") == "a\\ufffdb"
    True
    """
    return _UNSTORABLE.sub(REPLACEMENT, str(text))


class UtcTime(TypeDecorator[datetime]):
    """An aware moment, in UTC when it comes back, to the microsecond. Raises `ValueError` for a naive one."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a time zone")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(TypeDecorator[str]):
    """Text of any length, made `storable`; enumerations come in as their value."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class Json(TypeDecorator[T]):
    """A domain object, whole, as JSON text. Infinite and NaN scores survive, and so does U+0000 inside a text."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: type[T]) -> None:
        super().__init__()
        self.kind = kind

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        """Built at the first use: importing the schema stays cheap."""
        return TypeAdapter(self.kind)

    def process_bind_param(self, value: T | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        plain = self._adapter.dump_python(value, mode="json")
        return _SURROGATE.sub(REPLACEMENT, json.dumps(plain, ensure_ascii=False, separators=(",", ":")))

    def process_result_value(self, value: Any, dialect: Dialect) -> T | None:
        return None if value is None else self._adapter.validate_json(value)
