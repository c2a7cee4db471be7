"""Holds every sentence against what it cites. What fails stays visible, marked with the reason; nothing is dropped.

A quotation is easy to check completely, so the check is strict: each word, number, identifier, link and negation
must come from the quoted spans, and each span must stand verbatim in its passage.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from core.domain.draft import Citation, Sentence, SentenceKind
from core.domain.passage import Passage
from core.drafting.composition import Composition
from core.drafting.words import identifiers_of, negations_of, normalise, urls_of, words_of
from core.redaction.repair import repair_placeholders


def verify(composition: Composition, *, placeholders: Collection[str] = ()) -> Composition:
    """The composition with every sentence checked against the composition's own evidence.

    `placeholders` are those of the ticket: one that is written wrongly is put right, any other fails its sentence.
    """
    passages = {evidence.passage.passage_id: evidence.passage for evidence in composition.evidence}
    sentences = tuple(check_sentence(sentence, passages, placeholders) for sentence in composition.sentences)
    failed = sum(not sentence.grounded for sentence in sentences)
    if not failed:
        return replace(composition, sentences=sentences)
    reason = f"{failed} of {len(sentences)} sentences did not pass the check against their sources."
    return replace(composition, sentences=sentences, reasons=(*composition.reasons, reason))


def check_sentence(sentence: Sentence, passages: Mapping[str, Passage], placeholders: Collection[str] = ()) -> Sentence:
    """The sentence with `grounded` and `reason` set; greetings, closings and questions claim nothing and pass, unless
    they name somebody the ticket does not know."""
    quoted = "\n".join(citation.quoted_text for citation in sentence.citations)
    text, strange = repair_placeholders(sentence.text, placeholders, verbatim=quoted)
    sentence = replace(sentence, text=text)
    if strange:
        return replace(sentence, grounded=False, reason=f"{strange[0]} stands for nothing in this ticket")
    if sentence.kind is not SentenceKind.EVIDENCE:
        return sentence
    reason = _fault(sentence, passages)
    return replace(sentence, grounded=not reason, reason=reason)


def disagreement(text: str, quotes: Sequence[str]) -> str:
    """Which number, identifier or negation of the text the quotes do not have; empty when all agree."""
    quoted = " \n ".join(quotes)
    known = {normalise(identifier) for identifier in identifiers_of(quoted)}
    foreign = [identifier for identifier in identifiers_of(text) if normalise(identifier) not in known]
    if foreign:
        return f"“{foreign[0]}” is not in the quoted text"
    if negations_of(text) not in {negations_of(quoted), *map(negations_of, quotes)}:
        return "it says no where the source does not, or the other way round"
    return ""


def _fault(sentence: Sentence, passages: Mapping[str, Passage]) -> str:
    if not sentence.citations:
        return "no source is cited"
    fault = next((why for citation in sentence.citations if (why := _citation_fault(citation, passages))), "")
    if fault:
        return fault
    cited = [passages[citation.passage_id] for citation in sentence.citations]
    if any(url not in {passage.url for passage in cited} for url in urls_of(sentence.text)):
        return "it holds a link that is not the address of its source"
    quotes = [citation.quoted_text for citation in sentence.citations]
    known = {word for quote in quotes for word in words_of(quote)}
    if any(word not in known for word in words_of(sentence.text)):
        return "it has words that are not in the quoted text"
    return disagreement(sentence.text, quotes)


def _citation_fault(citation: Citation, passages: Mapping[str, Passage]) -> str:
    passage = passages.get(citation.passage_id)
    if passage is None:
        return "its source is not among the passages found"
    if not citation.quoted_text.strip() or citation.quote.end > len(passage.text):
        return "its quotation is empty or outside the passage"
    if passage.text[citation.quote.slice] != citation.quoted_text:
        return "its quotation does not stand in the passage"
    return ""
