"""What each stage of retrieval is worth: nDCG@10 with the stage the other way round, against the default.

    python -m benchmarks.ablation --set path/to/set [--set queries.jsonl=corpus.jsonl] [--solved tickets.jsonl]
        [--json docs/bench/ablation.json] [--keep var/evaluation]

A set is a folder in BEIR's layout, or `queries=corpus` where the documents lie elsewhere. With `--solved` each set is
measured with these solved tickets as voters. Figures are differences to the default with the 95 % interval of a
paired bootstrap over queries; a stage whose interval holds 0 on every set has not earned its place.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from core.domain.retrieval import Inquiry
from core.evaluation.significance import paired_bootstrap
from core.ports import Embedder, EmbedderIdentity, Vectors
from plugin.bootstrap import Services
from plugin.evaluation.retrieval import AUDIENCE, DEFAULT, SEED, document_keys, measure, rankings_of
from plugin.evaluation.retrieval_data import LabelledSet, read_set, read_solved
from plugin.evaluation.retrieval_run import read_inquiries
from plugin.evaluation.retrieval_store import Kept, indexed
from plugin.progress import progress_bar
from plugin.settings import load_settings

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "lexical only": {"dense_weight": 0.0, "opening_weight": 0.0},
    "dense only": {"dense_weight": 1.0, "opening_weight": 0.0},
    "dense weight .5": {"dense_weight": 0.5},
    "without whole documents": {"rank_documents": False},
    "without openings": {"opening_weight": 0.0},
    "without centring": {"centre": 0.0},
    "full centring": {"centre": 1.0},
    "without votes": {"vote_weight": 0.0},
    "without condensing": {"condense_logs": False},
    "with MMR, lambda .7, k 3": {"mmr_lambda": 0.7},
    "with MMR, lambda .7, k 10": {"mmr_lambda": 0.7, "mmr_k": 10},
    "with PageRank over 3": {"pagerank_k": 3},
    "with PageRank over 10": {"pagerank_k": 10},
}
"""Settings that differ from the default."""

MEASURE = "ndcg@10"


class RememberingQueries:
    """Implements `core.ports.Embedder`: the variants ask for the same queries, which are embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Any] = {}

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._embedder.embed_queries(new), strict=True) if new else ())
        return np.array([self._known[text] for text in texts], dtype=np.float32)


def scores_of(
    services: Services, inquiries: Mapping[str, Inquiry], labelled: LabelledSet, names: Mapping[str, tuple[str, ...]]
) -> tuple[list[float], float]:
    """nDCG@10 of each query, and milliseconds of processor time a query (without embedding)."""
    search = services.searcher(AUDIENCE)
    started = time.process_time()
    rankings = {query_id: rankings_of(search(asked), names)[DEFAULT] for query_id, asked in inquiries.items()}
    took = 1000 * (time.process_time() - started) / len(inquiries)
    return list(measure(DEFAULT, rankings, labelled.qrels).values[MEASURE]), took


def ablate(labelled: LabelledSet, solved: Path | None, kept: Kept) -> dict[str, dict[str, float]]:
    """One row a variant: its mean, and the difference to the default with its interval."""
    examples = read_solved(solved, labelled.urls) if solved else ()
    rows: dict[str, dict[str, float]] = {}
    with indexed(labelled.corpus, examples, kept) as (opened, _):
        services = replace(opened, embedder=cast(Any, RememberingQueries(opened.embedder)))
        inquiries, names = read_inquiries(labelled, services, kept), document_keys(services)
        scores_of(services, inquiries, labelled, names)
        base: list[float] = []
        for variant, changed in VARIANTS.items():
            other = replace(services, settings=services.settings.model_copy(update=dict(changed)))
            values, took = scores_of(other, inquiries, labelled, names)
            base = base or values
            found = paired_bootstrap(values, base, rng=np.random.default_rng(SEED))
            numbers = {"mean": float(np.mean(values)), "difference": found.mean, "low": found.low, "high": found.high}
            rows[variant] = {name: round(value, 4) for name, value in numbers.items()} | {"cpu_ms": round(took, 1)}
            print(f"{labelled.name:28} {variant:28} {_line(rows[variant])}", flush=True)
    return rows


def _line(row: Mapping[str, float]) -> str:
    sure = "*" if row["low"] > 0 or row["high"] < 0 else " "
    interval = f"[{row['low']:+.3f}, {row['high']:+.3f}]"
    return f"{row['mean']:.3f}  {row['difference']:+.3f}{sure} {interval}  {row['cpu_ms']:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", dest="sets", action="append", required=True, help="BEIR folder, or queries=corpus")
    parser.add_argument("--solved", type=Path, help="JSON lines of solved tickets")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--keep", type=Path, default=Path("var/evaluation"), help="where indexes are kept")
    asked = parser.parse_args()
    kept = Kept(asked.keep, load_settings(), progress_bar)
    kept.folder.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {}
    for given in asked.sets:
        data, _, corpus = given.partition("=")
        labelled = read_set(Path(data), asked.split, Path(corpus) if corpus else None)
        figures[labelled.name] = {"queries": len(labelled.qrels), "variants": ablate(labelled, asked.solved, kept)}
    if asked.json:
        record = {"at": datetime.now(UTC).date().isoformat(), "measure": MEASURE, "voters": bool(asked.solved)}
        asked.json.write_text(json.dumps(record | {"sets": figures}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
