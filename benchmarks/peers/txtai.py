"""txtai: an Embeddings index with `hybrid=True`, otherwise as it comes."""

from __future__ import annotations

from benchmarks.peers.shared import DEPTH, Search, SharedEmbedder, Texts


def txtai(passages: Texts, embedder: SharedEmbedder, folder: str) -> Search:
    import numpy as np
    from txtai import Embeddings

    def transform(texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return np.array(embedder.embed_either(texts), dtype=np.float32)

    index = Embeddings(hybrid=True, method="external", transform=transform)
    index.index(zip(passages.ids, passages.texts, strict=True))
    return lambda query: [(str(name), float(score)) for name, score in index.search(query, DEPTH)]
