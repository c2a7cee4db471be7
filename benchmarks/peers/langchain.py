"""LangChain: EnsembleRetriever over BM25Retriever and a Chroma store, equal weights, as in its how-to."""

from __future__ import annotations

from benchmarks.peers.shared import DEPTH, Search, SharedEmbedder, Texts


def langchain(passages: Texts, embedder: SharedEmbedder, folder: str) -> Search:
    from chromadb.config import Settings
    from langchain_chroma import Chroma
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_core.documents import Document

    documents = [
        Document(page_content=text, metadata={"passage_id": passage_id})
        for passage_id, text in zip(passages.ids, passages.texts, strict=True)
    ]
    store = Chroma.from_documents(
        documents, embedder, persist_directory=folder, client_settings=Settings(anonymized_telemetry=False)
    )
    lexical = BM25Retriever.from_documents(documents, k=DEPTH)
    dense = store.as_retriever(search_kwargs={"k": DEPTH})
    ensemble = EnsembleRetriever(retrievers=[lexical, dense], weights=[0.5, 0.5], id_key="passage_id")

    def search(query: str) -> list[tuple[str, float]]:
        found = ensemble.invoke(query)
        return [(document.metadata["passage_id"], 1 / rank) for rank, document in enumerate(found, 1)]

    return search
