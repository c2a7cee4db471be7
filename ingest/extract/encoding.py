"""Bytes of unknown encoding to text."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from core.errors import DocumentUnreadable

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """`note` is empty unless the encoding was a guess."""

    text: str
    note: str = ""


def decode(payload: bytes, declared: str = "") -> Decoded:
    """By byte order mark, as UTF-8, as what the document declares, else as Windows-1252, else as Latin-1.

    Raises `DocumentUnreadable` for binary content.
    """
    for mark, encoding in _MARKS:
        if payload.startswith(mark):
            return _marked(payload, encoding)
    if b"\0" in payload:
        raise DocumentUnreadable("This is not a text file: it holds binary data.")
    for encoding in ("utf-8", declared):
        text = _try(payload, encoding)
        if text is not None:
            return Decoded(text)
    text = _try(payload, "cp1252")
    if text is not None:
        return Decoded(text, "not UTF-8: read as Windows-1252")
    return Decoded(payload.decode("latin-1"), "not UTF-8: read as Latin-1")


def _marked(payload: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(payload.decode(encoding))
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(f"The file says it is {encoding} but is not.") from error


def _try(payload: bytes, encoding: str) -> str | None:
    """None when it is not in this encoding, or there is none of this name; UTF-16 needs its mark to be believed."""
    if not encoding or encoding.lower().startswith(("utf-16", "utf-32", "utf16", "utf32")):
        return None
    try:
        return payload.decode(encoding)
    except (UnicodeError, LookupError):
        return None
