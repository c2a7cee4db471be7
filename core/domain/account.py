"""The people who sign in: agents review, managers also audit, administrators also configure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    AGENT = "agent"
    MANAGER = "manager"
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True, slots=True)
class User:
    """`login` is unique and lower-case; `password_hash` is an Argon2id string."""

    user_id: str
    login: str
    name: str
    role: Role
    password_hash: str
    created_at: datetime
    disabled: bool = False

    @property
    def may_audit(self) -> bool:
        return self.role in (Role.MANAGER, Role.ADMINISTRATOR)

    def __repr__(self) -> str:
        return f"User({self.user_id}, {self.role})"
