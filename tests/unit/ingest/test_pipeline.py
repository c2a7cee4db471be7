from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from core.domain.passage import Document, Passage
from core.errors import DocumentUnreadable, EmbedderMismatch, IndexUnavailable
from core.ports import EmbedderIdentity, LexicalEntry, SourceRecord, VectorEntry, Vectors
from ingest.pipeline import ingest, rebuild
from ingest.report import Cutting, IngestReport
from ingest.sources import Deferred, Format, Item, Skipped, SourceItem
from tests.fakes.search import FakeEmbedder, FakeLexicalIndex, FakeVectorIndex
from tests.fakes.store import FakeStore

DOCS = "docs"


class Crash(Exception):
    """The process dies."""


class Countdown:
    """Lets so many calls through, then crashes once."""

    def __init__(self) -> None:
        self.left: int | None = None

    def tick(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.left = None
                raise Crash


class CountingLexicalIndex(FakeLexicalIndex):
    def __init__(self, countdown: Countdown) -> None:
        super().__init__()
        self._countdown = countdown

    def replace(self, collection: str, doc_ids: Sequence[str], entries: Sequence[LexicalEntry]) -> None:
        self._countdown.tick()
        super().replace(collection, doc_ids, entries)
        self._countdown.tick()

    @property
    def ids(self) -> set[str]:
        return set(self._entries.get(DOCS, {}))


class CountingVectorIndex(FakeVectorIndex):
    def __init__(self, countdown: Countdown) -> None:
        super().__init__()
        self._countdown = countdown

    def replace(
        self, collection: str, doc_ids: Sequence[str], entries: Sequence[VectorEntry], embedder: EmbedderIdentity
    ) -> None:
        self._countdown.tick()
        super().replace(collection, doc_ids, entries, embedder)
        self._countdown.tick()

    @property
    def ids(self) -> set[str]:
        return set(self._entries.get(DOCS, {}))


class CountingEmbedder(FakeEmbedder):
    embedded = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        return super().embed_passages(texts)


@dataclass
class State:
    """Everything an ingestion leaves behind."""

    documents: dict[str, Document]
    passages: dict[str, list[Passage]]
    manifest: dict[str, SourceRecord]


@dataclass
class World:
    countdown: Countdown = field(default_factory=Countdown)
    store: FakeStore = field(default_factory=FakeStore)
    embedder: CountingEmbedder = field(default_factory=CountingEmbedder)

    def __post_init__(self) -> None:
        self.lexical = CountingLexicalIndex(self.countdown)
        self.vectors = CountingVectorIndex(self.countdown)

    def ingest(
        self,
        items: Iterable[Item],
        *,
        words: int = 20,
        batch: int = 2,
        prune: bool = True,
        allow_empty: bool = False,
    ) -> IngestReport:
        return ingest(
            DOCS,
            items,
            uow=self.store.uow,
            lexical=self.lexical,
            vectors=self.vectors,
            embedder=self.embedder,
            cutting=Cutting(words, 0),
            batch=batch,
            prune=prune,
            allow_empty=allow_empty,
        )

    def rebuild(self, items: Iterable[Item], *, allow_empty: bool = False) -> IngestReport:
        return rebuild(
            DOCS,
            items,
            uow=self.store.uow,
            lexical=self.lexical,
            vectors=self.vectors,
            embedder=self.embedder,
            cutting=Cutting(20, 0),
            batch=2,
            allow_empty=allow_empty,
        )

    def state(self) -> State:
        with self.store.uow() as tx:
            manifest = tx.documents.manifest(DOCS)
            ids = sorted({record.doc_id for record in manifest.values()})
            documents = {doc_id: tx.documents.get(doc_id) for doc_id in ids}
            passages = {doc_id: tx.documents.passages_of(doc_id) for doc_id in ids}
        return State({k: d for k, d in documents.items() if d}, passages, dict(sorted(manifest.items())))

    def assert_consistent(self) -> None:
        """Both indexes hold exactly the passages of the documents that the manifest names, and nothing is under way."""
        state = self.state()
        wanted = {passage.passage_id for passages in state.passages.values() for passage in passages}
        assert self.lexical.ids == wanted
        assert self.vectors.ids == wanted
        with self.store.uow() as tx:
            sizes = {size.collection: (size.documents, size.passages) for size in tx.documents.sizes()}
        assert sizes.get(DOCS, (0, 0)) == (len(state.documents), len(wanted))
        assert all(record.content_hash for record in state.manifest.values())

    def holders(self) -> dict[str, str]:
        return {key: record.doc_id for key, record in self.state().manifest.items()}

    def addresses(self, doc_id: str) -> tuple[str, ...]:
        with self.store.uow() as tx:
            document = tx.documents.get(doc_id)
        assert document
        return document.addresses


@pytest.fixture
def world() -> World:
    return World()


def item(key: str, text: str) -> SourceItem:
    return SourceItem(key, f"https://docs.test/{key}", "Guide", text.encode())


A, B, C = (item(key, f"All about {key}.\n\n## More\n\n{key} is fine.") for key in ("a.md", "b.md", "c.md"))
BROKEN = SourceItem("broken.txt", "", "", b"\0\1", Format.TEXT)


def test_new_items_become_documents_in_every_store(world: World) -> None:
    assert world.ingest([A, B, C]) == IngestReport(added=3, passages=6)
    world.assert_consistent()
    document = world.state().documents["docs:a.md"]
    assert (document.title, document.addresses) == ("Guide", ("https://docs.test/a.md",))
    assert world.state().passages["docs:a.md"][0].url == "https://docs.test/a.md"


def test_an_unchanged_item_costs_nothing(world: World) -> None:
    world.ingest([A, B])
    world.embedder.embedded = 0
    world.countdown.left = 0
    assert world.ingest([A, B]) == IngestReport(unchanged=2)
    assert world.embedder.embedded == 0


def test_a_changed_item_leaves_no_stale_tail(world: World) -> None:
    world.ingest([A, B])
    assert world.ingest([item("a.md", "Short."), B]) == IngestReport(changed=1, unchanged=1, passages=1)
    world.assert_consistent()
    assert [p.text for p in world.state().passages["docs:a.md"]] == ["Short."]


def test_other_cutting_writes_everything_anew(world: World) -> None:
    long = item("a.md", " ".join(f"Sentence number {n} is here." for n in range(40)))
    world.ingest([long, replace(long, source_key="copy.md")])
    before = len(world.state().passages["docs:a.md"])
    world.ingest([long, replace(long, source_key="copy.md")], words=40)
    world.assert_consistent()
    assert len(world.state().passages["docs:a.md"]) < before


def test_a_new_address_is_shown(world: World) -> None:
    world.ingest([A])
    world.ingest([replace(A, address="https://new.test/a")])
    assert world.addresses("docs:a.md") == ("https://new.test/a",)
    assert {p.url for p in world.state().passages["docs:a.md"]} == {"https://new.test/a"}


def test_an_item_without_title_is_named_after_its_key_and_its_copy_is_still_found(world: World) -> None:
    untitled = SourceItem("sub/known-problems_2.txt", "", "", b"Just text.", Format.TEXT)
    world.ingest([untitled, replace(untitled, source_key="copy.txt")])
    [document] = world.state().documents.values()
    assert document.title == "known problems 2"


# ---------------------------------------------------------------- deletion


def test_an_item_that_is_gone_is_removed_everywhere(world: World) -> None:
    world.ingest([A, B, C])
    assert world.ingest([A]) == IngestReport(unchanged=1, deleted=2)
    world.assert_consistent()
    assert world.holders() == {"a.md": "docs:a.md"}


def test_without_pruning_nothing_is_removed(world: World) -> None:
    world.ingest([A, B])
    assert world.ingest([], prune=False) == IngestReport()
    assert set(world.holders()) == {"a.md", "b.md"}


def test_an_empty_source_does_not_wipe_the_collection(world: World) -> None:
    world.ingest([A])
    with pytest.raises(DocumentUnreadable) as caught:
        world.ingest([Skipped("a.png", "not read"), BROKEN])
    assert "--allow-empty" in caught.value.hint
    assert set(world.holders()) == {"a.md"}


def test_an_empty_source_wipes_the_collection_when_that_is_meant(world: World) -> None:
    world.ingest([A])
    assert world.ingest([], allow_empty=True) == IngestReport(deleted=1)
    world.assert_consistent()
    assert world.holders() == {}


def test_an_empty_source_is_fine_for_an_empty_collection(world: World) -> None:
    assert world.ingest([]) == IngestReport()


def test_what_cannot_be_read_now_keeps_its_last_version(world: World) -> None:
    folder = item("sub/d.md", "Deep.")
    world.ingest([A, B, folder])
    unreadable = [Skipped("b.md", "cannot be read"), Skipped("sub/", "cannot be opened")]
    assert world.ingest([A, *unreadable]) == IngestReport(unchanged=1, skipped=tuple(unreadable))
    assert set(world.holders()) == {"a.md", "b.md", "sub/d.md"}


# ---------------------------------------------------------------- what is skipped and noted


def test_unreadable_items_are_reported_and_the_rest_goes_on(world: World) -> None:
    report = world.ingest([BROKEN, A, item("empty.md", "<!-- nothing -->")])
    assert report.added == 1
    assert [skipped.source_key for skipped in report.skipped] == ["broken.txt", "empty.md"]
    assert report.skipped[1].reason == "There is no text in it."


def test_too_deep_a_document_is_reported_and_the_rest_goes_on(world: World) -> None:
    deep = SourceItem("deep.md", "", "", b"<div>" * 900 + b"x", Format.HTML)
    report = world.ingest([deep, A])
    assert report.skipped == (Skipped("deep.md", "The document is nested too deeply."),)
    assert report.added == 1


def test_a_second_item_of_the_same_name_is_reported(world: World) -> None:
    report = world.ingest([A, item("a.md", "Other.")])
    assert [skipped.source_key for skipped in report.skipped] == ["a.md"]
    assert "All about" in world.state().documents["docs:a.md"].text


def test_a_guessed_encoding_is_noted(world: World) -> None:
    report = world.ingest([SourceItem("a.txt", "", "T", "größer".encode("cp1252"), Format.TEXT)])
    assert report.notes == (("a.txt", "not UTF-8: read as Windows-1252"),)


def test_progress_counts_items_and_knows_the_total_of_a_list(world: World) -> None:
    steps: list[tuple[int, int | None, str]] = []

    class Steps:
        def step(self, done: int, total: int | None, what: str) -> None:
            steps.append((done, total, what))

    for items in ([A, B], iter([A])):
        ingest(
            DOCS,
            items,
            uow=world.store.uow,
            lexical=world.lexical,
            vectors=world.vectors,
            embedder=world.embedder,
            cutting=Cutting(20, 0),
            batch=5,
            progress=Steps(),
        )
    assert steps == [(1, 2, "a.md"), (2, 2, "b.md"), (1, None, "a.md")]


# ---------------------------------------------------------------- duplicates


def copy_of(original: SourceItem, key: str) -> SourceItem:
    return replace(original, source_key=key, address=f"https://docs.test/{key}")


@pytest.mark.parametrize("batch", [1, 5])
def test_the_same_content_is_stored_once_with_all_its_addresses(world: World, batch: int) -> None:
    report = world.ingest([A, B, copy_of(A, "z.md")], batch=batch)
    assert (report.added, report.duplicates, report.passages) == (2, 1, 4)
    world.assert_consistent()
    assert world.holders() == {"a.md": "docs:a.md", "b.md": "docs:b.md", "z.md": "docs:a.md"}
    assert world.addresses("docs:a.md") == ("https://docs.test/a.md", "https://docs.test/z.md")


def test_the_document_stays_while_somebody_holds_its_content(world: World) -> None:
    world.ingest([A, copy_of(A, "z.md")])
    world.ingest([copy_of(A, "z.md")])
    world.assert_consistent()
    assert world.addresses("docs:a.md") == ("https://docs.test/z.md",)
    world.ingest([B])
    world.assert_consistent()
    assert set(world.state().documents) == {"docs:b.md"}


def test_a_moved_file_is_not_embedded_again(world: World) -> None:
    world.ingest([A])
    world.embedder.embedded = 0
    assert world.ingest([copy_of(A, "new.md")]) == IngestReport(duplicates=1, deleted=1)
    assert world.embedder.embedded == 0
    world.assert_consistent()
    assert world.addresses("docs:a.md") == ("https://docs.test/new.md",)


@pytest.mark.parametrize("batch", [1, 5])
def test_a_changed_item_does_not_take_its_old_content_from_those_who_still_have_it(world: World, batch: int) -> None:
    copy = copy_of(A, "z.md")
    world.ingest([A, copy])
    world.ingest([item("a.md", "Something new."), copy], batch=batch)
    world.assert_consistent()
    documents = world.state().documents
    texts = {key: documents[doc_id].text for key, doc_id in world.holders().items()}
    assert texts["a.md"] == "Something new."
    assert texts["z.md"].startswith("All about a.md.")
    assert world.addresses(world.holders()["z.md"]) == ("https://docs.test/z.md",)


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize("swapped_first", [True, False])
def test_two_items_that_swap_their_contents_are_both_right(world: World, batch: int, swapped_first: bool) -> None:
    world.ingest([A, B])
    swapped = [replace(A, payload=B.payload), replace(B, payload=A.payload)]
    world.ingest(swapped if swapped_first else swapped[::-1], batch=batch)
    world.assert_consistent()
    documents = world.state().documents
    texts = {key: documents[doc_id].text for key, doc_id in world.holders().items()}
    assert texts["a.md"].startswith("All about b.md.")
    assert texts["b.md"].startswith("All about a.md.")


def test_an_item_that_becomes_a_duplicate_gives_up_its_document(world: World) -> None:
    world.ingest([A, B])
    assert world.ingest([A, replace(B, payload=A.payload)]).duplicates == 1
    world.assert_consistent()
    assert world.holders() == {"a.md": "docs:a.md", "b.md": "docs:a.md"}


# ---------------------------------------------------------------- crashes

BEFORE = [A, B, C, copy_of(C, "y.md"), item("old.md", "Will go.")]
AFTER = [item("a.md", "New text for a."), B, copy_of(B, "x.md"), copy_of(C, "y.md"), item("new.md", "Just came.")]


@pytest.mark.parametrize("calls", range(12))
def test_a_first_ingestion_that_broke_off_anywhere_is_completed_by_the_next(calls: int) -> None:
    clean, broken = World(), World()
    clean.ingest(BEFORE)
    broken.countdown.left = calls
    with pytest.raises(Crash):
        broken.ingest(BEFORE)
    broken.ingest(BEFORE)
    broken.assert_consistent()
    assert broken.state() == clean.state()


@pytest.mark.parametrize("calls", range(12))
def test_an_update_that_broke_off_anywhere_is_completed_by_the_next(calls: int) -> None:
    clean, broken = World(), World()
    for world in (clean, broken):
        world.ingest(BEFORE)
    clean.ingest(AFTER)
    broken.countdown.left = calls
    with pytest.raises(Crash):
        broken.ingest(AFTER)
    broken.ingest(AFTER)
    broken.assert_consistent()
    assert broken.state() == clean.state()


@pytest.mark.parametrize("calls", range(12))
def test_an_update_that_broke_off_can_be_taken_back(calls: int) -> None:
    world = World()
    world.ingest(BEFORE)
    texts = {key: world.state().documents[doc_id].text for key, doc_id in world.holders().items()}
    world.countdown.left = calls
    with pytest.raises(Crash):
        world.ingest(AFTER)
    world.ingest(BEFORE)
    world.assert_consistent()
    assert {key: world.state().documents[doc_id].text for key, doc_id in world.holders().items()} == texts


@pytest.mark.parametrize("calls", range(12))
def test_after_a_crash_an_item_that_has_gone_since_leaves_nothing_in_the_indexes(calls: int) -> None:
    world = World()
    world.countdown.left = calls
    with pytest.raises(Crash):
        world.ingest(BEFORE)
    world.ingest([B])
    world.assert_consistent()
    assert world.holders() == {"b.md": "docs:b.md"}


@pytest.mark.parametrize("calls", range(4))
@pytest.mark.parametrize("also_gone", [True, False])
def test_a_crash_is_noticed_even_when_the_numbers_of_passages_agree(calls: int, also_gone: bool) -> None:
    world = World()
    world.ingest([A, B, C])
    as_long = replace(A, payload=A.payload.replace(b"All about", b"Nothing of"))
    world.countdown.left = calls
    with pytest.raises(Crash):
        world.ingest([as_long, B] if also_gone else [as_long, B, C], batch=5)
    world.ingest([A, B, C])
    world.assert_consistent()


@pytest.mark.parametrize("calls", range(4))
def test_a_document_that_a_crash_left_under_way_lends_its_content_to_nobody(calls: int) -> None:
    world = World()
    world.ingest([A, B])
    world.countdown.left = calls
    with pytest.raises(Crash):
        world.ingest([item("a.md", "Something new."), B])
    world.ingest([B, copy_of(A, "moved.md")])
    world.assert_consistent()
    assert world.state().documents[world.holders()["moved.md"]].text.startswith("All about a.md.")


def test_an_index_that_does_not_answer_stops_the_ingestion_and_the_next_completes_it(world: World) -> None:
    world.vectors.down = True
    with pytest.raises(IndexUnavailable):
        world.ingest([A, B])
    world.vectors.down = False
    world.ingest([A, B])
    world.assert_consistent()


@pytest.mark.parametrize("lost", ["lexical", "vectors"])
def test_a_lost_index_is_written_again_from_the_repository(world: World, lost: str) -> None:
    world.ingest([A, B, C, copy_of(C, "y.md")])
    getattr(world, lost).drop(DOCS)
    report = world.ingest([A, Skipped("b.md", "cannot be read"), C, copy_of(C, "y.md")])
    assert (report.unchanged, report.passages) == (3, 6)
    world.assert_consistent()


# ---------------------------------------------------------------- another embedder


def test_another_embedder_is_refused_before_anything_is_read(world: World) -> None:
    world.ingest([A])
    world.embedder = CountingEmbedder("other")

    def items() -> Iterable[SourceItem]:
        pytest.fail("the source was read")
        yield A

    with pytest.raises(EmbedderMismatch):
        world.ingest(items())


def test_rebuilding_replaces_everything_with_the_present_embedder(world: World) -> None:
    world.ingest([A, B])
    world.embedder = CountingEmbedder("other")
    skipped = Skipped("x.png", "not read")
    items: list[SourceItem | Skipped] = [skipped, B, C]
    assert world.rebuild(iter(items)) == IngestReport(added=2, passages=4, skipped=(skipped,))
    world.assert_consistent()
    assert world.vectors.identity(DOCS) == world.embedder.identity
    assert set(world.holders()) == {"b.md", "c.md"}


@pytest.mark.parametrize("items", [[], [BROKEN]])
def test_rebuilding_from_an_unreadable_source_forgets_nothing(world: World, items: list[SourceItem]) -> None:
    world.ingest([A])
    with pytest.raises(DocumentUnreadable):
        world.rebuild(items)
    world.assert_consistent()
    assert set(world.holders()) == {"a.md"}


def test_indexes_that_outlived_their_repository_are_emptied(world: World) -> None:
    world.ingest([A, B])
    with world.store.uow() as tx:
        tx.documents.drop(DOCS)
        tx.commit()
    world.ingest([B])
    world.assert_consistent()


def test_a_deferred_item_is_loaded_only_when_its_fingerprint_is_new() -> None:
    world, loaded = World(), list[str]()

    def deferred(fingerprint: str, text: str) -> Deferred:
        def load() -> SourceItem:
            loaded.append(fingerprint)
            return SourceItem("t1", "", "A ticket", text.encode())

        return Deferred("t1", fingerprint, load)

    assert world.ingest([deferred("one", "The first text of this ticket.")]).added == 1
    assert world.ingest([deferred("one", "Never read.")]).unchanged == 1
    assert world.ingest([deferred("two", "The second text of this ticket.")]).changed == 1
    assert loaded == ["one", "two"]


def test_a_deferred_item_that_turns_out_empty_is_skipped() -> None:
    report = World().ingest([Deferred("t1", "one", lambda: Skipped("t1", "has no answer"))], allow_empty=True)
    assert report.skipped == (Skipped("t1", "has no answer"),)
