"""What a request handler reaches: the services of this process."""

from __future__ import annotations

from typing import cast

from flask import current_app

from plugin.bootstrap import Services

KEY = "citedesk"


def services() -> Services:
    return cast(Services, current_app.extensions[KEY])
