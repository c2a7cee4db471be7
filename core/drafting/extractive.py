"""The composer without a language model: a reply made of sentences and step lists quoted verbatim.

It cannot invent anything; what it can do wrong is choose badly. So most of it is about choosing: one score from
cosines (`scoring`), opposites left out (`polarity`), greedy choice against redundancy (Carbonell and Goldstein 1998,
"MMR", equation 1, where only passages of *other* documents count as redundant: sentences of one document belong
together), each question of the ticket served first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.domain.draft import Layout, Sentence, SentenceKind, Strength
from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.abstention import abstain, confidence, likelihood
from core.drafting.candidates import Candidate, Pool, Quotation, Sections, gather
from core.drafting.citations import cite
from core.drafting.composition import Composition, Limits, Outcome, Style
from core.drafting.grounding import verify
from core.drafting.polarity import Wish, contradicts, wish_of
from core.drafting.questions import Question, questions_of
from core.drafting.scoring import Scored, score
from core.drafting.words import normalise, shorten
from core.ports import Embedder
from core.redaction.repair import placeholders_in

POOL_DEPTH = 6
"""Passages whose sentences are compared with the ticket."""

MMR_LAMBDA = 0.8
"""Weight of relevance against redundancy."""

SAME_FROM = 0.9
"""Cosine from which two candidates count as saying the same."""

KEEP_FROM = 0.72
"""Share of the best candidate's relevance below which nothing is added: a short reply beats a padded one."""

_ASKS_WHAT = re.compile(r"(?:so |and |but )?(?:what (?:is|are|does|do|happens)|why|who|when|does|do|is|are|will)\b")


def compose(
    inquiry: Inquiry,
    retrieval: Retrieval,
    *,
    embedder: Embedder,
    sections: Sections | None,
    style: Style,
    limits: Limits,
) -> Composition:
    """The verified reply, or an abstention. Cost: one batch of about 60 short texts to embed.

    Without `sections` a list that runs over the end of a passage cannot be told from a whole one.
    """
    pool = gather(retrieval, depth=POOL_DEPTH, sections=sections)
    questions = questions_of(inquiry)
    steps = not questions or not all(_ASKS_WHAT.match(normalise(question.text)) for question in questions)
    scored = score(pool.candidates, inquiry, retrieval, questions, wants_steps=steps, embedder=embedder)
    value, signals = confidence(inquiry, retrieval, [item.cosine for item in scored])
    wish = wish_of(inquiry.subject, inquiry.newest)
    fitting = [item for item in scored if not _opposite(wish, item.candidate)]
    chosen = _choose(fitting, limits, len(questions))
    pool.skipped["opposite"] += len(scored) - len(fitting)
    work = _Work(inquiry, retrieval, style, limits, pool, value, signals)
    known = placeholders_in(inquiry.subject, inquiry.newest, inquiry.first, *inquiry.between, *inquiry.replies)
    if value < limits.abstain_below or not chosen:
        return verify(_abstention(work), placeholders=known)
    return verify(_draft(work, chosen, questions), placeholders=known)


def _opposite(wish: Wish, candidate: Candidate) -> bool:
    """Whether the candidate, or the section it stands in, tells to do the opposite of what the ticket asks."""
    passage = candidate.quotations[0].passage
    heading = passage.heading_path[-1] if passage.heading_path else passage.title
    return contradicts(wish, heading) or any(contradicts(wish, quotation.text) for quotation in candidate.quotations)


# ---------------------------------------------------------------- choosing


def _choose(scored: Sequence[Scored], limits: Limits, questions: int) -> list[Scored]:
    """Best first: for each of several questions its best candidate, then greedily by MMR while there is room."""
    chosen: list[Scored] = []
    best = max((item.relevance for item in scored), default=0.0)
    for number in range(questions) if questions > 1 else ():
        near = [item for item in scored if likelihood(item.question_cosines[number]) >= limits.abstain_below]
        if near:
            _take(max(near, key=lambda item: (item.question_cosines[number], item.relevance)), chosen, limits)
    left = [item for item in scored if item.relevance >= KEEP_FROM * best]
    while left:
        following = max(left, key=lambda item: _marginal(item, chosen))
        _take(following, chosen, limits)
        left.remove(following)
    return chosen


def _take(item: Scored, chosen: list[Scored], limits: Limits) -> None:
    if _is_new(item, chosen) and _fits(item.candidate, [other.candidate for other in chosen], limits):
        chosen.append(item)


def _is_new(item: Scored, chosen: Sequence[Scored]) -> bool:
    """Whether nothing that is chosen says nearly the same; a list is new although its lead-in was chosen."""
    own = set(item.candidate.quotations)
    others = [other for other in chosen if own.isdisjoint(other.candidate.quotations)]
    return all(float(np.dot(item.vector, other.vector)) < SAME_FROM for other in others)


def _marginal(item: Scored, chosen: Sequence[Scored]) -> float:
    """MMR: relevance, less the likeness to what is already chosen from other documents."""
    document = item.candidate.quotations[0].passage.doc_id
    others = [other.vector for other in chosen if other.candidate.quotations[0].passage.doc_id != document]
    redundancy = max((float(np.dot(item.vector, vector)) for vector in others), default=0.0)
    return MMR_LAMBDA * item.relevance - (1 - MMR_LAMBDA) * redundancy


def _fits(candidate: Candidate, chosen: Sequence[Candidate], limits: Limits) -> bool:
    """Whether there is room for it, and it repeats nothing. Lists are whole, so the first one may be long."""
    quotations = [quotation for other in chosen for quotation in other.quotations]
    if _repeats(candidate, quotations) or _runs_together(candidate, chosen):
        return False
    passages = {quotation.passage.passage_id for quotation in (*quotations, *candidate.quotations)}
    if len(passages) > limits.max_passages:
        return False
    words = candidate.words + sum(other.words for other in chosen)
    if not chosen:
        return words <= limits.max_words * (2 if candidate.is_list else 1)
    return words <= limits.max_words and len(chosen) < limits.max_units


def _repeats(candidate: Candidate, quotations: Sequence[Quotation]) -> bool:
    """Whether it says again what is said; the sentence that leads in to a list may be there already."""
    said = {normalise(quotation.text) for quotation in quotations}
    new = [quotation for quotation in candidate.quotations if quotation not in quotations]
    return not new or any(normalise(quotation.text) in said for quotation in new)


def _runs_together(candidate: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Two lists one after the other read as one unless a sentence leads in to the second."""
    return candidate.is_list and not candidate.leads_in and any(other.is_list for other in chosen)


# ---------------------------------------------------------------- putting together


@dataclass(frozen=True, slots=True)
class _Work:
    """What both endings need."""

    inquiry: Inquiry
    retrieval: Retrieval
    style: Style
    limits: Limits
    pool: Pool
    confidence: float
    signals: tuple[tuple[str, float], ...]

    @property
    def all_signals(self) -> tuple[tuple[str, float], ...]:
        return (
            *self.signals,
            *((f"left out: {reason}", float(n)) for reason, n in sorted((+self.pool.skipped).items())),
        )

    def wrap(self, body: Sequence[Sentence]) -> tuple[Sentence, ...]:
        """The body between greeting and closing."""
        start = [Sentence(self.style.greeting, SentenceKind.GREETING)] if self.style.greeting else []
        end = (
            [Sentence(self.style.closing, SentenceKind.CLOSING, layout=Layout.PARAGRAPH)] if self.style.closing else []
        )
        return (*start, *body, *end)


def _draft(work: _Work, chosen: Sequence[Scored], questions: Sequence[Question]) -> Composition:
    scores = {passage.passage_id: value for passage, value in work.retrieval.ranked}
    sentences, evidence = cite(_in_reading_order(chosen), scores)
    unanswered = _unanswered(chosen, questions, work.limits) if len(questions) > 1 else ()
    strong = work.confidence >= work.limits.strong_from
    return Composition(
        Outcome.PARTIAL if unanswered else Outcome.DRAFT,
        work.wrap(sentences),
        tuple(evidence),
        None,
        Strength.STRONG if strong else Strength.FAIR,
        work.confidence,
        unanswered,
        _reasons_to_draft(work, chosen, len(sentences), len(evidence), len(questions), len(unanswered)),
        work.all_signals,
    )


def _abstention(work: _Work) -> Composition:
    told = abstain(work.inquiry, work.retrieval)
    question = Sentence(told.question_back, SentenceKind.QUESTION, layout=Layout.PARAGRAPH)
    return Composition(
        Outcome.ABSTAIN,
        work.wrap([question]),
        (),
        told,
        Strength.WEAK,
        work.confidence,
        (),
        _reasons_to_abstain(work, told.missing),
        work.all_signals,
    )


def _in_reading_order(chosen: Sequence[Scored]) -> list[Quotation]:
    """Document by document, the one chosen first leading; within a document in text order, nothing twice."""
    documents = list(dict.fromkeys(item.candidate.quotations[0].passage.doc_id for item in chosen))
    quotations = dict.fromkeys(quotation for item in chosen for quotation in item.candidate.quotations)
    return sorted(quotations, key=lambda quotation: (documents.index(quotation.passage.doc_id), quotation.place))


def _unanswered(chosen: Sequence[Scored], questions: Sequence[Question], limits: Limits) -> tuple[str, ...]:
    """Questions to which nothing in the reply is near enough."""
    nearest = [max(item.question_cosines[number] for item in chosen) for number in range(len(questions))]
    pairs = zip(questions, nearest, strict=True)
    return tuple(question.text for question, cosine in pairs if likelihood(cosine) < limits.abstain_below)


def _reasons_to_draft(
    work: _Work, chosen: Sequence[Scored], sentences: int, passages: int, questions: int, unanswered: int
) -> tuple[str, ...]:
    titles = dict.fromkeys(item.candidate.quotations[0].passage.title for item in chosen)
    named = ", ".join(f"“{shorten(title, 80)}”" for title in titles)
    reasons = [
        f"Confidence {work.confidence:.2f}; a draft is made from {work.limits.abstain_below:.2f}.",
        f"Quoted: {sentences} sentences or steps, passages used: {passages}, from {named}.",
    ]
    if questions > 1:
        reasons.append(f"The ticket asks {questions} questions; {unanswered} of them found nothing close enough.")
    if any(item.candidate.cut for item in chosen):
        reasons.append("A list of steps goes on in its source: the passages that were found do not hold its end.")
    return (*reasons, *_left_out(work))


def _reasons_to_abstain(work: _Work, missing: Sequence[str]) -> tuple[str, ...]:
    if not work.retrieval.fused.items:
        return ("The search found no passage.",)
    if not work.pool.candidates:
        return ("The passages that were found hold no sentence that may be quoted.", *_left_out(work))
    reasons = [f"Confidence {work.confidence:.2f}; a draft is made from {work.limits.abstain_below:.2f}."]
    if work.confidence >= work.limits.abstain_below:
        reasons.append("What is close to the ticket tells to do the opposite, or is a list too long for a reply.")
    if missing:
        reasons.append(f"No passage that was found mentions {', '.join(f'“{term}”' for term in missing)}.")
    return (*reasons, *_left_out(work))


def _left_out(work: _Work) -> tuple[str, ...]:
    opposite = work.pool.skipped["opposite"]
    return (
        (f"Left out because it tells to do the opposite of what is asked: {opposite} of {len(work.pool.candidates)}.",)
        if opposite
        else ()
    )
