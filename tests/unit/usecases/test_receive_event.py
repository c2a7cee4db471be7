import pytest

from core.domain.jobs import EventKind, HelpdeskEvent, JobState
from core.errors import StoreUnavailable
from core.usecases.receive_event import receive_event
from tests.unit.usecases.world import World

EVENT = HelpdeskEvent("fake", EventKind.MESSAGE_RECEIVED, "t1", "m1", "delivery1")


def receive(world: World, event: HelpdeskEvent = EVENT) -> bool:
    return receive_event(event, uow=world.store.uow, queue=world.queue, clock=world.clock, new_id=world.new_id)


def test_a_new_event_is_stored_as_pending_with_the_time_it_came() -> None:
    world = World()
    assert receive(world)
    with world.store.uow() as tx:
        (item,) = tx.inbox.list(frozenset())
    assert (item.event, item.state, item.received_at) == (EVENT, JobState.PENDING, world.clock())


def test_a_second_delivery_of_the_same_message_stores_nothing() -> None:
    world = World()
    receive(world)
    again = HelpdeskEvent("fake", EventKind.MESSAGE_RECEIVED, "t1", "m1", "delivery2")
    assert not receive(world, again)
    with world.store.uow() as tx:
        assert len(tx.inbox.list(frozenset())) == 1


def test_a_request_for_a_draft_is_another_event_than_the_message_itself() -> None:
    world = World()
    receive(world)
    assert receive(world, HelpdeskEvent("fake", EventKind.DRAFT_REQUESTED, "t1", "m1"))


def test_the_workers_are_woken_only_after_the_event_is_safe() -> None:
    world = World()
    seen: list[int] = []

    class Queue:
        def wake(self) -> None:
            with world.store.uow() as tx:
                seen.append(len(tx.inbox.list(frozenset())))

    receive_event(EVENT, uow=world.store.uow, queue=Queue(), clock=world.clock, new_id=world.new_id)
    assert seen == [1]


def test_a_store_that_is_down_is_reported_and_nobody_is_woken() -> None:
    world = World()
    world.store.failure = StoreUnavailable("The store does not answer.")
    with pytest.raises(StoreUnavailable):
        receive(world)
    assert world.queue.woken == 0
