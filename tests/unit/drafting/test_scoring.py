"""What makes one candidate more relevant than another whose words are as near."""

from dataclasses import replace

import pytest

from core.domain.passage import Passage
from core.domain.retrieval import Inquiry
from core.drafting.candidates import Candidate, gather
from core.drafting.composition import Limits
from core.drafting.questions import Question
from core.drafting.scoring import Scored, score
from tests.fakes.search import FakeEmbedder
from tests.unit.drafting.passages import draft, found, passage, quoted

TOLD = "How do I clear the browser cache?"


def scored(candidate: Candidate, *, wants_steps: bool = True) -> Scored:
    (item,) = score(
        [candidate], Inquiry(TOLD), found(), (), wants_steps=wants_steps, embedder=FakeEmbedder(dimension=512)
    )
    return item


def candidate(held: Passage) -> Candidate:
    return gather(found(held), depth=6, sections=None).candidates[0]


def relevance(held: Passage, *, wants_steps: bool = True) -> float:
    return scored(candidate(held), wants_steps=wants_steps).relevance


STEPS = "- Open the browser.\n- Clear the cache."
FACTS = "- The browser is fast.\n- The cache is big."


def test_the_best_passage_has_a_bonus_that_falls_with_the_rank() -> None:
    first = candidate(passage("Clear the browser cache now."))
    assert [round(scored(replace(first, rank=rank)).relevance * 100) for rank in (1, 2)] == [
        round(scored(first).relevance * 100),
        round(scored(first).relevance * 100) - 3,
    ]


def test_a_list_that_goes_on_elsewhere_counts_less() -> None:
    whole = candidate(passage(STEPS))
    assert scored(replace(whole, cut=True)).relevance < scored(whole).relevance


@pytest.mark.parametrize("text", [STEPS, "To clear the cache, open the browser panel."])
def test_instructions_count_more_for_somebody_who_wants_to_do_something(text: str) -> None:
    assert relevance(passage(text)) > relevance(passage(text), wants_steps=False)


@pytest.mark.parametrize("text", [FACTS, "The browser has a cache of its own."])
def test_descriptions_do_not(text: str) -> None:
    assert relevance(passage(text)) == relevance(passage(text), wants_steps=False)


def test_what_stands_under_no_heading_counts_less_for_them() -> None:
    introduction = passage("The browser has a cache of its own.", title="Guide", heading="Guide")
    assert relevance(introduction) < relevance(introduction, wants_steps=False)


def test_the_nearer_of_message_and_subject_counts() -> None:
    held = candidate(passage("Clear the browser cache now."))
    embedder = FakeEmbedder(dimension=512)
    inquiry = Inquiry("It is still slow, sadly.", TOLD)
    (item,) = score([held], inquiry, found(), (), wants_steps=True, embedder=embedder)
    assert item.cosine == pytest.approx(scored(held).cosine)


def test_each_question_has_its_own_cosine() -> None:
    held = candidate(passage("Clear the browser cache now."))
    asked = (Question("a", "browser cache clear"), Question("b", "printers"))
    embedder = FakeEmbedder(dimension=512)
    (item,) = score([held], Inquiry("Hello there"), found(), asked, wants_steps=True, embedder=embedder)
    assert item.question_cosines[0] > 0.5 > item.question_cosines[1]


def test_a_question_of_lesser_weight_is_served_before_more_of_the_same() -> None:
    asked = f"{TOLD} My browser cache is full, clear the cache of my browser. Which printers support duplex scanning?"
    same = passage(
        "Clear the browser cache now. A browser cache is clear after that. Cache and browser are clear then."
    )
    scan = "Duplex scanning is supported by printers of the X series."
    made = draft(asked, same, passage(scan, "b"), limits=Limits(0.02, 0.8, max_units=2))
    assert scan in quoted(made)


def test_another_document_that_repeats_is_passed_over_for_one_that_adds() -> None:
    first = passage("Clear the browser cache with Shift and F5.", "a")
    again = passage("Clear the browser cache with Shift and F6.", "b")
    more = passage("Otherwise the browser empties its cache at midnight.", "c")
    asked = "clear browser cache midnight"
    made = draft(asked, first, again, more, limits=Limits(0.02, 0.8, max_units=2))
    assert [evidence.passage.doc_id for evidence in made.evidence] == ["a", "c"]
