"""Which indexes are searched: embedded ones in a folder, or those of an Elasticsearch cluster, as the settings say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path

import structlog

from connectors.search.chroma import ChromaVectorIndex
from connectors.search.elasticsearch_client import Connection
from connectors.search.elasticsearch_lexical import ElasticsearchLexicalIndex
from connectors.search.elasticsearch_vectors import ElasticsearchVectorIndex, Neighbours
from connectors.search.embedded import EmbeddedLexicalIndex
from core.domain.access import is_stale
from core.domain.provenance import Component
from core.errors import IndexUnavailable, InvalidSettings
from core.ports import LexicalIndex, VectorIndex
from plugin.settings import Settings

log = structlog.get_logger("citedesk.indexes")

InCluster = ElasticsearchLexicalIndex | ElasticsearchVectorIndex


@dataclass(frozen=True, slots=True)
class Indexes:
    """`folder` holds the embedded ones among them."""

    lexical: LexicalIndex
    vectors: VectorIndex
    folder: Path

    @property
    def in_cluster(self) -> tuple[InCluster, ...]:
        """Those that a cluster holds."""
        return tuple(index for index in (self.lexical, self.vectors) if isinstance(index, InCluster))

    def compact(self) -> None:
        """Give the space of what was deleted back, so that nothing of it is left in the embedded indexes' files."""
        if isinstance(self.vectors, ChromaVectorIndex):
            self.vectors.compact()

    def components(self) -> Iterator[Component]:
        """The engines with their versions."""
        yield _component(self.lexical, Component("lexical index", "tantivy", metadata.version("tantivy")))
        yield _component(self.vectors, Component("vector index", "chroma", metadata.version("chromadb")))


def open_indexes(settings: Settings, stack: ExitStack) -> Indexes:
    """Nothing is sent to a cluster yet. They are closed with the stack. Raises `InvalidSettings`."""
    folder = settings.data_dir / "indexes"
    if settings.vector_index == "elasticsearch" and not settings.elasticsearch_url:
        raise InvalidSettings("CITEDESK_VECTOR_INDEX=elasticsearch needs CITEDESK_ELASTICSEARCH_URL.")
    return Indexes(_lexical(settings, folder / "lexical", stack), _vectors(settings, folder / "dense", stack), folder)


def sweep(indexes: Indexes, now: datetime) -> None:
    """Delete what questions of processes that were killed left in the cluster; one that is down is left alone."""
    for index in indexes.in_cluster:
        try:
            stale = [name for name in index.collections() if is_stale(name, now)]
            for name in stale:
                index.drop(name)
        except IndexUnavailable as error:
            log.warning("left-over indexes were not looked for", code=error.code)
            return
        if stale:
            log.info("left-over indexes deleted", count=len(stale))


def _lexical(settings: Settings, folder: Path, stack: ExitStack) -> LexicalIndex:
    if not settings.elasticsearch_url:
        return EmbeddedLexicalIndex(folder)
    index = ElasticsearchLexicalIndex(
        _connection(settings), prefix=settings.elasticsearch_prefix, shards=settings.elasticsearch_shards
    )
    stack.callback(index.close)
    return index


def _vectors(settings: Settings, folder: Path, stack: ExitStack) -> VectorIndex:
    if settings.vector_index == "chroma":
        embedded = ChromaVectorIndex(folder, exact_up_to=settings.exact_search_passages)
        stack.callback(embedded.close)
        return embedded
    index = ElasticsearchVectorIndex(
        _connection(settings),
        prefix=settings.elasticsearch_prefix,
        shards=settings.elasticsearch_shards,
        neighbours=Neighbours(settings.elasticsearch_neighbours),
    )
    stack.callback(index.close)
    return index


def _connection(settings: Settings) -> Connection:
    password, api_key = settings.elasticsearch_password, settings.elasticsearch_api_key
    return Connection(
        urls=tuple(url.strip() for url in settings.elasticsearch_url.split(",") if url.strip()),
        user=settings.elasticsearch_user,
        password=password.get_secret_value() if password else "",
        api_key=api_key.get_secret_value() if api_key else "",
        ca_file=settings.elasticsearch_ca_file,
        timeout_s=settings.elasticsearch_timeout_s,
    )


def _component(index: LexicalIndex | VectorIndex, embedded: Component) -> Component:
    if not isinstance(index, InCluster):
        return embedded
    try:
        return index.component
    except IndexUnavailable:
        return Component(embedded.role, "elasticsearch", "not reached")
