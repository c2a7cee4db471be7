"""What an agent's edit leaves of the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.domain.draft import Citation, Sentence, SentenceKind
from core.domain.redaction import PLACEHOLDER
from core.drafting.grounding import disagreement
from core.drafting.sentences import units_of
from core.drafting.words import content_stems, normalise, squeeze
from core.mail.phrases import CLOSING_PHRASES

KEEPS_CITATION_FROM = 0.7
"""Share of an edited sentence's content words that must stand in the quotation for the citation to stay."""

_GREETING = (
    r"hello|hi|hey|dear|good (?:morning|afternoon|evening|day)"
    r"|hallo|guten (?:tag|morgen|abend)|sehr geehrte[rs]?|liebe[rs]?"
    r"|bonjour|bonsoir|chère?|hola|buen[oa]s (?:días|tardes)|estimad[oa]s?|ciao|buongiorno|gentile|salve"
    r"|olá|bom dia|boa tarde|prezad[oa]s?|car[oa]"
)
_COURTESY = re.compile(rf"(?:{_GREETING})(?:[ ][^\W\d]+\.?){{0,4}}[,!.]?|(?:{CLOSING_PHRASES})[,!.]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EditedSentence:
    """A sentence of the edited reply. `origin` "agent" is shown as "yours".

    `supported` is False when nothing that is cited says it; greetings and closings count as supported.
    """

    text: str
    origin: Literal["system", "agent"]
    citations: tuple[Citation, ...]
    supported: bool


def check_edit(text: str, sentences: Sequence[Sentence]) -> list[EditedSentence]:
    """The edited text sentence by sentence, compared with the draft's own sentences; what was deleted is not listed.

    White space, letter case and the form of quotes do not make a change.
    """
    parts = [squeeze(text[unit.span.slice]) for unit in units_of(text)]
    drafted = {normalise(sentence.text): sentence for sentence in sentences}
    longest = max((len(units_of(sentence.text)) for sentence in sentences), default=1)
    edited: list[EditedSentence] = []
    at = 0
    while at < len(parts):
        taken, same = _unchanged(parts[at : at + longest], drafted)
        part = " ".join(parts[at : at + taken])
        edited.append(_kept(part, same) if same else _changed(part, sentences))
        at += taken
    return edited


def _unchanged(parts: Sequence[str], drafted: dict[str, Sentence]) -> tuple[int, Sentence | None]:
    """How many of the parts make up one drafted sentence, the most first, and which; (1, None) when there is none."""
    for taken in range(len(parts), 0, -1):
        same = drafted.get(normalise(" ".join(parts[:taken])))
        if same:
            return taken, same
    return 1, None


def _kept(text: str, sentence: Sentence) -> EditedSentence:
    return EditedSentence(text, "system", sentence.citations, sentence.grounded)


def _changed(text: str, sentences: Sequence[Sentence]) -> EditedSentence:
    """The agent's sentence, resting on the drafted one that it shares most words with, if that still supports it."""
    if is_courtesy(text):
        return EditedSentence(text, "agent", (), True)
    stems = content_stems(text)
    rivals = [sentence for sentence in sentences if sentence.kind is SentenceKind.EVIDENCE and sentence.grounded]
    nearest = max(rivals, key=lambda sentence: _shared(stems, sentence), default=None)
    if nearest is None or _shared(stems, nearest) < KEEPS_CITATION_FROM:
        return EditedSentence(text, "agent", (), False)
    if disagreement(text, [citation.quoted_text for citation in nearest.citations]):
        return EditedSentence(text, "agent", (), False)
    return EditedSentence(text, "agent", nearest.citations, True)


def is_courtesy(text: str) -> bool:
    """Whether the text only greets or closes: it states nothing, so it needs no source.

    >>> is_courtesy("Dear <PERSON_1>,"), is_courtesy("Many thanks"), is_courtesy("Hello, the limit is 5 GB.")
    (True, True, False)
    """
    return bool(_COURTESY.fullmatch(PLACEHOLDER.sub("Name", squeeze(text))))


def _shared(stems: set[str], sentence: Sentence) -> float:
    """Share of the stems that stand in the sentence's quotations."""
    quoted = {stem for citation in sentence.citations for stem in content_stems(citation.quoted_text)}
    return len(stems & quoted) / len(stems) if stems else 0.0
