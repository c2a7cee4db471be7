from dataclasses import replace

import pytest

from core.domain.audit import LedgerEntry, LedgerHead, LedgerReport, SealKeys
from core.domain.draft import Draft
from core.usecases.verify_ledger import verify_ledger
from tests.unit.usecases.world import World, message, ticket


def verify(world: World, expected: LedgerHead | None = None, key: bytes | None = None) -> LedgerReport:
    return verify_ledger(
        uow=world.store.uow, keys=SealKeys.single(key) if key else world.store.seal_keys(), expected=expected
    )


def world_with_drafts(count: int = 2) -> World:
    world = World()
    for number in range(count):
        world.helpdesk.add_ticket(ticket(message("How?"), ticket_id=f"t{number}"))
        world.draft(world.receive(ticket_id=f"t{number}"))
    return world


def tamper_with_entry(world: World, number: int, **changes: object) -> None:
    with world.store.uow() as tx:
        entries = tx.tables.ledger
        entries[number - 1] = replace(entries[number - 1], **changes)  # type: ignore[arg-type]
        tx.commit()


def drop_entry(world: World, number: int) -> LedgerEntry:
    with world.store.uow() as tx:
        dropped = tx.tables.ledger.pop(number - 1)
        tx.commit()
    return dropped


def tamper_with_draft(world: World, **changes: object) -> Draft:
    with world.store.uow() as tx:
        draft = next(iter(tx.tables.drafts.values()))
        tx.drafts.save(replace(draft, **changes))  # type: ignore[arg-type]
        tx.commit()
    return draft


def test_an_untouched_ledger_is_intact_and_says_where_it_ends() -> None:
    world = world_with_drafts()
    report = verify(world)
    assert report.intact
    assert (report.entries, report.head) == (2, LedgerHead(2, world.ledger()[-1].seal))


def test_an_empty_ledger_is_intact() -> None:
    assert verify(World()) == LedgerReport(0, LedgerHead(), ())


@pytest.mark.parametrize(
    "changes",
    [{"actor": "mallory"}, {"event": "DraftRejected"}, {"subject": "other"}, {"details": {"sha256": "0"}}],
)
def test_an_altered_entry_is_named(changes: dict[str, object]) -> None:
    world = world_with_drafts()
    tamper_with_entry(world, 1, **changes)
    assert any("entry 1 was altered" in problem for problem in verify(world).problems)


def test_an_entry_taken_out_of_the_middle_is_missed() -> None:
    world = world_with_drafts(3)
    drop_entry(world, 2)
    assert any("entry 3 follows entry 1" in problem for problem in verify(world).problems)


def test_the_wrong_key_verifies_nothing() -> None:
    assert len(verify(world_with_drafts(), key=b"x" * 32).problems) == 2


def test_a_head_that_was_written_down_must_still_be_there() -> None:
    world = world_with_drafts()
    first = world.ledger()[0]
    assert verify(world, LedgerHead(1, first.seal)).intact
    assert not verify(world, LedgerHead(1, "f" * 64)).intact
    assert not verify(world, LedgerHead(9, first.seal)).intact


def test_a_dropped_tail_is_missed_by_the_head_that_was_written_down_and_by_the_draft() -> None:
    world = world_with_drafts()
    dropped = drop_entry(world, 2)
    problems = verify(world, LedgerHead(dropped.number, dropped.seal)).problems
    assert any("written down" in problem for problem in problems)
    assert any("does not say how this draft came about" in problem for problem in problems)


def test_a_draft_that_was_rewritten_is_named() -> None:
    world = world_with_drafts()
    draft = tamper_with_draft(world, confidence=0.99)
    assert verify(world).problems == (
        f"draft {draft.draft_id}: The draft or what it was made from is not what entry 1 says it was.",
    )


def test_a_draft_whose_newest_entry_is_gone_is_named() -> None:
    world = world_with_drafts()
    draft = tamper_with_draft(world, ledger_number=7)
    assert verify(world).problems == (f"draft {draft.draft_id}: Entry 7 about this draft is missing.",)


def test_more_drafts_than_fit_on_a_page_are_all_checked() -> None:
    world = world_with_drafts(1)
    with world.store.uow() as tx:
        (draft,) = tx.tables.drafts.values()
        provenance = tx.drafts.provenance(draft.draft_id)
        for number in range(250):
            tx.drafts.add(replace(draft, draft_id=f"x{number}", ticket_id=f"x{number}"), provenance)
        tx.commit()
    assert len(verify(world).problems) == 250


def test_an_entry_that_lost_its_hash_is_reported() -> None:
    world = world_with_drafts()
    tamper_with_entry(world, 1, details={})
    assert not verify(world).intact


def test_a_draft_that_was_deleted_is_missed() -> None:
    world = world_with_drafts()
    with world.store.uow() as tx:
        tx.tables.drafts.pop(next(iter(tx.tables.drafts)))
        tx.commit()
    assert not verify(world).intact
