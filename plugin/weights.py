"""Weights that `citedesk tune` learned, kept beside the indexes and valid for one embedder only.

They take the place of the settings' defaults; a weight that an administrator has set is stronger.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog

from core.errors import BadInput, StoreUnavailable
from core.ports import Embedder, EmbedderIdentity
from core.retrieval.query_class import parse_weights
from plugin.settings import Settings

log = structlog.get_logger("citedesk.weights")

FILE = Path("indexes") / "weights.json"
LEARNED = ("dense_weight", "class_weights")
"""The settings that can be learned."""


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """`class_weights` as in the setting; `learned_from` says what they were learned from, for people to read."""

    dense_weight: float
    class_weights: str
    learned_from: Mapping[str, Any]


def with_learned(settings: Settings, embedder: Embedder) -> Settings:
    """The settings with what was learned for this embedder. What was learned for another is passed over, and logged.

    Raises `StoreUnavailable` for a file that cannot be read.
    """
    learned = load_weights(settings.data_dir, embedder)
    if learned is None:
        return settings
    values = {"dense_weight": learned.dense_weight, "class_weights": learned.class_weights}
    return settings.model_copy(update={k: v for k, v in values.items() if k not in settings.model_fields_set})


def load_weights(data_dir: Path, embedder: Embedder) -> LearnedWeights | None:
    """None where nothing was learned for this embedder."""
    file = data_dir / FILE
    if not file.is_file():
        return None
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        made_with = EmbedderIdentity(**content["embedder"])
        learned = LearnedWeights(float(content["dense_weight"]), content["class_weights"], content["learned_from"])
        parse_weights(learned.class_weights)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, BadInput) as error:
        raise StoreUnavailable(
            f"The learned weights in {file} cannot be read.", hint="Run `citedesk tune` again, or delete the file."
        ) from error
    if made_with != embedder.identity:
        log.warning("learned weights belong to another embedder and are not used", embedder=made_with.name)
        return None
    return learned


def save_weights(data_dir: Path, embedder: EmbedderIdentity, learned: LearnedWeights) -> Path:
    """Replaces what was learned before. Raises `StoreUnavailable`."""
    file = data_dir / FILE
    content = json.dumps({"embedder": asdict(embedder), **asdict(learned)}, indent=1, ensure_ascii=False) + "\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(content, encoding="utf-8")
        part.replace(file)
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be written: {error.strerror}.") from error
    return file


def forget_weights(data_dir: Path) -> bool:
    """Back to the settings; whether there was anything to forget."""
    file = data_dir / FILE
    there = file.is_file()
    file.unlink(missing_ok=True)
    return there


def copy_weights(from_dir: Path, to_dir: Path) -> bool:
    """Search in another data folder with the same learned weights; whether there are any."""
    if not (from_dir / FILE).is_file():
        return False
    (to_dir / FILE).parent.mkdir(parents=True, exist_ok=True)
    (to_dir / FILE).write_bytes((from_dir / FILE).read_bytes())
    return True
