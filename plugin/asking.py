"""Answering a question, from the documentation or from files that come with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import structlog

from core.domain.access import PUBLIC, Audience, Kind, collection_name, transient_tenant
from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.composition import Composition
from core.ports import EntityRecognizer
from core.retrieval.documents import whole
from core.usecases.ask import Answer, ask
from core.usecases.ask_files import FileLimits, FilesAnswer, GivenFile, Unread, ask_files
from plugin.bootstrap import Services, new_id, open_apart
from plugin.ingestion import ingest_given
from plugin.settings import Settings

log = structlog.get_logger("citedesk.ask")


def ask_docs(services: Services, question: str, tenant: str = "") -> Answer:
    """Answer a colleague from what colleagues of the tenant (if another than usual) may see. Raises `BadInput`."""
    return ask(
        question,
        recognizer=services.recognizer,
        search=services.searcher(services.settings.colleagues(tenant)),
        compose=services.compose,
    )


def ask_with_files(
    settings: Settings, question: str, files: Sequence[GivenFile], *, lender: Services | None = None
) -> FilesAnswer:
    """Answer from these files alone; needs no data folder. With `lender`, its models are used.

    The log says which files and passages counted by their numbers, never by name or text. Raises what `ask_files`
    does.
    """
    answer_id = new_id()

    @contextmanager
    def open_library() -> Iterator[TransientLibrary]:
        with open_apart(settings, lender) as services, transient_library(services, answer_id) as library:
            yield library

    limits = FileLimits(files=settings.ask_max_files, total_bytes=settings.ask_max_bytes)
    given = ask_files(question, files, open_library=open_library, limits=limits)
    log.info(
        "answered from files",
        answer=answer_id,
        files=len(files),
        unread=len(given.unread),
        passages=given.passages,
        supporting=[_number(item.passage.doc_id, item.passage.passage_id, files) for item in given.supporting],
        outcome=given.answer.composition.outcome.value,
    )
    return given


@dataclass(frozen=True, slots=True)
class TransientLibrary:
    """Implements `core.usecases.ask_files.Library`: a tenant that only this question knows of."""

    services: Services
    tenant: str

    @property
    def recognizer(self) -> EntityRecognizer:
        return self.services.recognizer

    @property
    def collection(self) -> str:
        return collection_name(self.tenant, PUBLIC, Kind.DOCS)

    def read(self, files: Sequence[GivenFile]) -> tuple[Unread, ...]:
        pairs = [(file.name, file.content) for file in files]
        report = ingest_given(self.services, self.collection, pairs)
        return tuple(Unread(skipped.source_key, skipped.reason) for skipped in report.skipped)

    def count(self) -> int:
        return self.services.lexical.count(self.collection)

    def search(self, inquiry: Inquiry) -> Retrieval:
        return self.services.search(inquiry, Audience(self.tenant, frozenset({PUBLIC})))

    def compose(self, inquiry: Inquiry, retrieval: Retrieval) -> Composition:
        return self.services.compose(inquiry, retrieval)

    def forget(self) -> None:
        """Both indexes are dropped, even when one of them refuses."""
        with ExitStack() as stack:
            for name in (self.collection, whole(self.collection)):
                stack.callback(self.services.lexical.drop, name)
                stack.callback(self.services.vectors.drop, name)


@contextmanager
def transient_library(services: Services, answer_id: str) -> Iterator[TransientLibrary]:
    """Empty at first; its indexes are dropped at the end, whatever happens."""
    library = TransientLibrary(services, transient_tenant(answer_id))
    try:
        yield library
    finally:
        library.forget()


def _number(doc_id: str, passage_id: str, files: Sequence[GivenFile]) -> str:
    """File and passage, counted from 1: "2.5"."""
    name = doc_id.split(":", 1)[1]
    file = next((n for n, file in enumerate(files, start=1) if name.startswith(file.name)), 0)
    return f"{file}.{int(passage_id.rsplit('#', 1)[1]) + 1}"
