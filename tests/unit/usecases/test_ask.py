import pytest

from core.domain.retrieval import Inquiry, Retrieval
from core.errors import BadInput
from core.usecases.ask import MAX_QUESTION_CHARS, Answer, ask
from tests.unit.usecases.world import World, composition, retrieval


def answer(question: str, seen: list[Inquiry] | None = None) -> Answer:
    def search(inquiry: Inquiry) -> Retrieval:
        (seen if seen is not None else []).append(inquiry)
        return retrieval()

    return ask(question, recognizer=World().recognizer, search=search, compose=composition)


def test_an_answer_comes_with_what_was_found() -> None:
    given = answer("  How do I reset it?\n")
    assert given.question == "How do I reset it?"
    assert given.retrieval == retrieval()
    assert given.composition == composition()
    assert given.redactions == 0


def test_personal_data_in_a_question_reaches_neither_search_nor_answer() -> None:
    seen: list[Inquiry] = []
    given = answer("Ada Lovelace (ada@example.org) asks: how?", seen)
    assert "Lovelace" not in repr((seen, given))
    assert "ada@" not in repr((seen, given))
    assert given.redactions == 2


@pytest.mark.parametrize("question", ["", " \n\t "])
def test_no_question_is_refused(question: str) -> None:
    with pytest.raises(BadInput):
        answer(question)


def test_the_longest_question_is_read_and_one_more_character_is_refused_without_repeating_it() -> None:
    assert answer("x" * MAX_QUESTION_CHARS)
    with pytest.raises(BadInput) as refused:
        answer("y" * (MAX_QUESTION_CHARS + 1))
    assert "yy" not in refused.value.message
