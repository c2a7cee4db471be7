"""Keeps what an evaluation is slow to make (indexes, vectors, redacted threads) from one run to the next.

Everything is named after the content it was made from and thrown away when the code that makes it has changed.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from pydantic import TypeAdapter, ValidationError

from core.domain.access import DEFAULT_TENANT, PUBLIC, Kind, collection_name
from core.domain.fingerprint import fingerprint
from core.domain.redaction import PlaceholderMap
from core.domain.thread import RedactedThread
from core.domain.ticket import Ticket
from core.errors import StoreUnavailable
from core.ports import Embedder, EmbedderIdentity, EntityRecognizer, Vectors
from core.redaction.thread import redact_thread
from ingest.pipeline import ingest
from ingest.report import Cutting, IngestProgress, IngestReport
from ingest.sources import Item, Skipped, SourceItem, solved_ticket_item
from plugin.bootstrap import DOCS, Services, open_services
from plugin.evaluation.retrieval_data import SolvedExample
from plugin.ingestion import ingest_docs
from plugin.settings import Settings
from plugin.weights import copy_weights, forget_weights

ROOT = Path(__file__).resolve().parent.parent.parent
INDEXING = (
    "ingest",
    "core/retrieval/analysis.py",
    "core/retrieval/documents.py",
    "core/domain/passage.py",
    "connectors/search/embedded.py",
    "connectors/search/chroma.py",
    "connectors/storage/migrations",
)
REDACTING = ("core/redaction", "core/mail", "connectors/models/recognizer.py", "connectors/models/rampart.py")
DEEPEST_K = 100
ELSEWHERE = (
    "database_url",
    "secret_key",
    "folder_dir",
    "folder_secret",
    "generic_url",
    "generic_token",
    "generic_secret",
    "elasticsearch_url",
    "vector_index",
)
"""Settings that lead out of the data folder: an evaluation takes their defaults."""

ProgressFor = Callable[[str], AbstractContextManager[IngestProgress]]
"""A progress display under the given label (`plugin.progress.progress_bar`)."""

TICKETS = collection_name(DEFAULT_TENANT, PUBLIC, Kind.TICKETS)
_STAMP = "made-from"
_THREADS = TypeAdapter(list[RedactedThread])


def evaluation_settings(settings: Settings, folder: Path) -> Settings:
    """The product's settings on embedded stores in `folder`, with a list long enough to hold 20 documents.

    No helpdesk and no store of the installation is reachable from them.
    """
    own = {"data_dir": folder, "retrieval_k": DEEPEST_K}
    away = {name: Settings.model_fields[name].default for name in ELSEWHERE}
    return settings.model_copy(update=own | away)


@dataclass(frozen=True, slots=True)
class Kept:
    """Where to keep things, the settings to work with, and how to show that it goes on.

    `learned`: search with the weights that were learned in the settings' data folder.
    """

    folder: Path
    settings: Settings
    progress: ProgressFor
    learned: bool = False


@contextmanager
def indexed(corpus: Path, solved: Sequence[SolvedExample], kept: Kept) -> Iterator[tuple[Services, IngestReport]]:
    """Services whose documentation is `corpus` and whose earlier tickets are `solved`, and what became of `corpus`.

    They work in a folder under `kept.folder` that later evaluations find again.
    """
    folder = prepared_folder(corpus, solved, kept)
    if not (kept.learned and copy_weights(kept.settings.data_dir, folder)):
        forget_weights(folder)
    services = open_services(evaluation_settings(kept.settings, folder))
    try:
        with closing(RememberingEmbedder(services.embedder, kept.folder / "vectors.db")) as embedder:
            report = _fill(replace(services, embedder=cast(Any, embedder)), corpus, solved, kept)
        yield services, report
    finally:
        services.close()


@contextmanager
def installed(settings: Settings) -> Iterator[tuple[Services, Callable[[], frozenset[str]]]]:
    """The installation's own services, and how its documentation's source keys are read.

    Raises `DataFolderLocked` while the product runs.
    """
    services = open_services(settings.model_copy(update={"retrieval_k": DEEPEST_K}))
    try:
        yield services, lambda: _source_keys(services)
    finally:
        services.close()


def _source_keys(services: Services) -> frozenset[str]:
    with services.uow() as tx:
        return frozenset(tx.documents.manifest(DOCS))


def _fill(services: Services, corpus: Path, solved: Sequence[SolvedExample], kept: Kept) -> IngestReport:
    with kept.progress("Ingesting") as bar:
        report = ingest_docs(services, corpus, progress=bar)
    if solved:
        threads = redacted([example.ticket for example in solved], services.recognizer, kept)
        items = [solved_item(thread, example) for thread, example in zip(threads, solved, strict=True)]
        with kept.progress("Solved tickets") as bar:
            _ingest_solved(services, items, bar)
    return report


def solved_item(thread: RedactedThread, example: SolvedExample) -> SourceItem | Skipped:
    """As it is ingested in production, but solved by what its judgement says, where it has one."""
    item = solved_ticket_item(thread)
    if isinstance(item, Skipped) or not example.solved_by:
        return item
    return replace(item, solved_by=example.solved_by)


def _ingest_solved(services: Services, items: Sequence[Item], progress: IngestProgress) -> None:
    settings = services.settings
    ingest(
        TICKETS,
        items,
        uow=services.uow,
        lexical=services.lexical,
        vectors=services.vectors,
        embedder=services.embedder,
        cutting=Cutting(settings.passage_words, settings.passage_overlap_words),
        batch=settings.embed_batch,
        progress=progress,
    )


def prepared_folder(corpus: Path, solved: Sequence[SolvedExample], kept: Kept) -> Path:
    """The data folder for this content, emptied when the passages would be made differently now."""
    content = fingerprint(_sha256(corpus.read_bytes()), list(solved))
    folder = kept.folder / f"{corpus.resolve().parent.name}-{content[:12]}"
    settings = kept.settings
    stamp = fingerprint(code_hash(INDEXING), settings.embedder, settings.passage_words, settings.passage_overlap_words)
    try:
        if folder.is_dir() and _read(folder / _STAMP) != stamp:
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _STAMP).write_text(stamp, encoding="utf-8")
    except OSError as error:
        raise StoreUnavailable(
            f"The folder {folder} cannot be written to: {error.strerror}.", hint="Give --keep another one."
        ) from error
    return folder


def redacted(tickets: Sequence[Ticket], recognizer: EntityRecognizer, kept: Kept) -> list[RedactedThread]:
    """The tickets as the product stores and searches with them."""
    made_from = fingerprint(code_hash(REDACTING), recognizer.component, list(tickets))
    file = kept.folder / "threads" / f"{made_from[:16]}.json"
    known = _known_threads(file)
    if known is not None:
        return known
    threads = []
    with kept.progress("Redacting") as bar:
        for number, ticket in enumerate(tickets, 1):
            threads.append(redact_thread(ticket, recognizer=recognizer, placeholders=PlaceholderMap())[0])
            bar.step(number, len(tickets), ticket.ticket_id)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(_THREADS.dump_json(threads))
    return threads


class RememberingEmbedder:
    """Implements `core.ports.Embedder`: a passage that any earlier evaluation has embedded is looked up."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self._space = embedder.identity.sha256
        self._db = sqlite3.connect(file, timeout=60, check_same_thread=False)
        self._db.execute("create table if not exists vectors (key text primary key, vector blob not null)")

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        keys = [_sha256(f"{self._space}\n{text}".encode()) for text in texts]
        known = {key: vector for key in keys if (vector := self._vector(key)) is not None}
        unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = dict(zip(unknown, self._embedder.embed_passages(list(unknown.values())), strict=True))
        with self._db:
            rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in made.items()]
            self._db.executemany("insert or ignore into vectors values (?, ?)", rows)
        every = known | made
        dimension = self.identity.dimension
        return np.array([every[key] for key in keys], dtype=np.float32).reshape(len(keys), dimension)

    def _vector(self, key: str) -> Any:
        row = self._db.execute("select vector from vectors where key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def close(self) -> None:
        self._db.close()


def code_hash(places: Sequence[str]) -> str:
    """Hex SHA-256 of the Python sources at these places below the product's root, in order of path."""
    files = [file for place in places for file in _sources(ROOT / place)]
    return _sha256(b"".join(file.read_bytes() for file in files))


def _sources(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def _known_threads(file: Path) -> list[RedactedThread] | None:
    if not file.is_file():
        return None
    try:
        return _THREADS.validate_json(file.read_bytes())
    except ValidationError:
        return None


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
