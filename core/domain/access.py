"""Who may see what: one collection for each tenant, visibility and kind, and audiences made of them.

A search gets its collections from an `Audience`: what the audience may not see is not searched, so no filter can be
forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from core.errors import BadInput


class Kind(StrEnum):
    """What a collection holds: documentation, or earlier solved tickets."""

    DOCS = "docs"
    TICKETS = "tickets"


DEFAULT_TENANT = "default"
PUBLIC = "public"
"""The visibility of what a customer may read; other classes are for colleagues, and may have any name."""

INTERNAL = "internal"
TRANSIENT = "ask-"
"""How the names of tenants begin that live for one question only."""

TRANSIENT_MAX_AGE = timedelta(hours=2)
"""What was made for a question that long ago was left behind by a process that was killed."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_BETWEEN = "/"


@dataclass(frozen=True, slots=True)
class Audience:
    """Somebody a search is done for: what `tenant` holds of these visibilities, and nothing else.

    >>> Audience("default", frozenset({"public", "internal"})).collections(Kind.DOCS)
    ('default/internal/docs', 'docs')
    >>> Audience("acme", frozenset({"public"})).may_see("docs")
    False
    """

    tenant: str
    visibilities: frozenset[str]

    def __post_init__(self) -> None:
        for name in (self.tenant, *self.visibilities):
            checked_name(name)

    def collections(self, kind: Kind) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(sorted(collection_name(self.tenant, visibility, kind) for visibility in self.visibilities))

    def may_see(self, collection: str) -> bool:
        return any(collection in self.collections(kind) for kind in Kind)


def collection_name(tenant: str, visibility: str, kind: Kind) -> str:
    """The only place that makes such a name. What everybody has, the default tenant's public part, has the short one.

    Raises `BadInput` for a name that cannot be used.

    >>> collection_name("default", "public", Kind.DOCS), collection_name("acme", "internal", Kind.TICKETS)
    ('docs', 'acme/internal/tickets')
    """
    parts = (checked_name(tenant), checked_name(visibility), kind.value)
    return kind.value if parts[:2] == (DEFAULT_TENANT, PUBLIC) else _BETWEEN.join(parts)


def visibility_of(collection: str) -> str:
    """
    >>> visibility_of("docs"), visibility_of("acme/internal/docs")
    ('public', 'internal')
    """
    parts = collection.split(_BETWEEN)
    return parts[1] if len(parts) == 3 else PUBLIC


def transient_tenant(new_id: str) -> str:
    """A tenant for one question, named after an id that begins with the time: 11 hexadecimal digits of milliseconds.

    >>> transient_tenant("01939f2a4c0" + "5" * 15)
    'ask-01939f2a4c0555555555555555'
    """
    return checked_name(TRANSIENT + new_id)


def is_stale(collection: str, now: datetime) -> bool:
    """Whether it was made for one question, longer ago than any question takes.

    >>> name = collection_name(transient_tenant("00000000000"), PUBLIC, Kind.DOCS)
    >>> epoch = datetime(1970, 1, 1, tzinfo=UTC)
    >>> [is_stale(name, epoch + timedelta(hours=hours)) for hours in (1, 3)], is_stale("docs", epoch)
    ([False, True], False)
    """
    made = re.match(TRANSIENT + r"([0-9a-f]{11})", collection)
    return made is not None and now - datetime.fromtimestamp(int(made[1], 16) / 1000, UTC) > TRANSIENT_MAX_AGE


def holds_tickets(collection: str) -> bool:
    """
    >>> [holds_tickets(name) for name in ("tickets", "acme/internal/tickets", "docs")]
    [True, True, False]
    """
    return collection.rsplit(_BETWEEN, 1)[-1] == Kind.TICKETS


def checked_name(name: str) -> str:
    """The name of a tenant or visibility as it is. Raises `BadInput` for one that cannot be used.

    >>> checked_name("acme-2")
    'acme-2'
    """
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name[:50]!r} cannot name a tenant or a visibility.",
            hint="Use up to 40 small letters, digits and dashes, the first no dash.",
        )
    return name


def lasting_tenant(name: str) -> str:
    """The name of a tenant whose collections stay. Raises `BadInput`."""
    if checked_name(name).startswith(TRANSIENT):
        raise BadInput(f"Names of tenants do not begin with {TRANSIENT!r}: that is kept for single questions.")
    return name


def visibilities(names: str) -> frozenset[str]:
    """A list with commas, as it stands in a setting. Raises `BadInput`.

    >>> sorted(visibilities("public, internal"))
    ['internal', 'public']
    """
    return frozenset(map(checked_name, _listed(names)))


def tenants_by_connector(pairs: str) -> dict[str, str]:
    """A list such as `zendesk=acme, folder=default`, as it stands in a setting. Raises `BadInput`.

    >>> tenants_by_connector("zendesk=acme, folder=beta")
    {'zendesk': 'acme', 'folder': 'beta'}
    """
    return dict(_pair(pair) for pair in _listed(pairs))


def _listed(text: str) -> Iterable[str]:
    return (part.strip() for part in text.split(",") if part.strip())


def _pair(text: str) -> tuple[str, str]:
    connector, equals, tenant = (part.strip() for part in text.partition("="))
    if not connector or not equals:
        raise BadInput(f"{text[:50]!r} is no pair of a helpdesk and a tenant.", hint="Write helpdesk=tenant.")
    return connector, lasting_tenant(tenant)
