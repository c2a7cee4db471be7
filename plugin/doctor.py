"""What is configured, what answers, what is wrong and what to do about it; each check is real."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from core.domain.access import Kind
from core.errors import CitedeskError, DataFolderLocked
from core.ports import CollectionSize
from plugin.bootstrap import Records, Services, open_records, open_services
from plugin.settings import Settings

LOW_DISK_BYTES = 1_000_000_000


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's screen; `fix` says what to do unless all is well."""

    area: str
    verdict: Verdict
    text: str
    fix: str = ""


def examine(settings: Settings, *, load_models: bool = True) -> list[Finding]:
    """All findings. While a server runs, the parts it owns are left to it, and that is said."""
    findings = [*_settings(settings), _disk(settings)]
    try:
        services = open_services(settings)
    except DataFolderLocked as locked:
        return [*findings, _running(locked), *_of_records(settings)]
    except CitedeskError as error:
        return [*findings, _wrong("data folder", error)]
    try:
        return [
            *findings,
            *_records(services.records),
            *_people(services.records),
            *_connectors(services),
            *_indexes(services),
            *_models(services, load_models),
        ]
    finally:
        services.close()


def _settings(settings: Settings) -> Iterator[Finding]:
    changed = sorted(settings.model_fields_set)
    yield Finding("settings", Verdict.OK, f"set: {', '.join(changed)}" if changed else "all at their defaults")
    public = settings.host not in ("127.0.0.1", "localhost", "::1")
    if public and not settings.secure_cookies:
        yield Finding(
            "settings",
            Verdict.WARNING,
            f"the web server listens on {settings.host} and session cookies may travel unencrypted",
            "Put HTTPS in front and set CITEDESK_SECURE_COOKIES=true.",
        )


def _disk(settings: Settings) -> Finding:
    folder = settings.data_dir.resolve()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    text = f"{folder}, {free / 1e9:.1f} GB free"
    if free < LOW_DISK_BYTES:
        return Finding("data folder", Verdict.WARNING, text, "Free some space: below 1 GB indexes may fail to grow.")
    return Finding("data folder", Verdict.OK, text)


def _running(locked: DataFolderLocked) -> Finding:
    return Finding(
        "process",
        Verdict.OK,
        f"{locked.message} It owns indexes and models; its own view is at /readyz.",
    )


def _of_records(settings: Settings) -> list[Finding]:
    try:
        records = open_records(settings)
    except CitedeskError as error:
        return [_wrong("store", error)]
    try:
        return [*_records(records), *_people(records)]
    finally:
        records.close()


def _records(records: Records) -> Iterator[Finding]:
    yield _checked("store", records.store.check)
    with records.uow() as tx:
        inbox, outbox, head = tx.inbox.counts(), tx.outbox.counts(), tx.ledger.head()
        drafts = tx.drafts.counts_by_state()
        sizes = tx.documents.sizes()
    yield Finding("drafts", Verdict.OK, _counts(drafts))
    parked = inbox.get("parked", 0) + outbox.get("parked", 0)  # type: ignore[call-overload]
    counts = f"inbox {_counts(inbox)}; outbox {_counts(outbox)}"
    fix = "The queue lists them under failed, with a retry button." if parked else ""
    yield Finding("jobs", Verdict.WARNING if parked else Verdict.OK, counts, fix)
    yield Finding("ledger", Verdict.OK, f"{head.number} entries; `citedesk ledger verify` checks them")
    yield from _collections(sizes)


def _counts(counts: object) -> str:
    items = dict(counts).items()  # type: ignore[call-overload]
    return ", ".join(f"{n} {state}" for state, n in items if n) or "none"


def _collections(sizes: list[CollectionSize]) -> Iterator[Finding]:
    for size in sizes:
        text = f"{size.collection}: {size.documents} documents, {size.passages} passages"
        yield Finding("collections", Verdict.OK, text)
    if not any(size.collection.endswith(Kind.DOCS) for size in sizes):
        yield Finding("collections", Verdict.WARNING, "no documentation", "Run `citedesk ingest docs FOLDER`.")


def _people(records: Records) -> Iterator[Finding]:
    with records.uow() as tx:
        active = [user for user in tx.users.list() if not user.disabled]
    if active:
        yield Finding("people", Verdict.OK, f"{len(active)} may sign in")
    else:
        yield Finding("people", Verdict.WARNING, "nobody may sign in", "Run `citedesk user add LOGIN`.")


def _connectors(services: Services) -> Iterator[Finding]:
    for name, helpdesk in services.helpdesks.items():
        yield _checked(f"helpdesk {name}", helpdesk.check)
        if name not in services.webhooks:
            yield Finding(
                f"helpdesk {name}",
                Verdict.WARNING,
                "its webhook has no secret, so none is accepted",
                f"Set CITEDESK_{name.upper()}_SECRET.",
            )
    if not services.helpdesks:
        yield Finding("helpdesk", Verdict.WARNING, "none is configured", "Set CITEDESK_FOLDER_DIR or _GENERIC_URL.")


def _indexes(services: Services) -> Iterator[Finding]:
    with services.uow() as tx:
        sizes = tx.documents.sizes()
    for size in sizes:
        yield _checked(f"index {size.collection}", partial(_compare, services, size))
    yield _engine("lexical index", services.lexical, services.indexes.folder / "lexical")
    yield _engine("dense index", services.vectors, services.indexes.folder / "dense")


def _engine(area: str, index: object, folder: Path) -> Finding:
    """A cluster is asked; a folder is measured."""
    check = getattr(index, "check", None)
    return _checked(area, check or (lambda: f"{_bytes_in(folder) / 1e6:.1f} MB in {folder}"))


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _compare(services: Services, size: CollectionSize) -> str:
    """One line when store and both indexes agree; raises what is wrong."""
    from core.errors import EmbedderMismatch, IndexUnavailable

    built_with, now = services.vectors.identity(size.collection), services.embedder.identity
    if built_with and built_with != now:
        raise EmbedderMismatch(f"The vectors were made by {built_with.name}, {now.name} is configured.")
    lexical, dense = services.lexical.count(size.collection), services.vectors.count(size.collection)
    if not lexical == dense == size.passages:
        raise IndexUnavailable(
            f"The store has {size.passages} passages, the lexical index {lexical}, the dense index {dense}.",
            hint="Run the ingestion again; with --rebuild if that does not help.",
        )
    return f"lexical and dense hold {dense} passages each, as the store does"


def _models(services: Services, load: bool) -> Iterator[Finding]:
    def embedder() -> str:
        space = services.embedder.identity
        if load:
            services.embedder.warm_up()
        return (
            f"{space.name}, {space.dimension} dimensions, sha256 {space.sha256[:12]}, "
            f"{'loaded ' if load else ''}from {services.embedder.location}"
        )

    def recognizer() -> str:
        if load:
            services.recognizer.warm_up()
        part = services.recognizer.component
        return (
            f"{part.name}: {part.version}, sha256 {part.sha256[:12]}, "
            f"{'loaded ' if load else ''}from {services.recognizer.location}"
        )

    yield _checked("embedder", embedder)
    yield _checked("recognizer", recognizer)
    yield from _rankers(services, load)
    yield Finding("generator", Verdict.OK, "none: drafts are composed from quotations (extractive)")


def _rankers(services: Services, load: bool) -> Iterator[Finding]:
    """Those that are configured."""
    ranker, model = services.ranker, services.reranker
    if ranker is not None:
        yield Finding("ranker", Verdict.OK, f"{ranker.name}, sha256 {ranker.sha256[:12]}")
    if model is None:
        return

    def reranker() -> str:
        if load:
            model.warm_up()
        part = model.component
        return f"{part.name}, sha256 {part.sha256[:12]}, {'loaded ' if load else ''}from {model.location}"

    yield _checked("reranker", reranker)


def _checked(area: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(area, Verdict.OK, check())
    except CitedeskError as error:
        return _wrong(area, error)


def _wrong(area: str, error: CitedeskError) -> Finding:
    return Finding(area, Verdict.WRONG, error.message, error.hint)
