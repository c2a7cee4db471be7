from __future__ import annotations

from math import log2
from pathlib import Path

import pytest

from core.domain.passage import Run, ScoredPassage
from core.domain.retrieval import Retrieval
from core.errors import BadInput
from core.evaluation.trec import Ranking
from plugin.evaluation.retrieval import (
    Measured,
    by_document,
    differences,
    measure,
    pick_baseline,
    rankings_of,
    report,
    write_runs,
)
from plugin.evaluation.retrieval import Searched as Found

QRELS = {"q1": {"b": 2, "d": 1, "x": 0}, "q2": {"c": 1}}
RANKINGS: dict[str, Ranking] = {"q1": [("a", 3.0), ("b", 2.0), ("c", 1.0)], "unjudged": [("a", 1.0)]}


def test_measures_by_hand() -> None:
    """q1: gain 2 at rank 2, ideal 2 at rank 1 and 1 at rank 2. q2 has no ranking and scores 0."""
    found = measure("ours", RANKINGS, QRELS)
    assert found.values["ndcg@10"] == pytest.approx([(2 / log2(3)) / (2 + 1 / log2(3)), 0.0])
    assert found.values["recall@5"] == [0.5, 0.0]
    assert found.values["mrr@10"] == [0.5, 0.0]
    assert found.values["failure@20"] == [0.0, 1.0]
    assert found.mean("recall@20") == 0.25


def test_cut_offs_count() -> None:
    """The only relevant document at rank 11."""
    ranking = {"q": [(f"d{rank}", 100.0 - rank) for rank in range(1, 31)]}
    found = measure("ours", ranking, {"q": {"d11": 1}})
    assert {name: values[0] for name, values in found.values.items()} == {
        "ndcg@10": 0.0,
        "recall@5": 0.0,
        "recall@10": 0.0,
        "recall@20": 1.0,
        "mrr@10": 0.0,
        "failure@20": 0.0,
    }
    assert measure("ours", ranking, {"q": {"d21": 1}}).values["failure@20"] == [1.0]


def test_tied_scores_rank_as_listed() -> None:
    tied: dict[str, Ranking] = {"q": [("z", 1.0), ("a", 1.0), ("m", 1.0)]}
    assert measure("ours", tied, {"q": {"z": 1}}).mean("mrr@10") == 1.0
    assert measure("ours", tied, {"q": {"a": 1}}).mean("mrr@10") == 0.5


def test_latency_is_told_by_percentiles() -> None:
    seconds = [number / 1000 for number in range(101)]
    assert measure("ours", RANKINGS, QRELS, seconds).latency_ms() == {"p50": 50.0, "p95": 95.0}
    assert measure("ours", RANKINGS, QRELS).latency_ms() == {}


def system(name: str, *scores: float) -> Measured:
    return Measured(name, {measure: list(scores) for measure in (*measure("", {}, QRELS).values,)}, [0.01, 0.03])


def test_the_report_has_the_promised_keys_and_the_first_systems_figures() -> None:
    ours, dense = system("default", 0.5, 1.0), system("dense", 0.5, 0.0)
    told = report([ours, dense], dense, QRELS, {"set": "mini"})
    assert told["queries"] == 2
    assert told["metrics"] == dict.fromkeys(["ndcg@10", "recall@5", "recall@10", "recall@20", "mrr@10"], 0.75)
    assert told["latency_ms"] == {"p50": 20.0, "p95": 29.0}
    assert (told["baseline"], told["set"], told["failure@20"]) == ("dense", "mini", 0.75)
    assert told["systems"]["default"]["difference"]["ndcg@10"] == {"mean": 0.5, "low": 0.0, "high": 1.0}
    assert told["systems"]["dense"]["metrics"]["mrr@10"] == 0.25
    assert differences(ours, dense) == differences(ours, dense)


def test_a_baseline_is_a_system_or_a_run_from_elsewhere(tmp_path: Path) -> None:
    systems = [system("default", 1.0, 1.0), system("bm25", 0.0, 0.0)]
    assert pick_baseline("bm25", systems, QRELS) is systems[1]
    (file,) = write_runs(tmp_path, "mini", {"default": Found(RANKINGS, [])})
    assert file.name == "mini.default.trec"
    assert pick_baseline(str(file), systems, QRELS).mean("recall@5") == 0.25
    with pytest.raises(BadInput, match="no baseline bm52"):
        pick_baseline("bm52", systems, QRELS)


def run(stage: str, *names: str, collection: str = "docs") -> Run:
    items = tuple(ScoredPassage(name, 10.0 - rank, rank) for rank, name in enumerate(names, 1))
    return Run(stage, collection, items, 5)


def test_single_runs_are_ranked_by_document_and_tickets_are_passed_over() -> None:
    names = {"d1": ["a"], "d2": ["b"], "d3": ["c"]}
    retrieval = Retrieval(
        (),
        (
            run("lexical", "d1@00000000#0", "d1@00000000#1", "d2@00000000#0"),
            run("dense", "d3@00000000#0", "d1@00000000#0"),
            run("lexical", "d9@00000000#0", collection="tickets"),
        ),
        run("fusion", "d9@00000000#0", "d2@00000000#0", "d1@00000000#0"),
    )
    found = {name: [doc for doc, _ in ranking] for name, ranking in rankings_of(retrieval, names).items()}
    assert found == {"default": ["b", "a"], "bm25": ["a", "b"], "dense": ["c", "a"], "rrf": ["a", "c", "b"]}
    wholes = Retrieval((), (*retrieval.runs, run("lexical documents", "d3", "d1")), retrieval.fused)
    assert [doc for doc, _ in rankings_of(wholes, names)["bm25"]] == ["c", "a"]


def test_every_id_of_a_document_takes_a_place() -> None:
    assert by_document([("d", 2.0), ("e", 1.0)], {"d": ["a", "b"], "e": ["c"]}) == [("a", 2.0), ("b", 2.0), ("c", 1.0)]
