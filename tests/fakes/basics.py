"""A clock that is set by hand and ids that count."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count


class FakeClock:
    """Stands still until `advance` is called."""

    def __init__(self, now: datetime = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **units: float) -> None:
        self.now += timedelta(**units)


def counting_ids(prefix: str = "id") -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers):06d}"
