"""The stages after fusion."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from core.domain.passage import Passage, Run, Span
from core.domain.retrieval import Retrieval, WeightedQuery
from core.ports import VectorEntry
from core.retrieval.learned import Ranker
from core.retrieval.mmr import mmr
from core.retrieval.order import POOL, depth_for, ordered
from core.retrieval.pagerank import pagerank
from core.retrieval.runs import ranked
from core.retrieval.stages import Stages
from tests.fakes.reranker import FakeReranker
from tests.fakes.search import FakeEmbedder, FakeVectorIndex

TEXTS = {"a": "restart browser", "b": "restart browser window", "c": "clear cache", "d": "clear cache window"}
EMBEDDER = FakeEmbedder()


def passage(name: str) -> Passage:
    span = Span(0, len(TEXTS[name]))
    return Passage(name, name, "docs", "", (), TEXTS[name], span, span, "v")


def retrieval(dense: str = "") -> Retrieval:
    fused = Run("fusion", "", ranked([(name, 4.0 - number) for number, name in enumerate(TEXTS)]), 4)
    passages = {name: passage(name) for name in TEXTS}
    return Retrieval(
        (WeightedQuery("restart browser"),), (Run("dense", "docs", (), 4, degraded=dense),), fused, passages
    )


@pytest.fixture
def vectors() -> FakeVectorIndex:
    index = FakeVectorIndex()
    rows = EMBEDDER.embed_passages(list(TEXTS.values()))
    entries = [VectorEntry(name, name, row) for name, row in zip(TEXTS, rows, strict=True)]
    index.replace("docs", [], entries, EMBEDDER.identity)
    return index


def names(run: Run) -> list[str]:
    return [item.passage_id for item in run.items]


def run_with(
    vectors: FakeVectorIndex, stages: Stages, reranker: FakeReranker | None = None, k: int = 4, dense: str = ""
) -> Retrieval:
    seconds = count()
    return ordered(
        retrieval(dense),
        stages=stages,
        vectors=vectors,
        embedder=EMBEDDER,
        reranker=reranker,
        timer=lambda: float(next(seconds)),
        k=k,
    )


def test_without_stages_only_the_best_k_are_kept(vectors: FakeVectorIndex) -> None:
    result = run_with(vectors, Stages(), k=2)
    assert names(result.fused) == ["a", "b"]
    assert (result.fused.stage, result.fused.depth) == ("fusion", 2)
    assert result.passages.keys() == {"a", "b"}
    assert result.timings == ()


def test_mmr_prefers_what_says_something_else(vectors: FakeVectorIndex) -> None:
    result = run_with(vectors, Stages(mmr_lambda=0.3, mmr_k=2))
    assert names(result.fused) == ["a", "c", "b", "d"]
    assert [item.score for item in result.fused.items] == [4, 3, 2, 1]
    assert [run.stage for run in result.runs] == ["dense", "fusion", "mmr"]
    assert names(result.runs[-1]) == ["a", "c"]
    assert result.runs[-1].parameters == {"lambda": 0.3}


def test_pagerank_orders_the_first_k_by_support(vectors: FakeVectorIndex) -> None:
    result = run_with(vectors, Stages(pagerank_k=3))
    stage = result.runs[-1]
    assert (stage.stage, stage.depth, stage.parameters) == ("pagerank", 3, {"tau": 0.01})
    assert sum(item.score for item in stage.items) == pytest.approx(1)
    assert set(names(stage)) == {"a", "b", "c"}
    assert names(stage)[-1] == "c"
    assert names(result.fused)[-1] == "d"


def test_a_cross_encoder_orders_as_many_as_it_is_given(vectors: FakeVectorIndex) -> None:
    reranker = FakeReranker()
    result = run_with(vectors, Stages(rerank_depth=3), reranker, k=2)
    assert reranker.asked == [("restart browser", 3)]
    assert names(result.fused) == ["b", "a"]
    assert result.fused.stage == "ordered"
    assert result.timings[-1][0] == "order"


def test_pairs_that_a_cross_encoder_could_not_read_whole_are_counted(vectors: FakeVectorIndex) -> None:
    result = run_with(vectors, Stages(rerank_depth=3), FakeReranker(max_words=4))
    assert result.runs[-1].parameters == {"share": 1.0, "truncated": 1.0}


@pytest.mark.parametrize(("share", "first"), [(0.0, "a"), (0.1, "a"), (0.6, "b"), (1.0, "b")])
def test_fused_scores_keep_their_share_beside_the_cross_encoder(
    vectors: FakeVectorIndex, share: float, first: str
) -> None:
    result = run_with(vectors, Stages(rerank_depth=3, rerank_share=share), FakeReranker())
    assert names(result.fused)[0] == first
    assert result.runs[-1].parameters["share"] == share


def test_a_learned_ranker_comes_before_the_cross_encoder_and_reads_as_deep_as_it_says(
    vectors: FakeVectorIndex,
) -> None:
    stages = Stages(rerank_depth=2, ranker=Ranker({"spread": 1.0}, 3))
    result = run_with(vectors, stages, FakeReranker())
    assert [run.stage for run in result.runs] == ["dense", "fusion", "learned", "rerank"]
    assert len(result.runs[-2].items) == 3
    assert [item.score for item in result.fused.items] == [4, 3, 2, 1]
    assert depth_for(stages, 1) == 3


def test_a_cross_encoder_that_does_not_answer_is_named_and_changes_nothing(vectors: FakeVectorIndex) -> None:
    reranker = FakeReranker()
    reranker.down = True
    result = run_with(vectors, Stages(rerank_depth=3), reranker)
    assert names(result.fused) == ["a", "b", "c", "d"]
    assert result.reduced == ("not reranked",)
    assert result.runs[-1].degraded == "The reranker does not load."


def test_without_the_dense_index_there_is_no_graph(vectors: FakeVectorIndex) -> None:
    vectors.down = True
    result = run_with(vectors, Stages(mmr_lambda=0.3, pagerank_k=3), dense="The dense index does not answer.")
    assert names(result.fused) == ["a", "b", "c", "d"]
    assert [run.stage for run in result.runs] == ["dense"]


@pytest.mark.parametrize(
    ("stages", "depth"),
    [(Stages(), 10), (Stages(rerank_depth=20), 20), (Stages(pagerank_k=30), 30), (Stages(mmr_lambda=0.5), POOL)],
)
def test_as_many_passages_are_fused_as_the_stages_look_at(stages: Stages, depth: int) -> None:
    assert depth_for(stages, 10) == depth


def test_mmr_of_relevance_alone_is_the_order_of_relevance() -> None:
    rows = np.eye(3, dtype=np.float32)
    assert [row for row, _ in mmr(np.array([0.2, 0.9, 0.5], dtype=np.float32), rows, balance=1.0, k=5)] == [1, 2, 0]


def test_pagerank_without_edges_follows_the_query_alone() -> None:
    values = pagerank(np.array([0.3, 0.1, 0.0], dtype=np.float32), np.eye(3, dtype=np.float32))
    assert values == pytest.approx([0.75, 0.25, 0.0], abs=1e-3)


def test_pagerank_of_nothing_similar_treats_all_alike() -> None:
    rows = np.array([[1, 0], [1, 0]], dtype=np.float32)
    assert pagerank(np.array([-0.1, 0.0], dtype=np.float32), rows) == pytest.approx([0.5, 0.5])
    assert pagerank(np.zeros(0, dtype=np.float32), np.zeros((0, 2), dtype=np.float32)) == []


def test_edges_need_a_cosine_above_tau() -> None:
    rows = np.array([[1, 0], [0.6, 0.8]], dtype=np.float32)
    relevance = np.array([1.0, 0.0], dtype=np.float32)
    assert pagerank(relevance, rows, tau=0.59)[1] > 0.3
    assert pagerank(relevance, rows, tau=0.61)[1] == pytest.approx(0, abs=1e-3)
