"""`POST /webhooks/<connector>`: check who it is, write the event down, answer. The work comes later."""

from __future__ import annotations

from collections import Counter
from threading import Lock

import structlog
from flask import Blueprint, Response, jsonify, request

from core.errors import ConnectorNotFound, PayloadTooLarge
from core.usecases.receive_event import receive_event
from plugin.web.state import services

blueprint = Blueprint("webhook", __name__)
log = structlog.get_logger("citedesk.web")


class Tally:
    """How many deliveries had which end, since this process started."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lock = Lock()

    def add(self, connector: str, result: str) -> None:
        with self._lock:
            self._counts[connector, result] += 1

    def snapshot(self) -> dict[str, int]:
        with self._lock:
            return {f"{connector}:{result}": count for (connector, result), count in self._counts.items()}


TALLY = "citedesk.webhook_tally"


@blueprint.post("/webhooks/<connector>")
def receive(connector: str) -> tuple[Response, int]:
    """202 for a new event, 200 for a repeat or one we do not work on; 4xx when it is the caller's fault."""
    webhook = services().webhooks.get(connector)
    if webhook is None:
        raise ConnectorNotFound("No such webhook is configured.")
    headers = {name.lower(): value for name, value in request.headers.items()}
    body = _body()
    webhook.verify(headers, body, services().clock())
    event = webhook.parse(headers, body)
    if event is None:
        return _answer(connector, "ignored", 200)
    is_new = receive_event(
        event, uow=services().uow, queue=services().queue, clock=services().clock, new_id=services().new_id
    )
    return _answer(connector, "accepted" if is_new else "repeated", 202 if is_new else 200, event.ticket_id)


def _body() -> bytes:
    """At most as many bytes as allowed, whatever the headers claim."""
    limit = services().settings.webhook_max_bytes
    if (request.content_length or 0) > limit:
        raise PayloadTooLarge(f"The body has {request.content_length} bytes; at most {limit} are read.")
    body = request.stream.read(limit + 1)
    if len(body) > limit:
        raise PayloadTooLarge(f"The body has more than {limit} bytes.")
    return body


def _answer(connector: str, result: str, status: int, ticket: str = "") -> tuple[Response, int]:
    from flask import current_app

    current_app.extensions[TALLY].add(connector, result)
    log.info("webhook", connector=connector, result=result, ticket=ticket or None)
    return jsonify(status=result), status
