"""`/api`: what is going on, as JSON, for whoever is signed in. Redacted: no personal value leaves through here."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify

from core.domain.account import Role
from core.domain.draft import Draft
from core.ports import DraftFilter
from plugin.web.auth import requires
from plugin.web.state import services
from plugin.web.webhook import TALLY

blueprint = Blueprint("api", __name__, url_prefix="/api")

NEWEST = 100


@blueprint.get("/status")
@requires(Role.AGENT)
def status() -> Response:
    """Jobs by state, webhook deliveries since this process started, and how much there is to search."""
    with services().uow() as tx:
        inbox, outbox, sizes = tx.inbox.counts(), tx.outbox.counts(), tx.documents.sizes()
        drafts = tx.drafts.counts_by_state()
    return jsonify(
        inbox=inbox,
        outbox=outbox,
        drafts=drafts,
        webhooks=current_app.extensions[TALLY].snapshot(),
        collections=[
            {"collection": size.collection, "documents": size.documents, "passages": size.passages} for size in sizes
        ],
    )


@blueprint.get("/drafts")
@requires(Role.AGENT)
def drafts() -> Response:
    """The newest drafts, at most `NEWEST`, newest first."""
    with services().uow() as tx:
        newest = tx.drafts.list(DraftFilter(), depth=NEWEST)
    return jsonify([_summary(draft) for draft in newest])


def _summary(draft: Draft) -> dict[str, object]:
    return {
        "draft_id": draft.draft_id,
        "ticket_id": draft.ticket_id,
        "connector": draft.connector,
        "state": draft.state,
        "strength": draft.strength,
        "confidence": draft.confidence,
        "seconds": draft.seconds,
        "sources": [{"title": e.passage.title, "url": e.passage.url} for e in draft.evidence],
        "address": services().address_of(draft.draft_id),
    }
