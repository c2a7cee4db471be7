from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, fields, replace
from datetime import datetime

import pytest
import structlog
from flask.testing import FlaskClient

from core.domain.account import User
from core.domain.draft import Draft
from plugin.web.app import create_app
from plugin.web.auth import SIGNED_IN_AT, SignedIn
from tests.fakes.store import Tables
from tests.unit.web_audit.stage import AuditServices, Stage, answered, retrieval


@dataclass(frozen=True, slots=True)
class Site:
    """The application over fakes, with a month of drafts; nobody is signed in yet."""

    services: AuditServices
    stage: Stage
    client: FlaskClient
    agent: User
    manager: User
    drafts: dict[str, Draft]

    def sign_in(self, user: User) -> None:
        with self.client.session_transaction() as session:
            session["_user_id"] = SignedIn(user).get_id()
            session[SIGNED_IN_AT] = self.services.clock().timestamp()

    def get(self, address: str, status: int = 200) -> str:
        response = self.client.get(address)
        assert response.status_code == status, response.text
        return response.text

    def post(self, address: str, status: int = 200, **fields: str) -> str:
        """With the CSRF token of the page that holds the form."""
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.get(address))
        assert found
        response = self.client.post(address, data={"csrf_token": found.group(1), **fields})
        assert response.status_code == status, response.text
        return response.text


@pytest.fixture(scope="session")
def built() -> tuple[Site, Tables, datetime]:
    """The application and its month, made once, with what was stored and what time it was then."""
    services = AuditServices()
    agent, manager = services.put_people()
    stage = Stage(services, agent)
    drafts = stage.month()
    app = create_app(services.as_services())
    with services.store.uow() as tx:
        tables = tx.tables.snapshot()
    return Site(services, stage, app.test_client(), agent, manager, drafts), tables, services.clock()


@pytest.fixture
def site(built: tuple[Site, Tables, datetime]) -> Iterator[Site]:
    """As it was made; nobody is signed in."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    site, tables, services = *built[:2], built[0].services
    services.clock.now, services.search, services.compose = built[2], retrieval, answered
    with services.store.uow() as tx:
        for table in fields(tables):
            setattr(tx.tables, table.name, copy(getattr(tables, table.name)))
        tx.commit()
    yield replace(site, client=site.client.application.test_client())
    structlog.reset_defaults()


@pytest.fixture
def manager(site: Site) -> Site:
    """The manager has signed in."""
    site.sign_in(site.manager)
    return site
