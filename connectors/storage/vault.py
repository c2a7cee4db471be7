"""Placeholder maps, encrypted at rest with Fernet (AES-128-CBC and HMAC-SHA256)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from connectors.storage.columns import storable
from connectors.storage.keyring import Keys
from connectors.storage.schema import vault
from connectors.storage.statements import upsert
from core.domain.redaction import PlaceholderMap
from core.errors import VaultSealed
from core.ports import VaultSize


class EncryptedVault:
    """The subject is sealed in with the map, so that a row moved to another ticket does not open."""

    def __init__(self, connection: Connection, keys: Keys) -> None:
        self._connection = connection
        self._keys = keys

    def load(self, subject: str) -> PlaceholderMap:
        statement = select(vault.c.sealed, vault.c.key_id).where(vault.c.subject == subject)
        row = self._connection.execute(statement).one_or_none()
        return PlaceholderMap() if row is None else self._open(subject, row.sealed, row.key_id)

    def _open(self, subject: str, sealed: bytes, key_id: str) -> PlaceholderMap:
        from cryptography.fernet import InvalidToken

        try:
            sealed_subject, values, *spent = json.loads(self._keys.vault[key_id].decrypt(sealed))
        except (InvalidToken, KeyError) as error:
            raise VaultSealed("The personal data of this ticket cannot be decrypted with the present key.") from error
        if sealed_subject != storable(subject):
            raise VaultSealed("The personal data stored for this ticket belongs to another one.", hint="")
        return PlaceholderMap(values, frozenset(*spent))

    def stamp(self, subject: str) -> str:
        sealed = self._connection.scalar(select(vault.c.sealed).where(vault.c.subject == subject))
        return "" if sealed is None else hashlib.sha256(sealed).hexdigest()

    def save(self, subject: str, placeholders: PlaceholderMap, *, at: datetime) -> None:
        plain = json.dumps([storable(subject), dict(placeholders.values), sorted(placeholders.spent)])
        row = {
            "subject": subject,
            "sealed": self._keys.vault[self._keys.newest].encrypt(plain.encode()),
            "key_id": self._keys.newest,
            "touched_at": at if placeholders.values else None,
        }
        upsert(self._connection, vault, row)

    def touch(self, subject: str, at: datetime) -> None:
        has_values = vault.c.touched_at.is_not(None)
        self._connection.execute(update(vault).where(vault.c.subject == subject, has_values).values(touched_at=at))

    def forget(self, subject: str) -> None:
        self._connection.execute(delete(vault).where(vault.c.subject == subject))

    def idle(self, before: datetime, *, depth: int) -> Sequence[str]:
        oldest_first = select(vault.c.subject).order_by(vault.c.touched_at, vault.c.subject).limit(depth)
        return list(self._connection.scalars(oldest_first.where(vault.c.touched_at < before)))

    def subjects(self) -> Sequence[str]:
        return list(self._connection.scalars(select(vault.c.subject).order_by(vault.c.subject)))

    def size(self) -> VaultSize:
        statement = select(func.count(vault.c.touched_at), func.min(vault.c.touched_at))
        tickets, oldest = self._connection.execute(statement).one()
        return VaultSize(tickets, oldest, len(self.outdated()))

    def outdated(self, depth: int | None = None) -> Sequence[str]:
        """Subjects whose map is sealed with an older key."""
        older = select(vault.c.subject).where(vault.c.key_id != self._keys.newest).order_by(vault.c.subject)
        return list(self._connection.scalars(older.limit(depth)))

    def reencrypt(self, subject: str) -> None:
        """Seal the map with the newest key; nothing else about it changes."""
        row = self._connection.execute(select(vault).where(vault.c.subject == subject)).one()
        plain = self._keys.vault[row.key_id].decrypt(row.sealed)
        sealed = self._keys.vault[self._keys.newest].encrypt(plain)
        values = {"sealed": sealed, "key_id": self._keys.newest}
        self._connection.execute(update(vault).where(vault.c.subject == subject).values(values))
