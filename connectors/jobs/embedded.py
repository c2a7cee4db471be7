"""Wakes the worker threads of the same process. The work itself lies in the inbox and outbox."""

from __future__ import annotations

import threading


class ThreadQueue:
    """`wake` never blocks; each waiter sees every wake-up that came after the one it saw last."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._wakes = 0

    def wake(self) -> None:
        with self._changed:
            self._wakes += 1
            self._changed.notify_all()

    def wait(self, seen: int, timeout_s: float) -> int:
        """Return as soon as there were more wake-ups than `seen`, or after `timeout_s`; how many there were."""
        with self._changed:
            self._changed.wait_for(lambda: self._wakes > seen, timeout_s)
            return self._wakes
