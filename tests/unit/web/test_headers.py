from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import plugin.web.app
from plugin.settings import Settings
from plugin.web.app import create_app
from tests.fakes.scenes import ABSTAINED, PARTIAL, READY, put_draft
from tests.fakes.services import FakeServices, cheap_passwords
from tests.unit.web.conftest import Visitor

WEB = Path(plugin.web.app.__file__).parent


@pytest.mark.parametrize("path", ["/login", "/nowhere", "/healthz", "/static/citedesk.css"])
def test_every_answer_forbids_foreign_content_framing_and_guessing(visitor: FlaskClient, path: str) -> None:
    with visitor.get(path) as answer:
        headers = answer.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Request-ID"]


def test_pages_are_never_stored_by_a_browser_but_the_stylesheet_may_be(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    assert grace.get("/drafts/ready").headers["Cache-Control"] == "no-store"
    with grace.client.get("/static/citedesk.css") as stylesheet:
        assert "no-store" not in stylesheet.headers["Cache-Control"]


def test_a_page_has_no_inline_script_or_style_and_no_foreign_resource(grace: Visitor, services: FakeServices) -> None:
    for draft in (READY, PARTIAL, ABSTAINED):
        put_draft(services, draft)
    for path in ("/queue", "/drafts/ready", "/drafts/partial", "/drafts/abstained"):
        page = grace.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", page)
        assert not re.search(r"<[^>]+\s(style|on\w+)=", page)
        assert "<style" not in page
        assert not re.search(r"<(?:link|script|img|iframe)[^>]+(?:src|href)=\"https?:", page)


def test_templates_never_switch_escaping_off() -> None:
    for template in (WEB / "templates").glob("*.html"):
        assert not re.search(r"\|\s*safe\b|autoescape false", template.read_text()), template.name


def test_the_script_stays_small() -> None:
    assert len((WEB / "static" / "citedesk.js").read_text().splitlines()) < 300


def test_behind_https_the_cookie_is_secure() -> None:
    services = FakeServices(Settings(_env_file=None, secure_cookies=True))
    client = create_app(services.as_services(), cheap_passwords()).test_client()
    assert "Secure" in client.get("/login").headers["Set-Cookie"]
