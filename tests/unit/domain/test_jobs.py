from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.domain.jobs import EventKind, HelpdeskEvent, InboxItem, JobState, after_failure, tried_again
from core.errors import HelpdeskUnavailable, TicketNotFound

EVENT = HelpdeskEvent("desk", EventKind.MESSAGE_RECEIVED, "t1", "m1", "delivery-1")


def test_every_delivery_of_one_message_has_the_same_key() -> None:
    assert replace(EVENT, delivery_id="delivery-2").idempotency_key == EVENT.idempotency_key


@pytest.mark.parametrize(
    "change",
    [
        {"connector": "other"},
        {"kind": EventKind.DRAFT_REQUESTED},
        {"ticket_id": "t2"},
        {"message_id": "m2"},
    ],
)
def test_another_message_ticket_kind_or_connector_has_another_key(change: dict[str, str]) -> None:
    assert replace(EVENT, **change).idempotency_key != EVENT.idempotency_key  # type: ignore[arg-type]


def test_a_ping_without_message_is_told_apart_by_its_delivery() -> None:
    ping = replace(EVENT, message_id="")
    assert ping.idempotency_key == replace(ping).idempotency_key
    assert ping.idempotency_key != replace(ping, delivery_id="delivery-2").idempotency_key


def test_a_message_whose_id_looks_like_a_delivery_is_no_ping() -> None:
    ping = replace(EVENT, message_id="", delivery_id="7")
    assert ping.idempotency_key != replace(EVENT, message_id="7", delivery_id="").idempotency_key


NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
WORKING = InboxItem("i1", EVENT, NOW, JobState.WORKING, attempts=1, lease_owner="w", lease_until=NOW)


@pytest.mark.parametrize(("attempts", "wait_s"), [(1, 2), (2, 4), (3, 8), (9, 512), (10, 600), (40, 600)])
def test_each_failure_waits_twice_as_long_up_to_ten_minutes(attempts: int, wait_s: float) -> None:
    failed = after_failure(replace(WORKING, attempts=attempts), HelpdeskUnavailable("down"), NOW, attempts=99, base_s=2)
    assert failed.state is JobState.PENDING
    assert failed.not_before == NOW + timedelta(seconds=wait_s)


def test_a_failed_job_is_held_by_nobody_and_says_what_happened() -> None:
    failed = after_failure(WORKING, HelpdeskUnavailable("down"), NOW, attempts=5, base_s=2)
    assert (failed.lease_owner, failed.lease_until) == ("", None)
    assert (failed.error_code, failed.error_message) == ("helpdesk_unavailable", "down")


def test_a_job_is_parked_when_its_attempts_are_used_up() -> None:
    failed = after_failure(replace(WORKING, attempts=5), HelpdeskUnavailable("down"), NOW, attempts=5, base_s=2)
    assert (failed.state, failed.not_before) == (JobState.PARKED, None)


def test_a_job_that_cannot_succeed_is_parked_at_once() -> None:
    failed = after_failure(WORKING, TicketNotFound("gone"), NOW, attempts=5, base_s=2)
    assert (failed.state, failed.error_code) == (JobState.PARKED, "ticket_not_found")


def test_a_parked_job_that_is_tried_again_starts_afresh() -> None:
    parked = after_failure(WORKING, TicketNotFound("gone"), NOW, attempts=5, base_s=2)
    assert tried_again(parked) == InboxItem("i1", EVENT, NOW)
