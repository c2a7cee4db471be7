"""The application over fakes, and people who are signed in without paying for a password hash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
import structlog
from flask import Flask
from flask.testing import FlaskClient

from core.domain.account import Role, User
from plugin.web.app import create_app
from plugin.web.auth import SIGNED_IN_AT, THROTTLE, SignedIn
from plugin.web.state import KEY
from plugin.web.throttle import LoginThrottle
from tests.fakes.scenes import put_user
from tests.fakes.services import FakeServices, cheap_passwords


@pytest.fixture(autouse=True)
def quiet_logs() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    yield
    structlog.reset_defaults()


@pytest.fixture
def services() -> FakeServices:
    return FakeServices()


@pytest.fixture(scope="session")
def shared_app() -> Flask:
    """One application for all tests: compiling its templates is what takes time."""
    return create_app(FakeServices().as_services(), cheap_passwords())


@pytest.fixture
def app(shared_app: Flask, services: FakeServices) -> Flask:
    """The application over the test's own services, nobody having tried a password yet."""
    shared_app.extensions[KEY] = services
    shared_app.extensions[THROTTLE] = LoginThrottle(services.settings.login_attempts, services.clock)
    return shared_app


@pytest.fixture
def visitor(app: Flask) -> FlaskClient:
    """Somebody who has not signed in."""
    return app.test_client()


class Visitor:
    """A browser of somebody signed in: `post` sends the CSRF token along, as the pages' forms do."""

    def __init__(self, client: FlaskClient, user: User, at: float) -> None:
        self.client, self.user, self._token = client, user, ""
        with client.session_transaction() as session:
            session["_user_id"] = SignedIn(user).get_id()
            session["_fresh"] = True
            session[SIGNED_IN_AT] = at

    def get(self, path: str, **headers: str) -> Answer:
        return Answer(self.client.get(path, headers=headers))

    def post(self, path: str, **form: str) -> Answer:
        self._token = self._token or csrf_token(self.client.get("/queue").text)
        return Answer(self.client.post(path, data={"csrf_token": self._token, **form}))


class Answer:
    def __init__(self, response: object) -> None:
        self.status: int = response.status_code  # type: ignore[attr-defined]
        self.text: str = response.text  # type: ignore[attr-defined]
        self.headers: dict[str, str] = dict(response.headers)  # type: ignore[attr-defined]
        self.json: dict[str, object] = response.get_json(silent=True) or {}  # type: ignore[attr-defined]

    @property
    def typed(self) -> str:
        """What stands in the reply's textarea, unescaped."""
        return textarea(self.text)


def csrf_token(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found
    return found.group(1)


def textarea(page: str) -> str:
    found = re.search(r'<textarea id="text"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    assert found
    return unescape(found.group(1))


@pytest.fixture
def grace(app: Flask, services: FakeServices) -> Visitor:
    """An agent."""
    return Visitor(app.test_client(), put_user(services, "grace@example.org"), services.clock().timestamp())


@pytest.fixture
def mary(app: Flask, services: FakeServices) -> Visitor:
    """A manager."""
    user = put_user(services, "mary@example.org", Role.MANAGER)
    return Visitor(app.test_client(), user, services.clock().timestamp())


def multipart(fields: dict[str, str], files: dict[str, bytes]) -> Any:
    """A form with files, by their names, in the field `files`; without the temporary file Flask's client would use."""
    parts = [(f'name="{name}"', value.encode()) for name, value in fields.items()]
    parts += [(f'name="files"; filename="{name}"', content) for name, content in files.items()]
    body = b"".join(
        b"--b\r\nContent-Disposition: form-data; " + about.encode() + b"\r\n\r\n" + content + b"\r\n"
        for about, content in parts
    )
    return {"data": body + b"--b--\r\n", "content_type": "multipart/form-data; boundary=b"}
