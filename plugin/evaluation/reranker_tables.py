"""What training a ranker came to, as a table and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from plugin.evaluation.reranker_job import Outcome


def print_comparisons(outcome: Outcome) -> None:
    """nDCG@10 without and with the ranker, on queries it has not seen."""
    typer.echo(f"{outcome.kind}, learned from {outcome.learned_from} queries in {outcome.seconds:.0f} s; nDCG@10")
    typer.echo(f"{'set':28} {'queries':>7} {'without':>8} {'with':>8}   difference (95 %)")
    for found in outcome.comparisons:
        spread = f"{found.difference.mean:+.4f} [{found.difference.low:+.4f}, {found.difference.high:+.4f}]"
        typer.echo(f"{found.name:28} {found.queries:7} {found.before:8.4f} {found.after:8.4f}   {spread}")
    for note in outcome.notes:
        typer.echo(note)


def write_report(file: Path, outcome: Outcome) -> None:
    content = {
        "kind": outcome.kind,
        "learned_from": outcome.learned_from,
        "seconds": round(outcome.seconds, 1),
        "measure": "ndcg@10",
        "comparisons": [comparison.as_json for comparison in outcome.comparisons],
        "earned": outcome.refusal is None,
        "details": dict(outcome.details),
    }
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
