"""A connection to an Elasticsearch cluster (8.x or 9.x): how it is opened, and what its errors mean to us."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import CitedeskError, IndexUnavailable, InvalidSettings, MissingDependency, StorageFull

if TYPE_CHECKING:
    from elasticsearch import ApiError, Elasticsearch

ANSWERS = "Check that Elasticsearch is up and that CITEDESK_ELASTICSEARCH_URL and the CA file are right."
CREDENTIALS = "Check CITEDESK_ELASTICSEARCH_USER and _PASSWORD, or CITEDESK_ELASTICSEARCH_API_KEY, and their rights."
REBUILD = "Run `citedesk ingest --rebuild`: it makes the index anew."
_NO_ROOM = ("flood-stage", "No space left on device", "disk usage exceeded")


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the cluster is and who we are there. `urls` name scheme, host and port each.

    `ca_file` is a PEM file with the authority that signed the servers' certificates; without one the system's
    authorities count. `timeout_s` holds for each request. `retry_base_s` is the pause before what the cluster
    refused for being busy is sent again; it doubles, four times.
    """

    urls: tuple[str, ...]
    user: str = ""
    password: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    ca_file: Path | None = None
    timeout_s: float = 10.0
    retry_base_s: float = 0.5


def connect(connection: Connection) -> Elasticsearch:
    """Nothing is sent before the first call. Raises `InvalidSettings`, and `MissingDependency` without the client."""
    try:
        from elastic_transport.client_utils import DEFAULT
        from elasticsearch import Elasticsearch
    except ImportError as error:
        raise MissingDependency(
            "The client of Elasticsearch is not installed.", hint="Run `pip install 'citedesk[elasticsearch]'`."
        ) from error
    if connection.user and connection.api_key:
        raise InvalidSettings("Elasticsearch takes a user or an API key, not both.")
    ca_file = connection.ca_file
    if ca_file is not None and not ca_file.is_file():
        raise InvalidSettings(f"There is no file {ca_file} (CITEDESK_ELASTICSEARCH_CA_FILE).")
    logging.getLogger("elastic_transport.node").setLevel(logging.WARNING)  # it logs what is sent, word for word
    try:
        return Elasticsearch(
            list(connection.urls),
            basic_auth=(connection.user, connection.password) if connection.user else None,
            api_key=connection.api_key or None,
            request_timeout=connection.timeout_s,
            ca_certs=str(ca_file) if ca_file else DEFAULT,
        )
    except ValueError as error:
        raise InvalidSettings(
            "CITEDESK_ELASTICSEARCH_URL must name scheme, host and port of each node: https://search.example:9200."
        ) from error


def server_version(client: Elasticsearch) -> str:
    """The oldest version among the cluster's nodes. Raises `IndexUnavailable`."""
    with translated("the cluster"):
        nodes = client.nodes.info(filter_path="nodes.*.version").body
    versions = [node["version"] for node in nodes.get("nodes", {}).values()]
    return min(versions, key=_as_numbers, default="unknown")


def _as_numbers(version: str) -> tuple[int, ...]:
    """
    >>> _as_numbers("8.19.9") < _as_numbers("8.19.10-SNAPSHOT")
    True
    """
    return tuple(int(part) for part in version.split("-")[0].split("."))


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Errors of the client become ours; `what` names the index for people ("the lexical index of docs")."""
    from elastic_transport import TransportError
    from elasticsearch import ApiError
    from elasticsearch.helpers import ScanError

    try:
        yield
    except ApiError as error:
        raise _explained(what, error) from error
    except (TransportError, ScanError) as error:
        raise IndexUnavailable(f"Elasticsearch does not answer: {what} cannot be reached.", hint=ANSWERS) from error


def _explained(what: str, error: ApiError) -> CitedeskError:
    """Without the server's own words: they may quote what was sent."""
    kind = error.message if isinstance(error.message, str) else "error"
    if is_full(str(error.body)):
        return disk_full(what)
    if error.status_code in (401, 403) and kind != "cluster_block_exception":
        return IndexUnavailable("Elasticsearch refuses our credentials.", hint=CREDENTIALS)
    return IndexUnavailable(f"Elasticsearch cannot use {what} ({error.status_code} {kind}).", hint=REBUILD)


def is_full(reason: str) -> bool:
    """Whether the server's reason is a disk without room."""
    return any(words in reason for words in _NO_ROOM)


def disk_full(what: str) -> StorageFull:
    return StorageFull(f"The disk of Elasticsearch is full: {what} may be behind its documents.")
