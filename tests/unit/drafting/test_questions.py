"""Which questions a ticket asks."""

from core.domain.retrieval import Inquiry
from core.drafting.questions import questions_of


def texts(newest: str, subject: str = "") -> list[str]:
    return [question.text for question in questions_of(Inquiry(newest, subject))]


def test_numbered_requests_count_and_numbered_facts_do_not() -> None:
    asked = "1. How to export bookmarks to a file\n2. I pressed the export button twice\n3. Is the file format HTML?"
    assert texts(asked) == ["How to export bookmarks to a file", "Is the file format HTML?"]


def test_empty_questions_do_not_count() -> None:
    assert texts("Any ideas? Can you help me please? What can I do?") == []


def test_the_subject_is_asked_only_when_the_message_asks_nothing() -> None:
    subject = "How do I export bookmarks?"
    assert texts("It is urgent.", subject) == [subject]
    assert texts("Where do saved passwords live?", subject) == ["Where do saved passwords live?"]


def test_a_repeated_question_counts_once() -> None:
    assert texts("How do I export bookmarks? HOW do I export bookmarks?") == ["HOW do I export bookmarks?"]


def test_a_question_that_points_back_is_searched_with_the_subject() -> None:
    (question,) = questions_of(Inquiry("Does it delete bookmarks?", "Refresh the profile"))
    assert question.query == "Refresh the profile: Does it delete bookmarks?"
    (plain,) = questions_of(Inquiry("Do updates delete bookmarks?", "Refresh the profile"))
    assert plain.query == plain.text
