"""Check that the ledger is whole and that every draft is still what the ledger says it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from core.domain.audit import LedgerEntry, LedgerHead, LedgerReport, SealKeys, verify_chain
from core.ports import DraftFilter, UnitOfWorkFactory
from core.usecases.verify_draft import problems_of

BLOCK = 200
"""Drafts read in one transaction, so that others can write in between."""


def verify_ledger(*, uow: UnitOfWorkFactory, keys: SealKeys, expected: LedgerHead | None = None) -> LedgerReport:
    """Chain, head and drafts. `expected` is a head somebody wrote down earlier: it must still be in the chain."""
    with uow() as tx:
        entries, head = list(tx.ledger.entries()), tx.ledger.head()
    report = verify_chain(entries, keys, head)
    problems = [*report.problems, *_expected_missing(entries, expected), *_draft_problems(entries, uow)]
    return replace(report, problems=tuple(problems))


def _expected_missing(entries: Sequence[LedgerEntry], expected: LedgerHead | None) -> list[str]:
    if expected is None or expected.number == 0:
        return []
    found = any(entry.number == expected.number and entry.seal == expected.seal for entry in entries)
    return [] if found else [f"entry {expected.number} with the seal that was written down is not in the ledger"]


def _draft_problems(entries: Sequence[LedgerEntry], uow: UnitOfWorkFactory) -> list[str]:
    gone = {entry.subject for entry in entries if entry.event == "DraftCreated"}
    problems = []
    for draft_id, found in _compared(uow):
        gone.discard(draft_id)
        problems += [f"draft {draft_id}: {problem}" for problem in found]
    return problems + [f"draft {draft_id} was deleted" for draft_id in sorted(gone)]


def _compared(uow: UnitOfWorkFactory) -> Iterator[tuple[str, list[str]]]:
    """(draft id, its problems), newest first; a draft and its entries are read in one transaction.

    Drafts made meanwhile push older ones into the next block: one may come twice, none is left out.
    """
    for offset in count(0, BLOCK):
        with uow() as tx:
            block = [
                (
                    draft.draft_id,
                    problems_of(draft, tx.drafts.provenance(draft.draft_id), tx.ledger.about(draft.draft_id)),
                )
                for draft in tx.drafts.list(DraftFilter(), depth=BLOCK, offset=offset)
            ]
        yield from block
        if not block:
            return
