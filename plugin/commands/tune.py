"""`citedesk tune`"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from plugin.commands.common import EnvOption, settings_for

if TYPE_CHECKING:
    from core.evaluation.significance import Difference
    from plugin.bootstrap import Services
    from plugin.evaluation.retrieval_data import LabelledSet
    from plugin.evaluation.retrieval_store import Kept
    from plugin.evaluation.tuning import Trial, Tuning
    from plugin.settings import Settings
    from plugin.weights import LearnedWeights


def tune(
    data: Annotated[
        Path | None,
        typer.Option("--data", exists=True, help="Judged tickets: as for `citedesk eval retrieval`."),
    ] = None,
    split: Annotated[str, typer.Option("--split", help="Which queries and judgements of the folder.")] = "dev",
    corpus: Annotated[
        Path | None, typer.Option("--corpus", help="JSONL of the documents, where it is not DATA/corpus.jsonl.")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Go back to the weights of the settings.")] = False,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Where indexes are kept for the next time; `evaluation` in the data folder."),
    ] = None,
    env_file: EnvOption = None,
) -> None:
    """Learn the weights of retrieval from judged tickets, and use them from the next start on.

    They are learned over the documents that come with the tickets; where none do, over this installation's own (then
    judgements name documents as `citedesk ingest docs` does: by path or `_id`). Nothing is stored unless it is better
    by more than noise on tickets that it was not learned from.

    Examples:

        citedesk tune --data sets/helpdesk

        citedesk tune --forget
    """
    from plugin.weights import forget_weights

    settings = settings_for(env_file)
    if forget:
        there = forget_weights(settings.data_dir)
        typer.echo("The learned weights are forgotten." if there else "No weights were learned.")
    elif data is None:
        raise BadInput("There is nothing to learn from.", hint="Give --data, or --forget to go back.")
    else:
        _learn(data, split, corpus, keep or settings.data_dir / "evaluation", settings)


def _learn(data: Path, split: str, corpus: Path | None, keep: Path, settings: Settings) -> None:
    from plugin.evaluation.retrieval_run import read_inquiries
    from plugin.evaluation.retrieval_store import Kept
    from plugin.evaluation.tuning import tune as learn
    from plugin.progress import progress_bar
    from plugin.weights import save_weights

    kept = Kept(keep, settings, progress_bar)
    with _opened(data, split, corpus, kept) as (services, labelled):
        inquiries = read_inquiries(labelled, services, kept)
        with progress_bar("Weights") as bar:
            tuning = learn(
                services,
                inquiries,
                labelled.qrels,
                present=settings.dense_weight,
                step=lambda done, total: bar.step(done, total, ""),
            )
        identity = services.embedder.identity
    for note in labelled.notes:
        typer.echo(note)
    print_tuning(tuning, labelled.name)
    if tuning.chosen:
        file = save_weights(settings.data_dir, identity, learned_weights(tuning, labelled.name))
        typer.echo(f"Stored in {file}: used from the next start on.")


@contextmanager
def _opened(data: Path, split: str, corpus: Path | None, kept: Kept) -> Iterator[tuple[Services, LabelledSet]]:
    """The set and its own documents, or the installation's where it brings none."""
    from plugin.evaluation.retrieval_data import read_judged, read_set
    from plugin.evaluation.retrieval_store import indexed, installed

    if corpus or (data / "corpus.jsonl").is_file():
        labelled = read_set(data, split, corpus)
        with indexed(labelled.corpus, (), kept) as (services, _):
            yield services, labelled
    else:
        with installed(kept.settings) as (services, known):
            yield services, read_judged(data, split, Path(), known)


def print_tuning(tuning: Tuning, set_name: str) -> None:
    """What was tried, what holds, and how it stands to the better single run."""
    typer.echo(
        f"{set_name}, {tuning.queries} queries; nDCG@10 {tuning.present:.3f} with the present dense weight "
        f"{tuning.present_weight}"
    )
    for trial in tuning.trials:
        typer.echo(f"{trial.name}: {_told(trial)}; held out {_interval(trial.gain)}")
    typer.echo(f"Against {tuning.single} alone ({tuning.better_single:.3f}): {_interval(tuning.against_single)}")
    if tuning.chosen is None:
        typer.echo("Nothing is better by more than noise: the present weights stay.")


def learned_weights(tuning: Tuning, set_name: str) -> LearnedWeights:
    """What is stored. The trial must have been chosen."""
    from plugin.evaluation.tuning import class_weights
    from plugin.weights import LearnedWeights

    assert tuning.chosen is not None
    weights, gain = tuning.chosen.weights, tuning.chosen.gain
    about = {"set": set_name, "queries": tuning.queries, "gain": [gain.low, gain.mean, gain.high]}
    return LearnedWeights(weights.overall, class_weights(weights), about)


def _told(trial: Trial) -> str:
    from plugin.evaluation.tuning import class_weights

    return "; ".join(filter(None, (f"dense {trial.weights.overall}", class_weights(trial.weights))))


def _interval(found: Difference) -> str:
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
