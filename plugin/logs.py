"""Structured logs to stderr: ids, counts and codes, never a ticket's text.

An exception is logged by its type and the places it passed, never by its message: a library's message may quote
what it was given.
"""

from __future__ import annotations

import logging
import logging.config
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any

import structlog

Event = MutableMapping[str, Any]


def configure_logs(*, level: str, as_json: bool) -> None:
    """Send our own and the libraries' logs through one formatter."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _exception_without_message,
    ]
    renderer = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for ours in ("citedesk", "plugin"):
        logging.getLogger(ours).setLevel(level)


def _exception_without_message(_logger: object, _method: str, event: Event) -> Event:
    raised = event.pop("exc_info", None)
    error = sys.exc_info()[1] if raised is True else raised[1] if isinstance(raised, tuple) else raised
    if isinstance(error, BaseException):
        event["error_type"] = type(error).__name__
        event["error_at"] = " < ".join(
            f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}:{frame.name}"
            for frame in reversed(traceback.extract_tb(error.__traceback__))
        )
    return event
