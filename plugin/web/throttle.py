"""How often somebody may try a password: a sliding window in memory, for a login and for an address."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta
from threading import Lock

from core.errors import Refused
from core.ports import Clock

WINDOW = timedelta(minutes=5)
ADDRESS_FACTOR = 4
"""People of one office share an address: it may try this many times as often as one login."""

MAX_KEYS = 10_000
"""More keys than this and those whose window is over are thrown out."""


class TooManyAttempts(Refused):
    """`retry_after_s` is how long the caller has to wait."""

    code = "too_many_attempts"
    default_hint = "Wait until the time is over, or ask an administrator for a new password."

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class LoginThrottle:
    """Counts wrong passwords. An attempt is counted before it is checked, so that many at once count too."""

    def __init__(self, attempts: int, clock: Clock) -> None:
        self._attempts = attempts
        self._clock = clock
        self._tries: dict[str, deque[datetime]] = {}
        self._lock = Lock()

    def admit(self, login: str, address: str) -> None:
        """Count one attempt; raises `TooManyAttempts` when there were too many wrong ones in the last 5 minutes."""
        now = self._clock()
        limits = {f"login {login}": self._attempts, f"address {address}": self._attempts * ADDRESS_FACTOR}
        with self._lock:
            self._forget_old(now)
            wait = max(self._wait(key, limit, now) for key, limit in limits.items())
            if wait <= timedelta(0):
                for key in limits:
                    self._tries.setdefault(key, deque()).append(now)
                return
        raise TooManyAttempts(
            "There were too many attempts to sign in.", retry_after_s=max(1, round(wait.total_seconds()))
        )

    def succeeded(self, login: str, address: str) -> None:
        """The attempt counted last was right: the login starts afresh, the address gets that attempt back."""
        with self._lock:
            self._tries.pop(f"login {login}", None)
            if tries := self._tries.get(f"address {address}"):
                tries.pop()

    def _wait(self, key: str, limit: int, now: datetime) -> timedelta:
        tries = self._tries.get(key, deque())
        while tries and tries[0] <= now - WINDOW:
            tries.popleft()
        return tries[-limit] + WINDOW - now if len(tries) >= limit else timedelta(0)

    def _forget_old(self, now: datetime) -> None:
        if len(self._tries) > MAX_KEYS:
            self._tries = {key: tries for key, tries in self._tries.items() if tries and tries[-1] > now - WINDOW}
