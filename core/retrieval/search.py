"""Retrieval: lexical and dense runs for each collection, fused into one list of passages.

Every stage is a function that gives a `Run` with rank and score of each item; all of them are kept.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.passage import Passage, Run, document_of
from core.domain.retrieval import Retrieval, WeightedQuery
from core.errors import IndexUnavailable
from core.ports import Embedder, LexicalIndex, Timer, VectorIndex
from core.retrieval.fusion import best_first, fuse_z, z_scores
from core.retrieval.runs import Ranking, by_document, ranked, search_dense, search_lexical
from core.retrieval.stages import DEFAULT, Stages
from core.retrieval.voters import Ballot, bonuses, voter_count

SIMILAR_K = 5

Passages = Callable[[Sequence[str]], Mapping[str, Passage]]
"""Those of these ids that are still known."""


@dataclass(frozen=True, slots=True)
class Found:
    """The runs of one search; each sequence has one run a collection, in the same order, or is empty.

    `lexical` and `dense` rank passages, `wholes` and `openings` documents.
    """

    lexical: Sequence[Run]
    dense: Sequence[Run]
    wholes: Sequence[Run] = ()
    openings: Sequence[Run] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        return (*self.lexical, *self.dense, *self.wholes, *self.openings)


def retrieve(
    queries: Sequence[WeightedQuery],
    *,
    collections: Mapping[str, float],
    lexical: LexicalIndex,
    vectors: VectorIndex,
    embedder: Embedder,
    passages: Passages,
    depth: int,
    k: int,
    dense_weight: float,
    timer: Timer,
    similar_in: Sequence[str] = (),
    stages: Stages = DEFAULT,
    ballot: Ballot | None = None,
    kind: str = "",
) -> Retrieval:
    """Search every collection both ways with all queries, fuse, and keep the best `k` passages.

    `collections` maps names to weights: ln(weight) is added to the fused score (in standard deviations) of the
    collection's passages, so 1 changes nothing and 0 leaves it out. `passages` gives those that are still known;
    others are dropped, and counted in the fused run's parameters. What raises `Unavailable` leaves degraded runs
    and a word in `reduced`; when nothing answers, raises `IndexUnavailable`. `EmbedderMismatch` gets through.
    `similar_in` names collections of solved tickets whose own best `SIMILAR_K` each are kept as a run "similar",
    whether or not they are among the best of all: for people to look at, not to draft from. With a `ballot` the
    tickets that were found vote for the documents that solved them. `kind` is the class of the query, to be recorded.
    """
    weights = {name: weight for name, weight in collections.items() if weight > 0}
    started = timer()
    lexical_runs, wholes = _lexical(queries, weights, lexical, depth, timer, stages)
    searched = timer()
    dense_runs, openings = search_dense(
        queries,
        weights,
        index=vectors,
        embedder=embedder,
        depth=depth,
        timer=timer,
        centre=stages.centre,
        openings=stages.opening_weight > 0,
    )
    found = Found(lexical_runs, _with_gaps_named(lexical_runs, dense_runs), wholes, openings)
    fusing = timer()
    _refuse_when_nothing_answers([*found.lexical, *found.dense])
    voters = voter_count(ballot.collections, lexical=lexical, vectors=vectors) if ballot else 0
    scores, votes = _scores(found, weights, dense_weight, stages, ballot, voters, passages)
    kept, known, dropped = _known(best_first(scores), passages, k)
    similar, beside = _similar(similar_in, found.runs, scores, passages)
    ended = timer()
    parameters = _parameters(weights, dense_weight, stages, dropped) | ({f"class {kind}": 1.0} if kind else {})
    return Retrieval(
        queries=tuple(queries),
        runs=(*found.runs, *votes, *similar),
        fused=Run("fusion", "", ranked(kept), k, ended - fusing, parameters=parameters),
        passages=beside | known,
        reduced=reduced(found.lexical, found.dense),
        timings=(("lexical", searched - started), ("dense", fusing - searched), ("fusion", ended - fusing)),
    )


# ---------------------------------------------------------------- fusion


def fuse(
    lexical_runs: Sequence[Run], dense_runs: Sequence[Run], *, weights: Mapping[str, float], dense_weight: float
) -> dict[str, float]:
    """Fused score of every passage of any run; both sequences hold one run a collection, in the same order.

    A stage's scores are standardised over all its collections together, so that a collection in which nothing
    matches well stays behind. A passage that a run lacks is taken to score what the run's last one does if the run
    is full, else 0 (nothing else matched). Where one stage is degraded the other counts alone.
    """
    return _fused(
        [(lexical_runs, 1 - dense_weight), (dense_runs, dense_weight)], _items([*lexical_runs, *dense_runs]), weights
    )


def fuse_documents(
    found: Found, *, weights: Mapping[str, float], dense_weight: float, opening_weight: float
) -> dict[str, float]:
    """Fused score of every document that a passage was found of, by the same rules.

    Its lexical score is that of the whole document, its dense score that of its best passage; its opening counts
    `opening_weight` beside the two, which weigh 1 together. Where there is no run over whole documents the best
    passage stands for the document.
    """
    lexical, dense = (list(map(by_document, runs)) for runs in (found.lexical, found.dense))
    candidates = _items([*lexical, *dense])
    wholes = _filled(found.wholes, lexical)
    weighted = [(wholes, 1 - dense_weight), (dense, dense_weight)]
    openings = _named_empty(found.openings, dense)
    return _fused([*weighted, (openings, opening_weight)] if openings else weighted, candidates, weights)


def lifted(passages: Mapping[str, float], documents: Mapping[str, float]) -> dict[str, float]:
    """Passages in the order of their documents: a document's best passage has the document's score, the others follow
    at their distance from it.

    >>> scores = {"a@00000000#0": 1.0, "a@00000000#1": 0.25, "b@00000000#0": 0.5}
    >>> lifted(scores, {"a": 1.0, "b": 2.0})
    {'a@00000000#0': 1.0, 'a@00000000#1': 0.25, 'b@00000000#0': 2.0}
    """
    best: dict[str, float] = defaultdict(lambda: -math.inf)
    for name, score in passages.items():
        best[document_of(name)] = max(best[document_of(name)], score)
    return {name: documents[document_of(name)] + score - best[document_of(name)] for name, score in passages.items()}


def reduced(lexical_runs: Sequence[Run], dense_runs: Sequence[Run]) -> tuple[str, ...]:
    """What did not work, in words for a badge: "lexical only", "dense only", or which collection that holds for."""
    words = {
        (False, True): "lexical only",
        (True, False): "dense only",
        (True, True): "not searched",
    }
    states = [
        (one.collection, words.get((bool(one.degraded), bool(other.degraded)), ""))
        for one, other in zip(lexical_runs, dense_runs, strict=True)
    ]
    if len({word for _, word in states}) == 1:
        return tuple(filter(None, {word for _, word in states}))
    return tuple(f"{name}: {word}" for name, word in states if word)


def _lexical(
    queries: Sequence[WeightedQuery],
    names: Mapping[str, float],
    index: LexicalIndex,
    depth: int,
    timer: Timer,
    stages: Stages,
) -> tuple[list[Run], list[Run]]:
    """The runs over passages, and those over whole documents unless that stage is off."""
    passages = search_lexical(queries, names, index=index, depth=depth, timer=timer)
    if not stages.documents:
        return passages, []
    return passages, search_lexical(queries, names, index=index, depth=depth, timer=timer, documents=True)


def _scores(
    found: Found,
    weights: Mapping[str, float],
    dense_weight: float,
    stages: Stages,
    ballot: Ballot | None,
    voters: int,
    passages: Passages,
) -> tuple[dict[str, float], tuple[Run, ...]]:
    """The fused score of every passage, and the run of votes if there was a ballot."""
    scores = fuse(found.lexical, found.dense, weights=weights, dense_weight=dense_weight)
    if not (stages.documents or stages.opening_weight or stages.vote_weight):
        return scores, ()
    documents = fuse_documents(found, weights=weights, dense_weight=dense_weight, opening_weight=stages.opening_weight)
    votes: tuple[Run, ...] = ()
    if ballot is not None and stages.vote_weight > 0:
        added = _votes(found, scores, documents, ballot, stages.vote_weight, voters, passages)
        votes = (
            Run(
                "votes",
                "",
                ranked(best_first(added)),
                len(added),
                parameters={"weight": stages.vote_weight, "voters": float(voters)},
            ),
        )
        documents |= {doc_id: documents[doc_id] + bonus for doc_id, bonus in added.items() if doc_id in documents}
    return lifted(scores, documents), votes


def _votes(
    found: Found,
    scores: Mapping[str, float],
    documents: Mapping[str, float],
    ballot: Ballot,
    weight: float,
    voters: int,
    passages: Passages,
) -> dict[str, float]:
    """What each document gains by the solved tickets that were found."""
    best: dict[str, str] = {}
    for name in _items([run for run in found.runs if run.collection in ballot.collections]).values():
        for passage_id in sorted(name & scores.keys(), key=lambda each: (-scores[each], each)):
            best.setdefault(document_of(passage_id), passage_id)
    tickets = passages(list(best.values()))
    solved_by = {doc_id: tickets[name].solved_by for doc_id, name in best.items() if name in tickets}
    return bonuses(
        ballot.votes({doc_id: documents[doc_id] for doc_id in solved_by}, solved_by),
        weight=weight,
        voters=voters,
    )


def _fused(
    stages: Sequence[tuple[Sequence[Run], float]],
    candidates: Mapping[str, set[str]],
    weights: Mapping[str, float],
) -> dict[str, float]:
    """Each stage's z, summed by weight over the stages that work; `candidates` are what is scored, by collection."""
    standardised = [(_standardised(runs, candidates), weight) for runs, weight in stages]
    fused: dict[str, float] = {}
    for name in candidates:
        alive = [(z[name], weight) for z, weight in standardised if name in z]
        lists = alive if sum(weight for _, weight in alive) > 0 else [(z, 1.0) for z, _ in alive]
        shift = math.log(weights[name])
        fused |= {item: score + shift for item, score in fuse_z(lists).items()}
    return fused


def _items(runs: Sequence[Run]) -> dict[str, set[str]]:
    """What the runs found, by collection."""
    found: dict[str, set[str]] = {run.collection: set() for run in runs}
    for run in runs:
        found[run.collection].update(item.passage_id for item in run.items)
    return found


def _filled(runs: Sequence[Run], instead: Sequence[Run]) -> list[Run]:
    """The runs, each replaced by its substitute where it found nothing or did not answer."""
    return [
        run if run.items and not run.degraded else other for run, other in zip(runs or instead, instead, strict=True)
    ]


def _named_empty(runs: Sequence[Run], beside: Sequence[Run]) -> list[Run]:
    """A run that found nothing where another did counts as one that did not answer."""
    pairs = zip(runs, beside, strict=True) if runs else ()
    return [
        replace(run, degraded=run.degraded or "nothing") if other.items and not run.items else run
        for run, other in pairs
    ]


def _standardised(runs: Sequence[Run], candidates: Mapping[str, set[str]]) -> dict[str, dict[str, float]]:
    """z of every candidate, by collection; degraded runs have none."""
    answered = [run for run in runs if not run.degraded]
    found = {item.passage_id: item.score for run in answered for item in run.items}
    missing = {
        passage_id: _floor(run)
        for run in answered
        for passage_id in candidates[run.collection]
        if passage_id not in found
    }
    z = z_scores(found, missing)
    return {
        run.collection: {passage_id: z[passage_id] for passage_id in candidates[run.collection]} for run in answered
    }


def _floor(run: Run) -> float:
    return run.items[-1].score if len(run.items) >= run.depth else 0.0


# ---------------------------------------------------------------- what is kept


def _with_gaps_named(lexical_runs: Sequence[Run], dense_runs: Sequence[Run]) -> list[Run]:
    """A dense search always finds something where there is anything: nothing beside lexical hits is a lost index."""
    return [
        replace(dense, degraded=f"The dense index holds nothing of {dense.collection}.")
        if lexical.items and not dense.items and not dense.degraded
        else dense
        for lexical, dense in zip(lexical_runs, dense_runs, strict=True)
    ]


def _known(ranking: Ranking, passages: Passages, k: int) -> tuple[list[tuple[str, float]], dict[str, Passage], int]:
    """The best `k` that the repository still knows, their passages, and how many it did not know on the way there.

    Asks for `k` at a time.
    """
    known: dict[str, Passage] = {}
    kept: list[tuple[str, float]] = []
    dropped = 0
    for start in range(0, len(ranking), k):
        block = ranking[start : start + k]
        known |= passages([passage_id for passage_id, _ in block])
        there = [item for item in block if item[0] in known]
        kept += there
        dropped += len(block) - len(there)
        if len(kept) >= k:
            break
    return kept[:k], {passage_id: known[passage_id] for passage_id, _ in kept[:k]}, dropped


def _similar(
    names: Sequence[str], runs: Sequence[Run], scores: Mapping[str, float], passages: Passages
) -> tuple[list[Run], dict[str, Passage]]:
    """A run of each collection's own best passages, where there are any, and those passages."""
    found: list[Run] = []
    beside: dict[str, Passage] = {}
    for name in names:
        items = _items([run for run in runs if run.collection == name]).get(name, set())
        own = {passage_id: scores[passage_id] for passage_id in items if passage_id in scores}
        kept, known, _ = _known(best_first(own), passages, SIMILAR_K)
        found += [Run("similar", name, ranked(kept), SIMILAR_K)] if kept else []
        beside |= known
    return found, beside


def _parameters(weights: Mapping[str, float], dense_weight: float, stages: Stages, dropped: int) -> dict[str, float]:
    named = {f"weight_{name}": weight for name, weight in weights.items()}
    switches = {"documents": float(stages.documents), "opening_weight": stages.opening_weight}
    return {"dense_weight": dense_weight, "dropped": float(dropped), **switches, **named}


def _refuse_when_nothing_answers(runs: Sequence[Run]) -> None:
    if runs and all(run.degraded for run in runs):
        reasons = " ".join(dict.fromkeys(run.degraded for run in runs))
        raise IndexUnavailable(f"No index answers: {reasons}")
