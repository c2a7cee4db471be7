"""The ranker that is learned from judged retrievals: what it sees, how it is fitted, what it does to an order."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from core.domain.passage import Run
from core.domain.retrieval import Retrieval
from core.errors import BadInput
from core.retrieval.learned import FEATURES, Candidates, Ranker, candidates, learned_run
from core.retrieval.learning import Judged, learn
from core.retrieval.runs import ranked


def run(stage: str, degraded: str = "", /, **scores: float) -> Run:
    order = sorted(scores.items(), key=lambda item: -item[1])
    return Run(stage, "docs", ranked([(_passage(name), score) for name, score in order]), 10, degraded=degraded)


def _passage(name: str) -> str:
    """`a1` is passage 1 of document a; `a` the document."""
    return f"{name[0]}@00000000#{name[1]}" if len(name) == 2 else name


def retrieval(*runs: Run, **fused: float) -> Retrieval:
    return Retrieval((), runs, run("fusion", **fused))


def feature(found: Candidates, name: str) -> dict[str, float]:
    column = found.features[:, FEATURES.index(name)]
    return {doc: round(float(value), 4) for doc, value in zip(found.documents, column, strict=True)}


RUNS = (
    run("lexical documents", a=3.0, b=1.0),
    run("lexical", a0=4.0, b0=2.0),
    run("dense", a0=0.75, a1=0.5, b0=0.25),
    run("openings", b=0.5, a=0.25),
    run("votes", b=0.3),
)


def test_each_feature_is_what_its_stage_says_of_the_document() -> None:
    found = candidates(retrieval(*RUNS, a0=2.0, a1=1.0, b0=0.5))
    assert found.documents == ("a", "b")
    assert found.fused.tolist() == [2.0, 0.5]
    assert feature(found, "whole") == {"a": 1.0, "b": -1.0}
    assert feature(found, "passage") == {"a": 1.0, "b": -1.0}
    assert feature(found, "dense") == {"a": 1.0, "b": -1.0}
    assert feature(found, "second") == {"a": 0.0, "b": 0.0}
    assert feature(found, "opening") == {"a": -1.0, "b": 1.0}
    assert feature(found, "agreement") == {"a": 1.0, "b": -1.0}
    assert feature(found, "whole rank") == {"a": round(10 / 11, 4), "b": round(10 / 12, 4)}
    assert feature(found, "dense rank") == {"a": round(10 / 11, 4), "b": round(10 / 12, 4)}
    assert feature(found, "spread") == {"a": round(math.log(3), 4), "b": round(math.log(2), 4)}
    assert feature(found, "votes") == {"a": 0.0, "b": 0.3}


def test_the_second_passage_counts_beside_those_of_other_documents() -> None:
    dense = run("dense", a0=0.9, a1=0.8, b0=0.7, b1=0.4, c0=0.1)
    assert feature(candidates(retrieval(dense, a0=2.0, b0=1.0, c0=0.5)), "second") == {"a": 1.0, "b": -1.0, "c": -1.0}


def test_a_document_a_stage_lacks_is_taken_for_its_last_one_and_a_silent_stage_says_nothing() -> None:
    found = candidates(retrieval(run("lexical documents", a=3.0, b=1.0), run("dense", "down"), a0=1.0, b0=0.5, c0=0.2))
    assert feature(found, "whole")["c"] == feature(found, "whole")["b"] == -1.0
    assert feature(found, "whole rank")["c"] == 0.0
    assert set(feature(found, "dense").values()) == {0.0}


def test_only_the_documents_of_the_first_passages_are_candidates() -> None:
    assert candidates(retrieval(*RUNS, a0=2.0, a1=1.0, b0=0.5), depth=2).documents == ("a",)
    assert candidates(retrieval()).features.shape[0] == 0


def test_a_correction_moves_a_document_with_all_its_passages() -> None:
    found = retrieval(*RUNS, a0=2.0, a1=1.0, b0=0.5)
    ranking = [(item.passage_id, item.score) for item in found.fused.items]
    new = learned_run(found, ranking, Ranker({"opening": 1.0}, 50))
    assert [(item.passage_id[:1] + item.passage_id[-1], item.score) for item in new.items] == [
        ("b0", 1.5),
        ("a0", 1.0),
        ("a1", 0.0),
    ]
    assert (new.stage, new.depth, new.parameters) == ("learned", 50, {"opening": 1.0})
    unchanged = learned_run(found, ranking, Ranker({}))
    assert [item.passage_id for item in unchanged.items] == [name for name, _ in ranking]


@pytest.mark.parametrize("weights", [{"magic": 1.0}, {"dense": math.nan}, {"dense": math.inf}])
def test_a_ranker_with_unusable_weights_is_refused(weights: Mapping[str, float]) -> None:
    with pytest.raises(BadInput):
        Ranker(weights)


def judged(seed: int, *, truth: Mapping[str, float]) -> Judged:
    """20 documents with random features; the best by fused + truth is relevant."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(20, len(FEATURES)))
    fused = rng.normal(size=20)
    value = fused + features @ np.array([truth.get(name, 0.0) for name in FEATURES])
    names = tuple(f"d{number}" for number in range(20))
    return Judged(Candidates(names, fused, features), {names[int(value.argmax())]: 1})


def first_is_right(query: Judged, ranker: Ranker) -> bool:
    scores = ranker.scores(query.candidates)
    return max(scores, key=lambda name: scores[name]) in query.grades


def test_weights_that_explain_the_judgements_are_found() -> None:
    truth = {"opening": 1.5, "spread": -1.0}
    ranker = learn([judged(seed, truth=truth) for seed in range(60)], penalty=0.0001)
    assert ranker.weights["opening"] == pytest.approx(1.5, abs=0.4)
    assert ranker.weights["spread"] == pytest.approx(-1.0, abs=0.4)
    assert all(abs(weight) < 0.3 for name, weight in ranker.weights.items() if name not in truth)
    unseen = [judged(seed, truth=truth) for seed in range(100, 160)]
    assert sum(first_is_right(query, ranker) for query in unseen) > 48
    assert sum(first_is_right(query, Ranker({})) for query in unseen) < 40


def test_a_heavy_penalty_leaves_the_fused_order_alone() -> None:
    queries = [judged(seed, truth={"opening": 1.5}) for seed in range(20)]
    assert max(map(abs, learn(queries, penalty=1000).weights.values())) < 0.01
    assert learn(queries).weights == learn(queries).weights


def test_each_query_counts_the_same_however_many_pairs_it_has() -> None:
    """One query with one pair speaks for `opening`, one with very many against it."""
    names = ("a", "b")
    speaking = Judged(Candidates(names, np.array([1.0, 0.0]), _only("opening", [1, 0])), {"a": 1})
    many = tuple(f"d{number}" for number in range(200))
    against = Judged(Candidates(many, np.array([1.0, *[0.0] * 199]), _only("opening", [0, *[1] * 199])), {"d0": 1})
    weights = learn([speaking, against], penalty=0.01).weights
    assert weights["opening"] == pytest.approx(0, abs=1e-6)


def _only(name: str, values: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    features = np.zeros((len(values), len(FEATURES)))
    features[:, FEATURES.index(name)] = values
    return features


def test_judgements_that_say_nothing_or_contradict_the_fusion_change_nothing() -> None:
    query = judged(1, truth={})
    nothing = dict.fromkeys(FEATURES, 0.0)
    assert learn([]).weights == nothing
    assert learn([Judged(query.candidates, {})]).weights == nothing
    assert learn([Judged(query.candidates, dict.fromkeys(query.candidates.documents, 1))]).weights == nothing
    worst = query.candidates.documents[int(query.candidates.fused.argmin())]
    assert learn([Judged(query.candidates, {worst: 1})]).weights == nothing


def test_a_higher_grade_is_to_stand_above_a_lower_one() -> None:
    names = ("a", "b", "c")
    found = Candidates(names, np.array([1.0, 0.9, 0.0]), _only("opening", [0, 1, 0]))
    weights = learn([Judged(found, {"a": 1, "b": 2})] * 3, penalty=0.001).weights
    assert weights["opening"] > 0.1
