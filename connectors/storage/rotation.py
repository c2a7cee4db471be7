"""Replacing keys. A crash at any point leaves every map readable and every seal checkable.

The new keys and the new master come into force in one transaction. Then the maps are sealed anew in batches; each
names its key. When none is left under an older vault key, that key is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine, select

from connectors.storage.keyring import KeyRing
from connectors.storage.keys import new_key_file, read_key_file, sync_folder
from connectors.storage.ledger import Ledger
from connectors.storage.schema import ledger_head
from connectors.storage.vault import EncryptedVault

BATCH = 100
SUBJECT = "vault"
"""Under which name the ledger speaks of the keys."""


def replace_keys(engine: Engine, ring: KeyRing, master: bytes, *, at: datetime, actor: str) -> None:
    """New vault and ledger keys, everything wrapped with `master`; the ledger's next entry says so."""
    with engine.begin() as connection:
        head = connection.execute(select(ledger_head).with_for_update()).one()
        ring.rotate(connection, master, first=head.number + 1)
        fresh = KeyRing(master).open(connection)
        details: dict[str, str | int | float | bool | None] = {
            "vault_key": fresh.newest,
            "ledger_keys": len(fresh.seals.keys),
        }
        Ledger(connection, fresh.seals).append(
            at=at, actor=actor, event="KeysReplaced", subject=SUBJECT, details=details
        )
    ring.use(master)


def reencrypt(engine: Engine, ring: KeyRing, *, at: datetime, actor: str, progress: Callable[[int, int], None]) -> int:
    """Seal every map with the newest key, then delete the older ones; how many maps there were to do.

    `progress` gets (done, all) after each batch.
    """
    with engine.connect() as connection:
        total = len(EncryptedVault(connection, ring.open(connection)).outdated())
    done = 0
    while batch := _one_batch(engine, ring):
        done += batch
        progress(done, total)
    with engine.begin() as connection:
        retired = ring.retire(connection)
        if retired:
            Ledger(connection, ring.open(connection).seals).append(
                at=at,
                actor=actor,
                event="VaultReencrypted",
                subject=SUBJECT,
                details={"tickets": done, "retired": ", ".join(retired)},
            )
    return done


def _one_batch(engine: Engine, ring: KeyRing) -> int:
    with engine.begin() as connection:
        vault = EncryptedVault(connection, ring.open(connection))
        subjects = vault.outdated(BATCH)
        for subject in subjects:
            vault.reencrypt(subject)
    return len(subjects)


class KeyFile:
    """The key file while it is replaced: the new one lies beside it until the database is wrapped with it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.next = path.with_name(f"{path.name}.next")

    def candidates(self) -> list[bytes]:
        """The keys the database may be wrapped with: the present one, then one whose rotation a crash broke off."""
        return [read_key_file(path) for path in (self.path, self.next) if path.exists()]

    def prepare(self) -> bytes:
        """Write a new key beside the present one; what a crash left there was never in force."""
        self.next.unlink(missing_ok=True)
        return new_key_file(self.next)

    def settle(self, master: bytes) -> None:
        """Make the file hold `master`, the key that is in force; a key that is not in force any more is removed."""
        if self.next.exists() and read_key_file(self.next) == master:
            os.replace(self.next, self.path)
        self.next.unlink(missing_ok=True)
        sync_folder(self.path.parent)
