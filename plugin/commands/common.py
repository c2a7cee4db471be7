"""What several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plugin.settings import Settings, load_settings

DataOption = Annotated[
    Path | None, typer.Option("--data", help="Data folder; stronger than CITEDESK_DATA_DIR.", show_default=False)
]
EnvOption = Annotated[
    Path | None, typer.Option("--env-file", help="Settings file instead of ./citedesk.env.", show_default=False)
]


def settings_for(env_file: Path | None, **overrides: object) -> Settings:
    """The settings, with logs set up as they say."""
    from plugin.logs import configure_logs

    settings = load_settings(env_file, **overrides)
    configure_logs(level=settings.log_level, as_json=settings.log_json)
    return settings
