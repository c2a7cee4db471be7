"""A ranker learned from judged tickets: it corrects a document's fused score by what else the runs say about it.

The correction is linear, so that a person can read it, and 0 where nothing was learned: then the order is that of the
fused scores. `core.retrieval.learning` finds the weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.domain.passage import Run, document_of
from core.domain.provenance import Component
from core.domain.retrieval import Retrieval
from core.errors import BadInput
from core.retrieval.fusion import best_first, z_scores
from core.retrieval.runs import Ranking, ranked

DEPTH = 50
"""Fused passages whose documents are put in another order: nDCG@10 looks at few more, and deeper ones are noise."""

RANK_K = 10
"""A rank counts as RANK_K / (RANK_K + rank): 0.91 for the first, 0.5 for the tenth."""

FEATURES = (
    "whole",  # z of BM25 over the whole document
    "passage",  # z of BM25 of its best passage
    "dense",  # z of the cosine of its best passage
    "second",  # z of the cosine of its second-best passage
    "opening",  # z of the cosine to its title and first words
    "agreement",  # the lower one of whole and dense
    "whole rank",  # of the document among the whole ones, 0..1
    "dense rank",  # of its best passage's document, 0..1
    "spread",  # ln(1 + how many of its passages the dense run holds)
    "votes",  # what solved tickets added to its fused score
)

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranker:
    """`weights` by name of feature; a feature without one counts 0. `depth` as `DEPTH`; name and hash of its file."""

    weights: Mapping[str, float]
    depth: int = DEPTH
    name: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        unknown = sorted(set(self.weights) - set(FEATURES))
        if unknown or not all(map(math.isfinite, self.weights.values())):
            raise BadInput(f"A ranker with unusable weights: {', '.join(unknown) or 'not numbers'}.")

    @property
    def component(self) -> Component:
        return Component("ranker", self.name, "1", self.sha256)

    def scores(self, candidates: Candidates) -> dict[str, float]:
        """The corrected score of each document: in the fused score's unit, the standard deviation."""
        weights = np.array([self.weights.get(name, 0.0) for name in FEATURES])
        corrected = candidates.fused + candidates.features @ weights
        return dict(zip(candidates.documents, corrected.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Candidates:
    """The documents of one retrieval, best first: `fused` is float64[n], `features` float64[n, len(FEATURES)]."""

    documents: tuple[str, ...]
    fused: Matrix
    features: Matrix


def candidates(retrieval: Retrieval, depth: int = DEPTH) -> Candidates:
    """The documents of the first `depth` fused passages."""
    fused = _best([(item.passage_id, item.score) for item in retrieval.fused.items[:depth]])
    names = tuple(fused)
    columns = [column for _, column in _columns(retrieval.runs, names)]
    return Candidates(names, np.array(list(fused.values())), np.array(columns, dtype=np.float64).T)


def learned_run(retrieval: Retrieval, ranking: Ranking, ranker: Ranker) -> Run:
    """The first `ranker.depth` passages in their documents' new order, those of one document at their old distances."""
    first = ranking[: ranker.depth]
    old, new = _best(first), ranker.scores(candidates(retrieval, ranker.depth))
    lifted = {name: score - old[document_of(name)] + new[document_of(name)] for name, score in first}
    return Run("learned", "", ranked(best_first(lifted)), ranker.depth, parameters=dict(ranker.weights))


def _columns(runs: Sequence[Run], names: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """(feature, its value for each document), in the order of `FEATURES`."""
    stages = {stage: _items(runs, stage) for stage in ("lexical documents", "lexical", "dense", "openings", "votes")}
    best = {stage: _best(items) for stage, items in stages.items()}
    whole, dense = (_z(best[stage], names) for stage in ("lexical documents", "dense"))
    counts = Counter(document_of(name) for name, _ in stages["dense"])
    yield "whole", whole
    yield "passage", _z(best["lexical"], names)
    yield "dense", dense
    yield "second", _z(_second(stages["dense"]), names)
    yield "opening", _z(best["openings"], names)
    yield "agreement", [min(pair) for pair in zip(whole, dense, strict=True)]
    yield "whole rank", _ranks(best["lexical documents"], names)
    yield "dense rank", _ranks(best["dense"], names)
    yield "spread", [math.log1p(counts[name]) for name in names]
    yield "votes", [best["votes"].get(name, 0.0) for name in names]


def _items(runs: Sequence[Run], stage: str) -> list[tuple[str, float]]:
    """What a stage found in all collections, best first."""
    found = {item.passage_id: item.score for run in runs if run.stage == stage for item in run.items}
    return best_first(found)


def _best(ranking: Ranking) -> dict[str, float]:
    """Each document's best score, best first."""
    best: dict[str, float] = {}
    for name, score in ranking:
        best.setdefault(document_of(name), score)
    return best


def _second(ranking: Ranking) -> dict[str, float]:
    """The score of each document's second passage, where there is one."""
    seen: Counter[str] = Counter()
    second: dict[str, float] = {}
    for name, score in ranking:
        document = document_of(name)
        seen[document] += 1
        if seen[document] == 2:
            second[document] = score
    return second


def _z(found: Mapping[str, float], names: Sequence[str]) -> list[float]:
    """z within the stage; a document the stage lacks has that of the stage's last one, 0 in a stage without any."""
    z = z_scores(found)
    last = min(z.values(), default=0.0)
    return [z.get(name, last) for name in names]


def _ranks(found: Mapping[str, float], names: Sequence[str]) -> list[float]:
    """How near the top each document is.

    >>> _ranks({"a": 9.0, "b": 8.0}, ["b", "c"])
    [0.8333333333333334, 0.0]
    """
    ranks = {name: rank for rank, name in enumerate(found, start=1)}
    return [RANK_K / (RANK_K + ranks[name]) if name in ranks else 0.0 for name in names]
