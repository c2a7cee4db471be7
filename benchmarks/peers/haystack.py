"""Haystack: BM25 and embedding retrievers over one in-memory store, joined by reciprocal rank fusion."""

from __future__ import annotations

from benchmarks.peers.shared import DEPTH, Search, SharedEmbedder, Texts


def haystack(passages: Texts, embedder: SharedEmbedder, folder: str) -> Search:
    from haystack import Document, Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    rows = zip(passages.ids, passages.texts, embedder.embed_documents(passages.texts), strict=True)
    store.write_documents([Document(id=name, content=text, embedding=vector) for name, text, vector in rows])
    pipeline = Pipeline()
    pipeline.add_component("lexical", InMemoryBM25Retriever(document_store=store, top_k=DEPTH))
    pipeline.add_component("dense", InMemoryEmbeddingRetriever(document_store=store, top_k=DEPTH))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.connect("lexical", "joiner")
    pipeline.connect("dense", "joiner")

    def search(query: str) -> list[tuple[str, float]]:
        asked = {"lexical": {"query": query}, "dense": {"query_embedding": embedder.embed_query(query)}}
        found = pipeline.run(asked)["joiner"]["documents"]
        return [(document.id, float(document.score)) for document in found]

    return search
