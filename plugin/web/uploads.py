"""How much a request may carry: a form's worth, or the files of a question from somebody who is signed in."""

from __future__ import annotations

from contextlib import closing

from flask import Flask, request
from flask_login import current_user
from werkzeug.datastructures import FileStorage

from core.usecases.ask_files import GivenFile
from plugin.web.state import services

WITH_FILES = "/api/ask"
FORM_BYTES = 200_000
"""What a question with files has besides the files: the question itself, and what stands between the parts."""


def install(app: Flask) -> None:
    """Before the protection against forged forms is, which reads the form."""
    app.before_request(_make_room)


def _make_room() -> None:
    if request.path == WITH_FILES and current_user.is_authenticated:
        request.max_content_length = services().settings.ask_max_bytes + FORM_BYTES


def given_files() -> list[GivenFile]:
    """The files of the request's field `files`, with their content."""
    return [GivenFile(part.filename or "", _content(part)) for part in request.files.getlist("files")]


def _content(part: FileStorage) -> bytes:
    with closing(part):
        return bytes(part.read())
