"""When a request is tried again, and how long that takes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from connectors.helpdesk.rest import ATTEMPTS, MAX_WAIT_S, Answer, retry_after_s, wait_before_retry

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("status", [0, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(status: int) -> None:
    assert wait_before_retry(Answer(status), 1, NOW) is not None


@pytest.mark.parametrize("status", [200, 201, 204, 301, 400, 401, 403, 404, 409, 422, 501])
def test_what_stays_is_not(status: int) -> None:
    assert wait_before_retry(Answer(status), 1, NOW) is None


def test_the_last_try_is_the_last() -> None:
    assert wait_before_retry(Answer(503), ATTEMPTS - 1, NOW) is not None
    assert wait_before_retry(Answer(503), ATTEMPTS, NOW) is None


def test_waits_differ_and_their_bound_doubles() -> None:
    first = [wait_before_retry(Answer(503), 1, NOW) or 0 for _ in range(200)]
    second = [wait_before_retry(Answer(503), 2, NOW) or 0 for _ in range(200)]
    assert len(set(first)) > 100
    assert 0.3 < max(first) <= 0.5 < max(second) <= 1.0


def test_an_asked_wait_is_kept_up_to_a_bound() -> None:
    assert wait_before_retry(Answer(429, headers={"retry-after": "4"}), 1, NOW) == 4
    assert wait_before_retry(Answer(429, headers={"retry-after": str(MAX_WAIT_S + 1).split(".")[0]}), 1, NOW) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", 0.0),
        (" 12 ", 12.0),
        ("Mon, 30 Nov 2026 12:00:05 GMT", 5.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("soon", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, expected: float | None) -> None:
    assert retry_after_s(value, NOW) == expected
