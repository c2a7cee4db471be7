"""`citedesk ask`"""

from __future__ import annotations

from typing import Annotated

import typer

from plugin.commands.common import DataOption, EnvOption, settings_for


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know; `-` reads standard input.")],
    data: DataOption = None,
    env_file: EnvOption = None,
) -> None:
    """Answer a question from the documentation, every sentence with its source, or say what is missing.

    Examples:

        citedesk ask "How do I import bookmarks from Chrome?"

        citedesk ask - < question.txt
    """
    settings = settings_for(env_file, data_dir=data)
    from core.usecases.ask import ask as ask_the_docs
    from plugin.bootstrap import open_services

    text = typer.get_text_stream("stdin").read() if question == "-" else question
    services = open_services(settings)
    try:
        answer = ask_the_docs(text, recognizer=services.recognizer, search=services.search, compose=services.compose)
    finally:
        services.close()
    from plugin.commands.printing import print_answer

    print_answer(answer)
