"""One hash for a domain object, equal before and after it was stored."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from datetime import UTC, datetime
from typing import Any


def fingerprint(*parts: object) -> str:
    """Hex SHA-256 of the parts' canonical JSON; dataclasses count by their fields, moments by their UTC instant.

    >>> fingerprint(("a", 1)) == fingerprint(["a", 1])
    True
    """
    canonical = json.dumps(parts, default=_plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")
