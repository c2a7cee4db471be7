"""The web application: wiring only."""

from __future__ import annotations

from datetime import timedelta

from flask import Flask, redirect, url_for
from flask_wtf.csrf import CSRFProtect
from jinja2 import StrictUndefined
from werkzeug.wrappers import Response

from plugin.bootstrap import Services
from plugin.web import (
    access_log,
    api,
    ask,
    audit,
    auth,
    errors,
    headers,
    health,
    rendering,
    review,
    review_queue,
    uploads,
    webhook,
)
from plugin.web.passwords import Passwords
from plugin.web.state import KEY

MAX_FORM_BYTES = 1_000_000
"""The largest form: a reply of the longest allowed length, percent-encoded."""


def create_app(services: Services, passwords: Passwords | None = None) -> Flask:
    """The WSGI application over these services. `passwords` sets how much work a password's hash is."""
    app = Flask(__name__)
    _configure(app, services)
    app.extensions[KEY] = services
    app.extensions[webhook.TALLY] = webhook.Tally()
    for edge in (access_log, headers, errors, rendering):
        edge.install(app)
    auth.install(app, services, passwords or Passwords())
    uploads.install(app)
    csrf = CSRFProtect(app)
    for machine in (webhook, health):
        csrf.exempt(machine.blueprint)
    for part in (webhook, health, auth, review_queue, review, audit, ask, api):
        app.register_blueprint(part.blueprint)
    app.add_url_rule("/", "home", _home)
    return app


def _configure(app: Flask, services: Services) -> None:
    settings = services.settings
    app.secret_key = services.records.session_key
    app.config.update(
        MAX_CONTENT_LENGTH=max(settings.webhook_max_bytes + 1, MAX_FORM_BYTES),
        MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES,
        PERMANENT_SESSION_LIFETIME=timedelta(hours=settings.session_hours),
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_NAME="citedesk",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.secure_cookies,
        WTF_CSRF_TIME_LIMIT=None,
    )
    app.jinja_options = {
        **app.jinja_options,
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }


def _home() -> Response:
    return redirect(url_for("queue.show"), 303)
