"""What every peer is given: the same passages, the same vectors, the same embedder for queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.ports import Embedder

DEPTH = 100
"""Passages each retriever is asked for: enough for 20 documents."""

Search = Callable[[str], list[tuple[str, float]]]
"""(passage_id, score), best first."""


@dataclass(frozen=True, slots=True)
class Texts:
    """`texts` are passages with title and headings in front, as the product embeds them."""

    ids: Sequence[str]
    texts: Sequence[str]


class SharedEmbedder:
    """The product's embedder behind the few method names the peers call; passages' vectors are looked up."""

    def __init__(self, embedder: Embedder, passages: Texts) -> None:
        self._embedder = embedder
        self.vectors = embedder.embed_passages(passages.texts)
        self._rows = {text: row for row, text in enumerate(passages.texts)}

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])

    def embed_query(self, text: str) -> list[float]:
        return [float(number) for number in self._embedder.embed_queries([text])[0]]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(number) for number in self.vectors[self._rows[text]]] for text in texts]

    def embed_either(self, texts: Sequence[str]) -> list[list[float]]:
        """For a library that calls one function for passages and queries."""
        return [(self.embed_documents([text])[0] if text in self._rows else self.embed_query(text)) for text in texts]
