import threading

import pytest

from plugin.web.throttle import ADDRESS_FACTOR, LoginThrottle, TooManyAttempts
from tests.fakes.basics import FakeClock


def test_the_third_attempt_waits_when_two_are_allowed() -> None:
    clock = FakeClock()
    throttle = LoginThrottle(2, clock)
    throttle.admit("a", "1.1.1.1")
    clock.advance(seconds=60)
    throttle.admit("a", "1.1.1.1")
    with pytest.raises(TooManyAttempts) as refused:
        throttle.admit("a", "1.1.1.1")
    assert refused.value.retry_after_s == 240


def test_after_five_minutes_the_oldest_attempt_is_forgotten() -> None:
    clock = FakeClock()
    throttle = LoginThrottle(1, clock)
    throttle.admit("a", "1.1.1.1")
    clock.advance(seconds=299)
    with pytest.raises(TooManyAttempts):
        throttle.admit("a", "1.1.1.1")
    clock.advance(seconds=1)
    throttle.admit("a", "1.1.1.1")


def test_another_login_is_not_held_up() -> None:
    throttle = LoginThrottle(1, FakeClock())
    throttle.admit("a", "1.1.1.1")
    throttle.admit("b", "1.1.1.1")


def test_one_address_cannot_try_many_logins() -> None:
    throttle = LoginThrottle(1, FakeClock())
    for number in range(ADDRESS_FACTOR):
        throttle.admit(f"login{number}", "1.1.1.1")
    with pytest.raises(TooManyAttempts):
        throttle.admit("another", "1.1.1.1")
    throttle.admit("another", "2.2.2.2")


def test_a_right_password_clears_the_login_and_gives_its_attempt_back() -> None:
    throttle = LoginThrottle(1, FakeClock())
    for _ in range(ADDRESS_FACTOR + 1):
        throttle.admit("a", "1.1.1.1")
        throttle.succeeded("a", "1.1.1.1")


def test_a_right_password_does_not_clear_the_address() -> None:
    throttle = LoginThrottle(1, FakeClock())
    for number in range(ADDRESS_FACTOR - 1):
        throttle.admit(f"login{number}", "1.1.1.1")
    throttle.admit("a", "1.1.1.1")
    throttle.succeeded("a", "1.1.1.1")
    throttle.admit("b", "1.1.1.1")
    with pytest.raises(TooManyAttempts):
        throttle.admit("c", "1.1.1.1")


def test_attempts_at_the_same_moment_are_all_counted() -> None:
    throttle = LoginThrottle(5, FakeClock())
    admitted: list[int] = []

    def attempt(number: int) -> None:
        try:
            throttle.admit("a", f"10.0.0.{number}")
        except TooManyAttempts:
            return
        admitted.append(number)

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(admitted) == 5
