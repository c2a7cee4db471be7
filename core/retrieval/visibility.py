"""From an audience to what is searched for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.domain.access import Audience, Kind
from core.domain.passage import Passage

Passages = Callable[[Sequence[str]], Mapping[str, Passage]]


def collections_for(audience: Audience, weights: Mapping[Kind, float]) -> dict[str, float]:
    """The collections the audience may see, each with the weight of its kind.

    >>> collections_for(Audience("acme", frozenset({"public"})), {Kind.DOCS: 1.0, Kind.TICKETS: 0.8})
    {'acme/public/docs': 1.0, 'acme/public/tickets': 0.8}
    """
    return {name: weight for kind, weight in weights.items() for name in audience.collections(kind)}


def visible_only(passages: Passages, audience: Audience) -> Passages:
    """`passages`, without those the audience may not see: an index with a foreign entry in it shows nothing of it."""

    def visible(passage_ids: Sequence[str]) -> dict[str, Passage]:
        found = passages(passage_ids)
        return {name: passage for name, passage in found.items() if audience.may_see(passage.collection)}

    return visible
