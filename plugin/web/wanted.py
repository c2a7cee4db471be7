"""Does the caller want JSON or a page?"""

from __future__ import annotations

from flask import request

MACHINE_PATHS = ("/api/", "/webhooks/", "/healthz", "/readyz")


def wants_json() -> bool:
    """Machines by their path; the pages' own scripts by what they say they accept."""
    if request.path.startswith(MACHINE_PATHS):
        return True
    accepted = request.accept_mimetypes
    return accepted["application/json"] > accepted["text/html"]
