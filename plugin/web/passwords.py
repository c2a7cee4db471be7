"""Passwords: Argon2id hashes with the library's recommended work, and the little we ask of a new password."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from core.errors import BadInput

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MIN_CHARS, MAX_CHARS = 12, 1_000
GOOD_ONE = "Four unrelated words are a good one."


def check_strength(password: str, login: str = "") -> None:
    """Raise `BadInput` unless the password is long enough to be worth hashing (NIST SP 800-63B: length, no rules)."""
    if len(password) < MIN_CHARS:
        raise BadInput(f"A password needs at least {MIN_CHARS} characters.", hint=GOOD_ONE)
    if len(password) > MAX_CHARS:
        raise BadInput(f"A password has at most {MAX_CHARS} characters.")
    if login and password.casefold() == login.casefold():
        raise BadInput("The password is the login.", hint=GOOD_ONE)


def hash_password(password: str) -> str:
    """An Argon2id string with today's parameters and a fresh salt in it."""
    return Passwords().hash(password)


class Passwords:
    """Makes and checks hashes. `hasher` sets the work; by default what the library recommends (RFC 9106)."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        from argon2 import PasswordHasher

        self._hasher = hasher or PasswordHasher()

    def hash(self, password: str) -> str:
        return self._hasher.hash(_normalised(password))

    def verify(self, password: str, password_hash: str) -> bool:
        """Whether this is the password. A hash that is none counts as a wrong password."""
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            return self._hasher.verify(password_hash, _normalised(password))
        except (VerificationError, InvalidHashError):
            return False

    def needs_rehash(self, password_hash: str) -> bool:
        """Whether the hash was made with another work than today's."""
        return self._hasher.check_needs_rehash(password_hash)

    def pretend(self, password: str) -> bool:
        """False, after the work that verifying takes: for a login that does not exist."""
        self.hash(password)
        return False


def _normalised(password: str) -> str:
    """The same characters from any keyboard; cut where no honest password reaches."""
    return unicodedata.normalize("NFKC", password[: MAX_CHARS + 1])
