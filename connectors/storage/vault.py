"""Placeholder maps, encrypted at rest with Fernet (AES-128-CBC and HMAC-SHA256)."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, select

from connectors.storage.columns import storable
from connectors.storage.keys import derive_key
from connectors.storage.schema import vault
from connectors.storage.statements import upsert
from core.domain.redaction import PlaceholderMap
from core.errors import VaultSealed

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


def vault_cipher(key: bytes) -> Fernet:
    """A cipher from key bytes of any length."""
    from cryptography.fernet import Fernet

    return Fernet(base64.urlsafe_b64encode(derive_key(key, "fernet")))


class EncryptedVault:
    """The subject is sealed in with the map, so that a row moved to another ticket does not open."""

    def __init__(self, connection: Connection, cipher: Fernet) -> None:
        self._connection = connection
        self._cipher = cipher

    def load(self, subject: str) -> PlaceholderMap:
        sealed = self._connection.scalar(select(vault.c.sealed).where(vault.c.subject == subject))
        return PlaceholderMap() if sealed is None else self._open(subject, sealed)

    def _open(self, subject: str, sealed: bytes) -> PlaceholderMap:
        from cryptography.fernet import InvalidToken

        try:
            sealed_subject, values = json.loads(self._cipher.decrypt(sealed))
        except InvalidToken as error:
            raise VaultSealed("The personal data of this ticket cannot be decrypted with the present key.") from error
        if sealed_subject != storable(subject):
            raise VaultSealed("The personal data stored for this ticket belongs to another one.", hint="")
        return PlaceholderMap(values)

    def save(self, subject: str, placeholders: PlaceholderMap) -> None:
        plain = json.dumps([storable(subject), dict(placeholders.values)])
        upsert(self._connection, vault, {"subject": subject, "sealed": self._cipher.encrypt(plain.encode())})

    def forget(self, subject: str) -> None:
        self._connection.execute(delete(vault).where(vault.c.subject == subject))
