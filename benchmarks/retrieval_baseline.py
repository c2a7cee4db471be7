"""nDCG@10 and R@10 of the lexical, the dense and the fused run on a BEIR folder with judged documents.

    python -m benchmarks.retrieval_baseline --data path/to/set [--split dev] [--cache folder]

The folder holds corpus.jsonl and SPLIT/queries.jsonl, SPLIT/qrels.tsv. Documents are cut into passages of about 120
words; a document ranks as its best passage. A query with a `thread` is searched as a thread.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from connectors.models.embedder import SentenceTransformerEmbedder
from connectors.search.chroma import ChromaVectorIndex
from connectors.search.embedded import EmbeddedLexicalIndex
from core.domain.passage import Passage, Run, Span
from core.domain.retrieval import Inquiry, Retrieval
from core.ports import Embedder, VectorEntry, Vectors
from core.retrieval.analysis import lexical_entry
from core.retrieval.fusion import best_first, fuse_rrf
from core.retrieval.query import queries_for
from core.retrieval.search import retrieve

COLLECTION = "docs"
CUTOFF = 10

Qrels = Mapping[str, Mapping[str, int]]


class Bench:
    """One set, indexed for real in a temporary folder."""

    def __init__(self, passages: Sequence[Passage], embedder: Embedder, folder: Path, cache: Path | None) -> None:
        self.passages = {passage.passage_id: passage for passage in passages}
        self.embedder = embedder
        self.lexical = EmbeddedLexicalIndex(folder / "lexical")
        self.lexical.replace(COLLECTION, [], [lexical_entry(passage) for passage in passages])
        vectors = embed_cached([passage.contextual_text for passage in passages], embedder, cache)
        rows = zip(passages, vectors, strict=True)
        entries = [VectorEntry(passage.passage_id, passage.doc_id, vector) for passage, vector in rows]
        self.dense = ChromaVectorIndex(folder / "dense")
        self.dense.replace(COLLECTION, [], entries, embedder.identity)

    def retrieve(self, inquiry: Inquiry, depth: int, dense_weight: float) -> Retrieval:
        return retrieve(
            queries_for(inquiry),
            collections={COLLECTION: 1.0},
            lexical=self.lexical,
            vectors=self.dense,
            embedder=self.embedder,
            passages=lambda ids: {name: self.passages[name] for name in ids},
            depth=depth,
            k=2 * depth,
            dense_weight=dense_weight,
            timer=time.perf_counter,
        )

    def documents(self, scores: Iterable[tuple[str, float]]) -> list[str]:
        """Documents by their best passage."""
        best: dict[str, float] = {}
        for passage_id, score in scores:
            doc_id = self.passages[passage_id].doc_id
            best[doc_id] = max(score, best.get(doc_id, -math.inf))
        return [doc_id for doc_id, _ in best_first(best)]


def cut(record: Mapping[str, str], words: int) -> list[Passage]:
    """Passages of about `words` words, ended at a paragraph where one ends in the last third."""
    text = record["text"] or record["title"]
    passages: list[Passage] = []
    start = 0
    while start < len(text) and text[start:].strip():
        end = _end(text, start, words)
        passages.append(
            Passage(
                passage_id=f"{record['_id']}#{len(passages)}",
                doc_id=record["_id"],
                collection=COLLECTION,
                title=record["title"],
                heading_path=(),
                text=text[start:end],
                span=Span(start, end),
                section_span=Span(0, len(text)),
                doc_version="",
            )
        )
        start = end
    return passages


def _end(text: str, start: int, words: int) -> int:
    position, count, paragraph = start, 0, 0
    while count < words and position < len(text):
        while position < len(text) and text[position].isspace():
            position += 1
        while position < len(text) and not text[position].isspace():
            position += 1
        count += 1
        if count > words * 2 / 3 and text.startswith("\n\n", position):
            paragraph = position
    return paragraph if paragraph and text[position:].strip() else position


def embed_cached(texts: Sequence[str], embedder: Embedder, cache: Path | None) -> Vectors:
    if cache is None:
        return embedder.embed_passages(texts)
    key = hashlib.sha256("\0".join([embedder.identity.sha256, *texts]).encode()).hexdigest()[:16]
    file = cache / f"{key}.npy"
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        np.save(file, embedder.embed_passages(texts))
    vectors: Vectors = np.load(file)
    return vectors


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
    parser.add_argument("--cache", type=Path, help="folder that keeps the passages' vectors")
    asked = parser.parse_args()
    corpus = read_jsonl(asked.data / "corpus.jsonl")
    passages = [passage for record in corpus for passage in cut(record, asked.words)]
    print(f"{len(corpus)} documents, {len(passages)} passages")
    with TemporaryDirectory() as folder:
        bench = Bench(passages, SentenceTransformerEmbedder("packaged"), Path(folder), asked.cache)
        queries = read_jsonl(asked.data / asked.split / "queries.jsonl")
        report(bench, queries, read_qrels(asked.data / asked.split / "qrels.tsv"), asked.depth, asked.dense_weight)
        bench.dense.close()


if __name__ == "__main__":
    main()
