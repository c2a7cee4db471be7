"""`citedesk eval`: measure a part of the product on labelled data, beside its alternatives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from plugin.commands.common import EnvOption, settings_for

app = typer.Typer(help="Measure a part of Citedesk on labelled data, beside its alternatives.", no_args_is_help=True)


@app.command()
def pii(
    data: Annotated[list[Path], typer.Option("--data", exists=True, dir_okay=False, help="Texts with labelled spans.")],
    technical: Annotated[
        list[Path] | None,
        typer.Option("--technical", exists=True, dir_okay=False, help="Texts whose identifiers must survive."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures there.")] = None,
    errors_file: Annotated[
        Path | None, typer.Option("--errors", help="Write each miss and false hit there, with the text around it.")
    ] = None,
    peers: Annotated[bool, typer.Option("--peers/--without-peers", help="Measure Presidio alone as well.")] = True,
    env_file: EnvOption = None,
) -> None:
    """Measure what the redaction finds, leaves alone and costs, beside Presidio as it comes and a tuned Presidio.

    Files are JSON lines with `text` and `spans` (`start`, `end`, `label`) or the JSON of presidio-research.

    Example:

        citedesk eval pii --data labelled.jsonl --technical tickets.jsonl --json pii.json
    """
    from plugin.bootstrap import open_peers, open_recognizer
    from plugin.evaluation import pii as measuring
    from plugin.evaluation.pii_tables import print_measured, print_survival

    settings = settings_for(env_file)
    files = {file.stem: measuring.read_labelled(file) for file in data}
    texts = {file.parent.name + "/" + file.stem: measuring.read_texts(file) for file in technical or []}
    finders = {measuring.OURS: measuring.ours(open_recognizer(settings))}
    finders |= {name: peer.recognize for name, peer in open_peers().items()} if peers else {}
    results = {name: measuring.measure(files, find) for name, find in finders.items()}
    lived = {
        name: {file: measuring.survival(members, find) for file, members in texts.items()}
        for name, find in finders.items()
    }
    print_measured(results)
    if texts:
        print_survival(lived)
    if json_file:
        reports = {name: measuring.report(results[name], lived[name]) for name in results}
        _write_json(json_file, {**reports[measuring.OURS], "systems": reports})
    if errors_file:
        every = (text for members in files.values() for text in members)
        lines = [json.dumps(error, ensure_ascii=False) for error in measuring.errors(every, finders[measuring.OURS])]
        lost = [json.dumps({"lost": line}) for result in lived[measuring.OURS].values() for line in result.lost]
        errors_file.write_text("\n".join([*lines, *lost, ""]), encoding="utf-8")


@app.command()
def retrieval(
    data: Annotated[
        Path, typer.Option("--data", exists=True, help="Folder in BEIR's layout, or a JSONL of queries with `gold`.")
    ],
    split: Annotated[str, typer.Option("--split", help="Which queries and judgements of the folder.")] = "dev",
    corpus: Annotated[
        Path | None, typer.Option("--corpus", help="JSONL of the documents, where it is not DATA/corpus.jsonl.")
    ] = None,
    solved: Annotated[
        Path | None, typer.Option("--solved", help="JSONL of solved tickets and what solved them (`kb`).")
    ] = None,
    baseline: Annotated[
        str, typer.Option("--baseline", help="What to compare with: default, bm25, dense, rrf, or a TREC run's file.")
    ] = "dense",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures there.")] = None,
    runs: Annotated[Path | None, typer.Option("--runs", help="Write a TREC run a system into this folder.")] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Where indexes are kept for the next time; `evaluation` in the data folder."),
    ] = None,
    env_file: EnvOption = None,
) -> None:
    """Measure what is found for judged queries, by the product's own search and by each of its single runs.

    A query is a raw ticket: it is cleaned, redacted and searched with as in production. A document ranks by its best
    passage. docs/evaluation.md describes the files.

    Examples:

        citedesk eval retrieval --data sets/helpdesk

        citedesk eval retrieval --data sets/helpdesk --split test --baseline bm25 --json figures.json --runs runs
    """
    from plugin.evaluation.retrieval import check_baseline, pick_baseline, report, write_runs
    from plugin.evaluation.retrieval_data import read_set, read_solved
    from plugin.evaluation.retrieval_run import evaluate
    from plugin.evaluation.retrieval_store import Kept
    from plugin.evaluation.retrieval_tables import print_differences, print_figures
    from plugin.progress import progress_bar

    settings = settings_for(env_file)
    check_baseline(baseline)
    labelled = read_set(data, split, corpus)
    examples = read_solved(solved, labelled.urls) if solved else ()
    kept = Kept(keep or settings.data_dir / "evaluation", settings, progress_bar, learned=True)
    result = evaluate(labelled, examples, kept)
    against = pick_baseline(baseline, result.systems, labelled.qrels)
    for note in result.notes:
        typer.echo(note)
    voters = f", {len(examples)} solved tickets" if solved else ""
    typer.echo(f"{labelled.name}, {len(labelled.qrels)} queries{voters}")
    print_figures(result.systems)
    print_differences(result.systems, against)
    if runs:
        write_runs(runs, labelled.name, result.found)
    if json_file:
        _write_json(json_file, report(result.systems, against, labelled.qrels, {"set": labelled.name, "split": split}))


@app.command()
def mail(
    data: Annotated[
        list[Path], typer.Option("--data", exists=True, dir_okay=False, help="Mails whose lines are labelled.")
    ],
    retrieval: Annotated[
        Path | None,
        typer.Option("--retrieval", exists=True, file_okay=False, help="Search this folder's corpus.jsonl as well."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures there.")] = None,
    with_library: Annotated[
        bool, typer.Option("--library/--without-library", help="Measure the reply-parser library as well.")
    ] = True,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Where indexes are kept for the next time; `evaluation` in the data folder."),
    ] = None,
    env_file: EnvOption = None,
) -> None:
    """Measure how mails are taken apart into message, quote, signature and disclaimer, by line.

    With --retrieval, threads that name their documents in `gold` are also searched with, cleaned and not.
    docs/evaluation.md describes the files.

    Examples:

        citedesk eval mail --data tests/data/mail/clients.jsonl

        citedesk eval mail --data threads.jsonl --retrieval sets/helpdesk --json mail.json
    """
    from plugin.evaluation import mail as measuring
    from plugin.evaluation.mail_retrieval import measure_effect
    from plugin.evaluation.mail_tables import print_effect, print_parts
    from plugin.evaluation.retrieval_data import read_set
    from plugin.progress import progress_bar

    settings = settings_for(env_file)
    mails = [labelled for file in data for labelled in measuring.read_mails(file)]
    reports = list(measuring.measure(mails, measuring.systems(with_library=with_library)))
    print_parts(reports)
    effect = {}
    for file in [file for file in data if retrieval and measuring.has_gold(file)]:
        judged = read_set(file, "", retrieval / "corpus.jsonl" if retrieval else None)
        place = keep or settings.data_dir / "evaluation"
        effect[file.stem] = measure_effect(judged, settings=settings, keep=place, progress=progress_bar)
        print_effect(file.stem, effect[file.stem])
    if json_file:
        searched = {
            name: {each.name: {key: each.mean(key) for key in each.values} for each in readings}
            for name, readings in effect.items()
        }
        _write_json(json_file, {"parts": [report.as_json() for report in reports], "retrieval": searched})


def _write_json(file: Path, content: object) -> None:
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
