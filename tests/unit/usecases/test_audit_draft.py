from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.audit import SealKeys
from core.domain.draft import Decision, Draft, DraftState, RejectReason
from core.domain.jobs import DeliveryKind, EventKind
from core.errors import DraftNotFound
from core.usecases.audit_draft import ChangeKind, Story, changes, story_of, was_changed
from core.usecases.review_draft import approve_draft, edit_draft, reject_draft
from core.usecases.send_reply import send_reply
from core.usecases.verify_draft import final_text
from tests.unit.usecases.world import AGENT, NOON, OTHER_PASSAGE, PASSAGE, QUOTE, World, abstained

EDITED = "Hold the blue key for ten seconds. Bye, Ada Lovelace"


def tell(world: World, draft: Draft, key: bytes | None = None) -> Story:
    return story_of(draft.draft_id, uow=world.store.uow, keys=SealKeys.single(key) if key else world.store.seal_keys())


def approve(world: World, draft: Draft, text: str | None = None) -> Draft:
    return approve_draft(
        draft.draft_id,
        agent=AGENT,
        text=text,
        stars=5,
        uow=world.store.uow,
        recognizer=world.recognizer,
        queue=world.queue,
        clock=world.clock,
    )


def send(world: World) -> None:
    reply = next(item for item in world.outbox() if item.kind is DeliveryKind.REPLY)
    send_reply(reply, helpdesk=world.helpdesk, uow=world.store.uow, public_replies=True, clock=world.clock)


def sent(world: World, text: str | None = EDITED) -> Draft:
    draft = approve(world, world.drafted(), text)
    send(world)
    return world.stored(draft.draft_id)


def rejected(world: World) -> Draft:
    return reject_draft(
        world.drafted().draft_id,
        agent=AGENT,
        reason=RejectReason.TONE,
        comment="Too short",
        stars=2,
        uow=world.store.uow,
        recognizer=world.recognizer,
        clock=world.clock,
    )


def rewrite(world: World, draft: Draft, **changes: object) -> None:
    """What somebody with access to the database could do."""
    with world.store.uow() as tx:
        tx.drafts.save(replace(tx.drafts.get(draft.draft_id), **changes))  # type: ignore[arg-type]
        tx.commit()


def rewrite_entry(world: World, position: int, **changes: object) -> None:
    with world.store.uow() as tx:
        tx.tables.ledger[position - 1] = replace(tx.tables.ledger[position - 1], **changes)  # type: ignore[arg-type]
        tx.commit()


# ---------------------------------------------------------------- what it tells


def test_a_story_of_nothing_is_not_found() -> None:
    with pytest.raises(DraftNotFound):
        story_of("nothing", uow=World().store.uow, keys=SealKeys.single(b""))


def test_passages_stand_in_fused_order_with_their_place_in_every_stage() -> None:
    world = World()
    story = tell(world, world.drafted())
    assert story.stages == ("lexical", "dense", "fusion")
    first, second = story.found
    assert (first.passage, first.marker) == (PASSAGE, 1)
    assert [place and (place.rank, place.score) for place in first.places] == [(2, 4.0), (1, 0.75), (1, 1.25)]
    assert (second.passage, second.marker) == (OTHER_PASSAGE, None)
    assert [place and place.rank for place in second.places] == [1, None, 2]


def test_a_reply_sent_as_it_was_written_has_no_changes() -> None:
    world = World()
    story = tell(world, sent(world, None))
    assert not story.changed
    assert [(change.kind, change.text) for change in story.changes] == [(ChangeKind.KEPT, QUOTE)]
    assert not was_changed(story.draft)


def test_changes_lead_from_the_draft_to_what_was_sent_without_personal_data() -> None:
    world = World()
    story = tell(world, sent(world))
    added = [change.text for change in story.changes if change.kind is ChangeKind.ADDED]
    removed = [change.text for change in story.changes if change.kind is ChangeKind.REMOVED]
    assert removed == ["reset "]
    assert added[0] == "blue "
    assert was_changed(story.draft)
    assert "Lovelace" not in repr(story)


def test_the_final_text_of_a_rejected_draft_is_the_drafts_own() -> None:
    world = World()
    assert final_text(rejected(world)) == QUOTE


words = st.lists(st.sampled_from(["the", "red", "key", "is", "here.", "\n", "\n\n", "- a", "<PERSON_1>"])).map(" ".join)


@given(words, words)
def test_kept_and_added_make_up_the_new_text_to_the_letter(before: str, after: str) -> None:
    found = changes(before, after)
    assert "".join(c.text for c in found if c.kind is not ChangeKind.REMOVED) == after
    assert "".join(c.text for c in found if c.kind is not ChangeKind.ADDED).split() == before.split()


@given(words)
def test_a_text_has_no_changes_to_itself(text: str) -> None:
    assert all(change.kind is ChangeKind.KEPT for change in changes(text, text))


# ---------------------------------------------------------------- what it proves


@pytest.mark.parametrize("make", [World.drafted, sent, rejected])
def test_an_untouched_draft_is_verified_with_all_its_entries(make: object) -> None:
    world = World()
    story = tell(world, make(world))  # type: ignore[operator]
    assert story.proof.verified, story.proof.problems
    assert [entry.number for entry in story.proof.entries] == list(range(1, len(world.ledger()) + 1))


def test_an_edited_and_an_abstained_and_a_superseded_draft_are_verified() -> None:
    world = World(compose=abstained)
    first = world.drafted()
    edit_draft(
        first.draft_id,
        "Mine.",
        agent=AGENT,
        uow=world.store.uow,
        recognizer=world.recognizer,
        clock=world.clock,
    )
    assert tell(world, first).proof.problems == ()
    world.draft(world.receive(EventKind.DRAFT_REQUESTED, version=""))
    story = tell(world, first)
    assert story.draft.state is DraftState.SUPERSEDED
    assert story.proof.problems == ()


def test_entries_about_other_drafts_are_left_out() -> None:
    world = World()
    first = world.drafted()
    world.draft(world.receive(EventKind.DRAFT_REQUESTED, version=""))
    assert [entry.subject for entry in tell(world, first).proof.entries] == [first.draft_id] * 2


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"sentences": ()}, "not what entry 1 says"),
        ({"confidence": 0.99}, "not what entry 1 says"),
        ({"state": DraftState.READY}, "should be sent"),
        ({"ledger_number": 9}, "Entry 9 about this draft is missing"),
        ({"edited_text": "", "decision": None}, "decision is not the one"),
        ({"decision": Decision("mallory", NOON, EDITED, stars=5)}, "decision is not the one"),
        ({"decision": Decision(AGENT.login, NOON, EDITED, stars=1)}, "decision is not the one"),
        ({"decision": Decision(AGENT.login, NOON, "We pay you back.", stars=5)}, "text is not what entry 3 says"),
    ],
)
def test_whatever_is_rewritten_in_the_draft_is_named(changed: dict[str, object], problem: str) -> None:
    world = World()
    draft = sent(world)
    rewrite(world, draft, **changed)
    assert any(problem in found for found in tell(world, draft).proof.problems)


def test_a_rewritten_reason_of_a_rejection_is_named() -> None:
    world = World()
    draft = rejected(world)
    assert draft.decision is not None
    rewrite(world, draft, decision=replace(draft.decision, reason=RejectReason.WRONG))
    assert tell(world, draft).proof.problems == ("The decision is not the one that entry 3 records.",)


def test_a_rewritten_provenance_is_named() -> None:
    world = World()
    draft = world.drafted()
    with world.store.uow() as tx:
        other = replace(tx.drafts.provenance(draft.draft_id), queries=("something else",))
        tx.tables.provenance[draft.draft_id] = other
        tx.commit()
    assert not tell(world, draft).proof.verified


@pytest.mark.parametrize(
    "changed", [{"actor": "mallory"}, {"at": NOON + timedelta(days=1)}, {"details": {}}, {"number": 7}]
)
def test_an_altered_entry_is_named(changed: dict[str, object]) -> None:
    world = World()
    draft = sent(world)
    rewrite_entry(world, 2, **changed)
    assert any("was altered" in problem for problem in tell(world, draft).proof.problems)


def test_the_wrong_key_verifies_nothing() -> None:
    world = World()
    draft = sent(world)
    assert len(tell(world, draft, key=b"x" * 32).proof.problems) == len(world.ledger())


def test_a_draft_without_entries_is_not_verified() -> None:
    world = World()
    draft = world.drafted()
    with world.store.uow() as tx:
        tx.tables.ledger.clear()
        tx.commit()
    assert tell(world, draft).proof.problems == ("The ledger does not say how this draft came about.",)
