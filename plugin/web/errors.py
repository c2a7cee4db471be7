"""The one table from errors to HTTP answers: JSON for machines, a calm page for people.

A page says what happened, what was kept and what to do. Messages of our own errors are safe to show; of anything
else only its request id is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from flask import Flask, jsonify, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.wrappers import Response

from core.errors import (
    BadInput,
    CitedeskError,
    Conflict,
    FilesTooLarge,
    LoginFailed,
    NotFound,
    PayloadTooLarge,
    PermissionDenied,
    Refused,
    Unavailable,
    WebhookRejected,
)
from plugin.web.access_log import request_id
from plugin.web.auth import already_known
from plugin.web.throttle import TooManyAttempts
from plugin.web.wanted import wants_json

log = structlog.get_logger("citedesk.web")

RETRY_AFTER_S = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one class of errors is answered: status, headline, and what the person may rely on."""

    status: int
    title: str
    kept: str


NOTHING_CHANGED = "Nothing was changed."

TABLE: tuple[tuple[type[CitedeskError], Outcome], ...] = (
    (PayloadTooLarge, Outcome(413, "That is too large", NOTHING_CHANGED)),
    (FilesTooLarge, Outcome(413, "That is too large", NOTHING_CHANGED)),
    (BadInput, Outcome(400, "That cannot be used", NOTHING_CHANGED)),
    (WebhookRejected, Outcome(401, "The webhook was refused", "The ticket itself is safe in the helpdesk.")),
    (LoginFailed, Outcome(401, "You are signed out", NOTHING_CHANGED)),
    (TooManyAttempts, Outcome(429, "Too many attempts", "Your account is as it was.")),
    (PermissionDenied, Outcome(403, "Not for your role", NOTHING_CHANGED)),
    (Refused, Outcome(403, "Refused", NOTHING_CHANGED)),
    (NotFound, Outcome(404, "There is no such thing", "Drafts are never deleted; the address may be mistyped.")),
    (Conflict, Outcome(409, "Somebody was faster", "What was stored before is still there.")),
    (
        Unavailable,
        Outcome(503, "Something does not answer", "Everything that arrived is kept and goes on by itself."),
    ),
    (CitedeskError, Outcome(500, "This did not work", "What was stored before is still there.")),
)
"""First match wins: from the particular to the general."""

UNFORESEEN = Outcome(500, "Something went wrong that nobody foresaw", "What was stored before is still there.")
UNFORESEEN_HINT = "Try again; if it happens again, tell your administrator the number below."

HTTP_WORDS = {
    400: ("That request cannot be understood", "Go back and try again."),
    404: ("There is no such page", "Check the address, or go to the queue."),
    405: ("This address does not take that kind of request", "Go back and use the page's own buttons."),
    413: ("That is too large", "Send less text."),
}


def install(app: Flask) -> None:
    app.register_error_handler(CitedeskError, answer_error)
    app.register_error_handler(CSRFError, _answer_csrf)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(Exception, _answer_unforeseen)


def outcome_of(error: CitedeskError) -> Outcome:
    return next(outcome for kind, outcome in TABLE if isinstance(error, kind))


def hint_for(code: str) -> str:
    """What an operator can do about a stored error code; empty when nothing is known."""
    return _hints(CitedeskError).get(code, "")


def answer_error(error: CitedeskError) -> Response:
    """What was looked for in vain is not repeated: people paste anything into an address."""
    outcome = outcome_of(error)
    if outcome.status >= 500:
        log.warning("request failed", code=error.code, status=outcome.status)
    message = "" if isinstance(error, NotFound) else error.message
    response = _answer(outcome, error.code, message, error.hint)
    if isinstance(error, TooManyAttempts):
        response.headers["Retry-After"] = str(error.retry_after_s)
    elif outcome.status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


def _answer_csrf(_error: CSRFError) -> Response:
    message = "This page was open for too long, or your session has ended."
    hint = "Open the page again (sign in if asked) and repeat what you did."
    return _answer(Outcome(400, "The form is out of date", NOTHING_CHANGED), "form_expired", message, hint)


def _answer_http(error: HTTPException) -> Response:
    """Keep the library's status and headers (`Allow`, `Location`); say it in our words."""
    if error.code is None or error.code < 400:
        return error.get_response()
    title, hint = HTTP_WORDS.get(error.code, (error.name, ""))
    code = error.name.lower().replace(" ", "_")
    response = _answer(Outcome(error.code, title, NOTHING_CHANGED), code, "", hint, error)
    for name, value in error.get_response().headers:
        if name not in ("Content-Type", "Content-Length"):
            response.headers[name] = value
    return response


def _answer_unforeseen(_error: Exception) -> Response:
    log.exception("request failed unexpectedly")
    return _answer(UNFORESEEN, "unexpected_error", "", UNFORESEEN_HINT)


def _answer(outcome: Outcome, code: str, message: str, hint: str, error: Exception | None = None) -> Response:
    message = message or f"{outcome.title}."
    if wants_json():
        return make_response(jsonify(code=code, message=message, hint=hint, request=request_id()), outcome.status)
    page = render_template(
        "error.html",
        outcome=outcome,
        message="" if message == f"{outcome.title}." else message,
        hint=hint,
        request_id=request_id() if outcome.status >= 500 else "",
        typed="" if isinstance(error, RequestEntityTooLarge) else request.form.get("text", ""),
        signed_in=already_known,
    )
    return make_response(page, outcome.status)


def _hints(kind: type[CitedeskError]) -> dict[str, str]:
    found = {kind.code: kind.default_hint}
    for child in kind.__subclasses__():
        found |= _hints(child)
    return found
