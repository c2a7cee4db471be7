"""`citedesk serve`"""

from __future__ import annotations

from typing import Annotated

import typer

from plugin.commands.common import DataOption, EnvOption, settings_for


def serve(
    data: DataOption = None,
    env_file: EnvOption = None,
    host: Annotated[str | None, typer.Option(help="Address to bind to.", show_default=False)] = None,
    port: Annotated[int | None, typer.Option(help="Port to bind to.", show_default=False)] = None,
) -> None:
    """Receive webhooks, draft replies and show the review pages, until Ctrl-C or SIGTERM.

    Examples:

        citedesk serve

        citedesk serve --host 0.0.0.0 --port 8080 --env-file /etc/citedesk.env
    """
    settings = settings_for(env_file, data_dir=data, host=host, port=port)
    from plugin.bootstrap import open_services
    from plugin.serve import RunningService, wait_for_stop

    services = open_services(settings)
    try:
        with RunningService(services):
            wait_for_stop()
    finally:
        services.close()
