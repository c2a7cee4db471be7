"""Wires the product together: the only importer of connectors.

`open_records` opens the relational store alone (several processes may); `open_services` opens everything and owns
the data folder until `close`.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from pathlib import Path

from connectors.helpdesk.folder import FolderHelpdesk
from connectors.helpdesk.generic import GenericHelpdesk
from connectors.helpdesk.webhooks import SharedSecretWebhook, SignedWebhook
from connectors.jobs.embedded import ThreadQueue
from connectors.models.embedder import SentenceTransformerEmbedder
from connectors.models.multilingual import LangidDetector, PackagedTranslator
from connectors.models.presidio_peers import presidio_peers
from connectors.models.recognizer import PresidioRecognizer
from connectors.models.reranker import CrossEncoderReranker, read_ranker
from connectors.models.translator import LibreTranslate
from connectors.storage.keys import check_secret, derive_key, load_master_key
from connectors.storage.rotation import KeyFile
from connectors.storage.store import Store, open_store
from core.domain.access import (
    DEFAULT_TENANT,
    PUBLIC,
    Audience,
    Kind,
    collection_name,
)
from core.domain.audit import SealKeys
from core.domain.passage import Passage
from core.domain.provenance import Component
from core.domain.redaction import RedactionLists
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.drafting.composition import Composition, Limits, Style
from core.drafting.extractive import compose
from core.errors import (
    BadInput,
    ConnectorNotFound,
    DataFolderLocked,
    InvalidSettings,
    StorageFull,
    StoreUnavailable,
    VaultSealed,
)
from core.ports import (
    EntityRecognizer,
    Helpdesk,
    LanguageDetector,
    LexicalIndex,
    Translator,
    UnitOfWork,
    VectorIndex,
    Webhook,
)
from core.redaction.lists import components as lists_as_components
from core.redaction.lists import read_lists
from core.retrieval.language import search_in_english
from core.retrieval.learned import Ranker
from core.retrieval.order import depth_for, ordered
from core.retrieval.query import without_noise
from core.retrieval.query_class import parse_domains, parse_weights, query_class, weighted
from core.retrieval.search import retrieve
from core.retrieval.stages import Stages
from core.retrieval.visibility import collections_for, visible_only
from core.retrieval.voters import Ballot
from plugin.indexes import Indexes, open_indexes, sweep
from plugin.settings import Settings
from plugin.temporary import sweep_folders, temporary_folder
from plugin.weights import with_learned

DOCS = collection_name(DEFAULT_TENANT, PUBLIC, Kind.DOCS)
"""The documentation of an installation for one organisation."""


@dataclass(frozen=True, slots=True)
class Records:
    """The relational store with its keys: enough for accounts, the ledger and audits."""

    settings: Settings
    store: Store
    session_key: bytes

    @property
    def seal_keys(self) -> SealKeys:
        """The ledger's keys, as they are now."""
        return self.store.seal_keys()

    def settle_key_file(self) -> None:
        """Make the key file hold the key in force, after a rotation; nothing to do where the settings hold it."""
        key_file = key_file_of(self.settings)
        if self.settings.secret_key is None and key_file.path.exists():
            key_file.settle(self.store.use_master(key_file.candidates()))

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
    indexes: Indexes
    embedder: SentenceTransformerEmbedder
    recognizer: PresidioRecognizer
    detector: LanguageDetector
    translator: Translator | None
    queue: ThreadQueue
    owner: str
    resources: ExitStack
    reranker: CrossEncoderReranker | None = None
    ranker: Ranker | None = None

    @property
    def lexical(self) -> LexicalIndex:
        return self.indexes.lexical

    @property
    def vectors(self) -> VectorIndex:
        return self.indexes.vectors

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

    def searcher(self, audience: Audience) -> Callable[[Inquiry], Retrieval]:
        """A search that is bound to this audience."""
        return lambda inquiry: self.search(inquiry, audience)

    def search(self, inquiry: Inquiry, audience: Audience) -> Retrieval:
        """Searches the audience's collections in English; no other collection is reachable from here."""
        return search_in_english(
            without_noise(inquiry) if self.settings.condense_logs else inquiry,
            lambda queries: self._retrieve(queries, audience, self.class_of(inquiry)),
            detector=self.detector,
            translator=self.translator,
        )

    def class_of(self, inquiry: Inquiry) -> str:
        """The class of the question, for which weights may be set."""
        question = inquiry.first or inquiry.newest
        return query_class(f"{inquiry.subject}\n{question}", parse_domains(self.settings.query_domains))

    def _retrieve(self, queries: Sequence[WeightedQuery], audience: Audience, kind: str) -> Retrieval:
        settings, stages = self.settings, replace(stages_of(self.settings), ranker=self.ranker)
        tickets = audience.collections(Kind.TICKETS)
        kinds, dense_weight = weighted(
            {Kind.DOCS: settings.docs_weight, Kind.TICKETS: settings.tickets_weight},
            settings.dense_weight,
            parse_weights(settings.class_weights).get(kind),
        )
        retrieval = retrieve(
            queries,
            collections=collections_for(audience, kinds),
            lexical=self.lexical,
            vectors=self.vectors,
            embedder=self.embedder,
            passages=visible_only(self.passages, audience),
            depth=settings.retrieval_depth,
            k=depth_for(stages, settings.retrieval_k),
            dense_weight=dense_weight,
            timer=self.timer,
            similar_in=tickets,
            kind=kind,
            stages=stages,
            ballot=Ballot(tickets, partial(self.documents_at, audience.collections(Kind.DOCS))),
        )
        return ordered(
            retrieval,
            stages=stages,
            vectors=self.vectors,
            embedder=self.embedder,
            reranker=self.reranker,
            timer=self.timer,
            k=settings.retrieval_k,
        )

    def compose(self, inquiry: Inquiry, retrieval: Retrieval) -> Composition:
        settings = self.settings
        return compose(
            retrieval.translated or inquiry,
            retrieval,
            embedder=self.embedder,
            sections=self.section_text,
            style=Style(settings.greeting, settings.closing),
            limits=Limits(abstain_below=settings.abstain_below, strong_from=settings.strong_from),
        )

    def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        with self.uow() as tx:
            return tx.documents.passages(passage_ids)

    def documents_at(self, collections: Sequence[str], places: Sequence[str]) -> dict[str, str]:
        with self.uow() as tx:
            return tx.documents.documents_at(collections, places)

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
            *lists_as_components(self.recognizer.lists),
            Component("embedder", space.name, metadata.version("sentence-transformers"), space.sha256),
            *self.indexes.components(),
            *([self.ranker.component] if self.ranker else []),
            *([self.reranker.component] if self.reranker else []),
            Component("composer", "extractive", metadata.version("citedesk")),
        )

    def warm_up(self) -> None:
        """Load the models now, so that the first ticket does not wait for them."""
        self.recognizer.warm_up()
        self.embedder.warm_up()
        self.detector.detect("ready")
        if self.reranker:
            self.reranker.warm_up()
        if self.translator and self.settings.translation_warm_up:
            self.translator.warm_up()

    def close(self) -> None:
        self.resources.close()


def stages_of(settings: Settings) -> Stages:
    """Which stages of retrieval the settings turn on."""
    return Stages(
        documents=settings.rank_documents,
        opening_weight=settings.opening_weight,
        centre=settings.centre,
        vote_weight=settings.vote_weight,
        mmr_lambda=settings.mmr_lambda,
        mmr_k=settings.mmr_k,
        pagerank_k=settings.pagerank_k,
        pagerank_tau=settings.pagerank_tau,
        rerank_depth=settings.rerank_depth if settings.reranker else 0,
        rerank_share=settings.rerank_share,
    )


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
    key_file = key_file_of(settings)
    is_new_key = not secret and not key_file.path.exists()
    master = load_master_key(secret, key_file.path)
    store = open_store(settings.store_url, master=master)
    try:
        store.migrate()
        master = store.use_master([master] if secret else key_file.candidates())
    except VaultSealed as error:
        store.close()
        if is_new_key:
            key_file.path.unlink()
            raise VaultSealed(f"The key file {key_file.path} is gone, but the ledger was sealed with it.") from error
        raise
    return Records(settings, store, derive_key(master, "session"))


def key_file_of(settings: Settings) -> KeyFile:
    """Where the master key lies unless the settings hold one."""
    return KeyFile(settings.data_dir / "secret.key")


def replace_master_key(records: Records, secret: str | None, *, by: str) -> None:
    """New keys for vault and ledger, wrapped with a new master: `secret`, or else a new key file.

    A crash leaves either the old key or the new one in force, and both key files there. Raises `InvalidSettings`.
    """
    key_file, store = key_file_of(records.settings), records.store
    master = check_secret(secret, "The new secret") if secret else key_file.prepare()
    store.replace_keys(master, at=now(), actor=by)
    if secret:
        key_file.path.unlink(missing_ok=True)
    else:
        key_file.settle(master)


@contextmanager
def owned(settings: Settings) -> Iterator[Records]:
    """The store, with the data folder locked, so that no server and no other command works on it meanwhile."""
    quiet_libraries()
    _make_folder(settings.data_dir)
    with _lock(settings.data_dir):
        records = open_records(settings)
        try:
            yield records
        finally:
            records.close()


def open_services(settings: Settings) -> Services:
    """Raises `DataFolderLocked` when another process owns the data folder."""
    with ExitStack() as stack:
        quiet_libraries()
        _make_folder(settings.data_dir)
        stack.enter_context(_lock(settings.data_dir))
        records = open_records(settings)
        stack.callback(records.close)
        indexes = open_indexes(settings, stack)
        sweep(indexes, now())
        sweep_folders()
        helpdesks, webhooks = _helpdesks(settings)
        embedder = SentenceTransformerEmbedder(
            settings.embedder, threads=settings.model_threads or os.cpu_count() or 1, batch=settings.embed_batch
        )
        return Services(
            settings=with_learned(settings, embedder),
            records=records,
            helpdesks=helpdesks,
            webhooks=webhooks,
            indexes=indexes,
            embedder=embedder,
            recognizer=PresidioRecognizer(lists=redaction_lists(settings), threads=settings.model_threads),
            detector=LangidDetector(),
            translator=translator_of(settings, stack),
            reranker=open_reranker(settings),
            ranker=read_ranker(settings.ranker) if settings.ranker else None,
            queue=ThreadQueue(),
            owner="embedded",
            resources=stack.pop_all(),
        )


@contextmanager
def open_apart(settings: Settings, lender: Services | None = None) -> Iterator[Services]:
    """Services with a store and indexes of their own in a temporary folder, which is deleted at the end.

    They have the models of `lender` where there is one, else they load their own. What they write to a cluster the
    caller has to drop.
    """
    with temporary_folder() as folder, ExitStack() as stack:
        own = settings.model_copy(update={"data_dir": folder, "database_url": ""})
        if lender is None:
            services = open_services(own)
            stack.callback(services.close)
        else:
            records = open_records(own)
            stack.callback(records.close)
            services = replace(
                lender, settings=own, records=records, indexes=open_indexes(own, stack), resources=ExitStack()
            )
        yield services


def open_recognizer(settings: Settings) -> PresidioRecognizer:
    """The recognizer alone, as the services have it, without the data folder."""
    quiet_libraries()
    return PresidioRecognizer(lists=redaction_lists(settings), threads=settings.model_threads)


def open_reranker(settings: Settings) -> CrossEncoderReranker | None:
    """The configured cross-encoder. Raises `ModelUnavailable`, `ModelCorrupt`."""
    if not settings.reranker:
        return None
    return CrossEncoderReranker(settings.reranker, threads=settings.model_threads or os.cpu_count() or 1)


def redaction_lists(settings: Settings) -> RedactionLists:
    """Raises `InvalidSettings` for a file that cannot be read and for entries that make no sense."""
    try:
        return read_lists(_entries("redact_allow", settings), _entries("redact_deny", settings))
    except BadInput as error:
        raise InvalidSettings(error.message, hint=error.hint) from error


def _entries(name: str, settings: Settings) -> str:
    """The entries of a list, one a line: a setting's own and those of the files it names."""
    entries = [entry.strip() for entry in getattr(settings, name).split(";")]
    try:
        return "\n".join(Path(e[1:]).read_text(encoding="utf-8") if e.startswith("@") else e for e in entries)
    except (OSError, ValueError) as error:
        raise InvalidSettings(f"CITEDESK_{name.upper()} names a file that cannot be read.") from error


def open_peers() -> dict[str, EntityRecognizer]:
    """What the recognizer is measured against; needs the extra `eval`."""
    quiet_libraries()
    return presidio_peers()


def quiet_libraries() -> None:
    """No library may look anything up or report anything: set before the first of them is imported."""
    os.environ.update(
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        ANONYMIZED_TELEMETRY="False",
        TOKENIZERS_PARALLELISM="false",
        OTEL_SDK_DISABLED="true",
        ORT_DISABLE_TELEMETRY="1",
        LANGSMITH_TRACING="false",
    )


def translator_of(settings: Settings, stack: ExitStack) -> Translator | None:
    """Raises `InvalidSettings` when a server is wanted and none is named."""
    if settings.translation == "none":
        return None
    if settings.translation == "packaged":
        return PackagedTranslator()
    if not settings.libretranslate_url:
        raise InvalidSettings("CITEDESK_TRANSLATION is libretranslate, but CITEDESK_LIBRETRANSLATE_URL is empty.")
    key = settings.libretranslate_key.get_secret_value() if settings.libretranslate_key else ""
    server = LibreTranslate(settings.libretranslate_url, key, timeout_s=settings.translation_timeout_s)
    stack.callback(server.close)
    return server


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
