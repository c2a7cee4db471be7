"""The service of one process: web server and worker threads, started and stopped together."""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Self

import structlog

from core.errors import CitedeskError
from plugin.bootstrap import Services
from plugin.web.app import create_app
from plugin.web.server import WebServer
from plugin.worker.embedded import EmbeddedWorkers

log = structlog.get_logger("citedesk.serve")

SWITCH_S = 0.001
"""A drafting thread gives way to a waiting request after this long; Python's own 5 ms add up to a slow webhook."""


class RunningService:
    """`with RunningService(services) as service:` serves until the block ends, then finishes what is under way."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._workers = EmbeddedWorkers(services, drafting_threads=services.settings.worker_threads)
        settings = services.settings
        self._web = WebServer(
            create_app(services), host=settings.host, port=settings.port, threads=settings.web_threads
        )
        self._warm_up = threading.Thread(target=_warm_up, args=(services,), name="warm-up", daemon=True)

    def __enter__(self) -> Self:
        sys.setswitchinterval(SWITCH_S)
        self._web.start()
        self._workers.start()
        self._warm_up.start()
        log.info("serving", address=self._services.settings.public_url)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        log.info("stopping: requests and jobs under way are finished first")
        self._web.stop()
        self._workers.stop()
        self._warm_up.join(timeout=30)
        log.info("stopped")


def wait_for_stop() -> None:
    """Block until Ctrl-C or SIGTERM."""
    stop = threading.Event()

    def request_stop(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, request_stop)
    signal.signal(signal.SIGINT, request_stop)
    while not stop.wait(3600):
        pass


def _warm_up(services: Services) -> None:
    since = time.perf_counter()
    try:
        services.warm_up()
        log.info("models are loaded", seconds=round(time.perf_counter() - since, 1))
    except CitedeskError as error:
        log.warning("a model does not load; jobs that need it wait", code=error.code, hint=error.hint)
