"""BM25 in an Elasticsearch cluster, over the same terms and with the same parameters as the embedded index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from connectors.search.elasticsearch_client import Connection, connect, server_version
from connectors.search.elasticsearch_indices import Indices, Shape, index_settings, only
from core.domain.provenance import Component
from core.ports import LexicalEntry
from core.retrieval.analysis import FIELD_BOOSTS
from core.retrieval.bm25 import K1, B

SAME_SCORE = 1e-4


class ElasticsearchLexicalIndex:
    """Implements `core.ports.LexicalIndex`. Safe in threads and processes.

    Statistics (document frequency, mean length) are the whole index's, however many shards it has.
    """

    def __init__(self, connection: Connection, *, prefix: str = "citedesk-", shards: int = 1) -> None:
        self._client = connect(connection)
        self._indices = Indices(self._client, "lexical", prefix=prefix, retry_base_s=connection.retry_base_s)
        self._shape = _shape(shards)
        self._writing = Lock()

    def replace(self, collection: str, doc_ids: Sequence[str], entries: Sequence[LexicalEntry]) -> None:
        with self._writing:
            self._indices.ensure(collection, self._shape, {})
            self._indices.replace(collection, doc_ids, map(_fields, entries))

    def search(self, collection: str, terms: Mapping[str, Sequence[str]], depth: int) -> list[tuple[str, float]]:
        clauses = [_clause(name, wanted) for name, wanted in terms.items() if wanted]
        if depth <= 0 or not clauses:
            return []
        query = {"bool": {"should": clauses, "minimum_should_match": 1, "filter": [only(collection)]}}
        body = {"query": query, "search_type": "dfs_query_then_fetch"}
        hits = self._indices.hits(collection, depth, lambda _: body, SAME_SCORE)
        ranking = [(passage_id, round(score, 4)) for passage_id, score in hits]
        return sorted(ranking, key=lambda item: (-item[1], item[0]))[:depth]

    def count(self, collection: str) -> int:
        return self._indices.count(collection)

    def drop(self, collection: str) -> None:
        with self._writing:
            self._indices.drop(collection)

    def collections(self) -> list[str]:
        """All that have an index here."""
        return self._indices.collections()

    def check(self) -> str:
        """One line for `citedesk doctor`. Raises `IndexUnavailable`."""
        return f"Elasticsearch {server_version(self._client)}, {len(self.collections())} collections"

    @property
    def component(self) -> Component:
        return Component("lexical index", "elasticsearch", server_version(self._client))

    def close(self) -> None:
        self._client.close()


def _shape(shards: int) -> Shape:
    text = {"type": "text", "analyzer": "whitespace", "similarity": "citedesk", "index_options": "freqs"}
    similarity = {"citedesk": {"type": "BM25", "k1": K1, "b": B}}
    return Shape({**index_settings(shards), "similarity": similarity}, dict.fromkeys(FIELD_BOOSTS, text))


def _fields(entry: LexicalEntry) -> dict[str, Any]:
    """The terms joined by spaces: the server splits them there and does nothing else to them."""
    terms = {name: " ".join(terms) for name, terms in entry.fields.items() if terms}
    return {"passage_id": entry.passage_id, "doc_id": entry.doc_id, **terms}


def _clause(name: str, terms: Sequence[str]) -> dict[str, Any]:
    """A sum over terms. `match` has no syntax: a ticket's text is never a query language."""
    return {"match": {name: {"query": " ".join(terms), "boost": FIELD_BOOSTS[name]}}}
