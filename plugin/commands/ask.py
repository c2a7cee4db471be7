"""`citedesk ask`"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, DocumentUnreadable
from plugin.commands.common import DataOption, EnvOption, settings_for

if TYPE_CHECKING:
    from core.usecases.ask_files import GivenFile
    from plugin.settings import Settings


def ask(
    words: Annotated[
        list[str], typer.Argument(metavar="QUESTION", help="What you want to know; `-` reads standard input.")
    ],
    docs: Annotated[
        list[Path] | None,
        typer.Option(
            "--docs",
            metavar="FILE...",
            help="Answer from these files alone (md, html, rst, txt, pdf, jsonl); the question comes last. "
            "They are read into an index of their own, which is deleted after the answer.",
            show_default=False,
        ),
    ] = None,
    tenant: Annotated[
        str, typer.Option(help="Whose documentation to answer from; as CITEDESK_ASK_TENANT says if empty.")
    ] = "",
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Answer a question from the documentation, every sentence with its source, or say what is missing.

    Examples:

        citedesk ask "How do I import bookmarks from Chrome?"

        citedesk ask - < question.txt

        citedesk ask --docs manual.pdf notes.md "How do I reset the pump?"
    """
    settings = settings_for(env_file, data_dir=data)
    question = typer.get_text_stream("stdin").read() if words[-1] == "-" else words[-1]
    files = [*(docs or []), *map(Path, words[:-1])]
    if files and not docs:
        raise BadInput("There is more than one question.", hint="Put the question in quotation marks.")
    if files:
        _answer_from_files(settings, question, files)
    else:
        _answer_from_docs(settings, question, tenant)


def _answer_from_docs(settings: Settings, question: str, tenant: str) -> None:
    from plugin.asking import ask_docs
    from plugin.bootstrap import open_services
    from plugin.commands.printing import print_answer

    services = open_services(settings)
    try:
        answer = ask_docs(services, question, tenant)
    finally:
        services.close()
    print_answer(answer)


def _answer_from_files(settings: Settings, question: str, files: Sequence[Path]) -> None:
    from plugin.asking import ask_with_files
    from plugin.commands.printing import print_answer

    given = ask_with_files(settings, question, _read(files, settings.ask_max_bytes))
    print_answer(given.answer)
    for unread in given.unread:
        typer.echo(f"  not read: {unread.name}: {unread.reason}", err=True)


def _read(files: Sequence[Path], max_bytes: int) -> list[GivenFile]:
    """The files' content, no more than is needed to see that they are too large."""
    from core.usecases.ask_files import GivenFile

    read = []
    for path in files:
        try:
            with path.open("rb") as file:
                read.append(GivenFile(str(path), file.read(max_bytes + 1)))
        except OSError as error:
            raise DocumentUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    return read
