"""The indexes of one kind in an Elasticsearch cluster: one for each collection, behind an alias of its own.

The alias `citedesk-lexical-docs` leads to the index `citedesk-lexical-docs.v1`. When the product needs an index of
another shape (mapping, BM25 parameters, shards), `.v2` is filled beside it, the alias is moved and `.v1` deleted in
one step: searches see the one or the other, whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from connectors.search.elasticsearch_client import REBUILD, disk_full, is_full, translated
from connectors.search.names import safe_name
from core.errors import CitedeskError, IndexUnavailable

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

Fields = Mapping[str, Any]

MAX_WINDOW = 10_000
"""The most hits one search may ask for (Elasticsearch's `index.max_result_window`)."""
DOC_IDS_AT_ONCE = 500
ENTRIES_AT_ONCE = 500
BULK_BYTES = 10_000_000
BULK_RETRIES = 4
NAMED_AT_MOST = 3
MAX_ID_BYTES = 512


@dataclass(frozen=True, slots=True)
class Shape:
    """Settings and mapped fields an index is made with; every index also has passage, document and collection."""

    settings: Fields
    fields: Fields

    @property
    def fingerprint(self) -> str:
        """Equal for equal shapes: it stands in the index, so that an older shape is recognised."""
        return hashlib.sha256(json.dumps([self.settings, self.fields], sort_keys=True).encode()).hexdigest()[:16]

    def body(self, facts: Fields) -> dict[str, Any]:
        """What creates such an index; `facts` are kept in it."""
        keyword = {"type": "keyword"}
        properties = {"passage_id": keyword, "doc_id": keyword, "collection": keyword, **self.fields}
        mappings = {"dynamic": "strict", "_meta": {**facts, "shape": self.fingerprint}, "properties": properties}
        return {"settings": {"index": dict(self.settings)}, "mappings": mappings}


def index_settings(shards: int) -> dict[str, Any]:
    """One replica where there is a second node for it; refreshed by us after each write, not by the second."""
    return {"number_of_shards": shards, "auto_expand_replicas": "0-1", "refresh_interval": "-1"}


class Indices:
    """`kind` is "lexical" or "dense". Safe in threads, as long as writers take turns.

    Raises `IndexUnavailable` and `StorageFull`.
    """

    def __init__(self, client: Elasticsearch, kind: str, *, prefix: str, retry_base_s: float) -> None:
        self._client = client
        self._kind = kind
        self._prefix = prefix
        self._retry_base_s = retry_base_s

    # ---------------------------------------------------------------- names

    def alias(self, collection: str) -> str:
        return f"{self._prefix}{self._kind}-{safe_name(collection)}"

    def named(self, collection: str) -> str:
        """For people."""
        return f"the {self._kind} index of {collection}"

    def collections(self) -> list[str]:
        """All that have an index of this kind, by name."""
        pattern = f"{self._prefix}{self._kind}-*"
        with translated(f"the {self._kind} indexes"):
            found = self._client.indices.get_mapping(index=pattern, allow_no_indices=True).body
        return sorted({_facts(index)["collection"] for index in found.values() if "collection" in _facts(index)})

    # ---------------------------------------------------------------- life of an index

    def facts(self, collection: str) -> Fields | None:
        """What the index was made with; None when there is none."""
        found = self._behind(collection)
        return found[1] if found else None

    def ensure(self, collection: str, shape: Shape, facts: Fields) -> None:
        """Make the index if there is none, and give it this shape if it has another."""
        found = self._behind(collection)
        wanted = shape.body({**facts, "collection": collection})
        if found is None:
            self._create(collection, f"{self.alias(collection)}.v1", wanted, alias=True)
        elif found[1].get("shape") != shape.fingerprint:
            self._reshape(collection, found[0], wanted)

    def drop(self, collection: str) -> None:
        """Delete the index, and what a broken change of shape may have left beside it."""
        with translated(self.named(collection)):
            names = list(self._client.indices.get(index=f"{self.alias(collection)}.v*", features="aliases").body)
            if names:
                self._client.indices.delete(index=names, ignore_unavailable=True)

    def _behind(self, collection: str) -> tuple[str, Fields] | None:
        """Name and facts of the index that the alias leads to."""
        with translated(self.named(collection)):
            found = self._client.options(ignore_status=404).indices.get_mapping(index=self.alias(collection)).body
        if "error" in found:
            return None
        if len(found) > 1:
            raise IndexUnavailable(f"The alias {self.alias(collection)} leads to several indexes.", hint=REBUILD)
        return next((name, _facts(index)) for name, index in found.items())

    def _create(self, collection: str, name: str, body: Mapping[str, Any], *, alias: bool) -> None:
        """An index that another process made a moment ago is as good."""
        from elasticsearch import BadRequestError

        aliases: dict[str, dict[str, Any]] = {self.alias(collection): {}} if alias else {}
        with translated(self.named(collection)):
            try:
                self._client.indices.create(index=name, aliases=aliases, **body)
            except BadRequestError as error:
                if error.message != "resource_already_exists_exception":
                    raise

    def _reshape(self, collection: str, old: str, body: Mapping[str, Any]) -> None:
        """Copy into a new index beside the old one, which takes no writes meanwhile; then move the alias."""
        new = f"{self.alias(collection)}.v{_version(old) + 1}"
        with translated(self.named(collection)):
            self._client.indices.delete(index=new, ignore_unavailable=True)
            self._client.indices.add_block(index=old, block="write")
        try:
            self._create(collection, new, body, alias=False)
            self._copy(collection, old, new)
            self._swap(collection, old, new)
        except BaseException:
            self._abandon(collection, old, new)
            raise

    def _copy(self, collection: str, old: str, new: str) -> None:
        from elasticsearch.helpers import scan

        with translated(self.named(collection)):
            hits = scan(self._client, index=old, size=ENTRIES_AT_ONCE)
            self._bulk(collection, ({"_id": h["_id"], "_source": h["_source"]} for h in hits), index=new)
        copied, expected = self._count(collection, new), self._count(collection, old)
        if copied != expected:
            raise IndexUnavailable(
                f"Only {copied} of {expected} entries of {self.named(collection)} could be copied.", hint=REBUILD
            )

    def _swap(self, collection: str, old: str, new: str) -> None:
        alias = self.alias(collection)
        actions = [{"add": {"index": new, "alias": alias}}, {"remove_index": {"index": old}}]
        with translated(self.named(collection)):
            self._client.indices.update_aliases(actions=actions)

    def _abandon(self, collection: str, old: str, new: str) -> None:
        with translated(self.named(collection)):
            self._client.indices.delete(index=new, ignore_unavailable=True)
            self._client.indices.put_settings(index=old, settings={"index.blocks.write": None})

    # ---------------------------------------------------------------- entries

    def replace(self, collection: str, doc_ids: Sequence[str], entries: Iterable[Fields]) -> None:
        """Write the entries, then delete those of the documents that were not among them; all visible on return.

        Each entry has at least `passage_id` and `doc_id`. Raises when even one was refused, and names it.
        """
        written: set[str] = set()
        stale = self._ids_of(collection, doc_ids)

        def actions() -> Iterator[dict[str, Any]]:
            for entry in entries:
                entry_id = _id_of(entry["passage_id"])
                written.add(entry_id)
                yield {"_id": entry_id, "_source": {**entry, "collection": collection}}
            for entry_id in sorted(stale - written):
                yield {"_op_type": "delete", "_id": entry_id}

        with translated(self.named(collection)):
            self._bulk(collection, actions(), index=self.alias(collection), require_alias=True)

    def hits(
        self, collection: str, depth: int, ask: Callable[[int], Mapping[str, Any]], same: float
    ) -> list[tuple[str, float]]:
        """(passage_id, the server's score) of the best `depth`, and of all that score as the last of them.

        `ask` gives the body of a search for so many; scores are the same when they differ by less than `same`.
        [] for a collection without index.
        """
        limit = depth + 16
        while True:
            limit = min(limit, MAX_WINDOW)
            found = self._search(collection, limit, ask(limit))
            if len(found) < limit or limit == MAX_WINDOW or found[-1][1] < found[depth - 1][1] - same:
                return found
            limit *= 2

    def count(self, collection: str) -> int:
        return self._count(collection, self.alias(collection))

    def values(self, collection: str, passage_ids: Sequence[str], field: str) -> dict[str, Any]:
        """The field of each of these that exist, by passage_id."""
        found: dict[str, Any] = {}
        for start in range(0, len(passage_ids), ENTRIES_AT_ONCE):
            ids = [_id_of(name) for name in passage_ids[start : start + ENTRIES_AT_ONCE]]
            with translated(self.named(collection)):
                answer = self._client.options(ignore_status=404).mget(
                    index=self.alias(collection), ids=ids, source_includes=["passage_id", field]
                )
            sources = [doc["_source"] for doc in answer.body.get("docs", ()) if doc.get("found")]
            found |= {source["passage_id"]: source[field] for source in sources}
        return found

    def all_values(self, collection: str, field: str) -> Iterator[Any]:
        """The field of every entry, in no particular order; the collection must exist."""
        from elasticsearch.helpers import scan

        query = {"query": only(collection), "_source": [field]}
        with translated(self.named(collection)):
            for hit in scan(self._client, index=self.alias(collection), query=query, size=ENTRIES_AT_ONCE):
                yield hit["_source"][field]

    def state(self, collection: str) -> str:
        """Another one after every change of the collection, by whatever process; empty when there is none."""
        with translated(self.named(collection)):
            found = self._client.options(ignore_status=404).indices.stats(
                index=self.alias(collection), metric="docs", level="shards"
            )
        marks = [
            (index["uuid"], shard, copy["seq_no"]["max_seq_no"])
            for index in found.body.get("indices", {}).values()
            for shard, copies in sorted(index["shards"].items())
            for copy in copies
            if copy["routing"]["primary"]
        ]
        return repr(marks) if marks else ""

    def _search(self, collection: str, size: int, body: Mapping[str, Any]) -> list[tuple[str, float]]:
        with translated(self.named(collection)):
            found = self._client.options(ignore_status=404).search(
                index=self.alias(collection),
                size=size,
                source=False,
                docvalue_fields=[{"field": "passage_id"}],
                track_total_hits=False,
                allow_partial_search_results=False,
                **body,
            )
        hits = found.body.get("hits", {}).get("hits", [])
        return [(hit["fields"]["passage_id"][0], float(hit["_score"])) for hit in hits]

    def _count(self, collection: str, index: str) -> int:
        with translated(self.named(collection)):
            found = self._client.options(ignore_status=404).count(index=index, query=only(collection))
        return int(found.body.get("count", 0))

    def _ids_of(self, collection: str, doc_ids: Sequence[str]) -> set[str]:
        from elasticsearch.helpers import scan

        ids: set[str] = set()
        for start in range(0, len(doc_ids), DOC_IDS_AT_ONCE):
            some = list(doc_ids[start : start + DOC_IDS_AT_ONCE])
            query: dict[str, Any] = {"query": {"terms": {"doc_id": some}}, "_source": False}
            with translated(self.named(collection)):
                ids.update(h["_id"] for h in scan(self._client, index=self.alias(collection), query=query))
        return ids

    def _bulk(self, collection: str, actions: Iterable[dict[str, Any]], *, index: str, **options: Any) -> None:
        """Send them, again where the cluster was busy (429); raise if any was refused for good."""
        from elasticsearch.helpers import streaming_bulk

        answers = streaming_bulk(
            self._client,
            actions,
            index=index,
            chunk_size=ENTRIES_AT_ONCE,
            max_chunk_bytes=BULK_BYTES,
            raise_on_error=False,
            max_retries=BULK_RETRIES,
            initial_backoff=self._retry_base_s,
            **options,
        )
        refused = [answer for went_well, answer in answers if not went_well and not _was_gone(answer)]
        self._client.indices.refresh(index=index)
        if refused:
            raise self._refusal(collection, refused)

    def _refusal(self, collection: str, answers: Sequence[Mapping[str, Any]]) -> CitedeskError:
        """Ids and kinds of error only: a reason may quote the text it is about."""
        results = [result for answer in answers for result in answer.values()]
        if any(is_full(json.dumps(result.get("error", ""))) for result in results):
            return disk_full(self.named(collection))
        kinds = sorted({_kind(result) for result in results})
        some = ", ".join(str(result.get("_id", ""))[:80] for result in results[:NAMED_AT_MOST])
        more = f" and {len(results) - NAMED_AT_MOST} more" if len(results) > NAMED_AT_MOST else ""
        return IndexUnavailable(
            f"{len(results)} entries of {self.named(collection)} were refused ({', '.join(kinds)}): {some}{more}.",
            hint="Run the ingestion again: what was refused is written again.",
        )


def only(collection: str) -> dict[str, Any]:
    """The filter that stands in every search: entries of this collection, whatever else an index may hold."""
    return {"term": {"collection": collection}}


def _id_of(passage_id: str) -> str:
    """What the server calls the entry: the passage's name, or its hash where that is longer than is allowed there."""
    name = passage_id.encode()
    return passage_id if 0 < len(name) <= MAX_ID_BYTES else hashlib.sha256(name).hexdigest()


def _facts(index: Mapping[str, Any]) -> Fields:
    facts: Fields = index.get("mappings", {}).get("_meta", {})
    return facts


def _version(name: str) -> int:
    """
    >>> _version("citedesk-lexical-docs.v12")
    12
    """
    return int(name.rsplit(".v", 1)[1])


def _kind(result: Mapping[str, Any]) -> str:
    error = result.get("error", {})
    return str(error.get("type", "error")) if isinstance(error, Mapping) else "error"


def _was_gone(answer: Mapping[str, Any]) -> bool:
    """A deletion of what somebody else deleted already."""
    return bool(answer.get("delete", {}).get("status") == 404 and "error" not in answer["delete"])
