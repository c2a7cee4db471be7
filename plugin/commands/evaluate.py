"""`citedesk eval`: measure a part of the product on labelled data, beside its alternatives."""

from __future__ import annotations

import typer

app = typer.Typer(help="Measure a part of Citedesk on labelled data, beside its alternatives.", no_args_is_help=True)
