"""The internal note that announces a draft in the helpdesk: plain text, readable without opening anything else."""

from __future__ import annotations

from core.domain.draft import Abstention, Draft, Evidence, Layout, Sentence
from core.drafting.words import shorten, squeeze

_LEAD = {Layout.RUNNING: " ", Layout.PARAGRAPH: "\n\n", Layout.ITEM: "\n- "}
QUOTE_CHARS = 200


def note_text(draft: Draft, address: str) -> str:
    """State, reply with markers (or what is missing), sources, and the review page's `address`. Redacted."""
    blocks = [_headline(draft)]
    blocks += _abstained(draft.abstention) if draft.abstention else _drafted(draft)
    blocks.append(f"Review, edit and approve: {address}")
    return "\n\n".join(blocks)


def _headline(draft: Draft) -> str:
    facts = [str(draft.state)]
    if not draft.abstention:
        facts.append(f"{draft.strength} evidence ({draft.confidence:.2f})")
    facts += [draft.composer, f"{draft.seconds:.1f} s", *draft.reduced]
    return f"Citedesk draft: {' · '.join(facts)}"


def _drafted(draft: Draft) -> list[str]:
    blocks = [_reply(draft.sentences)]
    failed = sum(not sentence.grounded for sentence in draft.sentences)
    if failed:
        blocks.append(f"Left out: {failed} of {len(draft.sentences)} sentences, not supported by their sources.")
    if draft.unanswered:
        blocks.append("\n".join(["Not answered:", *(f"- {squeeze(question)}" for question in draft.unanswered)]))
    if draft.evidence:
        blocks.append("\n".join(["Sources:", *map(_source, draft.evidence)]))
    return blocks


def _reply(sentences: tuple[Sentence, ...]) -> str:
    """The grounded sentences, each followed by its markers: `Open the menu. [1][2]`."""
    parts: list[str] = []
    for sentence in sentences:
        if sentence.grounded:
            markers = "".join(f"[{marker}]" for marker in dict.fromkeys(c.marker for c in sentence.citations))
            parts.append(f"{_LEAD[sentence.layout]}{sentence.text}{f' {markers}' if markers else ''}")
    return "".join(parts).lstrip()


def _source(evidence: Evidence) -> str:
    passage = evidence.passage
    heading = " > ".join(dict.fromkeys((passage.title, *passage.heading_path)))
    page = f", page {passage.page}" if passage.page is not None else ""
    return f"[{evidence.marker}] {heading}{page}{f' {passage.url}' if passage.url else ''}"


def _abstained(abstention: Abstention) -> list[str]:
    blocks = [
        "No reply was drafted: what was found does not answer this ticket.",
        f"Searched for: {abstention.searched_for}",
    ]
    if abstention.missing:
        blocks.append(f"Found nowhere: {', '.join(abstention.missing)}")
    blocks.append(f"To ask the customer: {abstention.question_back}")
    if abstention.nearest:
        nearest = (f"{_source(near)}\n    {shorten(near.passage.text, QUOTE_CHARS)}" for near in abstention.nearest)
        blocks.append("\n".join(["Nearest passages:", *nearest]))
    return blocks
