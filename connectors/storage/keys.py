"""The master key of an installation, and the keys derived from it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from core.errors import InvalidSettings

SECRET_MIN_CHARS = 32
KEY_BYTES = 32


def load_master_key(secret: str | None, key_file: Path) -> bytes:
    """The secret when there is one, else the key file's 32 bytes; the file is made at the first start.

    Raises `InvalidSettings` for a secret that is too short, and for a key file that is malformed, cannot be read or
    made, or can be read by others than its owner.
    """
    if secret:
        return check_secret(secret)
    try:
        return read_key_file(key_file) if key_file.exists() else new_key_file(key_file)
    except OSError as error:
        raise InvalidSettings(
            f"The key file {key_file} can be neither read nor made.",
            hint="Check who owns the data folder, or set CITEDESK_SECRET_KEY.",
        ) from error


def derive_key(master: bytes, purpose: str) -> bytes:
    """32 bytes for one purpose ("vault", "ledger", "session") by HKDF-SHA256 (RFC 5869)."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=f"citedesk/{purpose}".encode()).derive(master)


def check_secret(secret: str, name: str = "CITEDESK_SECRET_KEY") -> bytes:
    """The secret as key bytes. Raises `InvalidSettings` for one that is too short."""
    if len(secret) < SECRET_MIN_CHARS:
        raise InvalidSettings(f"{name} must have at least {SECRET_MIN_CHARS} characters.")
    return secret.encode()


def read_key_file(key_file: Path) -> bytes:
    """32 bytes. Raises `InvalidSettings` when it is malformed or others may read it."""
    if key_file.stat().st_mode & 0o077:
        raise InvalidSettings(f"The key file {key_file} can be read by others.", hint=f"chmod 600 {key_file}")
    try:
        key = bytes.fromhex(key_file.read_text(encoding="ascii"))
    except ValueError:  # its text would show part of the key
        key = b""
    if len(key) != KEY_BYTES:
        raise InvalidSettings(
            f"The key file {key_file} does not hold a key of {KEY_BYTES} bytes in hexadecimal.",
            hint="Put back the key file from the last backup; without it the vault stays sealed.",
        )
    return key


def new_key_file(key_file: Path) -> bytes:
    """A fresh key, unless there is one already.

    Written aside, then linked into place: nobody sees half a key, and of two first starts one key survives.
    """
    key_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = key_file.with_name(f".{key_file.name}.{secrets.token_hex(4)}")
    try:
        _write_durably(draft, secrets.token_hex(KEY_BYTES))
        _link_unless_there(draft, key_file)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(key_file.parent)
    return read_key_file(key_file)


def _write_durably(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())


def _link_unless_there(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        return  # another process was faster: its key counts


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
