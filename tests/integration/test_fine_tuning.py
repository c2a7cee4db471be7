"""Fine-tuning tiny models for real: they learn, stop, go on where they stopped, and the adapters read the result."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from connectors.models.embedder import SentenceTransformerEmbedder
from connectors.models.fine_tuning import CHECKPOINT, Course, Example, fine_tune
from connectors.models.reranker import PIN_FILE, CrossEncoderReranker
from core.errors import BadInput, ModelCorrupt
from tests.contracts.tiny_models import make_bi_encoder, make_cross_encoder

pytestmark = pytest.mark.models

ANIMALS, TOOLS = ("cat", "dog", "horse", "bird"), ("hammer", "saw", "drill", "axe")


def example(animal: str, tool: str) -> Example:
    """An animal is answered by the text about animals, whatever else is said."""
    return Example(f"my {animal}", f"{animal} food", (f"{tool} box", f"{tool} rack"), document=animal)


EXAMPLES = [example(animal, tool) for animal in ANIMALS for tool in TOOLS]
QUICK = {"batch": 4, "negatives": 2, "max_tokens": 16, "learning_rate": 0.01, "look": 4, "epochs": 8, "patience": 99}


def course(kind: str, base: Path, **changes: object) -> Course:
    return replace(Course(kind, base), **(QUICK | changes))  # type: ignore[arg-type]


def silent(_step: int, _steps: int, _loss: float) -> None:
    """Nobody looks."""


@pytest.fixture(scope="module")
def cross_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_cross_encoder(tmp_path_factory.mktemp("base") / "cross")


@pytest.fixture(scope="module")
def bi_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bi_encoder(tmp_path_factory.mktemp("base") / "bi")


def test_a_cross_encoder_learns_to_put_the_answer_first(cross_base: Path, tmp_path: Path) -> None:
    looks: list[tuple[int, float]] = []
    state = fine_tune(
        EXAMPLES,
        EXAMPLES[:4],
        course("cross-encoder", cross_base, epochs=12),
        tmp_path / "out",
        lambda step, _steps, loss: looks.append((step, loss)),
    )
    assert [step for step, _ in looks] == list(range(4, 49, 4))
    assert state.best < 0.5 < math.log(3)
    reranker = CrossEncoderReranker(str(tmp_path / "out"))
    right, wrong = reranker.score("my cat", ["cat food", "saw box"])
    assert right > wrong
    assert not list(tmp_path.glob("*.part"))


def test_a_bi_encoder_learns_and_stays_an_embedder(bi_base: Path, tmp_path: Path) -> None:
    before = SentenceTransformerEmbedder(str(bi_base))
    fine_tune(
        EXAMPLES,
        EXAMPLES[:4],
        course("bi-encoder", bi_base, anchor=0.0, learning_rate=0.003, epochs=16),
        tmp_path / "out",
        silent,
    )
    after = SentenceTransformerEmbedder(str(tmp_path / "out"))
    assert after.identity.dimension == before.identity.dimension
    assert after.identity.sha256 != before.identity.sha256

    def gap(embedder: SentenceTransformerEmbedder) -> float:
        """How much nearer an animal's own text is than those of tools."""
        queries = embedder.embed_queries([f"my {animal}" for animal in ANIMALS])
        right = queries * embedder.embed_passages([f"{animal} food" for animal in ANIMALS])
        wrong = queries @ embedder.embed_passages([f"{tool} box" for tool in TOOLS]).T
        return float(right.sum(axis=1).mean() - wrong.mean())

    assert gap(after) > gap(before) + 0.3


def test_an_anchored_bi_encoder_stays_near_what_it_was(bi_base: Path, tmp_path: Path) -> None:
    texts = ["my cat", "cat food", "saw box"]
    before = SentenceTransformerEmbedder(str(bi_base)).embed_passages(texts)
    moved = []
    for anchor in (0.0, 100.0):
        out = tmp_path / str(anchor)
        anchored = course("bi-encoder", bi_base, anchor=anchor, learning_rate=0.003, epochs=16)
        fine_tune(EXAMPLES, EXAMPLES[:4], anchored, out, silent)
        moved.append(float(np.abs(SentenceTransformerEmbedder(str(out)).embed_passages(texts) - before).mean()))
    assert moved[1] < moved[0] / 2


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(cross_base: Path, tmp_path: Path) -> None:
    hashes = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        fine_tune(EXAMPLES, EXAMPLES[:4], course("cross-encoder", cross_base, seed=seed), tmp_path / name, silent)
        hashes.append(json.loads((tmp_path / name / PIN_FILE).read_text())["sha256"])
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_stopped_training_goes_on_and_gives_what_it_would_have_given(cross_base: Path, tmp_path: Path) -> None:
    whole = course("cross-encoder", cross_base)
    fine_tune(EXAMPLES, EXAMPLES[:4], whole, tmp_path / "whole", silent)
    steps: list[int] = []

    def killed(step: int, _steps: int, _loss: float) -> None:
        steps.append(step)
        if len(steps) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fine_tune(EXAMPLES, EXAMPLES[:4], whole, tmp_path / "again", killed)
    assert (tmp_path / "again.part" / CHECKPOINT).is_file()
    fine_tune(EXAMPLES, EXAMPLES[:4], whole, tmp_path / "again", killed)
    assert steps[3:] == [16, 16, 20, 24, 28, 32]
    pins = [json.loads((tmp_path / name / PIN_FILE).read_text()) for name in ("whole", "again")]
    assert pins[0] == pins[1]


def test_a_checkpoint_of_another_training_is_not_used(cross_base: Path, tmp_path: Path) -> None:
    first = course("cross-encoder", cross_base)

    def killed(_step: int, _steps: int, _loss: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fine_tune(EXAMPLES, EXAMPLES[:4], first, tmp_path / "out", killed)
    steps: list[int] = []
    fine_tune(
        EXAMPLES,
        EXAMPLES[:4],
        replace(first, seed=99),
        tmp_path / "out",
        lambda step, _steps, _loss: steps.append(step),
    )
    assert steps[0] == 4


def test_training_ends_when_the_validation_loss_no_longer_falls(cross_base: Path, tmp_path: Path) -> None:
    """The examples to check with contradict those to learn from."""
    contrary = [replace(e, positive=e.negatives[0], negatives=(e.positive,)) for e in EXAMPLES[:4]]
    steps: list[int] = []
    state = fine_tune(
        EXAMPLES,
        contrary,
        course("cross-encoder", cross_base, patience=2),
        tmp_path / "out",
        lambda step, _steps, _loss: steps.append(step),
    )
    assert steps[-1] < 32
    assert state.best_step == steps[-3]


def test_training_ends_when_its_time_is_over(cross_base: Path, tmp_path: Path) -> None:
    state = fine_tune(
        EXAMPLES, EXAMPLES[:4], course("cross-encoder", cross_base, seconds=0.001), tmp_path / "out", silent
    )
    assert state.step == 1
    assert CrossEncoderReranker(str(tmp_path / "out")).score("my cat", ["cat food"])


def test_weights_that_changed_after_training_are_refused(cross_base: Path, tmp_path: Path) -> None:
    fine_tune(EXAMPLES, EXAMPLES[:4], course("cross-encoder", cross_base, epochs=1), tmp_path / "out", silent)
    with (tmp_path / "out" / "model.safetensors").open("ab") as file:
        file.write(b" ")
    with pytest.raises(ModelCorrupt):
        CrossEncoderReranker(str(tmp_path / "out"))


def test_without_examples_nothing_is_trained(cross_base: Path, tmp_path: Path) -> None:
    for learning, checking in (([], EXAMPLES), (EXAMPLES, [])):
        with pytest.raises(BadInput, match="too few"):
            fine_tune(learning, checking, course("cross-encoder", cross_base), tmp_path / "out", silent)
