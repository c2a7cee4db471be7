"""Solved tickets vote for the documents that solved them.

A ticket that resembles the new one, and was answered with a link to a document, speaks for that document. Votes only
ever add: most documents have no solved ticket, and must not lose by that. The best vote counts; the sum of votes
measured worse, because it favours what is asked often over what is asked now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import Unavailable
from core.ports import LexicalIndex, VectorIndex
from core.retrieval.documents import whole
from core.retrieval.fusion import z_scores

ENOUGH_VOTERS = 300
"""Solved tickets from which their votes have full weight: few voters mislead more than they help."""

_ADDRESS = re.compile(r"https?://[^\s<>\"'()\[\]{}|]+", re.IGNORECASE)


def linked_addresses(text: str) -> tuple[str, ...]:
    """The addresses a text links to, in order, each once, in the form `normal_address` gives.

    >>> linked_addresses("See https://help.org/kb/proxy#linux, or <https://help.org/kb/proxy>.")
    ('https://help.org/kb/proxy',)
    """
    return tuple(dict.fromkeys(normal_address(found) for found in _ADDRESS.findall(text)))


def normal_address(address: str) -> str:
    """Without query, fragment, closing punctuation and slash, so that two links to one page are the same.

    >>> normal_address("https://help.org/kb/proxy/?as=u#linux")
    'https://help.org/kb/proxy'
    """
    return re.split(r"[?#]", address)[0].rstrip(".,;:!/*_`")


@dataclass(frozen=True, slots=True)
class Ballot:
    """Who votes: the solved tickets of `collections`.

    `documents_at` gives the doc_id of each of these addresses or source keys that is known.
    """

    collections: tuple[str, ...]
    documents_at: Callable[[Sequence[str]], Mapping[str, str]]

    def votes(self, tickets: Mapping[str, float], solved_by: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Each document's best vote."""
        places = sorted({place for some in solved_by.values() for place in some})
        return votes(tickets, solved_by, self.documents_at(places) if places else {})


def voter_count(collections: Sequence[str], *, lexical: LexicalIndex, vectors: VectorIndex) -> int:
    """How many solved tickets there are, by the first of the indexes that answers; 0 when none does."""
    for index in (lexical, vectors):
        try:
            return sum(index.count(whole(name)) for name in collections)
        except Unavailable:
            continue
    return 0


def votes(
    tickets: Mapping[str, float], solved_by: Mapping[str, Sequence[str]], documents: Mapping[str, str]
) -> dict[str, float]:
    """Each document's best vote: the highest score among the tickets it solved.

    `tickets` are scores by ticket, `solved_by` what solved each, and `documents` the doc_id of each such address.

    >>> votes({"t1": 2.0, "t2": 1.0}, {"t1": ["/a"], "t2": ["/a", "/b", "/gone"]}, {"/a": "A", "/b": "B"})
    {'A': 2.0, 'B': 1.0}
    """
    best: dict[str, float] = {}
    for ticket, score in tickets.items():
        for doc_id in _known(solved_by.get(ticket, ()), documents):
            best[doc_id] = max(score, best.get(doc_id, score))
    return best


def bonuses(best: Mapping[str, float], *, weight: float, voters: int) -> dict[str, float]:
    """What is added to the fused score of each document, never below 0: `weight` times the vote's z.

    z is over all documents with a vote. With fewer than `ENOUGH_VOTERS` solved tickets the weight falls in proportion.

    >>> bonuses({"A": 2.0, "B": 1.0}, weight=0.4, voters=150)
    {'A': 0.2, 'B': 0.0}
    """
    share = weight * min(1.0, voters / ENOUGH_VOTERS)
    return {doc_id: share * max(z, 0.0) for doc_id, z in z_scores(best).items()}


def _known(addresses: Iterable[str], documents: Mapping[str, str]) -> list[str]:
    return [documents[address] for address in addresses if address in documents]
