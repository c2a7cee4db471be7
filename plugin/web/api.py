"""`/api`: what is going on, as JSON, for whoever is signed in. Redacted: no personal value leaves through here."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify, request

from core.domain.account import Role
from core.domain.draft import Draft, Evidence, Sentence
from core.ports import DraftFilter
from core.usecases.ask import Answer
from plugin.asking import ask_docs, ask_with_files
from plugin.web.ask import SHOWN_KINDS
from plugin.web.auth import requires
from plugin.web.state import services
from plugin.web.uploads import given_files
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


@blueprint.post("/ask")
@requires(Role.AGENT)
def ask() -> Response:
    """Answer the field `question`: from the files of the field `files` alone, or from the documentation.

    Of files nothing is kept. `citations` of a sentence name passages by `marker`; `quote` stands in the passage.
    """
    question = request.form.get("question", "")
    files = given_files()
    if not files:
        return jsonify(_answer(ask_docs(services(), question)))
    given = ask_with_files(services().settings, question, files, lender=services())
    unread = [{"name": unread.name, "reason": unread.reason} for unread in given.unread]
    return jsonify({**_answer(given.answer), "unread": unread})


def _answer(answer: Answer) -> dict[str, object]:
    composition = answer.composition
    abstention = composition.abstention
    evidence = abstention.nearest if abstention else composition.evidence
    return {
        "question": answer.question,
        "outcome": composition.outcome,
        "strength": composition.strength,
        "confidence": composition.confidence,
        "sentences": [] if abstention else [_sentence(s) for s in composition.sentences if s.kind in SHOWN_KINDS],
        "missing": list(abstention.missing) if abstention else list(composition.unanswered),
        "passages": [_passage(item) for item in evidence],
    }


def _sentence(sentence: Sentence) -> dict[str, object]:
    citations = [{"marker": citation.marker, "quote": citation.quote} for citation in sentence.citations]
    return {"text": sentence.text, "grounded": sentence.grounded, "citations": citations}


def _passage(item: Evidence) -> dict[str, object]:
    passage = item.passage
    return {
        "marker": item.marker,
        "title": passage.title,
        "headings": list(passage.heading_path),
        "text": passage.text,
        "page": passage.page,
        "url": passage.url,
        "source": passage.doc_id.partition(":")[2] or passage.doc_id,
        "score": item.score,
    }


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
