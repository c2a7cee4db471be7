"""Writing a file exactly once and for good, whoever else tries and whatever gets killed."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

STALE_AFTER_S = 3600
_TEMPORARY = ".tmp"


def write_once(path: Path, content: bytes) -> bool:
    """Create `path` with all of `content`, durably; False, and nothing changed, when it is there already.

    The content is complete and on disk before the name appears: a hard link, unlike a rename, never replaces
    what another thread or process put there first. Needs a file system with hard links. Raises `OSError`.
    """
    _make_folder(path.parent)
    temporary = path.parent / f".{uuid4().hex}{_TEMPORARY}"
    try:
        _write_durably(temporary, content)
        os.link(temporary, path)
        created = True
    except FileExistsError:
        created = False
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return created


def remove_stale(folder: Path) -> None:
    """Remove temporary files that writers killed more than an hour ago left behind."""
    oldest = time.time() - STALE_AFTER_S
    for path in folder.glob(f".*{_TEMPORARY}"):
        with suppress(FileNotFoundError):  # its writer, or another cleaner, was faster
            if path.stat().st_mtime < oldest:
                path.unlink()


def _write_durably(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _sync_folder(folder.parent)
        _sync_folder(folder.parent.parent)


def _sync_folder(folder: Path) -> None:
    """Make the names in it durable, as fsync(2) says: syncing a file does not sync its entry in the folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
