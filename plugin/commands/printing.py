"""Answers on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from core.domain.draft import Evidence, Layout, Sentence, SentenceKind
from core.usecases.ask import Answer


def print_answer(answer: Answer, console: Console | None = None) -> None:
    """The answer with its sources, or what is missing and what was nearest."""
    out = console or Console(highlight=False)
    composition = answer.composition
    if composition.abstention is not None:
        out.print("[bold]No answer in the documentation.[/]")
        if composition.abstention.missing:
            out.print("Nothing was found about: " + escape(", ".join(composition.abstention.missing)))
        out.print(escape(composition.abstention.question_back))
        _sources(out, composition.abstention.nearest, "Nearest:")
        return
    for sentence in composition.sentences:
        if sentence.kind in (SentenceKind.EVIDENCE, SentenceKind.QUESTION):
            out.print(_line(sentence))
    for question in composition.unanswered:
        out.print(f"[dim]Not answered:[/] {escape(question)}")
    _sources(out, composition.evidence, f"Sources ({composition.strength} evidence, {composition.confidence:.2f}):")


def _line(sentence: Sentence) -> str:
    marks = "".join(rf"\[{citation.marker}]" for citation in sentence.citations)
    text = escape(sentence.text) if sentence.grounded else f"[strike]{escape(sentence.text)}[/] {sentence.reason}"
    return ("  - " if sentence.layout is Layout.ITEM else "") + f"{text} {marks}"


def _sources(out: Console, evidence: tuple[Evidence, ...], heading: str) -> None:
    out.print(f"\n{heading}")
    for item in evidence:
        place = " > ".join(dict.fromkeys((item.passage.title, *item.passage.heading_path)))
        page = f", page {item.passage.page}" if item.passage.page else ""
        out.print(rf"  \[{item.marker}] {escape(place)}{page}  [dim]{escape(item.passage.url)}[/]")
