"""Names of collections as names of folders and of foreign collections."""

from __future__ import annotations

import hashlib
import re

from core.errors import BadInput

_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,46}[a-z0-9])?")


def safe_name(collection: str) -> str:
    """At most 60 characters of [a-z0-9_-], no dash or underscore at the ends, one for each collection on any disk.

    A name that is like that already stays as it is; of any other one what is safe remains, with a piece of its hash.
    Raises `BadInput` for an empty name.

    >>> safe_name("docs")
    'docs'
    >>> safe_name("../Docs of ESO")
    'docs-of-eso-948f9e40'
    """
    if not collection.strip():
        raise BadInput("A collection needs a name.")
    if _SAFE.fullmatch(collection):
        return collection
    readable = re.sub(r"[^a-z0-9]+", "-", collection.casefold()).strip("-")[:40]
    mark = hashlib.sha256(collection.encode()).hexdigest()[:8]
    return f"{readable}-{mark}".lstrip("-")
