from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import StoreUnavailable
from plugin.settings import Settings
from plugin.weights import FILE, LearnedWeights, copy_weights, forget_weights, load_weights, save_weights, with_learned
from tests.fakes.search import FakeEmbedder

LEARNED = LearnedWeights(0.55, "error: dense 0.4", {"set": "mini", "queries": 4})


def settings(folder: Path, **own: object) -> Settings:
    return Settings(_env_file=None, data_dir=folder, **own)  # type: ignore[arg-type]


def test_what_was_learned_takes_the_place_of_the_defaults(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    assert with_learned(settings(tmp_path), embedder).dense_weight == settings(tmp_path).dense_weight
    save_weights(tmp_path, embedder.identity, LEARNED)
    assert load_weights(tmp_path, embedder) == LEARNED
    used = with_learned(settings(tmp_path), embedder)
    assert (used.dense_weight, used.class_weights) == (0.55, "error: dense 0.4")


def test_what_an_administrator_set_is_stronger(tmp_path: Path) -> None:
    save_weights(tmp_path, FakeEmbedder().identity, LEARNED)
    used = with_learned(settings(tmp_path, dense_weight=0.9), FakeEmbedder())
    assert (used.dense_weight, used.class_weights) == (0.9, "error: dense 0.4")


def test_weights_of_another_embedder_are_not_used(tmp_path: Path) -> None:
    file = save_weights(tmp_path, FakeEmbedder().identity, LEARNED)
    content = json.loads(file.read_text())
    content["embedder"]["sha256"] = "another"
    file.write_text(json.dumps(content))
    assert with_learned(settings(tmp_path), FakeEmbedder()) == settings(tmp_path)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"embedder": {"name": 1}}'])
def test_a_damaged_file_is_named_not_passed_over(tmp_path: Path, damage: str) -> None:
    save_weights(tmp_path, FakeEmbedder().identity, LEARNED).write_text(damage)
    with pytest.raises(StoreUnavailable, match=r"weights\.json cannot be read"):
        load_weights(tmp_path, FakeEmbedder())


def test_a_class_weight_that_makes_no_sense_is_named_at_the_start(tmp_path: Path) -> None:
    save_weights(tmp_path, FakeEmbedder().identity, LearnedWeights(0.5, "error: dense 7", {}))
    with pytest.raises(StoreUnavailable, match=r"weights\.json cannot be read"):
        load_weights(tmp_path, FakeEmbedder())


def test_forgetting_and_copying(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert not copy_weights(one, other)
    save_weights(one, FakeEmbedder().identity, LEARNED)
    assert copy_weights(one, other)
    assert load_weights(other, FakeEmbedder()) == LEARNED
    assert forget_weights(other)
    assert not forget_weights(other)
    assert (one / FILE).is_file()
