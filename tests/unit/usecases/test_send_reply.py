from dataclasses import replace

import pytest

from core.domain.draft import Draft, DraftState
from core.domain.jobs import DeliveryKind, JobState, OutboxItem
from core.domain.ticket import Capabilities
from core.errors import HelpdeskUnavailable
from core.usecases.review_draft import approve_draft
from core.usecases.send_reply import BY_HAND, send_reply
from tests.fakes.helpdesk import FakeHelpdesk
from tests.unit.usecases.world import AGENT, World


def send(world: World, item: OutboxItem, *, public: bool = True) -> OutboxItem:
    return send_reply(item, helpdesk=world.helpdesk, uow=world.store.uow, public_replies=public, clock=world.clock)


def approved(world: World) -> tuple[Draft, OutboxItem]:
    """A draft that was approved with a personal greeting, and its reply in the outbox."""
    draft = approve_draft(
        world.drafted().draft_id,
        agent=AGENT,
        text="Dear Ada Lovelace, hold the key.",
        stars=None,
        uow=world.store.uow,
        recognizer=world.recognizer,
        queue=world.queue,
        clock=world.clock,
    )
    return draft, world.outbox()[-1]


def test_the_customer_gets_the_approved_text_with_the_real_values() -> None:
    world = World()
    _, item = approved(world)
    send(world, item)
    assert [reply.body for reply in world.helpdesk.replies] == ["Dear Ada Lovelace, hold the key."]


def test_after_sending_draft_ledger_and_outbox_agree() -> None:
    world = World()
    draft, item = approved(world)
    world.clock.advance(minutes=2)
    done = send(world, item)
    sent, entry = world.stored(draft.draft_id), world.ledger()[-1]
    assert (sent.state, sent.sent_at, sent.ledger_number) == (DraftState.SENT, world.clock(), entry.number)
    assert (entry.event, entry.actor) == ("ReplySent", AGENT.login)
    assert entry.details["receipt"] == done.receipt == world.helpdesk.replies[0].message_id
    assert (done.state, done.lease_owner, done.lease_until) == (JobState.DONE, "", None)
    assert world.outbox()[-1] == done


def test_the_ledger_holds_no_personal_data() -> None:
    world = World()
    _, item = approved(world)
    send(world, item)
    assert "Lovelace" not in repr(world.ledger())


def test_a_crash_after_posting_posts_nothing_twice() -> None:
    world = World()
    draft, item = approved(world)
    world.helpdesk.fail(after_write=True)
    with pytest.raises(HelpdeskUnavailable):
        send(world, item)
    assert world.stored(draft.draft_id).state is DraftState.APPROVED
    send(world, item)
    assert len(world.helpdesk.replies) == 1
    assert world.stored(draft.draft_id).state is DraftState.SENT


def test_an_item_that_is_sent_again_is_recorded_once() -> None:
    world = World()
    _, item = approved(world)
    send(world, item)
    send(world, item)
    assert world.events().count("ReplySent") == 1


def test_where_public_replies_are_off_the_reply_becomes_a_note_to_be_sent_by_hand() -> None:
    world = World()
    _, item = approved(world)
    send(world, item, public=False)
    assert world.helpdesk.replies == []
    assert world.helpdesk.notes[-1].body == BY_HAND + "Dear Ada Lovelace, hold the key."
    assert world.events()[-1] == "ReplyHandedOver"


def test_a_helpdesk_without_public_replies_gets_a_note() -> None:
    world = World(helpdesk=FakeHelpdesk(capabilities=Capabilities(public_replies=False)))
    _, item = approved(world)
    send(world, item)
    assert world.helpdesk.replies == []
    assert world.events()[-1] == "ReplyHandedOver"


def test_a_note_is_posted_redacted_and_changes_no_draft() -> None:
    world = World()
    draft = world.drafted()
    note = replace(world.outbox()[0], body="For <PERSON_1>")
    send(world, note)
    assert note.kind is DeliveryKind.NOTE
    assert [n.body for n in world.helpdesk.notes] == ["For <PERSON_1>"]
    assert world.stored(draft.draft_id) == draft
    assert world.events() == ["DraftCreated"]


def test_a_helpdesk_that_is_down_leaves_everything_as_it_was() -> None:
    world = World()
    draft, item = approved(world)
    world.helpdesk.fail()
    with pytest.raises(HelpdeskUnavailable):
        send(world, item)
    assert world.stored(draft.draft_id) == draft
    assert world.outbox()[-1] == item
