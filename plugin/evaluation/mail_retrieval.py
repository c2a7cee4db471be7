"""What taking mails apart does to retrieval: the same threads are searched with whole and cleaned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.domain.retrieval import Inquiry
from core.domain.thread import RedactedThread
from core.retrieval.query import inquiry_of
from plugin.evaluation.retrieval import DEFAULT, Measured, measure, search_all
from plugin.evaluation.retrieval_data import LabelledSet
from plugin.evaluation.retrieval_store import Kept, ProgressFor, indexed, redacted
from plugin.settings import Settings

CLEANED, WHOLE, NEWEST = "cleaned", "not cleaned", "subject and newest message"
RECALL = "recall@10"


def measure_effect(labelled: LabelledSet, *, settings: Settings, keep: Path, progress: ProgressFor) -> list[Measured]:
    """The product's own search with three readings of each thread; all are redacted, so that only the reading differs.

    Indexes are kept under `keep` for the next time. Raises `StoreUnavailable` when that folder cannot be written to.
    """
    kept = Kept(keep, settings, progress)
    with indexed(labelled.corpus, (), kept) as (services, _):
        threads = redacted(labelled.tickets, services.recognizer, kept)
        found: list[Measured] = []
        for name, inquiries in readings(threads).items():
            searched = search_all(services, inquiries, lambda done, total: None)[DEFAULT]
            found.append(measure(name, searched.rankings, labelled.qrels, searched.seconds))
    return found


def readings(threads: list[RedactedThread]) -> Mapping[str, Mapping[str, Inquiry]]:
    """By reading: what is searched for, by ticket. Threads without a message of the customer are left out."""
    told = [thread for thread in threads if thread.customer_messages]
    return {
        WHOLE: {thread.ticket_id: _whole(thread) for thread in told},
        CLEANED: {thread.ticket_id: inquiry_of(thread) for thread in told},
        NEWEST: {thread.ticket_id: _newest(thread) for thread in told},
    }


def _whole(thread: RedactedThread) -> Inquiry:
    newest = thread.customer_messages[-1]
    return Inquiry(
        "\n\n".join(filter(None, (newest.text, newest.signature, newest.disclaimer, newest.quoted))), thread.subject
    )


def _newest(thread: RedactedThread) -> Inquiry:
    return Inquiry(thread.customer_messages[-1].text, thread.subject)
