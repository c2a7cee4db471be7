"""Worker threads inside the web process: they drain inbox and outbox until they are stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog

from core.errors import CitedeskError
from plugin.bootstrap import Services
from plugin.worker.tasks import draft_next, forget_idle_maps, send_next

log = structlog.get_logger("citedesk.worker")

IDLE_S = 1.0
"""How long a thread sleeps at most when nothing woke it: retries become due by time alone."""

HOUSEKEEPING_S = 3600.0
"""Between two looks for what the settings say is to be forgotten."""


class EmbeddedWorkers:
    """Drafting threads, one sending and one housekeeping thread. `stop` lets each finish what it is doing."""

    def __init__(self, services: Services, *, drafting_threads: int) -> None:
        self._services = services
        self._stopping = threading.Event()
        tasks = [draft_next] * drafting_threads + [send_next] * bool(drafting_threads)
        self._threads = [
            threading.Thread(target=self._drain, args=(task,), name=f"{task.__name__}-{number}", daemon=True)
            for number, task in enumerate(tasks)
        ]
        if drafting_threads:
            self._threads.append(threading.Thread(target=self._keep_house, name="housekeeping", daemon=True))

    def start(self) -> None:
        """Take back what a process that died was working on, then begin."""
        services = self._services
        with services.uow() as tx:
            taken_back = tx.inbox.release(services.owner) + tx.outbox.release(services.owner)
            tx.commit()
        if taken_back:
            log.info("jobs of a process that died are taken up again", count=taken_back)
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_s: float = 30.0) -> None:
        self._stopping.set()
        self._services.queue.wake()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout_s)

    def _drain(self, task: Callable[[Services, str], bool]) -> None:
        seen = 0
        while not self._stopping.is_set():
            if not self._one(task):
                seen = self._services.queue.wait(seen, IDLE_S)

    def _keep_house(self) -> None:
        """At the start and then every hour; what fails is tried again after an hour."""
        while not self._stopping.is_set():
            self._one(lambda services, _owner: forget_idle_maps(services) > 0)
            self._stopping.wait(HOUSEKEEPING_S)

    def _one(self, task: Callable[[Services, str], bool]) -> bool:
        try:
            return task(self._services, self._services.owner)
        except CitedeskError as error:
            log.warning("the worker cannot reach its jobs; it tries again", code=error.code)
        except Exception:
            log.exception("the worker stumbled; it tries again")
        self._stopping.wait(IDLE_S)
        return False
