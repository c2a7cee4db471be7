from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from core import errors
from core.errors import CitedeskError, StoreUnavailable, VaultSealed
from plugin.web.app import create_app
from plugin.web.errors import TABLE, hint_for, outcome_of
from plugin.web.throttle import TooManyAttempts
from tests.fakes.scenes import READY, put_draft
from tests.fakes.services import FakeServices, cheap_passwords
from tests.unit.web.conftest import Visitor


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.WebhookRejected("x"), 401),
        (errors.LoginFailed("x"), 401),
        (TooManyAttempts("x", retry_after_s=1), 429),
        (errors.PayloadTooLarge("x"), 413),
        (errors.InvalidPayload("x"), 400),
        (errors.BadInput("x"), 400),
        (errors.PermissionDenied("x"), 403),
        (errors.DraftNotFound("x"), 404),
        (errors.DraftStateConflict("x"), 409),
        (errors.StorageFull("x"), 503),
        (errors.ModelUnavailable("x"), 503),
        (errors.VaultSealed("x"), 500),
        (errors.LedgerBroken("x"), 500),
    ],
)
def test_every_error_has_its_status(error: CitedeskError, status: int) -> None:
    assert outcome_of(error).status == status


def test_no_line_of_the_table_is_hidden_by_one_above_it() -> None:
    kinds = [kind for kind, _ in TABLE]
    assert all(not issubclass(late, early) for n, late in enumerate(kinds) for early in kinds[:n])


def test_a_stored_code_leads_to_what_an_operator_can_do() -> None:
    assert hint_for("helpdesk_unavailable") == errors.HelpdeskUnavailable.default_hint
    assert hint_for("gone") == ""


def test_an_unknown_page_says_so_calmly(grace: Visitor) -> None:
    answer = grace.get("/nowhere")
    assert answer.status == 404
    assert "There is no such page" in answer.text


def test_a_wrong_method_names_the_right_ones(visitor: FlaskClient) -> None:
    answer = visitor.delete("/login")
    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]


def test_webhooks_are_answered_in_json(visitor: FlaskClient) -> None:
    answer = visitor.post("/webhooks/unknown", data=b"{}")
    assert answer.status_code == 404
    assert set(answer.get_json()) == {"code", "message", "hint", "request"}
    assert answer.get_json()["code"] == "connector_not_found"


def test_webhooks_need_no_form_token_but_forms_do(visitor: FlaskClient) -> None:
    assert visitor.post("/webhooks/unknown").status_code == 404
    assert visitor.post("/login", data={"login": "a", "password": "b"}).status_code == 400


@pytest.mark.parametrize("path", ["text", "approve", "reject", "another", "question", "rejecting"])
def test_no_decision_is_taken_without_the_forms_token(grace: Visitor, services: FakeServices, path: str) -> None:
    put_draft(services, READY)
    answer = grace.client.post(f"/drafts/ready/{path}", data={"text": "my words", "reason": "tone"})
    assert answer.status_code == 400
    assert "The form is out of date" in answer.text
    assert "my words" in answer.text
    with services.uow() as tx:
        assert tx.drafts.get("ready").state is READY.state


def test_a_store_that_is_down_is_a_503_page_that_asks_to_come_back(grace: Visitor, services: FakeServices) -> None:
    services.store.failure = StoreUnavailable("The database does not answer.")
    answer = grace.get("/queue")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "10")
    assert "The database does not answer." in answer.text
    assert "CITEDESK_DATABASE_URL" in answer.text


def test_a_sealed_vault_says_what_to_do(grace: Visitor, services: FakeServices) -> None:
    put_draft(services, READY)
    services.records.store = services.store.reopen(vault_key=b"x" * 32)
    answer = grace.get("/drafts/ready")
    assert answer.status == 500
    assert VaultSealed.default_hint in answer.text.replace("&#39;", "'")


@pytest.fixture
def exploding() -> FlaskClient:
    """A visitor of an application with a bug whose error message holds a customer's data."""

    def explode() -> str:
        raise ZeroDivisionError("Maria Lopez, card 4111111111111111")

    app = create_app(FakeServices().as_services(), cheap_passwords())
    app.add_url_rule("/explode", "explode", explode)
    app.add_url_rule("/api/explode", "api.explode", explode)
    return app.test_client()


def test_what_nobody_foresaw_shows_a_number_and_nothing_else(exploding: FlaskClient) -> None:
    answer = exploding.get("/explode")
    assert answer.status_code == 500
    assert answer.headers["X-Request-ID"] in answer.text
    assert "Maria" not in answer.text
    assert "4111" not in answer.text
    assert "Traceback" not in answer.text
    assert "ZeroDivisionError" not in answer.text


def test_a_machine_gets_the_unforeseen_as_json_too(exploding: FlaskClient) -> None:
    answer = exploding.get("/api/explode")
    assert answer.status_code == 500
    assert answer.get_json()["code"] == "unexpected_error"
    assert "Maria" not in answer.text


def test_an_oversized_form_is_refused(visitor: FlaskClient) -> None:
    answer = visitor.post("/login", data={"login": "x" * 1_100_000})
    assert answer.status_code == 413
    assert "That is too large" in answer.text
