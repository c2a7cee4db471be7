"""Documents of several tenants that are easy to confuse: the same words everywhere, and one word of each alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from core.domain.access import PUBLIC, Audience, Kind, collection_name
from core.domain.retrieval import Retrieval

TENANTS = ("default", "acme", "acme-2", "beta", "docs")
CLASSES = (PUBLIC, "internal", "partners")
SHARED = ("proxy", "certificate", "restart", "printer", "mirror", "telescope")


@dataclass(frozen=True, slots=True)
class Place:
    tenant: str
    visibility: str
    kind: Kind

    @property
    def collection(self) -> str:
        return collection_name(self.tenant, self.visibility, self.kind)

    @property
    def canary(self) -> str:
        """A word that stands in this place's documents only."""
        return "canary" + "".join(c for c in f"{self.tenant}x{self.visibility}x{self.kind}" if c.isalnum())

    def texts(self) -> list[str]:
        return [f"How to {word} the {other}: {self.canary}." for word, other in pairwise(SHARED)]


PLACES = [Place(tenant, visibility, kind) for tenant in TENANTS for visibility in CLASSES for kind in Kind]


def questions(count: int, seed: int) -> Iterator[tuple[str, Audience]]:
    """Questions that use other places' words, each with who asks: a tenant, and one to three classes."""
    choose = random.Random(seed)
    for _ in range(count):
        words = choose.sample(SHARED, 3) + [place.canary for place in choose.sample(PLACES, 2)]
        audience = Audience(choose.choice(TENANTS), frozenset(choose.sample(CLASSES, choose.choice((1, 1, 1, 2, 3)))))
        yield " ".join(words), audience


def leaks(retrieval: Retrieval, audience: Audience) -> list[str]:
    """Whatever in it the audience may not see. Ids of passages and documents begin with their collection's name."""
    allowed = {name for kind in Kind for name in audience.collections(kind)}
    secret = [place.canary for place in PLACES if place.collection not in allowed]
    inside = tuple(f"{name}:" for name in allowed)
    found = [run.collection for run in retrieval.runs if run.collection and run.collection not in allowed]
    found += [i.passage_id for run in retrieval.runs for i in run.items if not i.passage_id.startswith(inside)]
    for passage in retrieval.passages.values():
        if passage.collection not in allowed or any(word in passage.text.split(": ")[1:][0] for word in secret):
            found.append(passage.passage_id)
    return found
