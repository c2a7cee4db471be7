"""LlamaIndex: QueryFusionRetriever over a vector index and BM25, reciprocal rerank, no generated queries."""

from __future__ import annotations

from benchmarks.peers.shared import DEPTH, Search, SharedEmbedder, Texts


def llamaindex(passages: Texts, embedder: SharedEmbedder, folder: str) -> Search:
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        def _get_query_embedding(self, query: str) -> list[float]:
            return embedder.embed_query(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embedder.embed_query(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return embedder.embed_documents([text])[0]

    rows = zip(passages.ids, passages.texts, embedder.embed_documents(passages.texts), strict=True)
    nodes = [TextNode(id_=name, text=text, embedding=vector) for name, text, vector in rows]
    depth = min(DEPTH, len(nodes))
    dense = VectorStoreIndex(nodes=nodes, embed_model=Embedding()).as_retriever(similarity_top_k=depth)
    lexical = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=depth)
    fusion = QueryFusionRetriever(
        [dense, lexical],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        num_queries=1,
        similarity_top_k=depth,
        use_async=False,
    )
    return lambda query: [(found.node.node_id, float(found.score)) for found in fusion.retrieve(query)]
