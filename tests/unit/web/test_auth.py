from __future__ import annotations

from dataclasses import replace

import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient

from plugin.web.auth import safe_target
from tests.fakes.scenes import READY, put_draft, put_user
from tests.fakes.services import FakeServices
from tests.unit.web.conftest import Visitor, csrf_token

PASSWORD = "correct horse battery"
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
CHEAPER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, hash_len=16).hash(PASSWORD)


def sign_in(client: FlaskClient, login: str, password: str, target: str = "") -> tuple[int, str, dict[str, str]]:
    token = csrf_token(client.get("/login").text)
    form = {"csrf_token": token, "login": login, "password": password, "next": target}
    response = client.post("/login", data=form)
    return response.status_code, response.text, dict(response.headers)


def test_the_right_password_opens_the_queue_whatever_the_case_of_the_login(
    visitor: FlaskClient, services: FakeServices
) -> None:
    put_user(services, "grace@example.org", password_hash=CHEAP)
    status, _, headers = sign_in(visitor, " Grace@Example.ORG", PASSWORD)
    assert (status, headers["Location"]) == (303, "/queue")
    assert visitor.get("/queue").status_code == 200


def test_a_hash_with_less_work_is_renewed_when_its_owner_signs_in(visitor: FlaskClient, services: FakeServices) -> None:
    user = put_user(services, "grace@example.org", password_hash=CHEAPER)
    sign_in(visitor, user.login, PASSWORD)
    with services.uow() as tx:
        stored = tx.users.get(user.user_id)
    assert stored is not None
    assert stored.password_hash != CHEAPER
    assert visitor.get("/queue").status_code == 200


def test_wrong_password_unknown_login_and_disabled_account_look_the_same(
    visitor: FlaskClient, services: FakeServices
) -> None:
    put_user(services, "grace@example.org", password_hash=CHEAP)
    put_user(services, "gone@example.org", password_hash=CHEAP, disabled=True)
    wrong = sign_in(visitor, "grace@example.org", "wrong password")
    unknown = sign_in(visitor, "nobody@example.org", PASSWORD)
    disabled = sign_in(visitor, "gone@example.org", PASSWORD)
    assert {wrong[0], unknown[0], disabled[0]} == {401}
    assert all("Login or password is wrong." in page for _, page, _ in (wrong, unknown, disabled))
    assert visitor.get("/queue").status_code == 303


def test_too_many_wrong_passwords_are_answered_with_429_and_when_to_come_back(
    visitor: FlaskClient, services: FakeServices
) -> None:
    put_user(services, "grace@example.org", password_hash=CHEAP)
    for _ in range(services.settings.login_attempts):
        assert sign_in(visitor, "grace@example.org", "wrong")[0] == 401
    status, page, headers = sign_in(visitor, "grace@example.org", PASSWORD)
    assert (status, headers["Retry-After"]) == (429, "300")
    assert "Too many attempts" in page


def test_signing_in_starts_a_new_session(visitor: FlaskClient, services: FakeServices) -> None:
    put_user(services, "grace@example.org", password_hash=CHEAP)
    visitor.get("/login")
    with visitor.session_transaction() as session:
        session["planted"] = "by somebody else"
        before = session["csrf_token"]
    sign_in(visitor, "grace@example.org", PASSWORD)
    visitor.get("/queue")
    with visitor.session_transaction() as session:
        assert "planted" not in session
        assert session["csrf_token"] != before


def test_the_session_cookie_is_out_of_reach_for_scripts_and_other_sites(
    visitor: FlaskClient, services: FakeServices
) -> None:
    put_user(services, "grace@example.org", password_hash=CHEAP)
    cookie = sign_in(visitor, "grace@example.org", PASSWORD)[2]["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


def test_after_signing_in_one_lands_where_one_wanted_to_go(visitor: FlaskClient, services: FakeServices) -> None:
    put_user(services, "grace@example.org", password_hash=CHEAP)
    asked = visitor.get("/queue?state=all&q=x")
    assert asked.headers["Location"] == "/login?next=/queue?state%3Dall%26q%3Dx"
    assert sign_in(visitor, "grace@example.org", PASSWORD, "/queue?state=all")[2]["Location"] == "/queue?state=all"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "evil",
        "",
        "/\n/evil",
        "//[",
        "javascript:x",
    ],
)
def test_nobody_is_sent_to_another_site(target: str) -> None:
    assert safe_target(target) == "/queue"


def test_signing_out_takes_a_post_and_ends_the_session(grace: Visitor) -> None:
    assert grace.get("/logout").status == 405
    assert grace.get("/queue").status == 200
    assert grace.post("/logout").status == 303
    assert grace.get("/queue").status == 303


def test_a_disabled_account_is_out_at_once(grace: Visitor, services: FakeServices) -> None:
    with services.uow() as tx:
        tx.users.save(replace(grace.user, disabled=True))
        tx.commit()
    assert grace.get("/queue").status == 303


def test_a_new_password_ends_older_sessions(grace: Visitor, services: FakeServices) -> None:
    with services.uow() as tx:
        tx.users.save(replace(grace.user, password_hash="another"))
        tx.commit()
    assert grace.get("/queue").status == 303


def test_a_session_ends_after_the_hours_that_are_set(grace: Visitor, services: FakeServices) -> None:
    services.clock.advance(hours=services.settings.session_hours)
    assert grace.get("/queue").status == 200
    services.clock.advance(seconds=1)
    assert grace.get("/queue").status == 303


def test_scripts_of_somebody_signed_out_get_401_and_no_page(visitor: FlaskClient) -> None:
    answer = visitor.get("/drafts/x/status", headers={"Accept": "application/json"})
    assert answer.status_code == 401
    assert answer.get_json()["code"] == "login_failed"


def test_agents_do_not_see_audits_and_managers_see_both(grace: Visitor, mary: Visitor) -> None:
    refused = grace.get("/audit")
    assert refused.status == 403
    assert "Not for your role" in refused.text
    assert 'href="/audit"' not in grace.get("/queue").text
    assert mary.get("/audit").status == 200
    assert 'href="/audit"' in mary.get("/queue").text


def test_a_manager_sees_what_an_agent_sees(mary: Visitor) -> None:
    assert mary.get("/queue").status == 200


def test_whoever_was_signed_out_while_writing_gets_the_text_back(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    grace.get("/queue")
    grace.post("/drafts/ready/rejecting", text="")
    services.clock.advance(hours=services.settings.session_hours + 1)
    answer = grace.post("/drafts/ready/approve", text="My <b>words</b>.")
    assert answer.status == 401
    assert "My &lt;b&gt;words&lt;/b&gt;." in answer.text
    with services.uow() as tx:
        assert tx.drafts.get("ready").state is READY.state
