"""Measures retrieval on a test collection: the product's own search, and each of its single runs beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.domain.access import DEFAULT_TENANT, PUBLIC, Audience
from core.domain.passage import Run, document_of
from core.domain.retrieval import Inquiry, Retrieval
from core.errors import BadInput, MissingDependency
from core.evaluation.qrels import Qrels
from core.evaluation.significance import Difference, paired_bootstrap
from core.evaluation.trec import Ranking, parse_run, run_lines, strictly_falling
from core.retrieval.fusion import best_first, fuse_rrf
from plugin.bootstrap import DOCS, Services

DEFAULT, BM25, DENSE, RRF = "default", "bm25", "dense", "rrf"
SYSTEMS = (DEFAULT, BM25, DENSE, RRF)
MEASURES = ("ndcg@10", "recall@5", "recall@10", "recall@20", "mrr@10")
FAILURE = "failure@20"
SEED = 20
AUDIENCE = Audience(DEFAULT_TENANT, frozenset({PUBLIC}))

Rankings = Mapping[str, Ranking]
"""query_id -> documents, best first."""

Step = Callable[[int, int], None]
"""Told how many of how many queries are done."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What one system found for every query, and the seconds each took."""

    rankings: Rankings
    seconds: Sequence[float]


@dataclass(frozen=True, slots=True)
class Measured:
    """`values` holds one number a query for each measure, queries in order of their ids."""

    name: str
    values: Mapping[str, Sequence[float]]
    seconds: Sequence[float] = ()

    def mean(self, measure: str) -> float:
        return float(np.mean(self.values[measure]))

    def latency_ms(self) -> dict[str, float]:
        """p50 and p95; empty when nothing was timed."""
        if not self.seconds:
            return {}
        p50, p95 = np.percentile(self.seconds, [50, 95]) * 1000
        return {"p50": round(float(p50), 2), "p95": round(float(p95), 2)}


# ---------------------------------------------------------------- searching


def ignored(_query_id: str, _retrieval: Retrieval) -> None:
    """What is seen is not looked at."""


def search_all(
    services: Services, inquiries: Mapping[str, Inquiry], step: Step, see: Callable[[str, Retrieval], None] = ignored
) -> dict[str, Searched]:
    """Every system's rankings. The default is timed as a whole, a single run by the stages it needs.

    `see` is shown each query's retrieval.
    """
    names = document_keys(services)
    search = services.searcher(AUDIENCE)
    services.embedder.warm_up()
    found: dict[str, dict[str, Ranking]] = {system: {} for system in SYSTEMS}
    seconds: dict[str, list[float]] = {system: [] for system in SYSTEMS}
    for number, (query_id, inquiry) in enumerate(inquiries.items(), 1):
        since = services.timer()
        retrieval = search(inquiry)
        took = services.timer() - since
        see(query_id, retrieval)
        for system, ranking in rankings_of(retrieval, names).items():
            found[system][query_id] = ranking
        for system, lap in {DEFAULT: took, **_single_seconds(retrieval)}.items():
            seconds[system].append(lap)
        step(number, len(inquiries))
    return {system: Searched(found[system], seconds[system]) for system in SYSTEMS}


def document_keys(services: Services) -> dict[str, tuple[str, ...]]:
    """doc_id -> the corpus's own ids: several where the corpus holds the same content more than once."""
    with services.uow() as tx:
        manifest = tx.documents.manifest(DOCS)
    keys: dict[str, tuple[str, ...]] = {}
    for source_key, record in manifest.items():
        keys[record.doc_id] = (*keys.get(record.doc_id, ()), source_key)
    return keys


def rankings_of(retrieval: Retrieval, names: Mapping[str, Sequence[str]]) -> dict[str, Ranking]:
    """Documents by their best passage, for the default and for each single run; RRF is over documents, k 60.

    BM25 is over whole documents where the product has such a run.
    """
    fused = _items([retrieval.fused])
    wholes = _items(run for run in retrieval.runs if _is_docs(run, "lexical documents"))
    passages = _items(run for run in retrieval.runs if _is_docs(run, "lexical"))
    lexical = by_document(wholes or passages, names)
    dense = by_document(_items(run for run in retrieval.runs if _is_docs(run, "dense")), names)
    rrf = best_first(fuse_rrf([([name for name, _ in run], 1.0) for run in (lexical, dense)]))
    return {DEFAULT: by_document(fused, names), BM25: lexical, DENSE: dense, RRF: rrf}


def by_document(ranking: Ranking, names: Mapping[str, Sequence[str]]) -> list[tuple[str, float]]:
    """The documents in the order of their first passage, with its score; what belongs to none is passed over.

    `ranking` is of passages or of documents, `names` the corpus's ids by doc_id.

    >>> by_document([("d1@00000000#4", 3.0), ("d1@00000000#0", 2.0), ("d2@00000000#1", 1.0), ("d3", 0.5)],
    ...             {"d1": ["a"], "d2": ["b", "c"]})
    [('a', 3.0), ('b', 1.0), ('c', 1.0)]
    """
    ranked: dict[str, float] = {}
    for passage_id, score in ranking:
        for name in names.get(document_of(passage_id), ()):
            ranked.setdefault(name, score)
    return list(ranked.items())


def _is_docs(run: Run, stage: str) -> bool:
    return run.stage == stage and run.collection == DOCS


def _items(runs: Iterable[Run]) -> list[tuple[str, float]]:
    return [(item.passage_id, item.score) for run in runs for item in run.items]


def _single_seconds(retrieval: Retrieval) -> dict[str, float]:
    laps = dict(retrieval.timings)
    lexical, dense = laps.get("lexical", 0.0), laps.get("dense", 0.0)
    return {BM25: lexical, DENSE: dense, RRF: lexical + dense}


# ---------------------------------------------------------------- measuring


def measure(name: str, rankings: Rankings, qrels: Qrels, seconds: Sequence[float] = ()) -> Measured:
    """Every query of `qrels` counts; one without a ranking scores 0. Grades are gains (Järvelin and Kekäläinen 2002).

    Raises `MissingDependency` without ir_measures.
    """
    wanted = _measures()
    order = sorted(qrels)
    scores: dict[str, dict[str, float]] = {measure: dict.fromkeys(order, 0.0) for measure in wanted}
    spelled = {parsed: name for name, parsed in wanted.items()}
    run = {query_id: dict(strictly_falling(ranking)) for query_id, ranking in rankings.items() if query_id in qrels}
    for result in _calculate(list(wanted.values()), qrels, run):
        scores[spelled[result.measure]][result.query_id] = float(result.value)
    scores[FAILURE] = {query_id: 1.0 - found for query_id, found in scores[FAILURE].items()}
    return Measured(name, {measure: [values[q] for q in order] for measure, values in scores.items()}, seconds)


def _measures() -> dict[str, Any]:
    try:
        import ir_measures
    except ImportError as error:
        raise MissingDependency(
            "The package that computes the measures is not installed.", hint="pip install 'citedesk[eval]'"
        ) from error
    from ir_measures import RR, R, Success, nDCG

    assert ir_measures
    return {
        "ndcg@10": nDCG @ 10,
        "recall@5": R @ 5,
        "recall@10": R @ 10,
        "recall@20": R @ 20,
        "mrr@10": RR @ 10,
        FAILURE: Success @ 20,
    }


def _calculate(wanted: Sequence[Any], qrels: Qrels, run: Mapping[str, Mapping[str, float]]) -> Iterable[Any]:
    import ir_measures

    plain = {query_id: dict(grades) for query_id, grades in qrels.items()}
    return ir_measures.iter_calc(list(wanted), plain, run)


def differences(measured: Measured, baseline: Measured) -> dict[str, Difference]:
    """By measure, with a 95 % interval; the same queries are drawn for every system and measure."""
    return {
        name: paired_bootstrap(values, baseline.values[name], rng=np.random.default_rng(SEED))
        for name, values in measured.values.items()
    }


def check_baseline(name: str) -> None:
    """Raises `BadInput` unless it names a system or the file of a TREC run from elsewhere."""
    if name not in SYSTEMS and not Path(name).is_file():
        raise BadInput(
            f"There is no baseline {name}.", hint=f"Name one of {', '.join(SYSTEMS)}, or the file of a TREC run."
        )


def pick_baseline(name: str, systems: Sequence[Measured], qrels: Qrels) -> Measured:
    """One of the systems, or a run from elsewhere measured on the same judgements. Raises `BadInput`."""
    check_baseline(name)
    for system in systems:
        if system.name == name:
            return system
    file = Path(name)
    rankings = parse_run(file.read_text(encoding="utf-8").splitlines(), str(file))
    return measure(file.stem, rankings, qrels)


# ---------------------------------------------------------------- writing


def report(
    systems: Sequence[Measured], baseline: Measured, qrels: Qrels, about: Mapping[str, object]
) -> dict[str, Any]:
    """The figures as JSON; the first system is the product's, and stands at the top."""
    first = systems[0]
    return {
        "queries": len(qrels),
        "metrics": {name: round(first.mean(name), 4) for name in MEASURES},
        "latency_ms": first.latency_ms(),
        FAILURE: round(first.mean(FAILURE), 4),
        "baseline": baseline.name,
        "systems": {system.name: _figures(system, baseline) for system in systems},
        **about,
    }


def _figures(system: Measured, baseline: Measured) -> dict[str, Any]:
    versus = {
        name: {"mean": round(found.mean, 4), "low": round(found.low, 4), "high": round(found.high, 4)}
        for name, found in differences(system, baseline).items()
    }
    means = {name: round(system.mean(name), 4) for name in (*MEASURES, FAILURE)}
    return {"metrics": means, "latency_ms": system.latency_ms(), "difference": versus}


def write_runs(folder: Path, set_name: str, found: Mapping[str, Searched]) -> list[Path]:
    """One TREC run a system: FOLDER/SET.SYSTEM.trec."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for system, searched in found.items():
        file = folder / f"{set_name}.{system}.trec"
        file.write_text("".join(run_lines(searched.rankings, f"citedesk-{system}")), encoding="utf-8")
        files.append(file)
    return files
