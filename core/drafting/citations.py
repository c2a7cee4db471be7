"""Numbers the sources: markers count from 1 in the order in which the reply first uses a passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.domain.draft import Citation, Evidence, Layout, Sentence, SentenceKind
from core.domain.passage import Span
from core.drafting.candidates import Quotation
from core.drafting.sentences import UnitKind

_ITEMS = (UnitKind.STEP, UnitKind.ROW)
_TERMINAL = (".", "!", ":", "…", "。", "！", '."', ".)", ".”")


def cite(quotations: Sequence[Quotation], scores: Mapping[str, float]) -> tuple[list[Sentence], list[Evidence]]:
    """Sentences that each repeat one quotation, in the order given, and their passages in marker order.

    `scores` are the passages' fused scores by id.
    """
    evidence: dict[str, Evidence] = {}
    sentences: list[Sentence] = []
    before: Quotation | None = None
    for quotation in quotations:
        passage = quotation.passage
        found = evidence.setdefault(
            passage.passage_id, Evidence(len(evidence) + 1, passage, scores.get(passage.passage_id, 0.0))
        )
        citation = Citation(found.marker, passage.passage_id, quotation.span, quotation.quoted_text)
        layout = _layout(quotation, before)
        sentences.append(Sentence(quotation.text, SentenceKind.EVIDENCE, (citation,), layout=layout))
        before = quotation
    return sentences, list(evidence.values())


def _layout(quotation: Quotation, before: Quotation | None) -> Layout:
    """Running text only within one section, after a sentence that ended; what announces a list stands by itself."""
    if quotation.kind in _ITEMS:
        return Layout.ITEM
    if before is None or before.kind in _ITEMS or not before.text.endswith(_TERMINAL):
        return Layout.PARAGRAPH
    if quotation.kind is UnitKind.HEADING or quotation.text.endswith(":"):
        return Layout.PARAGRAPH
    return Layout.RUNNING if _section(before) == _section(quotation) else Layout.PARAGRAPH


def _section(quotation: Quotation) -> tuple[str, Span]:
    return quotation.passage.doc_id, quotation.passage.section_span
