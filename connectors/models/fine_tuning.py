"""Fine-tunes a small BERT on this machine: as a cross-encoder, or as a bi-encoder that stays near what it was.

Plain torch, one thread a core at most, no download. Everything random is seeded; a run that was stopped goes on from
its last checkpoint, and gives what it would have given.
"""

from __future__ import annotations

import copy
import json
import math
import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from connectors.models.embedder import stay_offline
from connectors.models.reranker import PIN_FILE
from connectors.models.weights import sha256_of
from core.domain.fingerprint import fingerprint
from core.errors import BadInput, MissingDependency

CHECKPOINT = "checkpoint.pt"
SCALE = 20.0
"""Cosines are multiplied by it before the softmax, as sentence-transformers does."""

Report = Callable[[int, int, float], None]
"""Told at each look at the validation examples: steps done, steps at most, validation loss."""


@dataclass(frozen=True, slots=True)
class Example:
    """A query, a text that answers it, and texts that were found for it and do not. `document` is the answer's."""

    query: str
    positive: str
    negatives: tuple[str, ...]
    document: str = ""


@dataclass(frozen=True, slots=True)
class Course:
    """How to train. `kind` is `cross-encoder` or `bi-encoder`; `base` the folder to start from.

    `negatives` is how many an example is trained with, `max_tokens` what is read of a pair (cross-encoder) or a text
    (bi-encoder). `anchor` weighs the distance of a bi-encoder's vectors from what they were. Training ends after
    `epochs`, after `seconds`, or when the validation loss has not fallen for `patience` looks, one every `look` steps.
    """

    kind: str
    base: Path
    epochs: int = 3
    batch: int = 4
    negatives: int = 4
    max_tokens: int = 256
    learning_rate: float = 5e-5
    anchor: float = 1.0
    seconds: float = math.inf
    patience: int = 3
    look: int = 25
    seed: int = 7
    threads: int = 1


@dataclass(slots=True)
class State:
    """Where training stands."""

    step: int = 0
    spent_s: float = 0.0
    best: float = math.inf
    best_step: int = 0
    misses: int = 0


def fine_tune(
    examples: Sequence[Example], validation: Sequence[Example], course: Course, out: Path, report: Report
) -> State:
    """Train, keep the weights of the best look in `out`, a folder the product's adapters read, and pin their hash.

    Raises `BadInput` without examples on either side, `MissingDependency`.
    """
    if not examples or not validation:
        raise BadInput(f"{len(examples)} examples to train with and {len(validation)} to check with are too few.")
    torch = _torch(course)
    torch.manual_seed(course.seed)
    learner = _learner(course)
    optimizer = torch.optim.AdamW(learner.model.parameters(), lr=course.learning_rate, weight_decay=0.01)
    file = out.with_name(f"{out.name}.part") / CHECKPOINT
    state, best = _resumed(file, learner, optimizer, _made_from(examples, validation, course))
    started = time.monotonic() - state.spent_s
    batches = _batches(examples, course)
    while state.step < len(batches) and state.misses < course.patience and state.spent_s < course.seconds:
        _train_step(learner, optimizer, batches[state.step], _rate(state.step, len(batches), course))
        state.step += 1
        state.spent_s = time.monotonic() - started
        if state.step % course.look == 0 or state.step == len(batches) or state.spent_s >= course.seconds:
            best = _look(learner, validation, course, state, best)
            report(state.step, len(batches), state.best)
            _save_checkpoint(file, learner, optimizer, state, best, _made_from(examples, validation, course))
    learner.model.load_state_dict(best)
    learner.save(out)
    shutil.rmtree(file.parent, ignore_errors=True)
    _pin(out, course, state, len(examples))
    return state


def _look(learner: Any, validation: Sequence[Example], course: Course, state: State, best: Any) -> Any:
    """The weights to keep: today's when the validation loss fell."""
    import torch

    learner.model.eval()
    with torch.no_grad():
        parts = [validation[start : start + course.batch] for start in range(0, len(validation), course.batch)]
        losses = [float(learner.loss([_cut(e, course) for e in part])) * len(part) for part in parts]
    loss = sum(losses) / len(validation)
    if loss < state.best:
        state.best, state.best_step, state.misses = loss, state.step, 0
        return copy.deepcopy(learner.model.state_dict())
    state.misses += 1
    return best


def _train_step(learner: Any, optimizer: Any, batch: Sequence[Example], rate: float) -> None:
    import torch

    learner.model.train()
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad()
    learner.loss(batch).backward()
    torch.nn.utils.clip_grad_norm_(learner.model.parameters(), 1.0)
    optimizer.step()


def _batches(examples: Sequence[Example], course: Course) -> list[list[Example]]:
    """All batches of all epochs: shuffled, and each example with other negatives each time."""
    draw = random.Random(course.seed)
    batches: list[list[Example]] = []
    for _ in range(course.epochs):
        order = list(examples)
        draw.shuffle(order)
        chosen = [_cut(replace(e, negatives=tuple(draw.sample(e.negatives, len(e.negatives)))), course) for e in order]
        batches += [chosen[start : start + course.batch] for start in range(0, len(chosen), course.batch)]
    return batches


def _cut(example: Example, course: Course) -> Example:
    return replace(example, negatives=example.negatives[: course.negatives])


def _rate(step: int, steps: int, course: Course) -> float:
    """A tenth of all steps to warm up, then falling in a line to 0."""
    warm = max(1, steps // 10)
    return course.learning_rate * min((step + 1) / warm, (steps - step) / max(1, steps - warm))


# ---------------------------------------------------------------- the two kinds


class CrossEncoderLearner:
    """Softmax over an example's texts: the right one against the others."""

    def __init__(self, course: Course) -> None:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        self._course = course
        self._tokenizer = AutoTokenizer.from_pretrained(course.base, local_files_only=True)
        self.model = AutoModelForSequenceClassification.from_pretrained(
            course.base, num_labels=1, local_files_only=True
        )

    def loss(self, batch: Sequence[Example]) -> Any:
        import torch

        queries = [example.query for example in batch for _ in (example.positive, *example.negatives)]
        texts = [text for example in batch for text in (example.positive, *example.negatives)]
        inputs = self._tokenizer(
            queries, texts, truncation=True, max_length=self._course.max_tokens, padding=True, return_tensors="pt"
        )
        logits = self.model(**inputs).logits.squeeze(-1)
        sizes = [1 + len(example.negatives) for example in batch]
        return torch.stack([-torch.log_softmax(part, 0)[0] for part in torch.split(logits, sizes)]).mean()

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self._tokenizer.model_max_length = self._course.max_tokens
        self._tokenizer.save_pretrained(folder)


class BiEncoderLearner:
    """Softmax over all texts of a batch but other answers of the same document, plus the distance from the original."""

    def __init__(self, course: Course) -> None:
        from transformers import AutoModel, AutoTokenizer

        self._course = course
        self._tokenizer = AutoTokenizer.from_pretrained(course.base, local_files_only=True)
        self.model = AutoModel.from_pretrained(course.base, local_files_only=True)
        self._original = copy.deepcopy(self.model).eval()

    def loss(self, batch: Sequence[Example]) -> Any:
        import torch

        texts = [text for example in batch for text in (example.positive, *example.negatives)]
        starts = [0]
        for example in batch:
            starts.append(starts[-1] + 1 + len(example.negatives))
        inputs = self._tokenizer(
            [*(example.query for example in batch), *texts],
            truncation=True,
            max_length=self._course.max_tokens,
            padding=True,
            return_tensors="pt",
        )
        vectors = _pooled(self.model, inputs)
        with torch.no_grad():
            before = _pooled(self._original, inputs)
        cosines = SCALE * vectors[: len(batch)] @ vectors[len(batch) :].T
        for row, column in _same_document(batch, starts):
            cosines[row, column] = -math.inf
        ranking = torch.nn.functional.cross_entropy(cosines, torch.tensor(starts[:-1]))
        return ranking + self._course.anchor * (1 - (vectors * before).sum(-1)).mean()

    def save(self, folder: Path) -> None:
        shutil.copytree(self._course.base, folder, dirs_exist_ok=True)
        self.model.save_pretrained(folder)


def _same_document(batch: Sequence[Example], starts: Sequence[int]) -> list[tuple[int, int]]:
    """(query, text) of answers to other queries that stand in the query's own document."""
    return [
        (row, starts[other])
        for row, example in enumerate(batch)
        for other, against in enumerate(batch)
        if other != row and example.document and example.document == against.document
    ]


def _pooled(model: Any, inputs: Any) -> Any:
    """Mean of the token vectors, L2-normalised, as the packaged model is used."""
    import torch

    mask = inputs["attention_mask"].unsqueeze(-1)
    states = model(**inputs).last_hidden_state * mask
    return torch.nn.functional.normalize(states.sum(1) / mask.sum(1), dim=-1)


LEARNERS: dict[str, Callable[[Course], Any]] = {"cross-encoder": CrossEncoderLearner, "bi-encoder": BiEncoderLearner}


def _learner(course: Course) -> Any:
    return LEARNERS[course.kind](course)


# ---------------------------------------------------------------- files


def _made_from(examples: Sequence[Example], validation: Sequence[Example], course: Course) -> str:
    """Tells one training from another; how long it may take does not count."""
    lasting = {key: value for key, value in asdict(course).items() if key not in ("base", "seconds", "threads")}
    return fingerprint(list(examples), list(validation), lasting, sha256_of(sorted(course.base.glob("*.safetensors"))))


def _resumed(file: Path, learner: Any, optimizer: Any, made_from: str) -> tuple[State, Any]:
    """Where an earlier run of the same training stopped, else the start."""
    import torch

    if file.is_file():
        saved = torch.load(file, weights_only=True)
        if saved["made_from"] == made_from:
            learner.model.load_state_dict(saved["model"])
            optimizer.load_state_dict(saved["optimizer"])
            torch.set_rng_state(saved["random"])
            return State(**saved["state"]), saved["best"]
    return State(), copy.deepcopy(learner.model.state_dict())


def _save_checkpoint(file: Path, learner: Any, optimizer: Any, state: State, best: Any, made_from: str) -> None:
    """Beside the old one first: a crash leaves one of them whole."""
    import torch

    file.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "made_from": made_from,
        "model": learner.model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "random": torch.get_rng_state(),
        "state": asdict(state),
        "best": best,
    }
    torch.save(content, file.with_suffix(".new"))
    os.replace(file.with_suffix(".new"), file)


def _pin(out: Path, course: Course, state: State, count: int) -> None:
    weights = sorted(out.glob("*.safetensors"))
    facts = {"kind": course.kind, "examples": count, "steps": state.best_step, "seed": course.seed}
    content = {"sha256": sha256_of(weights), **facts, "validation_loss": round(state.best, 4)}
    (out / PIN_FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _torch(course: Course) -> Any:
    stay_offline()
    try:
        import torch
        from transformers.utils import logging as transformers_logging
    except ImportError as error:
        raise MissingDependency("Training needs torch.", hint="pip install sentence-transformers") from error
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    torch.set_num_threads(course.threads)
    return torch
