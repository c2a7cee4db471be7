"""Nothing of another tenant or class comes out of the pipeline, whatever is asked; indexes in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from core.domain.access import Audience, Kind
from core.domain.passage import Passage, Span
from core.domain.retrieval import Retrieval, WeightedQuery
from core.ports import VectorEntry
from core.retrieval.analysis import lexical_entry
from core.retrieval.search import retrieve
from core.retrieval.visibility import collections_for, visible_only
from tests.fakes.search import FakeEmbedder, FakeLexicalIndex, FakeVectorIndex
from tests.fakes.tenants import PLACES, SHARED, Place, leaks, questions

WEIGHTS = {Kind.DOCS: 1.0, Kind.TICKETS: 0.8}


class Installation:
    """All places' documents in one pair of indexes."""

    def __init__(self) -> None:
        self.lexical, self.vectors, self.embedder = FakeLexicalIndex(), FakeVectorIndex(), FakeEmbedder()
        self.known: dict[str, Passage] = {}
        for place in PLACES:
            self.fill(place.collection, [_passage(place, n, text) for n, text in enumerate(place.texts())])

    def fill(self, collection: str, passages: Sequence[Passage]) -> None:
        rows = self.embedder.embed_passages([passage.contextual_text for passage in passages])
        entries = [VectorEntry(p.passage_id, p.doc_id, row) for p, row in zip(passages, rows, strict=True)]
        self.lexical.replace(collection, [], [lexical_entry(passage) for passage in passages])
        self.vectors.replace(collection, [], entries, self.embedder.identity)
        self.known |= {passage.passage_id: passage for passage in passages}

    def passages(self, names: Sequence[str]) -> Mapping[str, Passage]:
        return {name: self.known[name] for name in names if name in self.known}

    def ask(self, question: str, audience: Audience) -> Retrieval:
        return retrieve(
            [WeightedQuery(question)],
            collections=collections_for(audience, WEIGHTS),
            lexical=self.lexical,
            vectors=self.vectors,
            embedder=self.embedder,
            passages=visible_only(self.passages, audience),
            depth=20,
            k=10,
            dense_weight=0.7,
            timer=lambda: 0.0,
            similar_in=audience.collections(Kind.TICKETS),
        )


def _passage(place: Place, number: int, text: str) -> Passage:
    doc_id = f"{place.collection}:{number}"
    span = Span(0, len(text))
    return Passage(f"{doc_id}#0", doc_id, place.collection, "", (), text, span, span, "v")


@pytest.fixture(scope="module")
def installation() -> Installation:
    return Installation()


def test_500_questions_find_their_own_documents_and_none_of_others(installation: Installation) -> None:
    for question, audience in questions(500, seed=4):
        retrieval = installation.ask(question, audience)
        assert leaks(retrieval, audience) == []
        assert len(retrieval.ranked) == 10


def test_a_leak_would_be_seen(installation: Installation) -> None:
    everything = Audience("acme", frozenset({"public", "internal"}))
    retrieval = installation.ask(" ".join(SHARED), everything)
    assert leaks(retrieval, Audience("acme", frozenset({"public"})))
    assert leaks(retrieval, Audience("beta", frozenset({"public", "internal"})))


def test_a_foreign_entry_in_an_index_of_ours_shows_nothing_of_its_passage() -> None:
    installation = Installation()
    secret = _passage(Place("acme", "internal", Kind.DOCS), 99, "the zyzzyva: secret")
    installation.fill("docs", [secret])
    audience = Audience("default", frozenset({"public"}))
    retrieval = installation.ask("zyzzyva", audience)
    assert secret.passage_id in {item.passage_id for run in retrieval.runs for item in run.items}
    assert secret.passage_id not in retrieval.passages
    assert retrieval.ranked


def test_an_audience_without_classes_gets_no_collections() -> None:
    assert collections_for(Audience("default", frozenset()), WEIGHTS) == {}


def test_every_collection_has_the_weight_of_its_kind() -> None:
    both = Audience("default", frozenset({"public", "internal"}))
    assert collections_for(both, WEIGHTS) == {
        "docs": 1.0,
        "default/internal/docs": 1.0,
        "tickets": 0.8,
        "default/internal/tickets": 0.8,
    }
