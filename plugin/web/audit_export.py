"""Drafts as CSV and JSON: for spreadsheets, archives and auditors. Redacted, like everything that is stored."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.domain.draft import Draft
from core.usecases.audit_draft import Story, was_changed
from core.usecases.verify_draft import final_text

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Row:
    """One draft flat: the columns of the CSV, in order. `reply` is the redacted text that was (or would be) sent."""

    draft_id: str
    created_at: datetime
    connector: str
    ticket_id: str
    revision: int
    subject: str
    state: str
    strength: str
    confidence: float
    seconds: float
    composer: str
    reduced: tuple[str, ...]
    collections: tuple[str, ...]
    sources: tuple[str, ...]
    unanswered: int
    agent: str
    decided_at: datetime | None
    changed_by_agent: bool
    reason: str
    comment: str
    stars: int | None
    sent_at: datetime | None
    reply: str
    ledger_number: int


def row_of(draft: Draft) -> Row:
    decision = draft.decision
    return Row(
        draft_id=draft.draft_id,
        created_at=draft.created_at,
        connector=draft.connector,
        ticket_id=draft.ticket_id,
        revision=draft.revision,
        subject=draft.subject,
        state=draft.state,
        strength=draft.strength,
        confidence=round(draft.confidence, 4),
        seconds=round(draft.seconds, 3),
        composer=draft.composer,
        reduced=draft.reduced,
        collections=draft.collections,
        sources=tuple(evidence.passage.title for evidence in draft.evidence),
        unanswered=len(draft.unanswered),
        agent=decision.agent if decision else "",
        decided_at=decision.at if decision else None,
        changed_by_agent=was_changed(draft),
        reason=decision.reason or "" if decision else "",
        comment=decision.comment if decision else "",
        stars=decision.stars if decision else None,
        sent_at=draft.sent_at,
        reply=final_text(draft),
        ledger_number=draft.ledger_number,
    )


def as_csv(drafts: Iterable[Draft]) -> Iterator[str]:
    """RFC 4180, a line at a time; the header comes also when there is no draft."""
    columns = [field.name for field in dataclasses.fields(Row)]
    yield _line(columns)
    for draft in drafts:
        row = row_of(draft)
        yield _line([_cell(getattr(row, column)) for column in columns])


def as_json(drafts: Iterable[Draft]) -> Iterator[str]:
    """One array, an object at a time."""
    yield "["
    separator = "\n"
    for draft in drafts:
        yield separator + json.dumps(row_of(draft), default=_plain, ensure_ascii=False)
        separator = ",\n"
    yield "\n]\n"


def story_as_json(story: Story) -> str:
    """Everything that is known about one draft, with its ledger entries and what verification found."""
    whole = {
        "draft": story.draft,
        "provenance": story.provenance,
        "changes": story.changes,
        "ledger": story.proof.entries,
        "verified": story.proof.verified,
        "problems": story.proof.problems,
    }
    return json.dumps(whole, default=_plain, ensure_ascii=False, indent=2) + "\n"


def _cell(value: object) -> str:
    """Text that a spreadsheet shows and does not run."""
    text = _text(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case tuple():
            return "; ".join(value)
        case datetime():
            return _moment(value)
        case _:
            return str(value)


def _line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return _moment(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")
