"""What every lexical index does: the in-memory fake, the embedded one and a real Elasticsearch."""

from __future__ import annotations

import math
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from connectors.search.elasticsearch_lexical import ElasticsearchLexicalIndex
from connectors.search.embedded import EmbeddedLexicalIndex
from core.errors import BadInput, DataFolderLocked, IndexUnavailable, StorageFull
from core.ports import LexicalEntry, LexicalIndex
from core.retrieval.analysis import FIELD_BOOSTS, analyse, identifiers, lexical_query
from tests.fakes.search import FakeLexicalIndex
from tests.servers import elasticsearch

cluster = elasticsearch.cluster

MAKERS: dict[str, Callable[[Path], LexicalIndex]] = {
    "fake": lambda _: FakeLexicalIndex(),
    "embedded": EmbeddedLexicalIndex,
}


@pytest.fixture(params=[*MAKERS, pytest.param("elasticsearch", marks=pytest.mark.server)])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LexicalIndex]:
    if request.param in MAKERS:
        yield MAKERS[request.param](tmp_path)
        return
    server: elasticsearch.Cluster = request.getfixturevalue("cluster")
    made = ElasticsearchLexicalIndex(server.connection, prefix=server.prefix)
    yield made
    made.close()


def entry(passage_id: str, body: str, *, title: str = "", doc_id: str = "") -> LexicalEntry:
    fields = {"title": analyse(title), "headings": [], "body": analyse(body), "identifiers": identifiers(body)}
    return LexicalEntry(passage_id, doc_id or passage_id.split("#")[0], fields)


def found(index: LexicalIndex, text: str, collection: str = "docs", depth: int = 10) -> list[str]:
    return [passage_id for passage_id, _ in index.search(collection, lexical_query(text), depth)]


def test_a_passage_is_found_by_a_word_of_its_body(index: LexicalIndex) -> None:
    index.replace("docs", ["d1", "d2"], [entry("d1#0", "Restart Firefox"), entry("d2#0", "Raw spectra")])
    assert found(index, "restarting") == ["d1#0"]


def test_the_best_match_comes_first_and_scores_fall(index: LexicalIndex) -> None:
    index.replace(
        "docs",
        ["d1", "d2", "d3"],
        [entry("d1#0", "proxy settings"), entry("d2#0", "proxy certificate"), entry("d3#0", "unrelated words")],
    )
    ranking = index.search("docs", lexical_query("proxy certificate"), 10)
    assert [passage_id for passage_id, _ in ranking] == ["d2#0", "d1#0"]
    assert ranking[0][1] > ranking[1][1] > 0


def test_a_word_in_title_and_body_counts_more_than_in_either(index: LexicalIndex) -> None:
    index.replace(
        "docs",
        [],
        [
            entry("d1#0", "certificate", title="profile"),
            entry("d2#0", "profile", title="certificate"),
            entry("d3#0", "certificate", title="certificate"),
        ],
    )
    assert found(index, "certificate") == ["d3#0", "d1#0", "d2#0"]


@pytest.mark.parametrize("field", FIELD_BOOSTS)
def test_a_score_is_bm25_times_the_boost_of_its_field(index: LexicalIndex, field: str) -> None:
    """Two entries of one term each: idf = ln(1 + 1.5 / 1.5), and the term frequency's part is 1."""
    entries = [LexicalEntry(name, name, {**dict.fromkeys(FIELD_BOOSTS, ()), field: (name,)}) for name in ("d1", "d2")]
    index.replace("docs", [], entries)
    ((passage_id, score),) = index.search("docs", {field: ["d1"]}, 5)
    assert passage_id == "d1"
    assert score == pytest.approx(math.log(2) * FIELD_BOOSTS[field], abs=1e-3)


def test_scores_are_those_of_k1_5_and_b_75(index: LexicalIndex) -> None:
    """Three entries with the term; of 3, 1 and 2 terms, so 2 on average: idf = ln(1 + .5 / 3.5)."""
    fields = [("d1", ("alpha", "alpha", "beta")), ("d2", ("alpha",)), ("d3", ("alpha", "beta")), ("d4", ())]
    index.replace("docs", [], [LexicalEntry(name, name, {"body": terms}) for name, terms in fields])
    idf = math.log(1 + 0.5 / 3.5)
    expected = {
        "d1": idf * 2 * 6 / (2 + 5 * (0.25 + 0.75 * 3 / 2)),
        "d2": idf * 6 / (1 + 5 * (0.25 + 0.75 * 1 / 2)),
        "d3": idf,
    }
    assert dict(index.search("docs", {"body": ["alpha"]}, 5)) == pytest.approx(expected, abs=1e-3)


def test_a_term_that_is_given_twice_counts_twice(index: LexicalIndex) -> None:
    index.replace("docs", [], [entry("d1#0", "alpha"), entry("d2#0", "beta"), entry("d3#0", "gamma")])
    once, twice = (dict(index.search("docs", {"body": terms}, 5)) for terms in (["alpha"], ["alpha", "alpha"]))
    assert twice["d1#0"] == pytest.approx(2 * once["d1#0"], abs=1e-3)
    both = index.search("docs", {"body": ["alpha", "beta", "beta"]}, 5)
    assert [name for name, _ in both] == ["d2#0", "d1#0"]


def test_a_rare_word_counts_more_than_a_common_one(index: LexicalIndex) -> None:
    entries = [entry(f"d{n}#0", "firefox window") for n in range(8)] + [entry("e#0", "kerberos window")]
    index.replace("docs", [], entries)
    assert found(index, "firefox kerberos")[0] == "e#0"


def test_replacing_a_document_leaves_nothing_of_its_old_text(index: LexicalIndex) -> None:
    index.replace("docs", ["d1"], [entry("d1#0", "old wording"), entry("d1#1", "second half")])
    index.replace("docs", ["d1"], [entry("d1#0", "new wording")])
    assert found(index, "old half") == []
    assert found(index, "new") == ["d1#0"]
    assert index.count("docs") == 1


def test_replacing_by_nothing_removes_only_that_document(index: LexicalIndex) -> None:
    index.replace("docs", ["d1", "d2"], [entry("d1#0", "alpha"), entry("d2#0", "alpha")])
    index.replace("docs", ["d1"], [])
    assert found(index, "alpha") == ["d2#0"]


def test_an_unknown_collection_is_empty(index: LexicalIndex) -> None:
    assert found(index, "anything", collection="nowhere") == []
    assert index.count("nowhere") == 0
    index.drop("nowhere")


def test_equal_scores_are_ordered_by_passage_id_even_at_the_cut(index: LexicalIndex) -> None:
    names = [f"d{n:02}#0" for n in range(60)]
    index.replace("docs", [], [entry(name, "same words") for name in reversed(names)])
    assert found(index, "words", depth=5) == names[:5]


def test_no_more_than_depth_passages_come_out(index: LexicalIndex) -> None:
    index.replace("docs", [], [entry(f"d{n}#0", "word " * (n + 1)) for n in range(9)])
    assert len(found(index, "word", depth=4)) == 4
    assert found(index, "word", depth=0) == []


def test_collections_do_not_see_each_other(index: LexicalIndex) -> None:
    index.replace("docs", ["d1"], [entry("d1#0", "alpha")])
    index.replace("tickets", ["t1"], [entry("t1#0", "alpha")])
    index.drop("docs")
    assert found(index, "alpha", collection="docs") == []
    assert found(index, "alpha", collection="tickets") == ["t1#0"]


def test_a_dropped_collection_can_be_filled_again(index: LexicalIndex) -> None:
    index.replace("docs", ["d1"], [entry("d1#0", "alpha")])
    index.drop("docs")
    index.replace("docs", ["d2"], [entry("d2#0", "alpha")])
    assert found(index, "alpha") == ["d2#0"]


def test_query_syntax_is_only_text(index: LexicalIndex) -> None:
    index.replace("docs", ["d1"], [entry("d1#0", "alpha beta")])
    assert found(index, 'body:alpha AND -(beta^2 "') == ["d1#0"]
    assert found(index, "*") == []


def test_an_identifier_is_found_whole_and_in_part(index: LexicalIndex) -> None:
    index.replace(
        "docs", [], [entry("a#0", "code SEC_ERROR_UNKNOWN_ISSUER"), entry("b#0", "an unknown error of an issuer")]
    )
    assert found(index, "SEC_ERROR_UNKNOWN_ISSUER")[0] == "a#0"
    assert set(found(index, "issuer")) == {"a#0", "b#0"}


def test_a_collection_may_have_any_name_but_an_empty_one(index: LexicalIndex) -> None:
    index.replace("../ESO Docs/ü", ["d1"], [entry("d1#0", "alpha")])
    assert found(index, "alpha", collection="../ESO Docs/ü") == ["d1#0"]
    assert found(index, "alpha", collection="../eso docs/ü") == []


def test_threads_may_write_and_search_at_once(index: LexicalIndex) -> None:
    def work(number: int) -> int:
        index.replace("docs", [f"d{number}"], [entry(f"d{number}#0", "alpha")])
        return len(found(index, "alpha", depth=50))

    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(work, range(12)))
    assert all(1 <= count <= 12 for count in seen)
    assert index.count("docs") == 12


# ---------------------------------------------------------------- the embedded one alone


def test_the_embedded_index_is_still_there_when_opened_again(tmp_path: Path) -> None:
    EmbeddedLexicalIndex(tmp_path).replace("docs", ["d1"], [entry("d1#0", "alpha")])
    again = EmbeddedLexicalIndex(tmp_path)
    assert found(again, "alpha") == ["d1#0"]
    again.replace("docs", ["d1"], [])
    assert again.count("docs") == 0


def test_the_embedded_index_refuses_a_collection_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        EmbeddedLexicalIndex(tmp_path).count(" ")


def test_a_damaged_embedded_index_says_how_to_mend_it_and_can_be_dropped(tmp_path: Path) -> None:
    EmbeddedLexicalIndex(tmp_path).replace("docs", ["d1"], [entry("d1#0", "alpha")])
    (tmp_path / "docs" / "meta.json").write_text("damaged")
    damaged = EmbeddedLexicalIndex(tmp_path)
    with pytest.raises(IndexUnavailable) as caught:
        found(damaged, "alpha")
    assert "citedesk ingest --rebuild" in caught.value.hint
    damaged.drop("docs")
    damaged.replace("docs", ["d1"], [entry("d1#0", "alpha")])
    assert found(damaged, "alpha") == ["d1#0"]


def test_a_folder_that_cannot_be_made_is_an_unavailable_index(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(IndexUnavailable):
        EmbeddedLexicalIndex(tmp_path / "file").replace("docs", ["d1"], [entry("d1#0", "alpha")])


@pytest.fixture
def other_writer(tmp_path: Path) -> Iterator[None]:
    """Another process that holds the writer's lock of the collection `docs`."""
    program = (
        "import sys, tantivy; index = tantivy.Index.open(sys.argv[1]); writer = index.writer(20_000_000, 1); "
        "print('held', flush=True); sys.stdin.read()"
    )
    EmbeddedLexicalIndex(tmp_path).replace("docs", ["d1"], [entry("d1#0", "alpha")])
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "docs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield
    process.communicate()


@pytest.mark.usefixtures("other_writer")
def test_a_second_process_that_writes_is_told_that_the_folder_is_locked(tmp_path: Path) -> None:
    index = EmbeddedLexicalIndex(tmp_path)
    with pytest.raises(DataFolderLocked):
        index.replace("docs", ["d2"], [entry("d2#0", "beta")])
    assert found(index, "alpha") == ["d1#0"]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process can grow: writing fails as on a used up quota."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def test_a_full_disk_is_named_and_the_old_entries_stay(tmp_path: Path) -> None:
    index = EmbeddedLexicalIndex(tmp_path)
    index.replace("docs", ["d1"], [entry("d1#0", "alpha")])
    with full_disk(), pytest.raises(StorageFull):
        index.replace("docs", ["d1"], [entry(f"d1#{n}", f"beta word{n}") for n in range(2000)])
    assert found(index, "alpha") == ["d1#0"]
