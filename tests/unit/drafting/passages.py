"""Passages and retrievals made by hand."""

from collections.abc import Sequence

from core.domain.passage import Passage, Run, ScoredPassage, Span
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.drafting.composition import Composition, Limits, Style
from core.drafting.extractive import compose
from tests.fakes.search import FakeEmbedder

STYLE = Style("Hello,", "Kind regards")
LIMITS = Limits(abstain_below=0.02, strong_from=0.8)
"""The fake embedder knows exact words only, so its cosines are low."""


def passage(
    text: str,
    name: str = "a",
    *,
    title: str = "Guide",
    heading: str = "Settings",
    collection: str = "docs",
    start: int = 0,
    section: Span | None = None,
    url: str = "",
) -> Passage:
    """A passage `name#start` that begins at `start` of the document `name`; its section is itself unless given."""
    span = Span(start, start + len(text))
    return Passage(f"{name}#{start}", name, collection, title, (heading,), text, span, section or span, "v1", url)


def found(*passages: Passage, query: str = "") -> Retrieval:
    """The passages in this order, with falling scores."""
    items = tuple(ScoredPassage(p.passage_id, 1 / rank, rank) for rank, p in enumerate(passages, start=1))
    run = Run("fusion", "docs", items, 10)
    return Retrieval((WeightedQuery(query or "a query"),), (run,), run, {p.passage_id: p for p in passages})


def draft(
    newest: str, *passages: Passage, subject: str = "", limits: Limits = LIMITS, document: str = ""
) -> Composition:
    """What the composer makes of it; `document` is the text that every passage's section is cut from."""
    return compose(
        Inquiry(newest, subject),
        found(*passages, query=newest),
        embedder=FakeEmbedder(dimension=512),
        sections=(lambda p: document[p.section_span.slice]) if document else None,
        style=STYLE,
        limits=limits,
    )


def quoted(composition: Composition) -> list[str]:
    return [sentence.text for sentence in composition.sentences if sentence.citations]


def markers(composition: Composition) -> Sequence[int]:
    return [citation.marker for sentence in composition.sentences for citation in sentence.citations]
