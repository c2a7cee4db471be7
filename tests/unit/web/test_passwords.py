import pytest

from core.errors import BadInput
from plugin.web.passwords import Passwords, check_strength, hash_password
from tests.fakes.services import cheap_passwords

GOOD = "four words ärmel now"


def test_only_the_same_password_is_right() -> None:
    passwords = cheap_passwords()
    stored = passwords.hash(GOOD)
    assert passwords.verify(GOOD, stored)
    assert not passwords.verify(GOOD + "!", stored)


def test_the_same_characters_typed_in_another_way_are_right() -> None:
    passwords = cheap_passwords()
    assert passwords.verify("four words a\u0308rmel now", passwords.hash(GOOD))


def test_what_is_no_hash_fits_no_password() -> None:
    assert not cheap_passwords().verify(GOOD, "none")


def test_a_hash_with_less_work_than_todays_is_renewed() -> None:
    assert Passwords().needs_rehash(cheap_passwords().hash(GOOD))
    assert not Passwords().needs_rehash(hash_password(GOOD))


@pytest.mark.parametrize("password", ["", "elevenchars", "x" * 1001, "Grace@Example.org"])
def test_short_endless_and_obvious_passwords_are_refused(password: str) -> None:
    with pytest.raises(BadInput):
        check_strength(password, "grace@example.org")


def test_twelve_characters_are_enough() -> None:
    check_strength("twelve chars", "grace@example.org")


def test_no_password_of_a_login_that_does_not_exist_is_right() -> None:
    assert not cheap_passwords().pretend(GOOD)
