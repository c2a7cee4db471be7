"""Is the process alive (`/healthz`), and may traffic come (`/readyz`)?"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from core.errors import CitedeskError
from plugin.web.state import services

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def alive() -> Response:
    return jsonify(status="alive")


@blueprint.get("/readyz")
def ready() -> tuple[Response, int]:
    """200 when webhooks can be written down and the store answers; what is wrong otherwise."""
    try:
        with services().uow() as tx:
            waiting = sum(count for state, count in tx.inbox.counts().items() if state in ("pending", "working"))
    except CitedeskError as error:
        return jsonify(status="not ready", code=error.code, message=error.message), 503
    return jsonify(status="ready", waiting=waiting), 200
