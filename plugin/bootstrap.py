"""Wires the product together: the only importer of connectors.

`open_records` opens the relational store alone (several processes may); `open_services` opens everything and owns
the data folder until `close`.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from connectors.helpdesk.folder import FolderHelpdesk
from connectors.helpdesk.generic import GenericHelpdesk
from connectors.helpdesk.webhooks import SharedSecretWebhook, SignedWebhook
from connectors.jobs.embedded import ThreadQueue
from connectors.models.embedder import SentenceTransformerEmbedder
from connectors.models.recognizer import PresidioRecognizer
from connectors.search.chroma import ChromaVectorIndex
from connectors.search.embedded import EmbeddedLexicalIndex
from connectors.storage.keys import derive_key, load_master_key
from connectors.storage.store import Store, open_store
from core.domain.passage import Passage
from core.domain.provenance import Component
from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.composition import Composition, Limits, Style
from core.drafting.extractive import compose
from core.errors import ConnectorNotFound, DataFolderLocked, StorageFull, StoreUnavailable, VaultSealed
from core.ports import Helpdesk, UnitOfWork, Webhook
from core.retrieval.query import queries_for
from core.retrieval.search import retrieve
from plugin.settings import Settings

DOCS, TICKETS = "docs", "tickets"


@dataclass(frozen=True, slots=True)
class Records:
    """The relational store with its keys: enough for accounts, the ledger and audits."""

    settings: Settings
    store: Store
    ledger_key: bytes
    session_key: bytes

    def uow(self) -> UnitOfWork:
        return self.store.uow()

    def close(self) -> None:
        self.store.close()


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a request or a job may need. `owner` is the name under which this installation leases jobs."""

    settings: Settings
    records: Records
    helpdesks: Mapping[str, Helpdesk]
    webhooks: Mapping[str, Webhook]
    lexical: EmbeddedLexicalIndex
    vectors: ChromaVectorIndex
    embedder: SentenceTransformerEmbedder
    recognizer: PresidioRecognizer
    queue: ThreadQueue
    owner: str
    resources: ExitStack

    def uow(self) -> UnitOfWork:
        return self.records.uow()

    def clock(self) -> datetime:
        return now()

    def timer(self) -> float:
        return time.perf_counter()

    def new_id(self) -> str:
        return new_id()

    def helpdesk(self, name: str) -> Helpdesk:
        """Raises `ConnectorNotFound`."""
        if name not in self.helpdesks:
            raise ConnectorNotFound(f"No helpdesk called {name!r} is configured.")
        return self.helpdesks[name]

    def address_of(self, draft_id: str) -> str:
        return f"{self.settings.public_url}/drafts/{draft_id}"

    def search(self, inquiry: Inquiry) -> Retrieval:
        settings = self.settings
        return retrieve(
            queries_for(inquiry),
            collections={DOCS: settings.docs_weight, TICKETS: settings.tickets_weight},
            lexical=self.lexical,
            vectors=self.vectors,
            embedder=self.embedder,
            passages=self.passages,
            depth=settings.retrieval_depth,
            k=settings.retrieval_k,
            dense_weight=settings.dense_weight,
            timer=self.timer,
            similar_in=TICKETS,
        )

    def compose(self, inquiry: Inquiry, retrieval: Retrieval) -> Composition:
        settings = self.settings
        return compose(
            inquiry,
            retrieval,
            embedder=self.embedder,
            sections=self.section_text,
            style=Style(settings.greeting, settings.closing),
            limits=Limits(abstain_below=settings.abstain_below, strong_from=settings.strong_from),
        )

    def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        with self.uow() as tx:
            return tx.documents.passages(passage_ids)

    def section_text(self, passage: Passage) -> str:
        """The whole section a passage stands in; the passage alone when its document changed meanwhile."""
        with self.uow() as tx:
            document = tx.documents.get(passage.doc_id)
        if document is None or document.content_hash != passage.doc_version:
            return passage.text
        return document.text[passage.section_span.slice]

    def components(self) -> tuple[Component, ...]:
        """What has a say in a draft, with versions and hashes."""
        space = self.embedder.identity
        return (
            Component("citedesk", "citedesk", metadata.version("citedesk")),
            self.recognizer.component,
            Component("embedder", space.name, metadata.version("sentence-transformers"), space.sha256),
            Component("lexical index", "tantivy", metadata.version("tantivy")),
            Component("vector index", "chroma", metadata.version("chromadb")),
            Component("composer", "extractive", metadata.version("citedesk")),
        )

    def warm_up(self) -> None:
        """Load the models now, so that the first ticket does not wait for them."""
        self.recognizer.warm_up()
        self.embedder.warm_up()

    def close(self) -> None:
        self.resources.close()


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    """26 characters that sort by time: 11 hexadecimal digits of milliseconds, 15 random ones."""
    return f"{time.time_ns() // 1_000_000:011x}{secrets.token_hex(8)[:15]}"


def open_records(settings: Settings) -> Records:
    """Make the data folder and key file if there are none, bring the schema up to date."""
    quiet_libraries()
    _make_folder(settings.data_dir)
    secret = settings.secret_key.get_secret_value() if settings.secret_key else None
    key_file = settings.data_dir / "secret.key"
    is_new_key = not secret and not key_file.exists()
    master = load_master_key(secret, key_file)
    ledger_key = derive_key(master, "ledger")
    store = open_store(settings.store_url, vault_key=derive_key(master, "vault"), ledger_key=ledger_key)
    store.migrate()
    if is_new_key:
        _refuse_lost_key(store, key_file)
    return Records(settings, store, ledger_key, derive_key(master, "session"))


def _refuse_lost_key(store: Store, key_file: Path) -> None:
    """A new key is right for a new installation only: another one's vault and ledger cannot be read with it."""
    with store.uow() as tx:
        entries = tx.ledger.head().number
    if entries:
        store.close()
        key_file.unlink()
        raise VaultSealed(f"The key file {key_file} is gone, but the ledger has {entries} entries sealed with it.")


def open_services(settings: Settings) -> Services:
    """Raises `DataFolderLocked` when another process owns the data folder."""
    with ExitStack() as stack:
        quiet_libraries()
        _make_folder(settings.data_dir)
        stack.enter_context(_lock(settings.data_dir))
        records = open_records(settings)
        stack.callback(records.close)
        vectors = ChromaVectorIndex(settings.data_dir / "indexes" / "dense")
        stack.callback(vectors.close)
        helpdesks, webhooks = _helpdesks(settings)
        return Services(
            settings=settings,
            records=records,
            helpdesks=helpdesks,
            webhooks=webhooks,
            lexical=EmbeddedLexicalIndex(settings.data_dir / "indexes" / "lexical"),
            vectors=vectors,
            embedder=SentenceTransformerEmbedder(
                settings.embedder, threads=settings.model_threads or os.cpu_count() or 1, batch=settings.embed_batch
            ),
            recognizer=PresidioRecognizer(),
            queue=ThreadQueue(),
            owner="embedded",
            resources=stack.pop_all(),
        )


def quiet_libraries() -> None:
    """No library may look anything up or report anything: set before the first of them is imported."""
    os.environ.update(
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        ANONYMIZED_TELEMETRY="False",
        TOKENIZERS_PARALLELISM="false",
        OTEL_SDK_DISABLED="true",
        LANGSMITH_TRACING="false",
    )


def _helpdesks(settings: Settings) -> tuple[dict[str, Helpdesk], dict[str, Webhook]]:
    helpdesks: dict[str, Helpdesk] = {}
    webhooks: dict[str, Webhook] = {}
    if settings.folder_dir:
        helpdesks["folder"] = FolderHelpdesk(settings.folder_dir)
    if settings.folder_dir and settings.folder_secret:
        webhooks["folder"] = SharedSecretWebhook("folder", settings.folder_secret.get_secret_value())
    if settings.generic_url:
        token = settings.generic_token.get_secret_value() if settings.generic_token else ""
        helpdesks["generic"] = GenericHelpdesk(settings.generic_url, token)
    if settings.generic_url and settings.generic_secret:
        webhooks["generic"] = SignedWebhook("generic", settings.generic_secret.get_secret_value())
    return helpdesks, webhooks


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreUnavailable(
            f"The data folder {folder} cannot be made: {error.strerror}.",
            hint="Give CITEDESK_DATA_DIR a folder that this user may write to.",
        ) from error


def _lock(folder: Path) -> ExitStack:
    """Own the data folder: two processes on one Chroma folder hang or do not see each other's writes."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / "citedesk.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise DataFolderLocked(f"Another Citedesk process is using {folder}.") from error
    except OSError as error:
        raise _unwritable(folder, error) from error
    stack = ExitStack()
    stack.callback(lock.release)
    return stack


def _unwritable(folder: Path, error: OSError) -> StorageFull | StoreUnavailable:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(f"There is no space left for {folder}.")
    return StoreUnavailable(
        f"The data folder {folder} cannot be written to: {error.strerror}.",
        hint="Give CITEDESK_DATA_DIR a folder that this user may write to.",
    )
