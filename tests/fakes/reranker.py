"""A reranker without a model."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.provenance import Component
from core.errors import ModelUnavailable


class FakeReranker:
    """Prefers the text with more words; `down` and it does not answer. Reads `max_words` of a pair."""

    component = Component("reranker", "fake", "1", "0" * 64)

    def __init__(self, max_words: int = 100) -> None:
        self.down = False
        self.max_words = max_words
        self.asked: list[tuple[str, int]] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        if self.down:
            raise ModelUnavailable("The reranker does not load.")
        self.asked.append((query, len(texts)))
        return [float(len(text.split())) for text in texts]

    def truncated(self, query: str, texts: Sequence[str]) -> int:
        return sum(len(query.split()) + len(text.split()) > self.max_words for text in texts)
