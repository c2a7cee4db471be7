"""`citedesk demo`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    once: Annotated[bool, typer.Option("--once", help="Print the table and exit instead of serving on.")] = False,
    docs: Annotated[
        Path | None,
        typer.Option(help="Your own folder of documentation instead of the sample.", show_default=False),
    ] = None,
    data: Annotated[
        Path, typer.Option("--data", help="Where the demo keeps its data; delete it to start afresh.")
    ] = Path("var/demo"),
    port: Annotated[int, typer.Option(help="Port of the web server; the next free one is taken.")] = 8080,
) -> None:
    """The whole product on real tickets: ingest, receive by webhook, redact, search, draft, review in the browser.

    Examples:

        citedesk demo

        citedesk demo --once

        citedesk demo --docs ./manuals
    """
    from plugin.demo import run_demo

    run_demo(data_dir=data, docs=docs, port=port, once=once)
