"""The keys data is sealed with: random, stored in the database, each wrapped with a key derived from the master.

Replacing the master wraps the same keys anew; replacing a data key leaves the older ones in the ring until nothing is
sealed with them any more. The ring has one newest key for the vault, one ledger key for each stretch of entries, and
one key for the hashes of people, which never changes: those hashes cannot be computed again.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, func, insert, select, update

from connectors.storage.keys import KEY_BYTES, derive_key
from connectors.storage.schema import keys as key_table
from connectors.storage.schema import ledger, vault
from core.domain.audit import SealKeys, seal_entry
from core.errors import VaultSealed

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

VAULT, LEDGER, PEOPLE = "vault", "ledger", "people"


@dataclass(frozen=True, slots=True, repr=False)
class Keys:
    """Unwrapped. `vault` is by key id; new maps are sealed with `newest`."""

    ids: frozenset[str]
    vault: Mapping[str, Fernet]
    newest: str
    seals: SealKeys
    people: bytes


@dataclass(frozen=True, slots=True, repr=False)
class _Key:
    """`first` is the number of the first ledger entry this key seals; 0 for keys of other purposes."""

    purpose: str
    number: int
    key: bytes
    first: int = 0

    @property
    def key_id(self) -> str:
        return f"{self.purpose}-{self.number}"


def cipher(key: bytes) -> Fernet:
    """Fernet (AES-128-CBC and HMAC-SHA256) from 32 bytes."""
    from cryptography.fernet import Fernet

    return Fernet(base64.urlsafe_b64encode(key))


class KeyRing:
    """Unwraps the keys once and again whenever the database has others. May be used from many threads."""

    def __init__(self, master: bytes) -> None:
        self._master = master
        self._keys: Keys | None = None
        self._lock = Lock()

    def open(self, connection: Connection) -> Keys:
        """Raises `VaultSealed` when the master key is not the one they are wrapped with."""
        with self._lock:
            present = frozenset(connection.scalars(select(key_table.c.key_id)))
            if self._keys is None or self._keys.ids != present:
                self._keys = _keys(_unwrapped(connection, self._master))
            return self._keys

    def ensure(self, connection: Connection) -> None:
        """Make the keys of a new installation; take over those that older versions derived from the master.

        Raises `VaultSealed` when the ledger's newest entry or the vault was sealed with another master.
        """
        if connection.scalar(select(func.count()).select_from(key_table)):
            return
        _store(connection, self._master, _first_keys(connection, self._master))

    def rotate(self, connection: Connection, master: bytes, first: int) -> None:
        """Add a vault key and a ledger key (for entries from `first` on) and wrap all keys with `master`."""
        present = _unwrapped(connection, self._master)
        numbers = {purpose: max(k.number for k in present if k.purpose == purpose) for purpose in (VAULT, LEDGER)}
        fresh = [
            _Key(VAULT, numbers[VAULT] + 1, secrets.token_bytes(KEY_BYTES)),
            _Key(LEDGER, numbers[LEDGER] + 1, secrets.token_bytes(KEY_BYTES), first),
        ]
        for key in present:
            sealed = _wrapped(key, master)
            connection.execute(update(key_table).where(key_table.c.key_id == key.key_id).values(sealed=sealed))
        _store(connection, master, fresh)

    def use(self, master: bytes) -> None:
        """From now on unwrap with this master: call it when the transaction of `rotate` was committed."""
        with self._lock:
            self._master, self._keys = master, None

    def retire(self, connection: Connection) -> list[str]:
        """Delete the vault keys that nothing is sealed with any more, but the newest; their ids."""
        keys = self.open(connection)
        used = set(connection.scalars(select(vault.c.key_id).distinct()))
        gone = sorted(keys.vault.keys() - used - {keys.newest})
        connection.execute(delete(key_table).where(key_table.c.key_id.in_(gone)))
        return gone


def _first_keys(connection: Connection, master: bytes) -> list[_Key]:
    old_vault = derive_key(derive_key(master, "vault"), "fernet")
    old_ledger = derive_key(master, "ledger")
    sealed_before = _check_entry(connection, old_ledger)
    kept_before = _check_map(connection, old_vault)
    return [
        _Key(VAULT, 1, old_vault if kept_before else secrets.token_bytes(KEY_BYTES)),
        _Key(LEDGER, 1, old_ledger if sealed_before else secrets.token_bytes(KEY_BYTES), 1),
        _Key(PEOPLE, 1, secrets.token_bytes(KEY_BYTES)),
    ]


def _check_entry(connection: Connection, key: bytes) -> bool:
    """Whether the ledger has entries. Raises `VaultSealed` when the newest is not sealed with this key."""
    row = connection.execute(select(ledger).order_by(ledger.c.number.desc()).limit(1)).mappings().one_or_none()
    if row is None:
        return False
    fields = {name: row[name] for name in ("number", "at", "actor", "event", "subject", "details", "previous_seal")}
    if seal_entry(key, **fields).seal != row["seal"]:
        raise VaultSealed(f"The ledger's {row['number']} entries were sealed with another key.")
    return True


def _check_map(connection: Connection, key: bytes) -> bool:
    from cryptography.fernet import InvalidToken

    sealed = connection.scalar(select(vault.c.sealed).limit(1))
    if sealed is None:
        return False
    try:
        cipher(key).decrypt(sealed)
    except InvalidToken as error:
        raise VaultSealed("The vault was sealed with another key.") from error
    return True


def _store(connection: Connection, master: bytes, fresh: list[_Key]) -> None:
    rows = [{"key_id": key.key_id, "sealed": _wrapped(key, master)} for key in fresh]
    connection.execute(insert(key_table), rows)


def _wrapped(key: _Key, master: bytes) -> bytes:
    plain = json.dumps([key.purpose, key.number, key.key.hex(), key.first])
    return cipher(derive_key(master, "wrap")).encrypt(plain.encode())


def _unwrapped(connection: Connection, master: bytes) -> list[_Key]:
    from cryptography.fernet import InvalidToken

    wrap = cipher(derive_key(master, "wrap"))
    try:
        rows = connection.execute(select(key_table.c.key_id, key_table.c.sealed))
        found = {key_id: json.loads(wrap.decrypt(sealed)) for key_id, sealed in rows}
    except InvalidToken as error:
        raise VaultSealed("The keys of this installation were wrapped with another master key.") from error
    keys = [_Key(purpose, number, bytes.fromhex(key), first) for purpose, number, key, first in found.values()]
    if {key.key_id for key in keys} != set(found) or not {VAULT, LEDGER, PEOPLE} <= {key.purpose for key in keys}:
        raise VaultSealed("The keys of this installation are not complete.", hint="Restore the last backup.")
    return keys


def _keys(found: list[_Key]) -> Keys:
    ordered = sorted(found, key=lambda key: key.number)
    vaults = {key.key_id: cipher(key.key) for key in ordered if key.purpose == VAULT}
    return Keys(
        ids=frozenset(key.key_id for key in ordered),
        vault=vaults,
        newest=list(vaults)[-1],
        seals=SealKeys(tuple((key.first, key.key) for key in ordered if key.purpose == LEDGER)),
        people=next(key.key for key in ordered if key.purpose == PEOPLE),
    )
