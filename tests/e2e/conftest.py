"""A real browser against the real application, served by waitress over services in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog
from flask import Flask
from playwright.sync_api import Browser, Page, sync_playwright

from core.domain.account import Role
from plugin.web.app import create_app
from plugin.web.server import WebServer
from tests.fakes.scenes import put_user
from tests.fakes.services import FakeServices, cheap_passwords

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True)
class Site:
    """The application at `address`; `services` are its fakes."""

    address: str
    services: FakeServices

    def sign_in(self, page: Page, login: str = "grace@example.org", then: str = "/queue") -> None:
        """Through the form, like everybody."""
        page.goto(f"{self.address}/login?next={then}")
        page.get_by_label("Login").fill(login)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{self.address}{then}")
        page.wait_for_load_state()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        reason = f"there is no {CHROMIUM}: install the package `chromium`"
        if os.environ.get("REQUIRE_SERVERS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def password_hash() -> str:
    return cheap_passwords().hash(PASSWORD)


@pytest.fixture
def site(password_hash: str) -> Iterator[Site]:
    """With an agent (grace@example.org) and a manager (mary@example.org); drafts are put in by the test."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    services = FakeServices()
    put_user(services, "grace@example.org", password_hash=password_hash)
    put_user(services, "mary@example.org", Role.MANAGER, password_hash=password_hash)
    with served(create_app(services.as_services(), cheap_passwords())) as address:
        yield Site(address, services)
    structlog.reset_defaults()


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The address at which waitress serves the application until the block ends."""
    server = WebServer(app, host="127.0.0.1", port=0, threads=4)
    server.start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own at 1280 by 800; an error in its console fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    yield opened
    context.close()
    assert [problem for problem in problems if "status of 4" not in problem] == []


Audit = Callable[[Page], list[str]]


@pytest.fixture(scope="session")
def axe() -> Audit:
    """What axe-core calls serious or critical about a page, one line each."""
    from axe_core_python.sync_playwright import Axe

    def audit(page: Page) -> list[str]:
        found: dict[str, Any] = Axe().run(page)
        return [
            f"{rule['id']}: {node['html']} {node['failureSummary']}"
            for rule in found["violations"]
            if rule["impact"] in ("serious", "critical")
            for node in rule["nodes"]
        ]

    return audit
