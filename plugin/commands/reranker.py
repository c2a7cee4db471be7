"""`citedesk reranker`: learn from judged or approved answers what to rank first, if that earns its place."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from plugin.commands.common import EnvOption, settings_for

app = typer.Typer(help="Learn from your own judgements what to rank first.", no_args_is_help=True)


class Kind(StrEnum):
    """What can be trained."""

    SCORES = "scores"
    CROSS_ENCODER = "cross-encoder"
    BI_ENCODER = "bi-encoder"


class Source(StrEnum):
    """Where judgements can come from besides a test collection."""

    APPROVALS = "approvals"


@app.callback()
def reranker() -> None:
    """Learn from your own judgements what to rank first."""


@app.command()
def train(
    out: Annotated[Path, typer.Option("--out", help="Folder to write, if it has earned its place.")],
    data: Annotated[
        Path | None, typer.Option("--data", exists=True, help="Judged queries: a folder in BEIR's layout.")
    ] = None,
    split: Annotated[str, typer.Option("--split", help="Which queries and judgements of the folder.")] = "dev",
    solved: Annotated[
        Path | None,
        typer.Option("--solved", exists=True, dir_okay=False, help="Learn from these solved tickets (`kb`) instead."),
    ] = None,
    source: Annotated[
        Source | None, typer.Option("--from", help="Learn from this installation's approved drafts.")
    ] = None,
    guard: Annotated[
        list[Path] | None, typer.Option("--guard", exists=True, help="Another judged folder, which must not lose.")
    ] = None,
    kind: Annotated[Kind, typer.Option("--kind", help="Weights over scores, or a fine-tuned model.")] = Kind.SCORES,
    base: Annotated[
        str, typer.Option("--base", help="Model to start from: a folder, or the packaged all-MiniLM-L6-v2.")
    ] = "packaged",
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, help="Longest time to fine-tune.")] = 60.0,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Times each example is seen while fine-tuning.")] = 3,
    rate: Annotated[float, typer.Option("--rate", min=1e-7, max=1.0, help="Learning rate of fine-tuning.")] = 5e-5,
    seed: Annotated[int, typer.Option("--seed", help="Of everything random in fine-tuning.")] = 7,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures there.")] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Where indexes are kept for the next time; `evaluation` in the data folder."),
    ] = None,
    env_file: EnvOption = None,
) -> None:
    """Train a ranker and install it only if it ranks better than without it on queries it has not seen.

    Better means: the 95 % interval of the gain in nDCG@10 lies above 0, and no --guard loses beyond chance. Else
    nothing is written and the command exits with 5. Without --solved the judged queries are split (or, for `scores`,
    cross-validated); with it all of them are kept for measuring.

    Examples:

        citedesk reranker train --from approvals --out rankers/june

        citedesk reranker train --data sets/helpdesk --solved solved.jsonl --guard sets/api --out rankers/june

        citedesk reranker train --data sets/helpdesk --kind cross-encoder --minutes 240 --out rankers/june
    """
    from plugin.evaluation.reranker_job import Job, run_job
    from plugin.evaluation.reranker_tables import print_comparisons, write_report

    settings = settings_for(env_file)
    job = Job(
        kind=kind,
        out=out,
        data=data,
        split=split,
        solved=solved,
        from_approvals=source is Source.APPROVALS,
        guards=tuple(guard or ()),
        base=base,
        minutes=minutes,
        epochs=epochs,
        rate=rate,
        seed=seed,
        keep=keep or settings.data_dir / "evaluation",
    )
    outcome = run_job(job, settings)
    print_comparisons(outcome)
    if json_file:
        write_report(json_file, outcome)
    if outcome.refusal is not None:
        raise outcome.refusal
    typer.echo(f"Installed in {out}. Turn it on with {' '.join(outcome.turn_on)}")
