"""The figures of `citedesk eval mail` as tables on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from core.evaluation.lines import LineScore
from plugin.evaluation.mail import PARTS, MailReport
from plugin.evaluation.mail_retrieval import RECALL
from plugin.evaluation.retrieval import Measured


def print_parts(reports: Sequence[MailReport], console: Console | None = None) -> None:
    """One row a set, system and part: precision, recall and F1 by line; "-" where there is nothing to find."""
    table = Table("set", "mails", "system", "faultless", "part", "lines", "precision", "recall", "F1", box=None)
    for report in reports:
        lead = (report.group, str(report.mails), report.system, f"{report.perfect:.3f}")
        for part in PARTS:
            score = report.scores[part]
            table.add_row(*lead, part, str(score.expected), *_figures(score))
            lead = ("", "", "", "")
    (console or Console(highlight=False, width=120)).print(table)


def _figures(score: LineScore) -> tuple[str, str, str]:
    precision = f"{score.precision:.3f}" if score.predicted else "-"
    recall = f"{score.recall:.3f}" if score.expected else "-"
    return precision, recall, f"{score.f1:.3f}" if score.predicted or score.expected else "-"


def print_effect(name: str, readings: Sequence[Measured], console: Console | None = None) -> None:
    """One row a reading of the threads."""
    table = Table("retrieval", "searched with", "recall@10", "nDCG@10", box=None)
    for reading in readings:
        table.add_row(name, reading.name, f"{reading.mean(RECALL):.3f}", f"{reading.mean('ndcg@10'):.3f}")
    (console or Console(highlight=False, width=120)).print(table)
