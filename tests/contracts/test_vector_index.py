"""What every vector index does: the in-memory fake, Chroma's persistent client and a real Elasticsearch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from connectors.search.chroma import ChromaVectorIndex
from connectors.search.elasticsearch_vectors import ElasticsearchVectorIndex, Neighbours
from core.errors import BadInput, EmbedderMismatch, IndexUnavailable
from core.ports import EmbedderIdentity, Vector, VectorEntry, VectorIndex
from tests.fakes.search import FakeVectorIndex
from tests.servers import elasticsearch

cluster = elasticsearch.cluster

EMBEDDER = EmbedderIdentity("small", "a" * 64, 3)
OTHER = EmbedderIdentity("other", "b" * 64, 3)
X, Y, Z = np.eye(3, dtype=np.float32)

MAKERS: dict[str, Callable[[Path], VectorIndex]] = {
    "fake": lambda _: FakeVectorIndex(),
    "chroma": ChromaVectorIndex,
    "chroma's graph": lambda root: ChromaVectorIndex(root, exact_up_to=0),
}


@pytest.fixture(params=[*MAKERS, *(pytest.param(kind, marks=pytest.mark.server) for kind in Neighbours)])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    made: VectorIndex
    if request.param in MAKERS:
        made = MAKERS[request.param](tmp_path)
    else:
        server: elasticsearch.Cluster = request.getfixturevalue("cluster")
        made = ElasticsearchVectorIndex(server.connection, prefix=server.prefix, neighbours=request.param)
    yield made
    if isinstance(made, ChromaVectorIndex | ElasticsearchVectorIndex):
        made.close()


@pytest.fixture
def chroma(tmp_path: Path) -> Iterator[ChromaVectorIndex]:
    index = ChromaVectorIndex(tmp_path)
    yield index
    index.close()


def entry(passage_id: str, vector: Vector) -> VectorEntry:
    return VectorEntry(passage_id, passage_id.split("#")[0], (vector / np.linalg.norm(vector)).astype(np.float32))


def found(index: VectorIndex, vector: Vector, collection: str = "docs", depth: int = 10) -> list[str]:
    return [passage_id for passage_id, _ in index.search(collection, vector, depth, EMBEDDER)]


def test_the_nearest_vector_comes_first_with_its_cosine(index: VectorIndex) -> None:
    index.replace("docs", [], [entry("a#0", X), entry("b#0", X + Y), entry("c#0", Y), entry("d#0", -X)], EMBEDDER)
    ranking = index.search("docs", X, 10, EMBEDDER)
    assert [passage_id for passage_id, _ in ranking] == ["a#0", "b#0", "c#0", "d#0"]
    assert [score for _, score in ranking] == pytest.approx([1, 2**-0.5, 0, -1], abs=1e-5)


def test_replacing_a_document_leaves_none_of_its_old_vectors(index: VectorIndex) -> None:
    index.replace("docs", ["a"], [entry("a#0", X), entry("a#1", Y)], EMBEDDER)
    index.replace("docs", ["a"], [entry("a#0", Z)], EMBEDDER)
    assert found(index, Z) == ["a#0"]
    assert index.search("docs", Z, 1, EMBEDDER)[0][1] == pytest.approx(1, abs=1e-5)
    assert index.count("docs") == 1


def test_replacing_by_nothing_removes_only_that_document(index: VectorIndex) -> None:
    index.replace("docs", ["a", "b"], [entry("a#0", X), entry("b#0", X)], EMBEDDER)
    index.replace("docs", ["a"], [], EMBEDDER)
    assert found(index, X) == ["b#0"]


def test_an_unknown_collection_is_empty(index: VectorIndex) -> None:
    assert found(index, X, collection="nowhere") == []
    assert index.count("nowhere") == 0
    assert index.identity("nowhere") is None
    index.drop("nowhere")


def test_an_emptied_collection_is_searched_without_an_error(index: VectorIndex) -> None:
    index.replace("docs", ["a"], [entry("a#0", X)], EMBEDDER)
    index.replace("docs", ["a"], [], EMBEDDER)
    assert found(index, X) == []


def test_equal_cosines_are_ordered_by_passage_id_even_at_the_cut(index: VectorIndex) -> None:
    names = [f"d{n}#0" for n in range(9)]
    index.replace("docs", [], [entry(name, X) for name in reversed(names)], EMBEDDER)
    assert found(index, X, depth=4) == names[:4]


def test_no_more_than_depth_passages_come_out(index: VectorIndex) -> None:
    index.replace("docs", [], [entry(f"d{n}#0", X + n * Y) for n in range(9)], EMBEDDER)
    assert found(index, X, depth=3) == ["d0#0", "d1#0", "d2#0"]
    assert found(index, X, depth=0) == []


def test_collections_do_not_see_each_other(index: VectorIndex) -> None:
    index.replace("docs", ["a"], [entry("a#0", X)], EMBEDDER)
    index.replace("tickets", ["t"], [entry("t#0", X)], EMBEDDER)
    index.drop("docs")
    assert found(index, X, collection="docs") == []
    assert found(index, X, collection="tickets") == ["t#0"]


def test_a_collection_remembers_its_embedder(index: VectorIndex) -> None:
    index.replace("docs", ["a"], [entry("a#0", X)], EMBEDDER)
    assert index.identity("docs") == EMBEDDER


def test_another_embedder_is_refused_and_both_are_named(index: VectorIndex) -> None:
    index.replace("docs", ["a"], [entry("a#0", X)], EMBEDDER)
    with pytest.raises(EmbedderMismatch, match=r"small.*other"):
        index.search("docs", X, 10, OTHER)
    with pytest.raises(EmbedderMismatch, match=r"small.*other"):
        index.replace("docs", ["a"], [entry("a#0", Y)], OTHER)
    assert found(index, X) == ["a#0"]


def test_the_same_name_with_other_weights_is_another_embedder(index: VectorIndex) -> None:
    index.replace("docs", ["a"], [entry("a#0", X)], EMBEDDER)
    with pytest.raises(EmbedderMismatch):
        index.search("docs", X, 10, EmbedderIdentity("small", "c" * 64, 3))


def test_a_dropped_collection_takes_any_embedder(index: VectorIndex) -> None:
    index.replace("docs", ["a"], [entry("a#0", X)], EMBEDDER)
    index.drop("docs")
    index.replace("docs", ["a"], [entry("a#0", X)], OTHER)
    assert index.identity("docs") == OTHER


def test_a_collection_may_have_any_name(index: VectorIndex) -> None:
    index.replace("../ESO Docs/ü", ["a"], [entry("a#0", X)], EMBEDDER)
    assert found(index, X, collection="../ESO Docs/ü") == ["a#0"]
    assert found(index, X, collection="../eso docs/ü") == []


def test_threads_may_write_and_search_at_once(index: VectorIndex) -> None:
    def work(number: int) -> int:
        index.replace("docs", [f"d{number}"], [entry(f"d{number}#0", X + number * Y)], EMBEDDER)
        return len(found(index, X, depth=50))

    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(work, range(12)))
    assert all(1 <= count <= 12 for count in seen)
    assert index.count("docs") == 12


def test_stored_vectors_are_given_back_by_id(index: VectorIndex) -> None:
    index.replace("docs", [], [entry("a#0", X), entry("b#0", X + Y)], EMBEDDER)
    stored = index.vectors("docs", ["b#0", "gone#0"])
    assert stored.keys() == {"b#0"}
    assert stored["b#0"] == pytest.approx(entry("b#0", X + Y).vector, abs=1e-5)
    assert index.vectors("docs", []) == index.vectors("unknown", ["a#0"]) == {}


def test_the_mean_is_of_what_is_there_now(index: VectorIndex) -> None:
    assert index.mean("docs") is None
    index.replace("docs", [], [entry("a#0", X), entry("b#0", Y)], EMBEDDER)
    assert index.mean("docs") == pytest.approx((X + Y) / 2, abs=1e-5)
    index.replace("docs", ["b"], [entry("c#0", Z), entry("d#0", Z)], EMBEDDER)
    assert index.mean("docs") == pytest.approx((X + 2 * Z) / 3, abs=1e-5)
    index.replace("docs", ["a", "c", "d"], [], EMBEDDER)
    assert index.mean("docs") is None


# ---------------------------------------------------------------- Chroma alone


def test_chroma_compares_with_every_vector_up_to_its_limit(tmp_path: Path) -> None:
    """1,500 random vectors: the exact ten best, ties by name, before and after a change."""
    rows = np.random.default_rng(4).normal(size=(1500, 3)).astype(np.float32)
    entries = [entry(f"d{number:04}#0", row) for number, row in enumerate(rows)]
    index = ChromaVectorIndex(tmp_path, exact_up_to=1500)
    index.replace("docs", [], entries, EMBEDDER)
    best = sorted(entries, key=lambda e: (-round(float(e.vector @ X), 6), e.passage_id))[:10]
    assert found(index, X) == [e.passage_id for e in best]
    index.replace("docs", [best[0].doc_id], [], EMBEDDER)
    assert found(index, X, depth=9) == [e.passage_id for e in best[1:]]
    index.close()


def test_chroma_estimates_the_mean_of_what_it_does_not_hold_in_memory(tmp_path: Path) -> None:
    rows = np.random.default_rng(5).normal(size=(700, 3)).astype(np.float32) + X
    entries = [entry(f"d{number}#0", row) for number, row in enumerate(rows)]
    index = ChromaVectorIndex(tmp_path, exact_up_to=0)
    index.replace("docs", [], entries, EMBEDDER)
    assert index.mean("docs") == pytest.approx(np.mean([e.vector for e in entries], axis=0), abs=1e-4)
    index.close()


def test_chroma_is_still_there_when_opened_again(chroma: ChromaVectorIndex) -> None:
    chroma.replace("docs", ["a"], [entry("a#0", X)], EMBEDDER)
    chroma.close()
    assert found(chroma, X) == ["a#0"]
    assert chroma.identity("docs") == EMBEDDER


def test_chroma_takes_more_vectors_than_fit_in_one_batch(chroma: ChromaVectorIndex) -> None:
    angles = np.linspace(0, 1, 6000)
    entries = [entry(f"d{n}#0", np.cos(angle) * X + np.sin(angle) * Y) for n, angle in enumerate(angles)]
    chroma.replace("docs", [], entries, EMBEDDER)
    assert chroma.count("docs") == 6000
    chroma.replace("docs", [f"d{n}" for n in range(5999)], [], EMBEDDER)
    assert found(chroma, X) == ["d5999#0"]


def test_a_damaged_chroma_folder_says_how_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"damaged" * 1000)
    with pytest.raises(IndexUnavailable) as caught:
        found(ChromaVectorIndex(tmp_path), X)
    assert "citedesk ingest --rebuild" in caught.value.hint


def test_chroma_refuses_a_collection_without_a_name(chroma: ChromaVectorIndex) -> None:
    with pytest.raises(BadInput):
        chroma.count("")


def test_chroma_opens_no_connection_and_loads_no_model(tmp_path: Path) -> None:
    program = """
import socket, sys
def refuse(*_): raise AssertionError("a connection was opened")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
import numpy as np
from pathlib import Path
from connectors.search.chroma import ChromaVectorIndex
from connectors.search.elasticsearch_vectors import ElasticsearchVectorIndex, Neighbours
from core.ports import EmbedderIdentity, VectorEntry
me, vector = EmbedderIdentity("m", "0", 2), np.array([1, 0], dtype=np.float32)
index = ChromaVectorIndex(Path(sys.argv[1]))
index.replace("docs", ["d"], [VectorEntry("d#0", "d", vector)], me)
print(index.search("docs", vector, 3, me), {"onnxruntime", "torch", "posthog"} & set(sys.modules))
index.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "[('d#0', 1.0)] set()\n", done.stderr
