"""One training from the command's options to an installed folder, or to the reason why there is none."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from connectors.models.embedder import find_folder
from connectors.models.fine_tuning import Course
from connectors.models.reranker import CrossEncoderReranker, write_ranker
from core.errors import AlreadyExists, BadInput, NotEarned
from core.retrieval.learned import Ranker
from plugin.bootstrap import Services, open_records
from plugin.evaluation import reranker_training as training
from plugin.evaluation.reranker_judgements import JudgedRetrieval, of_approvals, of_set, of_solved
from plugin.evaluation.reranker_training import Comparison, RememberingReranker, compare, compare_orders, fused_order
from plugin.evaluation.retrieval_data import LabelledSet, read_set, read_solved
from plugin.evaluation.retrieval_store import Kept, indexed
from plugin.progress import progress_bar
from plugin.settings import Settings

SCORES, CROSS_ENCODER, BI_ENCODER = "scores", "cross-encoder", "bi-encoder"


@dataclass(frozen=True, slots=True)
class Job:
    """What was asked for; docs/cli.md describes each option."""

    kind: str
    out: Path
    data: Path | None
    split: str
    solved: Path | None
    from_approvals: bool
    guards: tuple[Path, ...]
    base: str
    minutes: float
    epochs: int
    rate: float
    seed: int
    keep: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """The first comparison decides, the others are guards. `turn_on` are settings, `refusal` why there are none."""

    kind: str
    learned_from: int
    seconds: float
    comparisons: tuple[Comparison, ...]
    refusal: NotEarned | None
    turn_on: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Material:
    """`unseen` is empty where the learning queries have to be measured on as well: then they are split or folded."""

    name: str
    learning: list[JudgedRetrieval]
    unseen: list[JudgedRetrieval]
    guards: Mapping[str, list[JudgedRetrieval]]


def run_job(job: Job, settings: Settings) -> Outcome:
    """Without the rankers of today's settings: what is trained takes their place.

    Raises `BadInput` for options that do not fit and too few judgements, `AlreadyExists` for a folder in use.
    """
    _check(job)
    kept = Kept(job.keep, settings.model_copy(update={"ranker": None, "reranker": ""}), progress_bar)
    material = _material(job, settings, kept)
    training.enough(material.learning)
    runs = {SCORES: _learn_scores, CROSS_ENCODER: _train_cross_encoder, BI_ENCODER: _train_bi_encoder}
    return runs[job.kind](job, material, kept)


def _check(job: Job) -> None:
    if job.from_approvals == (job.data is not None):
        raise BadInput("Give either --data or --from approvals.")
    if job.kind == BI_ENCODER and job.data is None:
        raise BadInput("A bi-encoder makes another index, so it can only be measured with --data.")
    if job.solved and job.data is None:
        raise BadInput("--solved goes with --data, which measures what was learned.")
    names = [folder.resolve().name for folder in (job.data, *job.guards) if folder is not None]
    if len(set(names)) < len(names):
        raise BadInput("Two of the sets have the same name.", hint="Rename a folder: figures are told apart by it.")
    if job.out.exists() and any(job.out.iterdir() if job.out.is_dir() else [job.out]):
        raise AlreadyExists(f"{job.out} is there already.", hint="Name a new folder with --out.")


def _material(job: Job, settings: Settings, kept: Kept) -> Material:
    guards = {folder.name: _judged(read_set(folder, job.split, None), kept) for folder in job.guards}
    if job.data is None:
        return Material("approved drafts", _approvals(settings), [], guards)
    labelled = read_set(job.data, job.split, None)
    judged = _judged(labelled, kept)
    if job.solved is None:
        return Material(labelled.name, judged, [], guards)
    examples = read_solved(job.solved, labelled.urls)
    with indexed(labelled.corpus, (), kept) as (services, _), kept.progress("Solved tickets") as bar:
        learning = of_solved(examples, services, kept, lambda done, total: bar.step(done, total, ""))
    return Material(labelled.name, learning, judged, guards)


def _judged(labelled: LabelledSet, kept: Kept) -> list[JudgedRetrieval]:
    with _searching(labelled, kept) as (services, bar):
        return of_set(labelled, services, kept, lambda done, total: bar.step(done, total, ""))


@contextmanager
def _searching(labelled: LabelledSet, kept: Kept) -> Iterator[tuple[Services, Any]]:
    with indexed(labelled.corpus, (), kept) as (services, _), kept.progress("Searching") as bar:
        yield services, bar


def _approvals(settings: Settings) -> list[JudgedRetrieval]:
    records = open_records(settings)
    try:
        return of_approvals(records)
    finally:
        records.close()


# ---------------------------------------------------------------- weights over scores


def _learn_scores(job: Job, material: Material, _kept: Kept) -> Outcome:
    started = time.monotonic()
    ranker = training.learn_from(material.learning)
    if material.unseen:
        first = compare(material.name, material.unseen, lambda each: training.learned_order(each, ranker))
    else:
        first = compare_orders(material.name, material.learning, training.cross_validated(material.learning))
    guards = _guarded(material, lambda each: training.learned_order(each, ranker))
    refusal = _refusal(first, guards, ranker)
    if refusal is None:
        write_ranker(job.out, ranker, {"queries": len(material.learning), "gain": first.as_json})
    weights = "weights: " + ", ".join(f"{name} {weight:+.3f}" for name, weight in ranker.weights.items() if weight)
    return Outcome(
        job.kind,
        len(material.learning),
        time.monotonic() - started,
        (first, *guards),
        refusal,
        (f"CITEDESK_RANKER={job.out.resolve()}",),
        (weights,),
        {"weights": dict(ranker.weights)},
    )


def _guarded(material: Material, order: training.Order) -> tuple[Comparison, ...]:
    return tuple(compare(name, judged, order) for name, judged in material.guards.items())


def _refusal(first: Comparison, guards: Sequence[Comparison], ranker: Ranker | None = None) -> NotEarned | None:
    try:
        if ranker is not None:
            training.judge_learned(ranker)
        training.judge_place(first, guards)
    except NotEarned as refusal:
        return refusal
    return None


# ---------------------------------------------------------------- fine-tuned models


def _course(job: Job, kept: Kept) -> Course:
    threads = kept.settings.model_threads or 1
    return Course(
        job.kind,
        find_folder(job.base),
        epochs=job.epochs,
        learning_rate=job.rate,
        seconds=job.minutes * 60,
        seed=job.seed,
        threads=threads,
    )


def _divided(material: Material) -> tuple[list[JudgedRetrieval], list[JudgedRetrieval]]:
    """(to learn from, never seen)."""
    if material.unseen:
        return material.learning, material.unseen
    return training.split(material.learning, training.TEST_SHARE)


def _trained(job: Job, learning: Sequence[JudgedRetrieval], kept: Kept) -> tuple[Path, list[JudgedRetrieval]]:
    """The folder of the candidate, beside where it would be installed, and the queries that said when to stop."""
    candidate = job.out.with_name(f"{job.out.name}.candidate")
    shutil.rmtree(candidate, ignore_errors=True)
    with kept.progress("Training") as bar:
        checking = training.train(
            learning,
            _course(job, kept),
            candidate,
            lambda step, steps, loss: bar.step(step, steps, f"validation loss {loss:.3f}"),
        )
    return candidate, checking


def _train_cross_encoder(job: Job, material: Material, kept: Kept) -> Outcome:
    started = time.monotonic()
    learning, unseen = _divided(material)
    candidate, checking = _trained(job, learning, kept)
    depth = kept.settings.rerank_depth
    model = RememberingReranker(CrossEncoderReranker(str(candidate), threads=kept.settings.model_threads or 1))
    share = training.best_share(checking, model, depth)
    order = partial(training.reranked, reranker=model, share=share, depth=depth)
    first, guards = compare(material.name, unseen, order), _guarded(material, order)
    refusal = _installed(job, candidate, _refusal(first, guards))
    return Outcome(
        job.kind,
        len(learning),
        time.monotonic() - started,
        (first, *guards),
        refusal,
        (f"CITEDESK_RERANKER={job.out.resolve()}", f"CITEDESK_RERANK_SHARE={share}"),
        (f"Of {training.SHARES} the share {share} did best on the {len(checking)} queries that ended training.",),
        {"share": share},
    )


def _train_bi_encoder(job: Job, material: Material, kept: Kept) -> Outcome:
    started = time.monotonic()
    learning, unseen = _divided(material)
    candidate, _ = _trained(job, learning, kept)
    assert job.data is not None
    places = [
        (material.name, job.data, unseen),
        *((path.name, path, material.guards[path.name]) for path in job.guards),
    ]
    with _indexing_with(candidate, kept) as anew:
        comparisons = [_searched_anew(name, read_set(path, job.split, None), old, anew) for name, path, old in places]
    refusal = _installed(job, candidate, _refusal(comparisons[0], comparisons[1:]))
    return Outcome(
        job.kind,
        len(learning),
        time.monotonic() - started,
        tuple(comparisons),
        refusal,
        (f"CITEDESK_EMBEDDER={job.out.resolve()}", "and ingest everything again with --rebuild."),
    )


@contextmanager
def _indexing_with(embedder: Path, kept: Kept) -> Iterator[Kept]:
    """Where indexes of these vectors are made; deleted at the end, since the next candidate has the same name."""
    folder = kept.folder / "candidate"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield Kept(folder, kept.settings.model_copy(update={"embedder": str(embedder)}), kept.progress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _searched_anew(name: str, labelled: LabelledSet, before: Sequence[JudgedRetrieval], anew: Kept) -> Comparison:
    found = {each.query_id: fused_order(each) for each in _judged(labelled, anew)}
    return compare_orders(name, before, {each.query_id: found[each.query_id] for each in before})


def _installed(job: Job, candidate: Path, refusal: NotEarned | None) -> NotEarned | None:
    """Moves the candidate to its place, or deletes it."""
    if refusal is not None:
        shutil.rmtree(candidate)
        return refusal
    job.out.parent.mkdir(parents=True, exist_ok=True)
    if job.out.is_dir():
        job.out.rmdir()
    candidate.rename(job.out)
    return None
