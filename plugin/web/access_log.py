"""One line a request: an id, what, how it ended, how long. Never a query string, a body or a path nobody knows."""

from __future__ import annotations

import secrets
import time

import structlog
from flask import Flask, Response, g, request

log = structlog.get_logger("citedesk.web")

QUIET = frozenset({"static", "health.alive", "health.ready", "queue.news", "review.status"})
"""Endpoints that are asked all the time; their lines would drown the others."""


def install(app: Flask) -> None:
    app.before_request(_begin)
    app.after_request(_end)


def request_id() -> str:
    """The id of this request, as in the log and in the header X-Request-ID."""
    return str(g.get("request_id", ""))


def _begin() -> None:
    g.request_id = secrets.token_hex(8)
    g.begun = time.perf_counter()
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request=g.request_id)


def _end(response: Response) -> Response:
    response.headers["X-Request-ID"] = request_id()
    milliseconds = round((time.perf_counter() - g.get("begun", time.perf_counter())) * 1000, 1)
    write = log.debug if request.endpoint in QUIET else log.info
    write("request", method=request.method, path=_path(response), status=response.status_code, ms=milliseconds)
    return response


def _path(response: Response) -> str:
    """The path of a request that was answered; else only its route: people paste anything into an address."""
    if response.status_code < 400:
        return request.path
    return str(request.url_rule) if request.url_rule else "no such page"
