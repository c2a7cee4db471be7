"""`POST /api/ask` from the documentation; with files it is tried on the real thing (tests/integration)."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from core.domain.access import Audience
from core.domain.retrieval import Inquiry, Retrieval
from plugin.settings import Settings
from tests.fakes.services import FakeServices
from tests.unit.usecases.world import composition, retrieval
from tests.unit.web.conftest import Visitor, csrf_token, multipart


class AskServices(FakeServices):
    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.audiences: list[Audience] = []
        self.compose = composition

    def search(self, _inquiry: Inquiry, audience: Audience) -> Retrieval:
        self.audiences.append(audience)
        return retrieval()


@pytest.fixture
def services() -> AskServices:
    return AskServices(Settings(_env_file=None, ask_tenant="acme", ask_max_bytes=1_500_000))


def test_a_colleague_is_answered_from_what_colleagues_may_see(grace: Visitor, services: AskServices) -> None:
    answer = grace.post("/api/ask", question="How do I reset it?")
    assert answer.status == 200
    assert services.audiences == [Audience("acme", frozenset({"public", "internal"}))]
    assert (answer.json["question"], answer.json["outcome"]) == ("How do I reset it?", "draft")
    passage = answer.json["passages"][0]  # type: ignore[index]
    cited = [mark["marker"] for sentence in answer.json["sentences"] for mark in sentence["citations"]]  # type: ignore[attr-defined]
    assert cited == [passage["marker"]]
    assert passage["text"] == composition().evidence[0].passage.text
    assert passage["source"] == composition().evidence[0].passage.doc_id.split(":", 1)[-1]


def test_the_panel_asks_for_the_same_audience(grace: Visitor, services: AskServices) -> None:
    assert grace.post("/ask", question="How do I reset it?").status == 200
    assert services.audiences == [Audience("acme", frozenset({"public", "internal"}))]


def test_no_question_is_a_400(grace: Visitor) -> None:
    answer = grace.post("/api/ask", question=" ")
    assert (answer.status, answer.json["code"]) == (400, "bad_input")


def test_nobody_asks_without_signing_in_or_without_a_token(visitor: FlaskClient, grace: Visitor) -> None:
    token = csrf_token(visitor.get("/login").text)
    assert visitor.post("/api/ask", data={"question": "How?", "csrf_token": token}).status_code == 401
    assert grace.client.post("/api/ask", data={"question": "How?"}).status_code == 400


@pytest.mark.parametrize(("size", "status"), [(1_600_000, 413), (1_800_000, 413)])
def test_files_that_are_too_large_together_are_refused(grace: Visitor, size: int, status: int) -> None:
    """The first are read and counted, the second not even read."""
    token = csrf_token(grace.client.get("/queue").text)
    answer = grace.client.post(
        "/api/ask", **multipart({"csrf_token": token, "question": "How?"}, {"big.md": b"x" * size})
    )
    assert answer.status_code == status


def test_room_for_files_is_made_for_those_only_who_are_signed_in(visitor: FlaskClient) -> None:
    assert visitor.post("/api/ask", **multipart({"question": "How?"}, {"big.md": b"x" * 1_400_000})).status_code == 413
