"""`citedesk eval retrieval` as somebody types it, on eight documents and real models."""

from __future__ import annotations

import json
import shutil
import time
from math import log2
from pathlib import Path

import pytest

from core.evaluation.qrels import parse_qrels
from core.evaluation.trec import parse_run
from tests.servers.product import citedesk

pytestmark = [pytest.mark.models]

MINI = Path(__file__).resolve().parents[1] / "data" / "beir-mini"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("eval")


def evaluate(place: Path, *arguments: str, data: Path = MINI) -> tuple[int, str, str]:
    done = citedesk(
        *("eval", "retrieval", "--data", str(data), "--keep", str(place / "keep"), *arguments),
        env={"CITEDESK_DATA_DIR": str(place / "data")},
    )
    return done.returncode, done.stdout, done.stderr


def ndcg_at_10(ranking: list[str], grades: dict[str, int]) -> float:
    """The textbook's sum, written out."""
    gained = sum(grades.get(name, 0) / log2(rank + 1) for rank, name in enumerate(ranking[:10], 1))
    best = sum(grade / log2(rank + 1) for rank, grade in enumerate(sorted(grades.values(), reverse=True)[:10], 1))
    return gained / best


def test_table_json_and_runs_say_the_same(place: Path) -> None:
    code, out, err = evaluate(place, "--json", str(place / "found.json"), "--runs", str(place / "runs"))
    assert code == 0, err
    assert "1 queries without a relevant document are left out." in out
    assert "mini, 4 queries" in out
    found = json.loads((place / "found.json").read_text())
    assert found["queries"] == 4
    assert set(found["metrics"]) == {"ndcg@10", "recall@5", "recall@10", "recall@20", "mrr@10"}
    assert set(found["latency_ms"]) == {"p50", "p95"}
    assert set(found["systems"]) == {"default", "bm25", "dense", "rrf"}
    assert f"default  {found['metrics']['ndcg@10']:.3f}" in out
    assert 0 < found["latency_ms"]["p50"] <= found["latency_ms"]["p95"]
    qrels = parse_qrels((MINI / "dev" / "qrels.tsv").read_text().splitlines(), "qrels.tsv")
    for system, figures in found["systems"].items():
        run = parse_run((place / "runs" / f"beir-mini.{system}.trec").read_text().splitlines(), system)
        by_hand = [ndcg_at_10([name for name, _ in run[query]], grades) for query, grades in qrels.items()]
        assert figures["metrics"]["ndcg@10"] == pytest.approx(sum(by_hand) / 4, abs=1e-4)
    assert found["metrics"]["ndcg@10"] >= 0.9


def test_the_conversation_and_the_identifier_are_understood(place: Path) -> None:
    """ "How long would that take?" alone finds nothing; the error code is one BM25 must have."""
    evaluate(place, "--runs", str(place / "runs"))
    ours, bm25 = (
        parse_run((place / "runs" / f"beir-mini.{name}.trec").read_text().splitlines(), name)
        for name in ("default", "bm25")
    )
    assert ours["q-thread"][0][0] == "docs/calibration"
    assert bm25["q-proxy"][0][0] == "docs/proxy"


def test_solved_tickets_are_taken_in_but_for_the_queries_own(place: Path) -> None:
    code, out, err = evaluate(place, "--solved", str(MINI / "solved.jsonl"), "--baseline", "rrf")
    assert code == 0, err
    assert "mini, 4 queries, 1 solved tickets" in out
    assert "Difference to rrf" in out


def test_the_second_time_nothing_is_made_again(place: Path) -> None:
    evaluate(place)
    stamps = {file: file.stat().st_mtime_ns for file in (place / "keep" / "threads").iterdir()}
    time.sleep(0.01)
    _, _, err = evaluate(place)
    assert "Redacting" not in err
    assert {file: file.stat().st_mtime_ns for file in (place / "keep" / "threads").iterdir()} == stamps


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("dev/qrels.tsv", "query-id\tcorpus-id\tscore\nq-proxy\tdocs/proxy\n", "qrels.tsv, line 2"),
        ("dev/queries.jsonl", '{"_id": "q-proxy"}\n', "queries.jsonl, line 1"),
        ("corpus.jsonl", '{"_id": "docs/proxy", "text": "x"}\nno\n', "corpus.jsonl:2"),
    ],
)
def test_bad_input_is_one_line(place: Path, tmp_path: Path, file: str, content: str, said: str) -> None:
    bad = Path(shutil.copytree(MINI, tmp_path / "bad"))
    (bad / file).write_text(content)
    code, out, err = evaluate(place, data=bad)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("citedesk: ")
    assert said in err


def test_an_unknown_baseline_is_one_line(place: Path) -> None:
    code, _, err = evaluate(place, "--baseline", "bm52")
    assert code == 2
    assert "There is no baseline bm52. Name one of default, bm25, dense, rrf" in err
