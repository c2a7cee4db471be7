from dataclasses import replace

import pytest

from core.usecases.ask import MAX_QUESTION_CHARS
from tests.fakes.store import Tables
from tests.unit.web_audit.conftest import Site
from tests.unit.web_audit.stage import nothing, retrieval


@pytest.fixture
def agent(site: Site) -> Site:
    """The agent has signed in."""
    site.sign_in(site.agent)
    return site


def stored(site: Site) -> Tables:
    with site.services.store.uow() as tx:
        return tx.tables.snapshot()


def test_whoever_is_not_signed_in_cannot_ask(site: Site) -> None:
    site.get("/ask", 303)


def test_an_answer_has_markers_passages_and_the_question_still_in_its_box(agent: Site) -> None:
    page = agent.post("/ask", question="How do I restore bookmarks?")
    assert 'href="#passage-2"' in page
    assert 'id="passage-2"' in page
    assert ">Open about:profiles to see all profiles and start the one with your data.</mark>" in page
    assert "\nHow do I restore bookmarks?</textarea>" in page


def test_an_answer_needs_no_greeting_and_closing(agent: Site) -> None:
    page = agent.post("/ask", question="How?")
    assert "Hello," not in page
    assert "Kind regards" not in page


def test_what_no_source_supports_is_struck_through(agent: Site) -> None:
    page = agent.post("/ask", question="How?")
    assert "<s>You can also call us on Sundays." in page


def test_passages_that_were_found_but_not_cited_are_listed_once(agent: Site) -> None:
    page = agent.post("/ask", question="How?")
    assert "1 other passage found" in page
    assert page.count('id="passage-3"') == 1
    assert page.count("Recover user data missing after an update</h3>") == 1


def test_without_an_answer_it_says_what_was_searched_and_what_to_ask(agent: Site) -> None:
    agent.services.compose = nothing
    page = agent.post("/ask", question="Why was I charged twice?")
    assert "No answer found" in page
    assert "Invoice 2291 is wrong, it was charged twice" in page
    assert "invoice, charged twice" in page
    assert "Could you tell us which invoice you mean?" in page
    assert page.count("<article") == 3
    assert "other passage" not in page


def test_a_reduced_search_is_a_badge(agent: Site) -> None:
    agent.services.search = lambda inquiry, _audience: replace(retrieval(inquiry), reduced=("lexical only",))
    assert ">lexical only</span>" in agent.post("/ask", question="How?")


@pytest.mark.parametrize("question", ["", "   ", "x" * (MAX_QUESTION_CHARS + 1)])
def test_a_question_that_cannot_be_asked_is_kept_with_the_reason(agent: Site, question: str) -> None:
    page = agent.post("/ask", 400, question=question)
    assert 'role="alert"' in page
    assert f"{question}</textarea>" in page


def test_personal_data_in_a_question_is_counted_and_stays_in_the_box(agent: Site) -> None:
    page = agent.post("/ask", question="Ada Lovelace asks how")
    assert "1 personal detail replaced before the search" in page
    assert page.count("Ada Lovelace") == 1


def test_a_hostile_question_stays_text(agent: Site) -> None:
    page = agent.post("/ask", question="</textarea><script>alert(1)</script>")
    assert "<script>alert" not in page


def test_asking_stores_nothing(agent: Site) -> None:
    before = stored(agent)
    agent.post("/ask", question="How?")
    assert stored(agent) == before


def test_asking_needs_the_forms_token(agent: Site) -> None:
    assert agent.client.post("/ask", data={"question": "How?"}).status_code == 400
