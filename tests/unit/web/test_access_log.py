from __future__ import annotations

import pytest
import structlog
from structlog.testing import capture_logs

from tests.fakes.scenes import READY, put_draft
from tests.fakes.services import FakeServices
from tests.unit.web.conftest import Visitor


@pytest.fixture(autouse=True)
def quiet_logs() -> None:
    """Not here: the lines are what is looked at."""
    structlog.reset_defaults()


def test_a_request_is_one_line_without_its_query_or_its_form(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    with capture_logs() as lines:
        grace.get("/queue?q=Maria")
        grace.post("/drafts/ready/text", text="Call Maria.")
    requests = [line for line in lines if line["event"] == "request"]
    asked, saved = requests[0], requests[-1]
    assert (asked["method"], asked["path"], asked["status"]) == ("GET", "/queue", 200)
    assert (saved["path"], saved["status"]) == ("/drafts/ready/text", 303)
    assert "Maria" not in str(lines)


def test_polling_does_not_fill_the_log(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    with capture_logs() as lines:
        grace.get("/drafts/ready/status")
    assert [line["log_level"] for line in lines] == ["debug"]


def test_a_failed_sign_in_leaves_neither_login_nor_password_in_the_log(grace: Visitor) -> None:
    with capture_logs() as lines:
        answer = grace.post("/login", login="maria@example.org", password="correct horse battery")
    assert answer.status == 401
    assert "sign-in refused" in str(lines)
    assert "maria" not in str(lines)
    assert "horse" not in str(lines)
