"""Which stages of retrieval run, and with what: the measured defaults (docs/evaluation.md, benchmarks/ablation.py)."""

from __future__ import annotations

from dataclasses import dataclass

from core.retrieval.learned import Ranker


@dataclass(frozen=True, slots=True)
class Stages:
    """One field a switch; the value that turns a stage off is named.

    `documents`: BM25 over whole documents decides between documents, BM25 over passages within one (off: False).
    `opening_weight`: weight of the cosine to title and first words, beside 1 for everything else (off: 0).
    `centre`: share of the collection's mean vector that is taken away on both sides (off: 0).
    `vote_weight`: of solved tickets for the documents that solved them (off: 0).
    `mmr_lambda`: of relevance against redundancy, over the first `mmr_k` places (off: 1).
    `pagerank_k`: how many of the first passages are ordered by PageRank, edges above `pagerank_tau` (off: 0).
    `rerank_depth`: how many of the first passages a cross-encoder orders (off: 0), its scores
    counting `rerank_share` beside the fused ones (alone: 1).
    `profile_weight`: of the article profile among similar tickets (off: 0).
    `ranker`: learned from this installation's judgements, corrects the fused scores (off: None).
    """

    documents: bool = True
    opening_weight: float = 0.1
    centre: float = 0.5
    vote_weight: float = 0.4
    mmr_lambda: float = 1.0
    mmr_k: int = 3
    pagerank_k: int = 0
    pagerank_tau: float = 0.01
    rerank_depth: int = 0
    rerank_share: float = 1.0
    profile_weight: float = 0.0
    ranker: Ranker | None = None


DEFAULT = Stages()
