"""One evaluation of retrieval from the files to the measured systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain.retrieval import Inquiry
from core.retrieval.query import inquiry_of
from ingest.report import IngestReport
from plugin.bootstrap import Services
from plugin.evaluation.retrieval import Measured, Searched, measure, search_all
from plugin.evaluation.retrieval_data import LabelledSet, SolvedExample
from plugin.evaluation.retrieval_store import Kept, indexed, redacted


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`notes` are what a reader of the figures must know."""

    found: Mapping[str, Searched]
    systems: tuple[Measured, ...]
    notes: tuple[str, ...]


def evaluate(labelled: LabelledSet, solved: Sequence[SolvedExample], kept: Kept) -> Evaluation:
    """Ingest, redact, search and measure; what an earlier evaluation made of the same files is used again."""
    with indexed(labelled.corpus, solved, kept) as (services, ingested):
        inquiries = read_inquiries(labelled, services, kept)
        with kept.progress("Searching") as bar:
            found = search_all(services, inquiries, lambda done, total: bar.step(done, total, ""))
    systems = tuple(measure(name, run.rankings, labelled.qrels, run.seconds) for name, run in found.items())
    return Evaluation(found, systems, (*labelled.notes, *_skipped(ingested)))


def read_inquiries(labelled: LabelledSet, services: Services, kept: Kept) -> dict[str, Inquiry]:
    """What is searched for, by query: each ticket cleaned, redacted and boiled down as the product does it."""
    threads = redacted(labelled.tickets, services.recognizer, kept)
    return {thread.ticket_id: inquiry_of(thread) for thread in threads}


def _skipped(ingested: IngestReport) -> tuple[str, ...]:
    if not ingested.skipped:
        return ()
    first = ingested.skipped[0]
    return (f"{len(ingested.skipped)} documents could not be used, the first: {first.source_key}: {first.reason}.",)
