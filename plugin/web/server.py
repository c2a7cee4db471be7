"""The web server: waitress in a thread that can be stopped without dropping a request."""

from __future__ import annotations

import threading
import time
from typing import Any

from flask import Flask

from core.errors import BadInput

POLL_S = 0.2
"""How soon a stop is noticed when no request comes."""

GRACE_S = 10.0
"""How long requests under way may take once the server is being stopped."""


class WebServer:
    """Listens from the start, answers after `start`, and after `stop` has answered what it had accepted.

    Raises `BadInput` when the address cannot be listened on.
    """

    def __init__(self, app: Flask, *, host: str, port: int, threads: int) -> None:
        from waitress import wasyncore
        from waitress.server import create_server

        self._sockets: dict[int, Any] = {}
        self._loop = wasyncore.loop
        try:
            self._server = create_server(
                app,
                map=self._sockets,
                host=host,
                port=port,
                threads=threads,
                ident=None,
                clear_untrusted_proxy_headers=True,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "no such address"
            raise BadInput(
                f"The web server cannot listen on {host}:{port}: {why}.",
                hint="Choose another CITEDESK_PORT, or stop what uses this one.",
            ) from error
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)

    @property
    def port(self) -> int:
        """The real one, where 0 was asked for."""
        return int(self._server.effective_port)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(GRACE_S + 2)

    def _run(self) -> None:
        """All sockets are touched by this thread only: closing them from another one races with its `select`."""
        while not self._stopping.is_set():
            self._loop(timeout=POLL_S, map=self._sockets, count=1)
        self._stop_listening()
        deadline = time.monotonic() + GRACE_S
        while self._busy() and time.monotonic() < deadline:
            self._loop(timeout=0.05, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown(timeout=1)
        for channel in list(self._sockets.values()):
            channel.close()

    def _stop_listening(self) -> None:
        for channel in list(self._sockets.values()):
            if getattr(channel, "accepting", False):
                channel.close()

    def _busy(self) -> bool:
        """Whether a request is being read or worked on, or its answer not yet written."""
        channels = [channel for channel in self._sockets.values() if hasattr(channel, "requests")]
        return any(channel.requests or channel.request or channel.total_outbufs_len for channel in channels)
