"""Judged retrievals to learn from: of a test collection, of solved tickets, or of this installation's own approvals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.draft import Draft, DraftState
from core.domain.passage import Passage, document_of
from core.domain.provenance import Provenance
from core.domain.retrieval import Inquiry, Retrieval, WeightedQuery
from core.evaluation.qrels import Qrels
from core.ports import DraftFilter
from core.retrieval.query import inquiry_of
from plugin.bootstrap import Records, Services
from plugin.evaluation.retrieval import AUDIENCE, document_keys
from plugin.evaluation.retrieval_data import LabelledSet, SolvedExample
from plugin.evaluation.retrieval_run import read_inquiries
from plugin.evaluation.retrieval_store import Kept, redacted

DECIDED = frozenset({DraftState.APPROVED, DraftState.SENT})
WORST_STARS = 2
"""An approved draft with as many stars or fewer teaches nothing: somebody sent it grudgingly."""

COMMON = 0.02
"""Share of solved tickets above which a document says nothing about any of them."""

Step = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class JudgedRetrieval:
    """What was found for one query, and the grades (above 0) of the documents that answer it, by doc_id."""

    query_id: str
    retrieval: Retrieval
    grades: Mapping[str, int]

    @property
    def text(self) -> str:
        return self.retrieval.queries[0].text if self.retrieval.queries else ""

    @property
    def passages(self) -> list[Passage]:
        """The fused passages that are known, best first."""
        known = self.retrieval.passages
        return [known[item.passage_id] for item in self.retrieval.fused.items if item.passage_id in known]


def of_set(labelled: LabelledSet, services: Services, kept: Kept, step: Step) -> list[JudgedRetrieval]:
    """Each judged query, searched for as in production."""
    return _searched(read_inquiries(labelled, services, kept), labelled.qrels, services, step)


def of_solved(solved: Sequence[SolvedExample], services: Services, kept: Kept, step: Step) -> list[JudgedRetrieval]:
    """Each solved ticket as if its question had just come in; what solved it is relevant, unless it solves anything.

    What is linked in every third answer (how to start in safe mode) was learned to be put first, and harmed.
    """
    qrels = {example.ticket.ticket_id: example.solved_by for example in solved}
    grades = {name: dict.fromkeys(places, 1) for name, places in telling(qrels).items()}
    asked = [replace(e.ticket, messages=e.ticket.messages[:1]) for e in solved if e.ticket.ticket_id in grades]
    threads = redacted(asked, services.recognizer, kept)
    return _searched({thread.ticket_id: inquiry_of(thread) for thread in threads}, grades, services, step)


def telling(solved_by: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What solved each ticket, without documents that solved more than `COMMON` of all; tickets with none left go.

    >>> telling({**{f"t{n}": ["faq"] for n in range(98)}, "t98": ["faq", "proxy"], "t99": ["proxy"]})
    {'t98': ['proxy'], 't99': ['proxy']}
    """
    counts = Counter(place for places in solved_by.values() for place in set(places))
    most = COMMON * len(solved_by)
    kept = {name: [place for place in places if counts[place] <= most] for name, places in solved_by.items()}
    return {name: places for name, places in kept.items() if places}


def of_approvals(records: Records) -> list[JudgedRetrieval]:
    """Each approved draft: the documents it cites are relevant to its ticket, in the retrieval it was made from.

    What was cited had been ranked high, so these judgements favour the ranking that made them.
    """
    with records.uow() as tx:
        total = tx.drafts.count(DraftFilter(states=DECIDED))
        drafts = tx.drafts.list(DraftFilter(states=DECIDED), depth=max(1, total))
        pairs = [(draft, tx.drafts.provenance(draft.draft_id)) for draft in drafts]
    return [judged for draft, record in pairs if (judged := of_draft(draft, record)) is not None]


def of_draft(draft: Draft, record: Provenance) -> JudgedRetrieval | None:
    """None for a draft that cites nothing, was sent grudgingly, or whose fused run was not kept."""
    if draft.decision and draft.decision.stars is not None and draft.decision.stars <= WORST_STARS:
        return None
    cited = {c.passage_id for sentence in draft.sentences if sentence.grounded for c in sentence.citations}
    fused = next((run for run in record.runs if run.stage == "fusion"), None)
    if not cited or fused is None:
        return None
    retrieval = Retrieval(
        queries=tuple(WeightedQuery(text) for text in record.queries),
        runs=record.runs,
        fused=fused,
        passages={passage.passage_id: passage for passage in record.passages},
    )
    return JudgedRetrieval(draft.draft_id, retrieval, {document_of(name): 1 for name in sorted(cited)})


def _searched(inquiries: Mapping[str, Inquiry], qrels: Qrels, services: Services, step: Step) -> list[JudgedRetrieval]:
    documents = {key: doc_id for doc_id, keys in document_keys(services).items() for key in keys}
    judged = []
    for number, (query_id, inquiry) in enumerate(inquiries.items(), 1):
        if grades := _by_document(qrels[query_id], documents):
            judged.append(JudgedRetrieval(query_id, services.search(inquiry, AUDIENCE), grades))
        step(number, len(inquiries))
    return judged


def _by_document(grades: Mapping[str, int], documents: Mapping[str, str]) -> dict[str, int]:
    """Grades by doc_id, the higher one where the corpus holds a text twice; what it does not hold is left out."""
    found: dict[str, int] = {}
    for name, grade in grades.items():
        if name in documents and grade > 0:
            found[documents[name]] = max(grade, found.get(documents[name], 0))
    return found


def documents_of(passages: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Documents in the order of their first passage.

    >>> documents_of([("a@00000000#1", 2.0), ("a@00000000#0", 1.5), ("b@00000000#0", 1.0)])
    [('a', 2.0), ('b', 1.0)]
    """
    best: dict[str, float] = {}
    for name, score in passages:
        best.setdefault(document_of(name), score)
    return list(best.items())
