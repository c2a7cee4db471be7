"""What is learned from judged retrievals, how it is measured, and when it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from core.domain.draft import Decision, DraftState
from core.domain.passage import document_of
from core.domain.provenance import Component
from core.errors import BadInput, NotEarned
from core.evaluation.significance import Difference
from core.retrieval.learned import Ranker
from plugin.evaluation import reranker_training as training
from plugin.evaluation.reranker_judgements import JudgedRetrieval, of_draft
from plugin.evaluation.reranker_training import Comparison, RememberingReranker
from tests.fakes.basics import FakeClock
from tests.fakes.judged import (
    DOCUMENTS,
    Answer,
    approved_draft,
    by_chance,
    by_fusion,
    by_opening,
    judged_retrieval,
)

FREELY = partial(training.learn_with, penalty=0.03)


def queries(count: int, answer: Answer) -> list[JudgedRetrieval]:
    return [judged_retrieval(number, answer) for number in range(count)]


def comparison(low: float, high: float, name: str = "ours") -> Comparison:
    return Comparison(name, 40, 0.5, 0.6, Difference((low + high) / 2, low, high))


class KnowingReranker:
    """Gives a text the score that was noted for it."""

    component = Component("reranker", "knowing")

    def __init__(self, scores: dict[str, float]) -> None:
        self._scores = scores
        self.asked = 0

    def score(self, _query: str, texts: Sequence[str]) -> list[float]:
        self.asked += len(texts)
        return [self._scores[text] for text in texts]

    def truncated(self, _query: str, _texts: Sequence[str]) -> int:
        return 0


def knowing(judged: Sequence[JudgedRetrieval], *, right: float) -> KnowingReranker:
    scores = {p.contextual_text: right if p.doc_id in each.grades else 0.0 for each in judged for p in each.passages}
    return KnowingReranker(scores)


def test_what_was_learned_is_measured_on_queries_it_has_not_seen() -> None:
    judged = queries(40, by_opening)
    found = training.compare_orders("ours", judged, training.cross_validated(judged))
    assert found.queries == 40
    assert found.before < 0.6 < 0.9 < found.after
    assert found.difference.low > 0.1
    training.judge_place(found, [])


def test_nothing_is_earned_where_there_is_nothing_to_learn() -> None:
    judged = queries(40, by_chance)
    with pytest.raises(NotEarned, match="may be chance"):
        training.judge_place(training.compare_orders("ours", judged, training.cross_validated(judged, FREELY)), [])


def test_cross_validation_orders_every_query_once_without_having_seen_it() -> None:
    """One query contradicts all others: its own answer must not be known to its ranker."""
    judged = [*queries(40, by_opening), replace(judged_retrieval(99, by_opening), grades={"docs:d7": 1})]
    orders = training.cross_validated(judged, FREELY)
    assert orders.keys() == {each.query_id for each in judged}
    assert document_of(orders["q99"][0][0]) != "docs:d7"
    assert all(len(order) == DOCUMENTS for order in orders.values())


@pytest.mark.parametrize(("low", "high"), [(-0.02, 0.03), (0.0, 0.03), (-0.05, -0.01)])
def test_a_gain_that_may_be_chance_earns_nothing(low: float, high: float) -> None:
    with pytest.raises(NotEarned, match=r"ours .*chance") as caught:
        training.judge_place(comparison(low, high), [])
    assert "Nothing was installed" in caught.value.hint


def test_a_gain_counts_unless_another_set_loses_beyond_chance() -> None:
    won = comparison(0.01, 0.03)
    training.judge_place(won, [comparison(-0.03, 0.0, "api"), comparison(-0.03, 0.01, "chat")])
    with pytest.raises(NotEarned, match="harms api"):
        training.judge_place(won, [comparison(-0.03, -0.001, "api")])


def test_the_comparison_is_that_of_the_fused_order() -> None:
    judged = queries(20, by_fusion)
    same = training.compare("ours", judged, lambda each: training.learned_order(each, Ranker({})))
    assert (same.before, same.after) == (1.0, 1.0)
    assert (same.difference.low, same.difference.high) == (0.0, 0.0)
    worse = training.compare("ours", judged, lambda each: training.fused_order(each)[::-1])
    assert worse.after == pytest.approx(0.3155, abs=1e-4)  # 1 / log2(9): the answer stands last of eight
    assert worse.as_json["before"] == 1.0
    assert worse.as_json["high"] < 0


def test_a_ranker_that_changes_nothing_earns_nothing() -> None:
    with pytest.raises(NotEarned, match="Nothing was learned"):
        training.judge_learned(Ranker({"dense": 0.0}))
    training.judge_learned(Ranker({"dense": -0.1}))


@pytest.mark.parametrize("count", [0, 19])
def test_too_few_judgements_are_refused(count: int) -> None:
    with pytest.raises(BadInput, match=f"{count} judged queries are too few"):
        training.enough(queries(count, by_chance))
    training.enough(queries(20, by_chance))


# ---------------------------------------------------------------- material for models


def test_examples_pair_the_answers_passage_with_what_ranked_high_and_does_not_answer() -> None:
    judged = judged_retrieval(3, by_fusion)
    (example,) = training.examples_from([judged])
    assert example.query == "query 3"
    assert example.positive == "Title 0\ndocument 0 of query 3"
    assert example.document == "docs:d0"
    assert example.negatives == tuple(f"Title {n}\ndocument {n} of query 3" for n in range(1, DOCUMENTS))


def test_an_answer_that_was_not_found_or_a_query_without_text_gives_no_example() -> None:
    judged = judged_retrieval(3, by_fusion)
    assert training.examples_from([replace(judged, grades={"docs:elsewhere": 1})]) == []
    silent = replace(judged, retrieval=replace(judged.retrieval, queries=()))
    assert training.examples_from([silent]) == []
    everything = {f"docs:d{n}": 1 for n in range(DOCUMENTS)}
    assert training.examples_from([replace(judged, grades=everything)]) == []


def test_a_split_is_always_the_same_and_shares_no_query() -> None:
    judged = queries(20, by_chance)
    rest, part = training.split(judged, 0.3)
    assert (len(rest), len(part)) == (14, 6)
    assert not {each.query_id for each in rest} & {each.query_id for each in part}
    assert training.split(judged[::-1], 0.3) == (rest, part)
    assert part != sorted(judged, key=lambda each: each.query_id)[:6]


def test_the_share_that_does_best_is_taken_and_none_where_the_model_knows_nothing() -> None:
    judged = queries(20, by_opening)
    knows, guesses = knowing(judged, right=1.0), knowing(judged, right=0.0)
    assert training.best_share(judged, knows, 20) > 0.2
    assert training.best_share(judged, guesses, 20) == 0.0
    misleads = knowing(judged, right=-1.0)
    assert training.best_share(judged, misleads, 20) == 0.0


def test_a_model_that_knows_the_answer_puts_it_first() -> None:
    judged = queries(20, by_opening)
    model = knowing(judged, right=1.0)
    found = training.compare("ours", judged, lambda each: training.reranked(each, model, 1.0, 20))
    assert found.after == 1.0
    untouched = training.compare("ours", judged, lambda each: training.reranked(each, model, 1.0, 1))
    assert untouched.after == untouched.before


def test_a_pair_is_scored_once() -> None:
    judged = queries(3, by_opening)
    model = knowing(judged, right=1.0)
    remembering = RememberingReranker(model)
    first = training.reranked(judged[0], remembering, 1.0, 20)
    assert training.reranked(judged[0], remembering, 1.0, 20) == first
    assert model.asked == DOCUMENTS
    assert remembering.component == model.component


# ---------------------------------------------------------------- approvals


def test_an_approved_draft_judges_what_it_cites_in_the_retrieval_it_was_made_from() -> None:
    judged = of_draft(*approved_draft(4, by_opening))
    assert judged is not None
    expected = judged_retrieval(4, by_opening)
    assert (judged.query_id, judged.grades, judged.text) == (expected.query_id, expected.grades, expected.text)
    assert judged.passages == expected.passages
    assert training.learned_order(judged, Ranker({"opening": 1.0})) == training.learned_order(
        expected, Ranker({"opening": 1.0})
    )


def test_a_draft_that_cites_nothing_teaches_nothing() -> None:
    draft, record = approved_draft(4, by_opening)
    assert of_draft(replace(draft, sentences=()), record) is None
    struck = tuple(replace(sentence, grounded=False) for sentence in draft.sentences)
    assert of_draft(replace(draft, sentences=struck), record) is None


def test_a_draft_whose_fused_run_was_not_kept_teaches_nothing() -> None:
    draft, record = approved_draft(4, by_opening)
    assert of_draft(draft, replace(record, runs=record.runs[:-1])) is None


@pytest.mark.parametrize(("stars", "teaches"), [(None, True), (1, False), (2, False), (3, True), (5, True)])
def test_what_was_sent_grudgingly_teaches_nothing(stars: int | None, teaches: bool) -> None:
    draft, record = approved_draft(4, by_opening)
    decided = replace(draft, state=DraftState.APPROVED, decision=Decision("agent", FakeClock()(), stars=stars))
    assert (of_draft(decided, record) is not None) is teaches
