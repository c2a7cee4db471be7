"""`/drafts/<id>`: look at a draft beside its ticket and its evidence; edit, approve, reject, ask for another.

Whatever goes wrong, the text the agent typed comes back with the page.
"""

from __future__ import annotations

from flask import Blueprint, Response, flash, jsonify, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from core.domain.account import Role
from core.domain.draft import OPEN_STATES, RejectReason
from core.errors import BadInput, CitedeskError, Conflict
from core.usecases.review_draft import (
    DraftView,
    approve_draft,
    edit_draft,
    reject_draft,
    request_another,
    view_draft,
)
from plugin.web.auth import me, requires
from plugin.web.draft_status import status_of
from plugin.web.errors import outcome_of
from plugin.web.review_page import doubts, page_of, proposal
from plugin.web.state import services

blueprint = Blueprint("review", __name__, url_prefix="/drafts/<draft_id>")

REASON_KEYS = {
    RejectReason.WRONG: "w",
    RejectReason.INCOMPLETE: "i",
    RejectReason.OUTDATED_SOURCE: "u",
    RejectReason.TONE: "t",
    RejectReason.NOT_NEEDED: "n",
    RejectReason.OTHER: "o",
}


@blueprint.get("")
@requires(Role.AGENT)
def show(draft_id: str) -> AnyResponse:
    return _page(draft_id)


@blueprint.get("/status")
@requires(Role.AGENT)
def status(draft_id: str) -> Response:
    """Where the draft stands now, as a word and as the piece of page that says so."""
    with services().uow() as tx:
        draft = tx.drafts.get(draft_id)
        standing = status_of(draft, tx)
    html = render_template("_draft_status.html", status=standing)
    return jsonify(
        state=draft.state.value,
        line=standing.line,
        html=html,
        settled=standing.settled,
        open=draft.state in OPEN_STATES,
    )


@blueprint.post("/text")
@requires(Role.AGENT)
def save(draft_id: str) -> AnyResponse:
    text = _typed()
    try:
        _must_not_be_empty(text)
        edit_draft(
            draft_id,
            text,
            agent=me(),
            uow=services().uow,
            recognizer=services().recognizer,
            clock=services().clock,
            seen=_seen(),
        )
    except (BadInput, Conflict) as error:
        return _page(draft_id, typed=text, problem=error)
    flash("Saved.")
    return _back(draft_id)


@blueprint.post("/approve")
@requires(Role.AGENT)
def approve(draft_id: str) -> AnyResponse:
    text = _typed()
    try:
        _must_not_be_empty(text)
        if not request.form.get("confirmed") and not _is_outdated(draft_id) and _open_doubts(draft_id):
            return _page(draft_id, typed=text, dialog="confirm")
        approve_draft(
            draft_id,
            agent=me(),
            text=text,
            stars=_stars(),
            uow=services().uow,
            recognizer=services().recognizer,
            queue=services().queue,
            clock=services().clock,
            seen=_seen(),
        )
    except (BadInput, Conflict) as error:
        return _page(draft_id, typed=text, problem=error)
    flash("Approved, it will be sent.")
    return _back(draft_id)


@blueprint.post("/reject")
@requires(Role.AGENT)
def reject(draft_id: str) -> AnyResponse:
    try:
        reject_draft(
            draft_id,
            agent=me(),
            reason=_reason(),
            comment=request.form.get("comment", "").strip(),
            stars=_stars(),
            uow=services().uow,
            recognizer=services().recognizer,
            clock=services().clock,
        )
    except (BadInput, Conflict) as error:
        dialog = "reject" if isinstance(error, BadInput) else ""
        return _page(draft_id, typed=_typed(), problem=error, dialog=dialog)
    flash("Rejected.")
    return _back(draft_id)


@blueprint.post("/rejecting")
@requires(Role.AGENT)
def ask_reason(draft_id: str) -> AnyResponse:
    """The page with the reject dialog open: how it works without a script."""
    return _page(draft_id, typed=_typed(), dialog="reject")


@blueprint.post("/question")
@requires(Role.AGENT)
def use_question(draft_id: str) -> AnyResponse:
    """The page with the counter-question as text: how it works without a script."""
    view = view_draft(draft_id, agent=me(), uow=services().uow, clock=services().clock)
    return _page(draft_id, typed=proposal(view), view=view)


@blueprint.post("/another")
@requires(Role.AGENT)
def another(draft_id: str) -> AnyResponse:
    try:
        request_another(
            draft_id,
            agent=me(),
            uow=services().uow,
            queue=services().queue,
            clock=services().clock,
            new_id=services().new_id,
        )
    except Conflict as error:
        return _page(draft_id, typed=_typed(), problem=error)
    flash("Another draft was asked for. This one stays until it is there.")
    return _back(draft_id)


def _page(
    draft_id: str,
    *,
    typed: str | None = None,
    problem: CitedeskError | None = None,
    dialog: str = "",
    view: DraftView | None = None,
) -> AnyResponse:
    """The page; with a problem, its status. `dialog` names the one that is open from the start.

    Each opening reads the vault once, under the agent's name, unless the request did so already.
    """
    view = view or view_draft(draft_id, agent=me(), uow=services().uow, clock=services().clock)
    page = page_of(view, typed)
    html = render_template("draft.html", page=page, problem=problem, dialog=dialog, reason_keys=REASON_KEYS)
    return make_response(html, outcome_of(problem).status if problem else 200)


def _back(draft_id: str) -> AnyResponse:
    return redirect(url_for("review.show", draft_id=draft_id), 303)


def _typed() -> str:
    return request.form.get("text", "").replace("\r\n", "\n")


def _must_not_be_empty(text: str) -> None:
    if not text.strip():
        raise BadInput("There is nothing to send yet.", hint="Write the reply, then save or approve it.")


def _seen() -> int | None:
    """The ledger number of the draft this page was made from."""
    return request.form.get("seen", type=int)


def _is_outdated(draft_id: str) -> bool:
    """Whether somebody changed the draft since this page was made: that is said before anything is asked."""
    with services().uow() as tx:
        return _seen() not in (None, tx.drafts.get(draft_id).ledger_number)


def _open_doubts(draft_id: str) -> list[str]:
    with services().uow() as tx:
        draft = tx.drafts.get(draft_id)
        return doubts(draft, status_of(draft, tx)) if draft.state in OPEN_STATES else []


def _stars() -> int | None:
    """None when nothing was chosen. Raises `BadInput` for what is no number."""
    chosen = request.form.get("stars", "")
    if chosen and not chosen.isdecimal():
        raise BadInput("Stars go from 1 to 5.")
    return int(chosen) if chosen else None


def _reason() -> RejectReason:
    try:
        return RejectReason(request.form.get("reason", ""))
    except ValueError as error:
        raise BadInput("Please choose a reason.", hint="One key is enough: the letter beside it.") from error
