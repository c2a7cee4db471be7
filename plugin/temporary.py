"""Folders that live for one question."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.domain.access import TRANSIENT_MAX_AGE

PREFIX = "citedesk-ask-"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder that only this user can read; it is deleted at the end, whatever happens."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def sweep_folders() -> int:
    """Delete this user's folders that processes that were killed have left behind; how many."""
    oldest = time.time() - TRANSIENT_MAX_AGE.total_seconds()
    stale = [path for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*") if _is_ours(path, oldest)]
    for path in stale:
        shutil.rmtree(path, ignore_errors=True)
    return len(stale)


def _is_ours(path: Path, oldest: float) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    return path.is_dir() and not path.is_symlink() and status.st_uid == os.geteuid() and status.st_mtime < oldest
