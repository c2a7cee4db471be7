"""The manager's pages: which drafts there were, why each said what it said, and whether the ledger is whole."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from flask import Blueprint, Response, render_template, request

from core.domain.account import Role
from core.domain.audit import LedgerHead, LedgerReport
from core.domain.draft import Draft
from core.errors import BadInput
from core.ports import UnitOfWorkFactory
from core.usecases.audit_draft import story_of
from core.usecases.verify_ledger import verify_ledger
from plugin.web import audit_story
from plugin.web.audit_export import as_csv, as_json, story_as_json
from plugin.web.audit_filter import AuditFilter, Decided, counts_by_state, matching, page_of, parse_filter
from plugin.web.audit_filter import decided as how_decided
from plugin.web.audit_overview import overview_of
from plugin.web.auth import requires
from plugin.web.rendering import redacted, web_address
from plugin.web.state import services

blueprint = Blueprint("audit", __name__)

PERIODS_WEEKS = (4, 12, 26, 52)
SEAL_CHARS = 64


@blueprint.get("/audit")
@requires(Role.MANAGER)
def show() -> str:
    filters = parse_filter(request.args)
    uow = services().uow
    return render_template(
        "audit_drafts.html",
        filters=filters,
        page=page_of(filters, uow),
        counts=counts_by_state(filters, uow),
        choices=_choices(uow),
        how_decided=how_decided,
        redacted=redacted,
        address=lambda **changes: _address(filters, changes),
        query=urlencode(filters.parameters),
    )


@blueprint.get("/audit.csv")
@requires(Role.MANAGER)
def export_csv() -> Response:
    return _download(as_csv(_exported()), "csv", "text/csv; charset=utf-8; header=present")


@blueprint.get("/audit.json")
@requires(Role.MANAGER)
def export_json() -> Response:
    return _download(as_json(_exported()), "json", "application/json")


@blueprint.get("/audit/overview")
@requires(Role.MANAGER)
def overview() -> str:
    weeks = _period(request.args.get("weeks", "12"))
    found = overview_of(services().uow, now=services().clock(), weeks=weeks)
    return render_template("audit_overview.html", overview=found, weeks=weeks, periods=PERIODS_WEEKS, redacted=redacted)


@blueprint.get("/audit/ledger")
@requires(Role.MANAGER)
def ledger() -> str:
    return _ledger_page(None, "", "")


@blueprint.post("/audit/ledger")
@requires(Role.MANAGER)
def check_ledger() -> str:
    number, seal = request.form.get("number", "").strip(), request.form.get("seal", "").strip().lower()
    report = verify_ledger(uow=services().uow, keys=services().records.seal_keys, expected=_written_down(number, seal))
    return _ledger_page(report, number, seal)


@blueprint.get("/audit/<draft_id>")
@requires(Role.MANAGER)
def story(draft_id: str) -> str:
    uow = services().uow
    told = story_of(draft_id, uow=uow, keys=services().records.seal_keys)
    today = audit_story.documents_today(told.draft, uow)
    return render_template(
        "story.html",
        story=told,
        draft=told.draft,
        provenance=told.provenance,
        proof=told.proof,
        written=audit_story.written(told.draft, today),
        searched=audit_story.searched(told),
        redactions=audit_story.redactions(told),
        delivery=audit_story.delivery(told),
        numbers=audit_story.numbers(told.proof.entries),
        event_in_words=audit_story.event_in_words,
        redacted=redacted,
        web_address=web_address,
        how_decided=how_decided,
    )


@blueprint.get("/audit/<draft_id>.json")
@requires(Role.MANAGER)
def export_story(draft_id: str) -> Response:
    told = story_of(draft_id, uow=services().uow, keys=services().records.seal_keys)
    return _download(iter([story_as_json(told)]), "json", "application/json", f"draft-{told.draft.draft_id}")


def _exported() -> Iterator[Draft]:
    """Read while it is sent; the services are looked up now, because then the request will be over."""
    return matching(parse_filter(request.args), services().uow, before=services().clock())


def _download(pieces: Iterator[str], suffix: str, mimetype: str, name: str = "") -> Response:
    name = name or f"citedesk-audit-{services().clock():%Y-%m-%d}"
    response = Response(pieces, content_type=mimetype)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{suffix}"'
    return response


def _choices(uow: UnitOfWorkFactory) -> dict[str, list[str]]:
    """What the selects of the filter form offer."""
    with uow() as tx:
        agents = [user.login for user in tx.users.list()]
        collections = [size.collection for size in tx.documents.sizes()]
    return {"agent": agents, "collection": collections, "decision": [decision.value for decision in Decided]}


def _address(filters: AuditFilter, changes: dict[str, object]) -> str:
    """This page with other filters; without `page` it starts at the first one again, None takes a filter away."""
    merged = {**filters.parameters, **changes}
    query = urlencode({name: value for name, value in merged.items() if value not in (None, "")})
    return f"{request.path}?{query}" if query else request.path


def _period(text: str) -> int:
    if text not in map(str, PERIODS_WEEKS):
        raise BadInput("There is no such period.", hint="Choose one of those the page offers.")
    return int(text)


def _ledger_page(report: LedgerReport | None, number: str, seal: str) -> str:
    with services().uow() as tx:
        head = tx.ledger.head()
    return render_template("audit_ledger.html", report=report, head=head, number=number, seal=seal)


def _written_down(number: str, seal: str) -> LedgerHead | None:
    """The head somebody noted earlier; None when both fields are empty. Raises `BadInput` for half of one."""
    if not number and not seal:
        return None
    if not (number.isascii() and number.isdigit() and len(seal) == SEAL_CHARS):
        raise BadInput(
            f"A ledger's head is a number and a seal of {SEAL_CHARS} characters.",
            hint="Type both as they were written down, or leave both empty.",
        )
    return LedgerHead(int(number), seal)
