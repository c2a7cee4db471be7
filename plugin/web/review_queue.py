"""`/queue`: what waits for an agent, one row a draft."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, Response, flash, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from core.domain.account import Role
from core.domain.draft import DraftState
from core.domain.jobs import InboxItem, JobState, tried_again
from core.errors import BadInput, Conflict, NotFound
from core.ports import DraftFilter, UnitOfWork
from plugin.web.auth import requires
from plugin.web.queue_rows import FILTERS, Row, counts, draft_rows, draft_states, job_rows
from plugin.web.state import services

blueprint = Blueprint("queue", __name__)

PAGE_ROWS = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: a filter's name, a text to look for, a page from 1."""

    state: str
    text: str
    page: int

    @property
    def where(self) -> DraftFilter:
        return DraftFilter(states=draft_states(self.state), text=self.text)


@dataclass(frozen=True, slots=True)
class News:
    """What the page has seen, to tell later what is new: drafts made since then, and failures."""

    since: datetime
    have: int
    failed: int


@blueprint.get("/queue")
@requires(Role.AGENT)
def show() -> str:
    asked = _asked()
    with services().uow() as tx:
        total = tx.drafts.count(asked.where) if draft_states(asked.state) else 0
        return render_template(
            "queue.html",
            asked=asked,
            rows=_rows(asked, tx),
            counts=counts(tx),
            pages=max(1, -(-total // PAGE_ROWS)),
            news=_seen(asked, tx),
            last=_last_ticket_at(tx),
        )


@blueprint.get("/queue/news")
@requires(Role.AGENT)
def news() -> Response:
    """How many drafts and failures are newer than what the page shows, as a number and in words."""
    seen = _news_asked()
    with services().uow() as tx:
        drafts = tx.drafts.count(DraftFilter(text=request.args.get("q", ""), since=seen.since)) - seen.have
        failed = counts(tx)[DraftState.FAILED.value] - seen.failed
    words = [_counted(drafts, "new draft"), _counted(failed, "new failure")]
    return jsonify(count=max(drafts, 0) + max(failed, 0), text=" and ".join(filter(None, words)))


@blueprint.post("/queue/<any(inbox, outbox):box>/<item_id>/retry")
@requires(Role.AGENT)
def retry(box: str, item_id: str) -> AnyResponse:
    with services().uow() as tx:
        _try_again(box, item_id, tx)
        tx.commit()
    services().queue.wake()
    flash("It is tried again now.")
    return redirect(url_for("queue.show", state=request.form.get("state", "open")), 303)


def _try_again(box: str, item_id: str, tx: UnitOfWork) -> None:
    """Raises `NotFound`, and `Conflict` when the job does not wait for a person (any more)."""
    item = tx.inbox.get(item_id) if box == "inbox" else tx.outbox.get(item_id)
    if item is None:
        raise NotFound("There is no such job.")
    if item.state is not JobState.PARKED:
        raise Conflict("This job does not wait for a retry: somebody was faster.", hint="Go back to the queue.")
    if isinstance(item, InboxItem):
        tx.inbox.save(tried_again(item))
    else:
        tx.outbox.save(tried_again(item))


def _asked() -> Asked:
    state = request.args.get("state", "open")
    if state not in FILTERS:
        raise BadInput("There is no such filter.", hint="Choose one above the queue.")
    page = request.args.get("page", 1, type=int)
    return Asked(state, request.args.get("q", "").strip(), max(page, 1))


def _rows(asked: Asked, tx: UnitOfWork) -> list[Row]:
    """Work in progress and failures come first, on the first page only; then drafts, newest first."""
    jobs = job_rows(tx, asked.state, asked.text) if asked.page == 1 else []
    if not draft_states(asked.state):
        return jobs
    return [*jobs, *draft_rows(tx, asked.where, depth=PAGE_ROWS, offset=(asked.page - 1) * PAGE_ROWS)]


def _seen(asked: Asked, tx: UnitOfWork) -> News:
    """Drafts are counted from the newest one's time on, whatever their state: deciding on one makes none new."""
    newest = tx.drafts.list(DraftFilter(text=asked.text), depth=1)
    since = newest[0].created_at if newest else services().clock()
    have = tx.drafts.count(DraftFilter(text=asked.text, since=since))
    return News(since, have, counts(tx)[DraftState.FAILED.value])


def _news_asked() -> News:
    try:
        since = datetime.fromisoformat(request.args["since"])
        seen = News(since, int(request.args["have"]), int(request.args["failed"]))
    except (KeyError, ValueError) as error:
        raise BadInput("The page asked for news in a way that cannot be understood.") from error
    if since.tzinfo is None:
        raise BadInput("The time needs a zone.")
    return seen


def _counted(number: int, what: str) -> str:
    return "" if number < 1 else f"{number} {what}{'' if number == 1 else 's'}"


def _last_ticket_at(tx: UnitOfWork) -> datetime | None:
    newest = tx.inbox.list(frozenset(JobState), depth=1)
    return newest[0].received_at if newest else None
