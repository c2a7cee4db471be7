"""Retrieval quality and latency beside other hybrid retrievers: one process, same passages, vectors and queries.

    make bench-retrieval DATA="path/to/set path/to/another"

Runs in the peers' own environment (benchmarks/peers/requirements.txt over the product's). Each peer is set up as its
documentation shows for hybrid retrieval, is given our passages with their vectors, and searches with the text of our
first query: the ticket cleaned, redacted, freed of log noise and, where it is not English, translated. A document ranks
by its best passage everywhere. No connection can be opened while it runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import socket
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

from benchmarks.peers.haystack import haystack
from benchmarks.peers.langchain import langchain
from benchmarks.peers.llamaindex import llamaindex
from benchmarks.peers.shared import Search, SharedEmbedder, Texts
from benchmarks.peers.txtai import txtai
from plugin.bootstrap import Services
from plugin.evaluation.retrieval import (
    DENSE,
    Measured,
    Searched,
    by_document,
    document_keys,
    measure,
    pick_baseline,
    report,
    search_all,
)
from plugin.evaluation.retrieval_data import LabelledSet, read_set
from plugin.evaluation.retrieval_run import read_inquiries
from plugin.evaluation.retrieval_store import Kept, RememberingEmbedder, indexed
from plugin.evaluation.retrieval_tables import print_differences, print_figures
from plugin.progress import progress_bar
from plugin.settings import load_settings

Build = Callable[[Texts, SharedEmbedder, str], Search]
PEERS: Mapping[str, tuple[Build, tuple[str, ...]]] = {
    "langchain": (langchain, ("langchain-classic", "langchain-community", "langchain-chroma", "rank-bm25")),
    "haystack": (haystack, ("haystack-ai",)),
    "txtai": (txtai, ("txtai", "faiss-cpu")),
    "llamaindex": (llamaindex, ("llama-index-core", "llama-index-retrievers-bm25", "bm25s")),
}
SILENT = {"HAYSTACK_TELEMETRY_ENABLED": "False", "DO_NOT_TRACK": "1", "TQDM_DISABLE": "1"}


def forbid_network() -> None:
    """Every attempt to connect fails from here on, whatever library makes it."""

    def refuse(*_arguments: object, **_options: object) -> NoReturn:
        raise ConnectionRefusedError("the bench is offline")

    socket.socket.connect = refuse  # type: ignore[method-assign]
    socket.socket.connect_ex = refuse  # type: ignore[method-assign]


def measure_set(labelled: LabelledSet, kept: Kept) -> list[Measured]:
    """Ours and its single runs first, then the peers."""
    with indexed(labelled.corpus, (), kept) as (services, _):
        inquiries = read_inquiries(labelled, services, kept)
        queries: dict[str, str] = {}
        with progress_bar("Citedesk") as bar:
            found = search_all(
                services,
                inquiries,
                lambda done, total: bar.step(done, total, ""),
                lambda query_id, retrieval: queries.update({query_id: retrieval.queries[0].text}),
            )
        found |= _peers(services, queries, kept)
    return [measure(name, run.rankings, labelled.qrels, run.seconds) for name, run in found.items()]


def _peers(services: Services, queries: Mapping[str, str], kept: Kept) -> dict[str, Searched]:
    passages = _passages(services)
    with closing(RememberingEmbedder(services.embedder, kept.folder / "vectors.db")) as remembering:
        embedder = SharedEmbedder(remembering, passages)
    names = document_keys(services)
    found = {}
    for name, (build, _) in PEERS.items():
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, progress_bar(name) as bar:
            search = build(passages, embedder, folder)
            search("warm")
            found[name] = _searched(search, queries, names, lambda done, total: bar.step(done, total, ""))
    return found


def _searched(
    search: Search,
    queries: Mapping[str, str],
    names: Mapping[str, Sequence[str]],
    step: Callable[[int, int], None],
) -> Searched:
    rankings, seconds = {}, []
    for number, (query_id, text) in enumerate(queries.items(), 1):
        since = time.perf_counter()
        ranking = search(text)
        seconds.append(time.perf_counter() - since)
        rankings[query_id] = by_document(ranking, names)
        step(number, len(queries))
    return Searched(rankings, seconds)


def _passages(services: Services) -> Texts:
    """Every passage of the documentation, a text only once."""
    with services.uow() as tx:
        every = [p for doc_id in document_keys(services) for p in tx.documents.passages_of(doc_id)]
    texts = {passage.contextual_text: passage.passage_id for passage in every}
    return Texts(list(texts.values()), list(texts))


def figures(sets: Sequence[Path], split: str, corpus: Path | None, kept: Kept) -> list[dict[str, Any]]:
    results = []
    for data in sets:
        labelled = read_set(data, split, corpus)
        systems = measure_set(labelled, kept)
        print(f"\n{labelled.name}, {len(labelled.qrels)} queries")
        print_figures(systems)
        ours = systems[0]
        print_differences(systems, ours)
        against = pick_baseline(DENSE, systems, labelled.qrels)
        results.append(report(systems, against, labelled.qrels, {"set": labelled.name, "split": split}))
    return results


def versions() -> dict[str, str]:
    packages = [package for _, needed in PEERS.values() for package in needed]
    return {package: metadata.version(package) for package in ("citedesk", "ir-measures", "chromadb", *packages)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, action="append", required=True, help="BEIR folder; as often as you like")
    parser.add_argument("--split", default="dev", help="which queries and judgements")
    parser.add_argument("--corpus", type=Path, help="documents, where they are not in the folder")
    parser.add_argument("--keep", type=Path, default=Path("var/evaluation"), help="where indexes are kept")
    parser.add_argument("--json", type=Path, help="write all figures there")
    asked = parser.parse_args()
    os.environ.update(SILENT)
    forbid_network()
    results = figures(asked.data, asked.split, asked.corpus, Kept(asked.keep, load_settings(), progress_bar))
    content = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": f'make bench-retrieval DATA="{" ".join(path.name for path in asked.data)}"',
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "versions": versions(),
        "sets": results,
    }
    if asked.json:
        asked.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
