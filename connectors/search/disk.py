"""Whether writing failed because there is no room: the engines do not always say."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

PROBE_BYTES = 256 * 1024
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def disk_is_full(folder: Path, cause: str) -> bool:
    """Whether the engine's message says so, or else whether a small file cannot be written there for lack of room.

    False as well for a folder that is missing or not ours to write to.
    """
    if "disk is full" in cause or "No space left" in cause:
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            os.write(probe.fileno(), bytes(PROBE_BYTES))
            os.fsync(probe.fileno())
    except OSError as error:
        return error.errno in _NO_ROOM
    return False
