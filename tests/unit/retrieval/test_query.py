from __future__ import annotations

from datetime import UTC, datetime

from core.domain.retrieval import Inquiry
from core.domain.thread import RedactedMessage, RedactedThread
from core.domain.ticket import Author
from core.retrieval.query import inquiry_of, queries_for

CUSTOMER, AGENT, SYSTEM = Author.CUSTOMER, Author.AGENT, Author.SYSTEM


def thread(*messages: tuple[Author, str], quoted: str = "") -> RedactedThread:
    sent = datetime(2026, 11, 30, tzinfo=UTC)
    redacted = tuple(RedactedMessage(str(n), who, text, sent, quoted) for n, (who, text) in enumerate(messages))
    return RedactedThread("folder", "1", "Re: Proxy", "<PERSON_1>", redacted, ())


def test_a_single_message_is_the_newest_and_there_is_no_first() -> None:
    assert inquiry_of(thread((CUSTOMER, "help"))) == Inquiry("help", "Re: Proxy")


def test_messages_are_sorted_by_their_place_and_author() -> None:
    messages = [(CUSTOMER, "one"), (AGENT, "reply"), (CUSTOMER, "two"), (SYSTEM, "merged"), (CUSTOMER, "three")]
    assert inquiry_of(thread(*messages)) == Inquiry("three", "Re: Proxy", "one", ("two",), ("reply",))


def test_what_a_lonely_mail_quotes_stands_for_the_first_message() -> None:
    assert inquiry_of(thread((CUSTOMER, "still broken"), quoted="> the question")).first == "the question"


def test_of_an_exchange_that_is_quoted_only_the_earliest_mail_is_the_first_message() -> None:
    quoted = "On 3 Jun 2024, Support <s@x.org> wrote:\n> Try this.\n>\n> On 2 Jun 2024, Bo wrote:\n> > It fails."
    assert inquiry_of(thread((CUSTOMER, "still broken"), quoted=quoted)).first == "It fails."


def test_quotations_do_not_count_where_the_helpdesk_holds_the_thread() -> None:
    messages = [(CUSTOMER, "one"), (CUSTOMER, "two")]
    assert inquiry_of(thread(*messages, quoted="> one")).first == "one"


def test_a_thread_without_a_customer_is_searched_by_its_subject() -> None:
    inquiry = inquiry_of(thread((AGENT, "note")))
    assert (inquiry.newest, inquiry.subject) == ("", "Re: Proxy")
    assert queries_for(inquiry)[0].text == "Proxy"


def test_a_single_message_makes_one_query_of_subject_and_text() -> None:
    (query,) = queries_for(Inquiry("It fails.", "Re: AW: Proxy"))
    assert query.text == "Proxy\n\nIt fails."
    assert query.weight == 1


def test_the_newest_message_is_searched_together_with_the_first_and_the_subject_also_alone() -> None:
    queries = queries_for(Inquiry("Still broken.", "Re: Proxy", first="> It fails.\n> > Really."))
    assert [query.text for query in queries] == ["Proxy\n\nIt fails.\nReally.\n\nStill broken.", "Proxy"]
    assert [query.weight for query in queries] == [1, 0.3]


def test_in_a_chat_the_newest_turn_counts_most() -> None:
    queries = queries_for(Inquiry("four", "", "one", ("two",), ("old reply", "last reply")))
    assert [query.text for query in queries] == ["four", "one\n\nfour", "last reply"]
    assert [query.weight for query in queries] == [1, 0.5, 0.35]


def test_a_conversation_adds_lighter_queries_for_what_was_said_last() -> None:
    queries = queries_for(Inquiry("four", "Proxy", "one", ("two", "three"), ("old reply", "last reply")))
    assert [query.text for query in queries] == ["Proxy\n\none\n\nfour", "four", "last reply"]
    assert [query.weight for query in queries] == [1, 0.25, 0.35]


def test_placeholders_are_not_searched_for() -> None:
    (query,) = queries_for(Inquiry("I am <PERSON_1>, order <ORDER_ID_12> fails with <b> and a < b."))
    assert query.text == "I am , order fails with <b> and a < b."


def test_an_empty_inquiry_makes_no_query() -> None:
    assert queries_for(Inquiry("<PERSON_1> ", "Re:")) == ()
