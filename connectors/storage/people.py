"""Whose ticket is whose, by keyed hashes: HMAC-SHA256 under a key that is wrapped like the others."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from sqlalchemy import Connection, delete, select

from connectors.storage.schema import erasures, requesters
from connectors.storage.statements import insert_once, upsert
from core.domain.erasure import Burial, Identity, IdentityKind


class People:
    def __init__(self, connection: Connection, key: bytes) -> None:
        self._connection = connection
        self._key = key

    def _token(self, identity: Identity) -> str:
        plain = f"{identity.kind}\n{identity.value}".encode("utf-8", "replace")
        return hmac.new(self._key, plain, hashlib.sha256).hexdigest()

    def remember(self, connector: str, ticket_id: str, identities: Sequence[Identity]) -> None:
        for identity in identities:
            row = {"connector": connector, "ticket_id": ticket_id, "kind": identity.kind}
            insert_once(self._connection, requesters, {**row, "token": self._token(identity)})

    def tickets_of(self, identity: Identity) -> Sequence[tuple[str, str]]:
        column = requesters.c
        key = (column.connector, column.ticket_id)
        statement = select(*key).where(column.token == self._token(identity)).order_by(*key)
        return [(row.connector, row.ticket_id) for row in self._connection.execute(statement)]

    def tokens(self, connector: str, ticket_id: str, kind: IdentityKind) -> frozenset[str]:
        column = requesters.c
        same = (column.connector == connector, column.ticket_id == ticket_id, column.kind == kind)
        return frozenset(self._connection.scalars(select(column.token).where(*same)))

    def tickets(self) -> frozenset[tuple[str, str]]:
        rows = self._connection.execute(select(requesters.c.connector, requesters.c.ticket_id).distinct())
        return frozenset((row.connector, row.ticket_id) for row in rows)

    def bury_requester(self, connector: str, ticket_id: str, burial: Burial) -> None:
        by_email = self.tokens(connector, ticket_id, IdentityKind.EMAIL)
        for token in by_email or self.tokens(connector, ticket_id, IdentityKind.NAME):
            self._bury(token, burial)

    def forget(self, connector: str, ticket_id: str) -> None:
        same = (requesters.c.connector == connector, requesters.c.ticket_id == ticket_id)
        self._connection.execute(delete(requesters).where(*same))

    def bury(self, identity: Identity, burial: Burial) -> None:
        self._bury(self._token(identity), burial)

    def _bury(self, token: str, burial: Burial) -> None:
        upsert(self._connection, erasures, {"token": token, "at": burial.at, "receipt": burial.receipt})

    def burial(self, identities: Sequence[Identity]) -> Burial | None:
        tokens = [self._token(identity) for identity in identities]
        statement = select(erasures).where(erasures.c.token.in_(tokens)).order_by(erasures.c.at.desc()).limit(1)
        row = self._connection.execute(statement).one_or_none()
        return Burial(row.at, row.receipt) if row else None
