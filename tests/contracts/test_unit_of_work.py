"""What every store promises: the one in memory, SQLite, PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from threading import Barrier, Event
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.account import Role
from core.domain.audit import SealKeys, verify_chain
from core.domain.draft import Decision, Draft, DraftState, RejectReason
from core.domain.erasure import Burial, IdentityKind, identity_of
from core.domain.jobs import InboxItem, JobState
from core.domain.provenance import Provenance
from core.domain.redaction import PlaceholderMap
from core.errors import AlreadyExists, DocumentNotFound, DraftNotFound, NotFound, UserNotFound
from core.ports import CollectionSize, DraftFilter, SourceRecord, UnitOfWork
from tests.contracts import samples, stores
from tests.contracts.samples import NOW, inbox_item, minutes, outbox_item
from tests.contracts.stores import AnyStore

store = stores.store
address = stores.address

T = TypeVar("T")

LEASE_S = 60.0
property_test = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def in_two_threads(work: Callable[[str], T]) -> list[T]:
    """What `work("a")` and `work("b")` return when they start together."""
    start = Barrier(2)

    def begin(name: str) -> T:
        start.wait()
        return work(name)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(begin, ("a", "b")))


def committed(store: AnyStore, work: Callable[[UnitOfWork], T]) -> T:
    with store.uow() as tx:
        result = work(tx)
        tx.commit()
    return result


# ---------------------------------------------------------------- transactions


def test_what_was_committed_is_seen_by_the_next_transaction(store: AnyStore) -> None:
    committed(store, lambda tx: tx.inbox.add(inbox_item()))
    with store.uow() as tx:
        assert tx.inbox.get("i1") == inbox_item()


def test_leaving_without_commit_undoes_everything(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item())
        tx.ledger.append(at=NOW, actor="a", event="e", subject="s", details={})
        tx.vault.save("desk|t1", samples_of_personal_data(), at=NOW)
    with store.uow() as tx:
        assert tx.inbox.get("i1") is None
        assert tx.ledger.head().number == 0
        assert len(tx.vault.load("desk|t1")) == 0


def samples_of_personal_data() -> PlaceholderMap:
    return PlaceholderMap({"<PERSON_1>": "Ada Lovelace"})


def test_an_exception_undoes_everything_and_gets_through(store: AnyStore) -> None:
    def fail(tx: UnitOfWork) -> None:
        tx.inbox.add(inbox_item())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        committed(store, fail)
    with store.uow() as tx:
        assert tx.inbox.get("i1") is None


def test_what_comes_after_a_commit_needs_a_commit_of_its_own(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item("i1"))
        tx.commit()
        tx.inbox.add(inbox_item("i2"))
    with store.uow() as tx:
        assert [item.item_id for item in tx.inbox.list(frozenset())] == ["i1"]


# ---------------------------------------------------------------- inbox and outbox


def test_an_item_comes_back_as_it_was_stored(store: AnyStore) -> None:
    item = inbox_item(
        state=JobState.PARKED,
        attempts=3,
        not_before=minutes(1),
        lease_owner="w",
        lease_until=minutes(2),
        step="searching",
        outcome="d1",
        error_code="helpdesk_unavailable",
        error_message="It does not answer.",
    )
    sent = outbox_item(state=JobState.DONE, attempts=1, receipt="note 7", not_before=minutes(1), lease_until=minutes(2))
    with store.uow() as tx:
        tx.inbox.add(item)
        tx.outbox.add(sent)
        assert tx.inbox.get("i1") == item
        assert tx.outbox.get("o1") == sent
        assert tx.outbox.get("i1") is None


def test_a_second_delivery_of_the_same_message_is_not_stored(store: AnyStore) -> None:
    with store.uow() as tx:
        assert tx.inbox.add(inbox_item("i1", message="m"))
        assert not tx.inbox.add(inbox_item("i2", message="m"))
        assert tx.inbox.add(inbox_item("i3", message="n"))
        assert tx.inbox.get("i2") is None


def test_only_one_of_two_deliveries_at_the_same_moment_is_stored(store: AnyStore) -> None:
    def deliver(name: str) -> bool:
        return committed(store, lambda tx: tx.inbox.add(inbox_item(name, message="m")))

    assert sorted(in_two_threads(deliver)) == [False, True]


def test_an_outbox_item_is_stored_once(store: AnyStore) -> None:
    with store.uow() as tx:
        assert tx.outbox.add(outbox_item(body="first"))
        assert not tx.outbox.add(outbox_item(body="second"))
        assert tx.outbox.get("o1") == outbox_item(body="first")


def test_the_oldest_due_item_is_claimed_and_ties_go_by_id(store: AnyStore) -> None:
    with store.uow() as tx:
        for item_id, age in (("young", 2), ("b", 1), ("a", 1)):
            tx.inbox.add(inbox_item(item_id, received_at=minutes(age)))
            tx.outbox.add(outbox_item(item_id, created_at=minutes(age)))
        for box in (tx.inbox, tx.outbox):
            claimed = [box.claim(minutes(3), lease_s=LEASE_S, owner="w") for _ in range(4)]
            assert [item and item.item_id for item in claimed] == ["a", "b", "young", None]


def test_a_claimed_item_is_leased_and_counted(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item())
        claimed = tx.inbox.claim(NOW, lease_s=90, owner="w")
        assert claimed == inbox_item(state=JobState.WORKING, attempts=1, lease_owner="w", lease_until=minutes(1.5))
        assert tx.inbox.get("i1") == claimed


def test_an_item_is_not_claimed_before_its_time(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item(not_before=minutes(5)))
        assert tx.inbox.claim(minutes(4.9), lease_s=LEASE_S, owner="w") is None
        assert tx.inbox.claim(minutes(5), lease_s=LEASE_S, owner="w") is not None


def test_a_lease_that_ran_out_is_taken_over(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item())
        tx.inbox.claim(NOW, lease_s=60, owner="dead")
        assert tx.inbox.claim(minutes(1), lease_s=60, owner="alive") is None
        taken = tx.inbox.claim(minutes(1.1), lease_s=60, owner="alive")
        assert taken is not None
        assert (taken.lease_owner, taken.attempts) == ("alive", 2)


@pytest.mark.parametrize("state", [JobState.DONE, JobState.IGNORED, JobState.PARKED])
def test_finished_items_are_not_claimed(store: AnyStore, state: JobState) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item(state=state, lease_until=minutes(-9)))
        assert tx.inbox.claim(NOW, lease_s=LEASE_S, owner="w") is None


def test_release_gives_back_what_one_worker_held_and_nothing_else(store: AnyStore) -> None:
    with store.uow() as tx:
        for number in range(3):
            tx.inbox.add(inbox_item(f"i{number}", received_at=minutes(number)))
        for owner in ("dead", "dead", "alive"):
            tx.inbox.claim(minutes(9), lease_s=LEASE_S, owner=owner)
        done = tx.inbox.get("i0")
        assert done is not None
        tx.inbox.save(replace(done, state=JobState.DONE))
        assert tx.inbox.release("dead") == 1
        again = tx.inbox.claim(minutes(9), lease_s=LEASE_S, owner="next")
        assert again is not None
        assert (again.item_id, again.attempts) == ("i1", 2)
        assert tx.inbox.release("nobody") == 0


def test_a_released_item_has_no_lease(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.outbox.add(outbox_item())
        tx.outbox.claim(NOW, lease_s=LEASE_S, owner="dead")
        tx.outbox.release("dead")
        assert tx.outbox.get("o1") == outbox_item(attempts=1)


def test_saving_replaces_an_item_and_only_that_one(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.outbox.add(outbox_item("o1"))
        tx.outbox.add(outbox_item("o2"))
        tx.outbox.save(outbox_item("o1", state=JobState.DONE, receipt="r"))
        assert tx.outbox.get("o1") == outbox_item("o1", state=JobState.DONE, receipt="r")
        assert tx.outbox.get("o2") == outbox_item("o2")


def test_an_item_that_was_never_added_cannot_be_saved(store: AnyStore) -> None:
    with store.uow() as tx, pytest.raises(NotFound):
        tx.inbox.save(inbox_item())


def test_items_are_listed_newest_first_by_state(store: AnyStore) -> None:
    with store.uow() as tx:
        for number, state in enumerate((JobState.PENDING, JobState.PARKED, JobState.PENDING)):
            tx.inbox.add(inbox_item(f"i{number}", received_at=minutes(number), state=state))

        def listed(*states: JobState, depth: int = 200) -> list[str]:
            return [item.item_id for item in tx.inbox.list(frozenset(states), depth=depth)]

        assert listed() == ["i2", "i1", "i0"]
        assert listed(JobState.PENDING) == ["i2", "i0"]
        assert listed(JobState.PENDING, JobState.PARKED, depth=2) == ["i2", "i1"]


def test_counts_name_every_state(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item("i1"))
        tx.inbox.add(inbox_item("i2"))
        tx.inbox.add(inbox_item("i3", state=JobState.PARKED))
        assert tx.inbox.counts() == dict.fromkeys(JobState, 0) | {JobState.PENDING: 2, JobState.PARKED: 1}
        assert tx.outbox.counts() == dict.fromkeys(JobState, 0)


def test_two_workers_share_the_items_and_never_get_the_same_one(store: AnyStore) -> None:
    with store.uow() as tx:
        for number in range(20):
            tx.inbox.add(inbox_item(f"i{number:02}"))
        tx.commit()

    def work(owner: str) -> list[str]:
        claimed: list[str] = []
        while (item := claim(store, owner)) is not None:
            claimed.append(item.item_id)
        return claimed

    first, second = in_two_threads(work)
    assert sorted(first + second) == [f"i{number:02}" for number in range(20)]


def claim(store: AnyStore, owner: str) -> InboxItem | None:
    return committed(store, lambda tx: tx.inbox.claim(NOW, lease_s=LEASE_S, owner=owner))


def test_a_worker_that_looks_while_another_claims_gets_the_next_item(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item("i1"))
        tx.inbox.add(inbox_item("i2"))
        tx.commit()
    with ThreadPoolExecutor(1) as pool:
        with store.uow() as tx:
            mine = tx.inbox.claim(NOW, lease_s=LEASE_S, owner="a")
            theirs = pool.submit(claim, store, "b")
            Event().wait(0.15)  # long enough for the other to meet our lock
            tx.commit()
        other = theirs.result(timeout=10)
    assert [mine and mine.item_id, other and other.item_id] == ["i1", "i2"]


# ---------------------------------------------------------------- drafts


def add(tx: UnitOfWork, *drafts: Draft) -> None:
    for draft in drafts:
        assert tx.drafts.add(draft, samples.provenance(draft.draft_id))


def test_there_is_one_draft_for_a_revision_of_a_ticket_s_version(store: AnyStore) -> None:
    first = samples.draft("d1", message_id="m")
    with store.uow() as tx:
        add(tx, first)
        assert not tx.drafts.add(replace(first, draft_id="d2"), samples.provenance("d2"))
        assert tx.drafts.add(replace(first, draft_id="d3", revision=2), samples.provenance("d3"))
        assert tx.drafts.get("d1") == first
        with pytest.raises(DraftNotFound):
            tx.drafts.get("d2")


def test_a_draft_that_is_not_there_has_no_provenance_either(store: AnyStore) -> None:
    with store.uow() as tx:
        with pytest.raises(DraftNotFound):
            tx.drafts.provenance("d1")
        with pytest.raises(DraftNotFound):
            tx.drafts.save(samples.draft("d1"))


@property_test
@given(draft=samples.drafts, provenance=samples.provenances)
def test_drafts_and_provenance_come_back_unchanged(store: AnyStore, draft: Draft, provenance: Provenance) -> None:
    with store.uow() as tx:
        assert tx.drafts.add(draft, provenance)
        assert tx.drafts.get(draft.draft_id) == draft
        assert tx.drafts.provenance(draft.draft_id) == provenance


def test_saving_a_draft_replaces_it(store: AnyStore) -> None:
    with store.uow() as tx:
        add(tx, samples.draft("d1"), samples.draft("d2"))
        decision = Decision("bob", NOW, "Keep calm.", RejectReason.TONE, "too curt", 2)
        changed = samples.draft("d1", state=DraftState.REJECTED, decision=decision, collections=("tickets",))
        tx.drafts.save(changed)
        assert tx.drafts.get("d1") == changed
        assert tx.drafts.get("d2") == samples.draft("d2")
        assert tx.drafts.provenance("d1") == samples.provenance("d1")
        assert found(tx, states=frozenset({DraftState.REJECTED})) == ["d1"]
        assert found(tx, collection="tickets") == ["d1"]
        assert found(tx, collection="docs") == ["d2"]


def test_find_gives_the_newest_revision_for_a_version_of_a_ticket(store: AnyStore) -> None:
    with store.uow() as tx:
        add(
            tx,
            samples.draft("d1", message_id="m", revision=2),
            samples.draft("d2", message_id="m", revision=1, created_at=minutes(1)),
            samples.draft("d3", message_id="n", revision=3),
            samples.draft("d4", message_id="m", revision=4, connector="other"),
        )
        newest = tx.drafts.find("desk", "t1", "m")
        assert newest is not None
        assert newest.draft_id == "d1"
        assert tx.drafts.find("desk", "t2", "m") is None


def test_a_ticket_s_drafts_come_newest_first(store: AnyStore) -> None:
    with store.uow() as tx:
        add(
            tx,
            samples.draft("d1"),
            samples.draft("d2", created_at=minutes(1)),
            samples.draft("d3", message_id="m", revision=2, created_at=minutes(1)),
            samples.draft("d4", ticket_id="t2"),
        )
        assert [draft.draft_id for draft in tx.drafts.for_ticket("desk", "t1")] == ["d3", "d2", "d1"]


def found(tx: UnitOfWork, **where: object) -> list[str]:
    """Ids by filter; the count is asked for too, since a page shows both."""
    wanted = DraftFilter(**where)  # type: ignore[arg-type]
    ids = [draft.draft_id for draft in tx.drafts.list(wanted)]
    assert tx.drafts.count(wanted) == len(ids)
    return ids


def test_drafts_are_filtered_by_state(store: AnyStore) -> None:
    with store.uow() as tx:
        add(tx, *(samples.draft(state.value, state=state) for state in DraftState))
        chosen = frozenset({DraftState.READY, DraftState.SENT})
        assert sorted(found(tx, states=chosen)) == ["ready", "sent"]
        assert len(found(tx)) == len(DraftState)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("FIRE", ["subject"]),
        ("pull the PLUG", ["reply"]),
        ("edited", ["edit"]),
        ("finally", ["decided"]),
        ("T-77", ["ticket"]),
        ("straße", ["sharp"]),
        ("STRASSE", ["sharp"]),
        ("100%", ["percent"]),
        ("0% c", ["percent"]),
        ("a_b", ["under"]),
        ("back\\slash", ["back"]),
        ("%", ["percent"]),
        ("_", ["under"]),
        ("nowhere", []),
    ],
)
def test_text_is_found_case_folded_and_literally(store: AnyStore, text: str, ids: Sequence[str]) -> None:
    plain = {"subject": "Nothing", "sentences": ()}
    with store.uow() as tx:
        add(
            tx,
            samples.draft("subject", **plain | {"subject": "Printer on Fire"}),
            samples.draft("reply", **plain | {"sentences": samples.draft().sentences}),
            samples.draft("edit", **plain, edited_text="As edited"),
            samples.draft("decided", **plain, decision=Decision("bob", NOW, "Finally")),
            samples.draft("ticket", **plain | {"ticket_id": "t-77"}),
            samples.draft("sharp", **plain | {"subject": "Straße"}),
            samples.draft("percent", **plain | {"subject": "100% CPU"}),
            samples.draft("under", **plain | {"subject": "a_b"}),
            samples.draft("back", **plain | {"subject": "back\\slash"}),
            samples.draft("decoy", **plain | {"subject": "axb 1000 back slash"}),
        )
        assert found(tx, text=text) == ids


def test_drafts_are_filtered_by_who_decided_and_by_stars(store: AnyStore) -> None:
    with store.uow() as tx:
        add(
            tx,
            samples.draft("none"),
            samples.draft("bob3", decision=Decision("bob", NOW, stars=3)),
            samples.draft("bob5", decision=Decision("bob", NOW, stars=5)),
            samples.draft("eve5", decision=Decision("eve", NOW, stars=5)),
        )
        assert sorted(found(tx, agent="bob")) == ["bob3", "bob5"]
        assert sorted(found(tx, stars=5)) == ["bob5", "eve5"]
        assert found(tx, agent="bob", stars=5) == ["bob5"]
        assert found(tx, agent="bo") == []


def test_drafts_are_filtered_by_cited_collection(store: AnyStore) -> None:
    with store.uow() as tx:
        add(
            tx,
            samples.draft("both", collections=("docs", "tickets", "docs")),
            samples.draft("one", collections=("docs",)),
            samples.draft("none", collections=()),
        )
        assert sorted(found(tx, collection="docs")) == ["both", "one"]
        assert found(tx, collection="tickets") == ["both"]
        assert found(tx, collection="doc") == []


def test_since_is_inclusive_and_until_exclusive(store: AnyStore) -> None:
    with store.uow() as tx:
        add(tx, *(samples.draft(f"d{number}", created_at=minutes(number)) for number in range(3)))
        assert found(tx, since=minutes(1)) == ["d2", "d1"]
        assert found(tx, until=minutes(1)) == ["d0"]
        assert found(tx, since=minutes(1), until=minutes(2)) == ["d1"]


def test_drafts_are_listed_newest_first_page_by_page(store: AnyStore) -> None:
    with store.uow() as tx:
        add(tx, *(samples.draft(f"d{number}", created_at=minutes(number)) for number in range(5)))

        def page(offset: int) -> list[str]:
            return [draft.draft_id for draft in tx.drafts.list(DraftFilter(), depth=2, offset=offset)]

        assert [page(0), page(2), page(4), page(6)] == [["d4", "d3"], ["d2", "d1"], ["d0"], []]
        assert tx.drafts.count(DraftFilter()) == 5


def test_counts_by_state_name_every_state(store: AnyStore) -> None:
    with store.uow() as tx:
        add(tx, samples.draft("d1"), samples.draft("d2"), samples.draft("d3", state=DraftState.SENT))
        expected = dict.fromkeys(DraftState, 0) | {DraftState.READY: 2, DraftState.SENT: 1}
        assert tx.drafts.counts_by_state() == expected


def test_who_gets_a_draft_for_update_sees_what_the_one_before_did_to_it(store: AnyStore) -> None:
    committed(store, lambda tx: add(tx, samples.draft("d1")))

    def look() -> DraftState:
        return committed(store, lambda tx: tx.drafts.get("d1", for_update=True).state)

    with ThreadPoolExecutor(1) as pool:
        with store.uow() as tx:
            mine = tx.drafts.get("d1", for_update=True)
            theirs = pool.submit(look)
            Event().wait(0.15)  # long enough for the other to meet our lock
            tx.drafts.save(replace(mine, state=DraftState.APPROVED))
            tx.commit()
        assert theirs.result(timeout=10) is DraftState.APPROVED


# ---------------------------------------------------------------- documents


def test_a_document_comes_back_with_its_passages_in_text_order(store: AnyStore) -> None:
    passages = [samples.passage(passage_id) for passage_id in ("z", "a", "m")]
    with store.uow() as tx:
        tx.documents.put(samples.document(), passages)
        assert tx.documents.get("doc1") == samples.document()
        assert tx.documents.passages_of("doc1") == passages
        assert tx.documents.get("doc2") is None
        assert tx.documents.passages_of("doc2") == []


def test_a_document_that_got_shorter_leaves_no_stale_tail(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.documents.put(samples.document(), [samples.passage("p1"), samples.passage("p2")])
        tx.documents.put(samples.document("doc2"), [samples.passage("q1", doc_id="doc2")])
        newer = samples.document(content_hash="v2")
        tx.documents.put(newer, [samples.passage("p1", text="Pull it")])
        assert tx.documents.get("doc1") == newer
        assert tx.documents.passages_of("doc1") == [samples.passage("p1", text="Pull it")]
        assert set(tx.documents.passages(["p1", "p2", "q1"])) == {"p1", "q1"}


def test_passages_are_found_by_id_however_many_are_asked_for(store: AnyStore) -> None:
    many = [samples.passage(f"p{number}") for number in range(1200)]
    with store.uow() as tx:
        tx.documents.put(samples.document(), many)
        asked = [*(passage.passage_id for passage in many), "missing"]
        assert tx.documents.passages(asked) == {passage.passage_id: passage for passage in many}
        assert tx.documents.passages([]) == {}


def test_deleting_a_document_takes_its_passages_and_no_others(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.documents.put(samples.document("doc1"), [samples.passage("p1")])
        tx.documents.put(samples.document("doc2"), [samples.passage("q1", doc_id="doc2")])
        tx.documents.delete("doc1")
        assert tx.documents.get("doc1") is None
        assert set(tx.documents.passages(["p1", "q1"])) == {"q1"}
        tx.documents.delete("doc1")


def test_content_is_found_by_its_hash_within_its_collection(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.documents.put(samples.document("doc2", content_hash="v1"), [])
        tx.documents.put(samples.document("doc1", content_hash="v1"), [])
        assert tx.documents.find_by_hash("docs", "v1") == "doc1"
        assert tx.documents.find_by_hash("docs", "v2") is None
        assert tx.documents.find_by_hash("tickets", "v1") is None


def test_documents_are_found_by_their_addresses_and_source_keys(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.documents.record(SourceRecord("docs", "kb:proxy", "d1", "v1", "https://help.org/proxy/"))
        tx.documents.record(SourceRecord("docs", "kb:cache", "d2", "v1", "https://help.org/cache"))
        tx.documents.record(SourceRecord("tickets", "kb:ticket", "d3", "v1", "https://help.org/ticket"))
        tx.commit()
    with store.uow() as tx:
        places = ["https://help.org/proxy", "https://help.org/cache", "kb:cache", "kb:gone", "https://help.org/ticket"]
        assert tx.documents.documents_at(["docs"], places) == {
            "https://help.org/proxy": "d1",
            "https://help.org/cache": "d2",
            "kb:cache": "d2",
        }
        assert tx.documents.documents_at(["docs", "tickets"], ["kb:ticket"]) == {"kb:ticket": "d3"}
        assert tx.documents.documents_at(["docs"], []) == tx.documents.documents_at([], places) == {}


def test_the_manifest_remembers_each_source_once(store: AnyStore) -> None:
    first = SourceRecord("docs", "a.md", "doc1", "v1", "https://a")
    moved = SourceRecord("docs", "a.md", "doc2", "v2", "https://b")
    twin = SourceRecord("docs", "b.md", "doc2", "v2", "https://c")
    other = SourceRecord("tickets", "a.md", "doc2", "v2", "")
    with store.uow() as tx:
        for source in (first, moved, other, twin):
            tx.documents.record(source)
        assert tx.documents.manifest("docs") == {"a.md": moved, "b.md": twin}
        assert tx.documents.sources_of("doc2") == [moved, twin, other]
        assert tx.documents.sources_of("doc1") == []
        tx.documents.forget("docs", "a.md")
        assert tx.documents.manifest("docs") == {"b.md": twin}
        assert tx.documents.manifest("tickets") == {"a.md": other}


def test_new_addresses_show_in_the_document_and_its_passages(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.documents.put(samples.document(), [samples.passage("p2"), samples.passage("p1")])
        tx.documents.set_addresses("doc1", ["https://new", "https://also"])
        moved = tx.documents.get("doc1")
        assert moved == replace(samples.document(), addresses=("https://new", "https://also"))
        shown = [(passage.passage_id, passage.url) for passage in tx.documents.passages_of("doc1")]
        assert shown == [("p2", "https://new"), ("p1", "https://new")]
        tx.documents.set_addresses("doc1", [])
        assert tx.documents.passages_of("doc1")[0].url == ""
        with pytest.raises(DocumentNotFound):
            tx.documents.set_addresses("doc2", ["https://new"])


def test_sizes_count_documents_and_passages_by_collection(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.documents.put(samples.document("doc1"), [samples.passage("p1"), samples.passage("p2")])
        tx.documents.put(samples.document("doc2"), [])
        tx.documents.put(samples.document("a", collection="api"), [samples.passage("x", doc_id="a", collection="api")])
        assert tx.documents.sizes() == [CollectionSize("api", 1, 1), CollectionSize("docs", 2, 2)]


def test_dropping_a_collection_leaves_the_others(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.documents.put(samples.document("doc1"), [samples.passage("p1")])
        tx.documents.put(samples.document("a", collection="api"), [samples.passage("x", doc_id="a", collection="api")])
        tx.documents.record(SourceRecord("docs", "a.md", "doc1", "v1", ""))
        tx.documents.record(SourceRecord("api", "a.md", "a", "v1", ""))
        tx.documents.drop("docs")
        assert tx.documents.sizes() == [CollectionSize("api", 1, 1)]
        assert set(tx.documents.passages(["p1", "x"])) == {"x"}
        assert tx.documents.manifest("docs") == {}
        assert len(tx.documents.manifest("api")) == 1


# ---------------------------------------------------------------- ledger


def test_an_empty_ledger_is_intact(store: AnyStore) -> None:
    keys = store.seal_keys()
    with store.uow() as tx:
        assert verify_chain(tx.ledger.entries(), keys, tx.ledger.head()).intact


@property_test
@given(
    at=st.datetimes(timezones=st.just(NOW.tzinfo)),
    words=st.tuples(*[st.text(max_size=9)] * 3),
    details=st.dictionaries(
        st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9), max_size=4
    ),
)
def test_any_entry_still_verifies_after_it_was_stored(
    store: AnyStore, at: datetime, words: tuple[str, str, str], details: dict[str, str | int | float | None]
) -> None:
    actor, event, subject = words
    keys = store.seal_keys()
    with store.uow() as tx:
        for _ in range(2):
            tx.ledger.append(at=at, actor=actor, event=event, subject=subject, details=details)
        report = verify_chain(tx.ledger.entries(), keys, tx.ledger.head())
    assert report.problems == ()
    assert report.entries == 2


def test_entries_come_back_as_they_were_appended(store: AnyStore) -> None:
    with store.uow() as tx:
        appended = [
            tx.ledger.append(at=minutes(n), actor="ada", event="draft_approved", subject=f"d{n % 2}", details={"n": n})
            for n in range(4)
        ]
        assert [entry.number for entry in appended] == [1, 2, 3, 4]
        assert list(tx.ledger.entries()) == appended
        assert tx.ledger.about("d1") == [appended[1], appended[3]]
        assert (tx.ledger.head().number, tx.ledger.head().seal) == (4, appended[3].seal)


def test_the_ledger_is_sealed_with_its_key(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.ledger.append(at=NOW, actor="ada", event="e", subject="s", details={})
        assert not verify_chain(tx.ledger.entries(), SealKeys.single(b"another key"), tx.ledger.head()).intact


def test_two_who_append_at_the_same_time_make_one_chain(store: AnyStore) -> None:
    def append(actor: str) -> None:
        for number in range(10):
            with store.uow() as tx:
                tx.ledger.append(at=NOW, actor=actor, event="e", subject="s", details={"n": number})
                tx.commit()

    in_two_threads(append)
    keys = store.seal_keys()
    with store.uow() as tx:
        report = verify_chain(tx.ledger.entries(), keys, tx.ledger.head())
    assert report.problems == ()
    assert report.entries == 20


# ---------------------------------------------------------------- users


def test_a_user_comes_back_by_id_and_by_login(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.users.add(samples.user())
        assert tx.users.get("u1") == samples.user()
        assert tx.users.by_login("ada") == samples.user()
        assert tx.users.get("u2") is None
        assert tx.users.by_login("bob") is None


def test_a_login_is_taken_once(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.users.add(samples.user("u1", "ada"))
        with pytest.raises(AlreadyExists):
            tx.users.add(samples.user("u2", "ada"))
        assert tx.users.list() == [samples.user("u1", "ada")]


def test_a_user_can_be_changed(store: AnyStore) -> None:
    changed = replace(samples.user(), name="Ada L.", role=Role.ADMINISTRATOR, disabled=True)
    with store.uow() as tx:
        tx.users.add(samples.user())
        tx.users.add(samples.user("u2", "abel"))
        tx.users.save(changed)
        assert tx.users.list() == [samples.user("u2", "abel"), changed]
        with pytest.raises(UserNotFound):
            tx.users.save(samples.user("u3", "eve"))


# ---------------------------------------------------------------- people

ADA, BO = identity_of("ada@example.org"), identity_of("Bo Ray")


def test_tickets_are_found_by_whoever_asked_for_them(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.people.remember("desk", "t2", [ADA, BO])
        tx.people.remember("desk", "t1", [ADA])
        tx.people.remember("desk", "t1", [ADA])
        assert tx.people.tickets_of(ADA) == [("desk", "t1"), ("desk", "t2")]
        assert tx.people.tickets_of(BO) == [("desk", "t2")]
        assert tx.people.tickets_of(identity_of("ada example org")) == []
        assert tx.people.tickets() == {("desk", "t1"), ("desk", "t2")}
        tx.people.forget("desk", "t2")
        assert tx.people.tickets_of(ADA) == [("desk", "t1")]


def test_tokens_are_equal_for_the_same_person_only(store: AnyStore) -> None:
    with store.uow() as tx:
        for ticket_id, email in (("t1", "ada@example.org"), ("t2", "ADA@example.org"), ("t3", "bo@example.org")):
            tx.people.remember("desk", ticket_id, [identity_of(email), BO])
        first, second, third = (tx.people.tokens("desk", f"t{n}", IdentityKind.EMAIL) for n in (1, 2, 3))
        assert first == second != third
        assert len(first) == len(third) == 1
        assert tx.people.tokens("desk", "t1", IdentityKind.NAME) == tx.people.tokens("desk", "t3", IdentityKind.NAME)
        assert tx.people.tokens("desk", "t9", IdentityKind.NAME) == frozenset()


def test_the_latest_burial_of_any_identity_counts(store: AnyStore) -> None:
    with store.uow() as tx:
        assert tx.people.burial([ADA, BO]) is None
        assert tx.people.burial([]) is None
        tx.people.bury(ADA, Burial(minutes(1), "r1"))
        tx.people.bury(BO, Burial(minutes(3), "r3"))
        assert tx.people.burial([ADA]) == Burial(minutes(1), "r1")
        assert tx.people.burial([ADA, BO]) == Burial(minutes(3), "r3")
        tx.people.bury(ADA, Burial(minutes(5), "r5"))
        assert tx.people.burial([ADA, BO]) == Burial(minutes(5), "r5")


def test_a_requester_is_buried_by_address_and_by_name_only_without_one(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.people.remember("desk", "t1", [ADA, identity_of("Ada")])
        tx.people.remember("desk", "t2", [BO])
        for ticket_id in ("t1", "t2"):
            tx.people.bury_requester("desk", ticket_id, Burial(NOW, ticket_id))
        assert tx.people.burial([ADA]) == Burial(NOW, "t1")
        assert tx.people.burial([identity_of("Ada")]) is None
        assert tx.people.burial([BO]) == Burial(NOW, "t2")


def test_the_jobs_of_a_ticket_are_found_in_any_state(store: AnyStore) -> None:
    with store.uow() as tx:
        tx.inbox.add(inbox_item())
        tx.outbox.add(outbox_item())
        event, posted = inbox_item().event, outbox_item()
        assert list(tx.inbox.of_ticket(event.connector, event.ticket_id)) == [inbox_item()]
        assert list(tx.outbox.of_ticket(posted.connector, posted.ticket_id)) == [posted]
        assert not tx.inbox.of_ticket(event.connector, "another")
        assert not tx.outbox.of_ticket("another", posted.ticket_id)


def test_a_draft_is_rewritten_with_its_provenance_and_found_by_what_it_was_made_from(store: AnyStore) -> None:
    made = samples.draft()
    record = replace(samples.provenance(), passages=(samples.passage("p1"), samples.passage("p2", doc_id="doc2")))
    with store.uow() as tx:
        tx.drafts.add(made, record)
        tx.drafts.add(samples.draft("d2"), samples.provenance("d2"))
        assert list(tx.drafts.made_from(["doc2", "doc9"])) == ["d1"]
        assert not tx.drafts.made_from(["another"])
        assert not tx.drafts.made_from([])
        emptied = replace(record, passages=())
        tx.drafts.rewrite(replace(made, subject=""), emptied)
        assert tx.drafts.get("d1").subject == ""
        assert tx.drafts.provenance("d1") == emptied
        assert not tx.drafts.made_from(["doc2"])
        with pytest.raises(DraftNotFound):
            tx.drafts.rewrite(samples.draft("d9"), emptied)
