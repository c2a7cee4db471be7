from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from core.domain.access import Audience
from core.domain.draft import DraftState
from core.domain.jobs import DeliveryKind, EventKind, HelpdeskEvent, InboxItem, JobState, OutboxItem
from core.domain.provenance import Component
from core.domain.retrieval import Inquiry, Retrieval
from core.errors import CitedeskError, IndexUnavailable, ModelCorrupt, StoreUnavailable
from plugin.settings import Settings
from plugin.worker.tasks import draft_next, send_next
from tests.fakes.services import FakeServices
from tests.unit.usecases.world import composition, retrieval, ticket


class Failing:
    """A search that raises the given errors one after the other, then works."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.audiences: list[Audience] = []

    def __call__(self, _inquiry: Inquiry, audience: Audience) -> Retrieval:
        self.audiences.append(audience)
        if self.errors:
            raise self.errors.pop(0)
        return retrieval()


class WorkerServices(FakeServices):
    """With one ticket in the helpdesk, a search that may fail, three tries, and two seconds before the second."""

    def __init__(self, *errors: Exception, **settings: Any) -> None:
        super().__init__(Settings(_env_file=None, job_attempts=3, retry_base_s=2, job_lease_s=60, **settings))
        self.search: Failing = Failing(*errors)  # type: ignore[assignment]
        self.compose = composition
        self.fake_helpdesk.add_ticket(ticket())

    def components(self) -> tuple[Component, ...]:
        return (Component("composer", "extractive", "1"),)

    def event(self, ticket_id: str = "t1", connector: str = "fake") -> InboxItem:
        event = HelpdeskEvent(connector, EventKind.MESSAGE_RECEIVED, ticket_id, "m1")
        item = InboxItem(self.new_id(), event, self.clock())
        with self.uow() as tx:
            tx.inbox.add(item)
            tx.commit()
        return item

    def draft(self, owner: str = "worker") -> bool:
        return draft_next(self.as_services(), owner)

    def send(self) -> bool:
        return send_next(self.as_services(), "worker")

    def job(self) -> InboxItem:
        """The one inbox item."""
        with self.uow() as tx:
            (item,) = tx.inbox.list(frozenset())
        return item

    def note(self) -> OutboxItem:
        """The one outbox item."""
        with self.uow() as tx:
            (item,) = tx.outbox.list(frozenset())
        return item


def test_an_empty_inbox_and_outbox_are_no_work() -> None:
    services = WorkerServices()
    assert (services.draft(), services.send()) == (False, False)


def test_an_event_becomes_a_draft_and_the_note_about_it_is_posted() -> None:
    services = WorkerServices()
    services.event()
    assert services.draft()
    assert services.job().state is JobState.DONE
    assert services.send()
    assert (services.note().kind, services.note().state) == (DeliveryKind.NOTE, JobState.DONE)
    assert len(services.fake_helpdesk.notes) == 1


def test_a_draft_is_searched_for_customers_of_the_helpdesks_tenant_unless_set_otherwise() -> None:
    audiences = []
    for settings in ({}, {"connector_tenants": "other=beta,fake=acme", "draft_visibility": "public,partners"}):
        services = WorkerServices(**settings)
        services.event()
        services.draft()
        audiences += services.search.audiences
    assert audiences == [
        Audience("default", frozenset({"public"})),
        Audience("acme", frozenset({"public", "partners"})),
    ]


def test_the_sender_is_woken_when_a_draft_is_there() -> None:
    services = WorkerServices()
    services.event()
    services.draft()
    assert services.queue.wakes == 1


def test_the_step_is_visible_while_the_work_goes_on() -> None:
    seen: list[str] = []
    services = WorkerServices()

    def look(_inquiry: Inquiry, _audience: Audience) -> Retrieval:
        seen.append(services.job().step)
        return retrieval()

    services.search = cast(Failing, look)
    services.event()
    services.draft()
    assert seen == ["searching"]
    assert services.job().step == ""


def test_the_present_worker_holds_the_lease_while_the_work_goes_on() -> None:
    seen: list[str] = []
    services = WorkerServices()

    def look(_inquiry: Inquiry, _audience: Audience) -> Retrieval:
        seen.append(services.job().lease_owner)
        assert not services.draft("another")
        return retrieval()

    services.search = cast(Failing, look)
    services.event()
    services.draft("worker")
    assert seen == ["worker"]


def test_a_passing_failure_is_tried_again_after_a_wait_that_doubles() -> None:
    services = WorkerServices(IndexUnavailable("Down."), IndexUnavailable("Down."))
    services.event()
    for wait_s in (2, 4):
        assert services.draft()
        job = services.job()
        assert (job.state, job.error_code, job.lease_owner) == (JobState.PENDING, "index_unavailable", "")
        assert job.not_before is not None
        assert (job.not_before - services.clock()).total_seconds() == wait_s
        assert not services.draft()
        services.clock.advance(seconds=wait_s)
    assert services.draft()
    assert services.job().state is JobState.DONE


def test_a_failure_that_does_not_pass_is_parked_after_the_last_try() -> None:
    services = WorkerServices(*[IndexUnavailable("Down.")] * 3)
    services.event()
    for _ in range(3):
        assert services.draft()
        services.clock.advance(minutes=20)
    job = services.job()
    assert (job.state, job.attempts, job.error_message) == (JobState.PARKED, 3, "Down.")
    assert not services.draft()


def test_a_failure_that_cannot_pass_is_parked_at_once() -> None:
    services = WorkerServices(ModelCorrupt("The model is not the pinned one."))
    services.event()
    services.draft()
    assert (services.job().state, services.job().error_code) == (JobState.PARKED, "model_corrupt")


def test_an_unforeseen_failure_keeps_the_job_and_not_its_text() -> None:
    services = WorkerServices(ValueError("Ada Lovelace"))
    services.event()
    with capture_logs() as logs:
        services.draft()
    job = services.job()
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["job failed unexpectedly"]
    assert (job.state, job.error_code) == (JobState.PENDING, "unexpected_error")
    assert "Lovelace" not in job.error_message


def test_one_failing_ticket_does_not_hold_up_the_next_one() -> None:
    services = WorkerServices(ModelCorrupt("Broken."))
    services.event("t1")
    services.fake_helpdesk.add_ticket(ticket(ticket_id="t2"))
    services.clock.advance(seconds=1)
    services.event("t2")
    assert services.draft()
    assert services.draft()
    with services.uow() as tx:
        assert [item.state for item in tx.inbox.list(frozenset())] == [JobState.DONE, JobState.PARKED]


def test_a_ticket_that_is_gone_is_ignored_and_says_so() -> None:
    services = WorkerServices()
    services.event("deleted")
    services.draft()
    job = services.job()
    assert (job.state, job.outcome) == (JobState.IGNORED, "There is no such ticket.")


def test_an_ignored_ticket_is_at_no_step() -> None:
    services = WorkerServices()
    services.event("deleted")
    services.draft()
    assert services.job().step == ""


def test_a_failed_job_is_at_no_step() -> None:
    services = WorkerServices(IndexUnavailable("Down."))
    services.event()
    services.draft()
    assert services.job().step == ""


def test_an_event_of_an_unknown_helpdesk_is_parked() -> None:
    services = WorkerServices()
    services.event(connector="removed")
    services.draft()
    assert (services.job().state, services.job().error_code) == (JobState.PARKED, "connector_not_found")


def test_a_job_that_keeps_killing_its_process_is_parked_without_being_started_again() -> None:
    services = WorkerServices()
    services.event()
    for _ in range(3):
        with services.uow() as tx:
            assert tx.inbox.claim(services.clock(), lease_s=60, owner="dies") is not None
            tx.commit()
        services.clock.advance(seconds=61)
    services.draft()
    assert services.job().state is JobState.PARKED
    assert services.fake_helpdesk.fetched == []


def test_a_job_of_a_worker_that_died_is_taken_over_when_its_lease_ran_out() -> None:
    services = WorkerServices()
    services.event()
    with services.uow() as tx:
        tx.inbox.claim(services.clock(), lease_s=60, owner="dead")
        tx.commit()
    assert not services.draft()
    services.clock.advance(seconds=61)
    assert services.draft()
    assert services.job().state is JobState.DONE


def test_a_store_that_is_down_is_left_to_the_caller() -> None:
    services = WorkerServices()
    services.store.failure = StoreUnavailable("Down.")
    for task in (services.draft, services.send):
        with pytest.raises(StoreUnavailable):
            task()


@pytest.mark.parametrize("error", [None, ModelCorrupt("Any error that does not pass.")])
def test_a_delivery_that_fails_is_tried_again_or_parked_like_any_other_job(error: CitedeskError | None) -> None:
    services = WorkerServices()
    services.event()
    services.draft()
    services.fake_helpdesk.fail(error=error)
    services.send()
    assert services.note().state is (JobState.PARKED if error else JobState.PENDING)
    assert services.note().error_code == (error.code if error else "helpdesk_unavailable")


def test_a_note_about_a_draft_changes_nothing_about_it() -> None:
    services = WorkerServices()
    services.event()
    services.draft()
    services.send()
    draft_id = services.job().outcome
    with services.uow() as tx:
        assert tx.drafts.get(draft_id).state is DraftState.READY
