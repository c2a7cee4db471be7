"""nDCG@10 and R@10 of the lexical, the dense and the fused run on a BEIR folder with judged documents.

    python -m benchmarks.retrieval_baseline --data path/to/set [--split dev]

The folder holds corpus.jsonl and SPLIT/queries.jsonl, SPLIT/qrels.tsv. Documents are ingested as the product does it;
a document ranks as its best passage. A query with a `thread` is searched as a thread.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from connectors.models.embedder import SentenceTransformerEmbedder
from connectors.search.chroma import ChromaVectorIndex
from connectors.search.embedded import EmbeddedLexicalIndex
from connectors.storage.store import open_store
from core.domain.passage import Passage, Run
from core.domain.retrieval import Inquiry, Retrieval
from core.retrieval.fusion import best_first, fuse_rrf
from core.retrieval.query import queries_for
from core.retrieval.search import retrieve
from ingest.pipeline import ingest
from ingest.report import Cutting
from ingest.sources import jsonl_items

COLLECTION = "docs"
OVERLAP_WORDS = 20
CUTOFF = 10

Qrels = Mapping[str, Mapping[str, int]]


class Bench:
    """One set, ingested as the product does it, into real stores in a temporary folder."""

    def __init__(self, corpus: Path, folder: Path, words: int) -> None:
        self.store = open_store(f"sqlite:///{folder / 'bench.db'}", vault_key=bytes(32), ledger_key=bytes(32))
        self.store.migrate()
        self.lexical = EmbeddedLexicalIndex(folder / "lexical")
        self.dense = ChromaVectorIndex(folder / "dense")
        self.embedder = SentenceTransformerEmbedder("packaged")
        self.ingested = ingest(
            COLLECTION,
            jsonl_items(corpus),
            uow=self.store.uow,
            lexical=self.lexical,
            vectors=self.dense,
            embedder=self.embedder,
            cutting=Cutting(words, OVERLAP_WORDS),
            batch=64,
        )
        with self.store.uow() as tx:
            self.names = {record.doc_id: name for name, record in tx.documents.manifest(COLLECTION).items()}

    def passages(self, passage_ids: Sequence[str]) -> Mapping[str, Passage]:
        with self.store.uow() as tx:
            return tx.documents.passages(passage_ids)

    def close(self) -> None:
        self.dense.close()
        self.store.close()

    def retrieve(self, inquiry: Inquiry, depth: int, dense_weight: float) -> Retrieval:
        return retrieve(
            queries_for(inquiry),
            collections={COLLECTION: 1.0},
            lexical=self.lexical,
            vectors=self.dense,
            embedder=self.embedder,
            passages=self.passages,
            depth=depth,
            k=2 * depth,
            dense_weight=dense_weight,
            timer=time.perf_counter,
        )

    def documents(self, scores: Iterable[tuple[str, float]]) -> list[str]:
        """Documents by their best passage."""
        listed = dict(scores)
        best: dict[str, float] = {}
        for passage_id, passage in self.passages(list(listed)).items():
            name = self.names[passage.doc_id]
            best[name] = max(listed[passage_id], best.get(name, -math.inf))
        return [name for name, _ in best_first(best)]


def inquiry(record: Mapping[str, Any]) -> Inquiry:
    turns = record.get("thread") or []
    asked = [turn["text"] for turn in turns if turn["role"] == "user"]
    replies = tuple(turn["text"] for turn in turns if turn["role"] != "user")
    if len(asked) < 2:
        return Inquiry(record["text"], replies=replies)
    return Inquiry(asked[-1], first=asked[0], between=tuple(asked[1:-1]), replies=replies)


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], cutoff: int = CUTOFF) -> float:
    """Grades as gains (Järvelin and Kekäläinen 2002)."""
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(sorted(grades.values())[::-1][:cutoff], 1))
    gained = sum(grades.get(name, 0) / math.log2(rank + 1) for rank, name in enumerate(ranking[:cutoff], 1))
    return gained / ideal


def recall(ranking: Sequence[str], grades: Mapping[str, int], cutoff: int = CUTOFF) -> float:
    return len(grades.keys() & set(ranking[:cutoff])) / len(grades)


def rankings(bench: Bench, retrieval: Retrieval) -> dict[str, list[str]]:
    lexical, dense = retrieval.runs
    rrf = fuse_rrf([(_names(lexical), 1.0), (_names(dense), 1.0)])
    return {
        "lexical": bench.documents(_scores(lexical)),
        "dense": bench.documents(_scores(dense)),
        "rrf": bench.documents(rrf.items()),
        "fused": bench.documents(_scores(retrieval.fused)),
    }


def _names(run: Run) -> list[str]:
    return [item.passage_id for item in run.items]


def _scores(run: Run) -> list[tuple[str, float]]:
    return [(item.passage_id, item.score) for item in run.items]


def read_jsonl(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def read_qrels(file: Path) -> Qrels:
    qrels: dict[str, dict[str, int]] = {}
    with file.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if int(row["score"]) > 0:
                qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    return qrels


def report(bench: Bench, records: Sequence[Mapping[str, Any]], qrels: Qrels, depth: int, dense_weight: float) -> None:
    judged = [record for record in records if record["_id"] in qrels]
    found: list[tuple[Mapping[str, int], dict[str, list[str]]]] = []
    seconds: list[float] = []
    for record in judged:
        started = time.perf_counter()
        retrieval = bench.retrieve(inquiry(record), depth, dense_weight)
        seconds.append(time.perf_counter() - started)
        found.append((qrels[record["_id"]], rankings(bench, retrieval)))
    print(f"{len(judged)} queries, depth {depth}, dense weight {dense_weight}, {1000 * fmean(seconds):.0f} ms a query")
    for name in ("lexical", "dense", "rrf", "fused"):
        quality = fmean(ndcg(runs[name], grades) for grades, runs in found)
        complete = fmean(recall(runs[name], grades) for grades, runs in found)
        print(f"{name:8} nDCG@{CUTOFF} {quality:.3f}  R@{CUTOFF} {complete:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="BEIR folder")
    parser.add_argument("--split", default="dev", help="which queries and judgements")
    parser.add_argument("--depth", type=int, default=100, help="passages each index is asked for")
    parser.add_argument("--dense-weight", type=float, default=0.7, help="weight of the dense run, 0 to 1")
    parser.add_argument("--words", type=int, default=120, help="words of a passage")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        bench = Bench(asked.data / "corpus.jsonl", Path(folder), asked.words)
        print(
            f"{bench.ingested.added} documents, {bench.ingested.passages} passages, {bench.ingested.duplicates} doubles"
        )
        queries = read_jsonl(asked.data / asked.split / "queries.jsonl")
        report(bench, queries, read_qrels(asked.data / asked.split / "qrels.tsv"), asked.depth, asked.dense_weight)
        bench.close()


if __name__ == "__main__":
    main()
