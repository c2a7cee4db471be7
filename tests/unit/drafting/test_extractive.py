"""The composer: what it quotes, what it never quotes, and when it says that it cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.draft import Layout, SentenceKind, Strength, render_text
from core.domain.passage import Span
from core.domain.retrieval import Inquiry
from core.drafting.candidates import gather
from core.drafting.composition import Limits, Outcome, Style
from core.drafting.extractive import compose
from tests.fakes.search import FakeEmbedder
from tests.unit.drafting.passages import LIMITS, draft, found, markers, passage, quoted

ASKED = "How do I clear the browser cache?"
ANSWER = "You can clear the browser cache in the privacy panel."


def test_the_nearest_sentence_is_quoted_between_greeting_and_closing() -> None:
    made = draft(ASKED, passage(f"The moon is made of green cheese. {ANSWER}"))
    assert made.outcome is Outcome.DRAFT
    assert made.abstention is None
    assert render_text(made.sentences) == f"Hello,\n\n{ANSWER}\n\nKind regards"


def test_an_empty_greeting_and_closing_are_left_out() -> None:
    made = compose(
        Inquiry(ASKED),
        found(passage(ANSWER)),
        embedder=FakeEmbedder(dimension=512),
        sections=None,
        style=Style("", ""),
        limits=LIMITS,
    )
    assert [sentence.kind for sentence in made.sentences] == [SentenceKind.EVIDENCE]


def test_a_citation_repeats_the_passage_verbatim_while_the_sentence_is_tidied() -> None:
    made = draft(ASKED, passage("You can clear the\nbrowser  cache here."))
    sentence = made.sentences[1]
    (citation,) = sentence.citations
    assert sentence.text == "You can clear the browser cache here."
    assert citation.quoted_text == "You can clear the\nbrowser  cache here."
    assert made.evidence[0].passage.text[citation.quote.slice] == citation.quoted_text


def test_markers_count_from_one_in_order_of_first_use_and_match_the_evidence() -> None:
    made = draft(
        ASKED,
        passage("Nothing here is related to that at all.", "a"),
        passage("Clear the browser cache now and then.", "b"),
        passage("Clear the browser cache again after every big update.", "c"),
    )
    assert markers(made) == [1, 2]
    assert [(e.marker, e.passage.passage_id) for e in made.evidence] == [(1, "b#0"), (2, "c#0")]
    assert [e.score for e in made.evidence] == [1 / 2, 1 / 3]


def test_two_sentences_of_one_passage_share_a_marker_and_keep_their_order() -> None:
    text = "A full browser cache slows things down. Clear the browser cache now. Clear the cache of the browser daily."
    made = draft(ASKED, passage(text))
    assert set(markers(made)) == {1}
    positions = [text.index(sentence) for sentence in quoted(made)]
    assert len(positions) > 1
    assert positions == sorted(positions)


@pytest.mark.parametrize(
    "unit",
    [
        "How do I clear the browser cache?",
        "See also clear the browser cache.",
        "Learn more about how to clear the browser cache.",
        "Click here to clear the browser cache.",
        "Read this article to clear the browser cache.",
        "This article explains how to clear the browser cache.",
        "Clear browser cache.",
        "Clear the browser cache of <PERSON_1> first.",
        "Clear the browser cache at https://example.org/cache first.",
        "https://example.org/clear/browser/cache",
        "[You can clear the browser cache with this](cache).",
    ],
)
def test_some_units_are_never_quoted(unit: str) -> None:
    assert quoted(draft(ASKED, passage(f"{unit}\n\n{ANSWER}"))) == [ANSWER]


def test_the_address_of_the_passage_itself_may_stand_in_a_quotation() -> None:
    text = "Clear the browser cache at https://example.org/a first."
    assert quoted(draft(ASKED, passage(text, url="https://example.org/a"))) == [text]


def test_the_same_sentence_of_two_documents_is_quoted_once_from_the_better_one() -> None:
    made = draft(ASKED, passage(ANSWER, "a"), passage(ANSWER.replace("You", "you"), "b"))
    assert [e.passage.doc_id for e in made.evidence] == ["a"]


def test_letters_in_earlier_tickets_are_not_quoted() -> None:
    letter = "Thanks for clearing the browser cache. I clear the browser cache daily."
    text = f"{letter}\n\nThe browser cache is clear after F5."
    assert quoted(draft(ASKED, passage(text, collection="tickets"))) == ["The browser cache is clear after F5."]


def test_documentation_wins_over_an_earlier_ticket_that_says_as_much() -> None:
    ticket = passage("Clear the browser cache with Shift and F5 pressed.", "t", collection="tickets")
    manual = passage("Clear the browser cache with Alt and F9 pressed.", "d")
    made = draft(
        ASKED, passage("Something else stands here.", "x"), ticket, manual, limits=Limits(0.02, 0.8, max_units=1)
    )
    assert [e.passage.doc_id for e in made.evidence] == ["d"]


# ---------------------------------------------------------------- lists

STEPS = "To clear the browser cache:\n- Open the menu.\n- Choose Privacy.\n- Press Clear."


def test_a_list_is_quoted_whole_in_order_with_its_lead_in() -> None:
    made = draft(ASKED, passage(f"{STEPS}\n\nThe moon is made of cheese."))
    assert quoted(made) == ["To clear the browser cache:", "Open the menu.", "Choose Privacy.", "Press Clear."]
    assert [s.layout for s in made.sentences if s.citations] == [Layout.PARAGRAPH, *[Layout.ITEM] * 3]


def test_a_list_is_found_by_its_heading_even_if_its_steps_say_nothing() -> None:
    intro = passage("The browser cache is described in many good books.", "i", heading="Guide")
    steps = passage("- Open the menu.\n- Press OK.", "s", heading="Clear the browser cache")
    assert quoted(draft(ASKED, steps, intro))[:2] == ["Open the menu.", "Press OK."]


def test_a_list_that_runs_over_two_passages_is_put_together() -> None:
    cut = STEPS.index("- Choose")
    section = Span(0, len(STEPS))
    first, second = passage(STEPS[:cut], section=section), passage(STEPS[cut:], start=cut, section=section)
    made = draft(ASKED, first, second, document=STEPS)
    assert quoted(made) == ["To clear the browser cache:", "Open the menu.", "Choose Privacy.", "Press Clear."]
    assert markers(made) == [1, 1, 2, 2]


def test_a_list_whose_end_was_not_found_says_so() -> None:
    cut = STEPS.index("- Choose")
    made = draft(ASKED, passage(STEPS[:cut], section=Span(0, len(STEPS))), document=STEPS)
    assert quoted(made) == ["To clear the browser cache:", "Open the menu."]
    assert any("goes on in its source" in reason for reason in made.reasons)


def test_a_list_whose_beginning_was_not_found_is_not_quoted() -> None:
    cut = STEPS.index("- Choose")
    document = f"{STEPS}\n\n{ANSWER}"
    made = draft(ASKED, passage(document[cut:], start=cut, section=Span(0, len(document))), document=document)
    assert quoted(made) == [ANSWER]
    assert ("left out: list without its beginning", 1.0) in made.signals


def test_a_section_that_changed_since_is_not_trusted() -> None:
    made = draft(ASKED, passage(ANSWER), document="An entirely different text of another version stands here.")
    assert quoted(made) == [ANSWER]


def test_a_list_with_a_placeholder_is_left_out_whole() -> None:
    made = draft(ASKED, passage(f"{STEPS}\n- Call <PHONE_1>.\n\n{ANSWER}"))
    assert quoted(made) == [ANSWER]


def test_a_lead_in_is_not_quoted_without_its_list() -> None:
    assert quoted(draft(ASKED, passage(f"To clear the browser cache do this:\n\n{ANSWER}"))) == [ANSWER]


def test_a_list_of_links_is_navigation() -> None:
    made = draft(ASKED, passage(f"See also:\n- Clear the browser cache\n- The browser cache\n\n{ANSWER}"))
    assert quoted(made) == [ANSWER]


def test_a_list_keeps_its_lead_in_when_that_was_chosen_before_it() -> None:
    lead = "Clear the browser cache by hand, regularly, every morning."
    made = draft(lead, passage(f"{lead}\n- Press OK.", heading="Clear browser cache"))
    assert quoted(made) == [lead, "Press OK."]


def test_two_lists_without_lead_in_do_not_run_together() -> None:
    first = passage("- Clear the browser cache.\n- Press OK.", "a")
    second = passage("- Clear the cache of the browser.\n- Press F5.", "b")
    assert quoted(draft(ASKED, first, second)) == ["Clear the browser cache.", "Press OK."]


def test_a_sentence_after_a_list_or_of_another_section_starts_a_paragraph() -> None:
    text = f"{STEPS}\n\nClear the browser cache again later."
    made = draft(ASKED, passage(text), passage("Clear the browser cache once more.", "b"))
    layouts = {sentence.text: sentence.layout for sentence in made.sentences}
    assert layouts["Clear the browser cache again later."] is Layout.PARAGRAPH
    assert layouts["Clear the browser cache once more."] is Layout.PARAGRAPH


def test_a_sentence_of_the_same_section_after_a_finished_item_starts_a_paragraph() -> None:
    document = "- Clear the browser cache.\n\nClear the browser cache again later."
    made = draft(ASKED, passage(document, heading="Clear the browser cache"))
    assert [s.layout for s in made.sentences if s.citations] == [Layout.ITEM, Layout.PARAGRAPH]


def test_sentences_of_one_section_run_on() -> None:
    made = draft(ASKED, passage("Clear the browser cache now. Clear the browser cache again later."))
    assert [s.layout for s in made.sentences if s.citations] == [Layout.PARAGRAPH, Layout.RUNNING]


def test_passages_below_the_sixth_are_only_used_to_complete_lists() -> None:
    others = [passage(f"Nothing of that kind stands in book number{n}.", f"d{n}") for n in range(6)]
    assert quoted(draft(ASKED, *others, passage(ANSWER, "g"), limits=Limits(0.0, 0.8))) != [ANSWER]


def test_a_neighbour_below_the_sixth_completes_lists_but_gives_no_sentences_of_its_own() -> None:
    document = f"Something stands here about bread. {ANSWER}"
    section, at = Span(0, len(document)), document.index(ANSWER)
    others = [passage(f"Nothing of that kind stands in book number{n}.", f"d{n}") for n in range(5)]
    first, low = passage(document[: at - 1], section=section), passage(ANSWER, start=at, section=section)
    assert ANSWER in quoted(draft(ASKED, first, low, *others, document=document, limits=Limits(0.0, 0.8)))
    held = gather(found(first, *others, low), depth=6, sections=lambda p: document if p.doc_id == "a" else p.text)
    assert ANSWER not in [candidate.text for candidate in held.candidates]


def test_what_announces_a_list_starts_a_paragraph() -> None:
    made = draft(ASKED, passage(f"Clear the browser cache when it is full. {STEPS}", heading="Clear the browser cache"))
    layouts = {sentence.text: sentence.layout for sentence in made.sentences}
    assert layouts["To clear the browser cache:"] is Layout.PARAGRAPH


# ---------------------------------------------------------------- limits


def test_the_first_list_may_be_up_to_twice_as_long_and_no_longer() -> None:
    assert len(quoted(draft(ASKED, passage(STEPS), limits=Limits(0.02, 0.8, max_words=7)))) == 4
    assert quoted(draft(ASKED, passage(STEPS), limits=Limits(0.02, 0.8, max_words=5))) == []


def test_what_is_far_less_relevant_is_not_used_as_padding() -> None:
    assert quoted(draft(ASKED, passage(f"{ANSWER} The moon is made of green cheese."))) == [ANSWER]


def test_the_same_words_in_another_order_are_not_said_twice() -> None:
    made = draft(ASKED, passage("Clear the browser cache today. Today clear the cache of the browser."))
    assert quoted(made) == ["Clear the browser cache today."]


def test_what_does_not_fit_into_the_words_is_not_added() -> None:
    made = draft(
        ASKED,
        passage(f"{ANSWER} Clearing takes the browser a moment and then the cache is empty."),
        limits=Limits(0.02, 0.8, max_words=12),
    )
    assert len(quoted(made)) == 1


def test_no_more_passages_are_cited_than_allowed() -> None:
    passages = [passage(f"Clear the browser cache number{n} now.", f"d{n}") for n in range(5)]
    assert len(draft(ASKED, *passages, limits=Limits(0.02, 0.8, max_passages=2)).evidence) == 2


def test_strength_follows_the_limit() -> None:
    assert draft(ASKED, passage(ANSWER), limits=Limits(0.02, 0.4)).strength is Strength.STRONG
    assert draft(ASKED, passage(ANSWER), limits=Limits(0.02, 1.0)).strength is Strength.FAIR


# ---------------------------------------------------------------- opposites


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ("How do I disable cookies?", "To get going, enable cookies in the privacy panel."),
        ("How can I turn off notifications?", "Turn on notifications in the privacy panel."),
        ("How do I turn dark mode on?", "Turn dark mode off in the privacy panel."),
        ("The download panel stopped working", "Disable the download panel in the settings."),
        ("I want to add a bookmark", "Delete a bookmark in the library window."),
        ("The dark mode hurts. How do I disable it?", "Enable the dark mode in the settings panel."),
    ],
)
def test_the_opposite_of_what_is_asked_is_no_answer(asked: str, wrong: str) -> None:
    made = draft(asked, passage(wrong), limits=Limits(0.0, 0.8))
    assert made.outcome is Outcome.ABSTAIN
    assert ("left out: opposite", 1.0) in made.signals


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("How do I disable cookies?", "You can enable or disable cookies in the privacy panel."),
        ("How do I disable cookies?", "Enable cookies here, disable cookies there."),
        ("How do I disable cookies?", "Disable cookies in the privacy panel."),
        ("How do I enable cookies?", "There is no need to disable cookies in the panel."),
        ("How do I enable cookies?", "Do not disable cookies in the privacy panel."),
        ("The download panel stopped working", "Disable the virus scanner that blocks downloads."),
    ],
)
def test_a_sentence_is_not_suspected_without_cause(asked: str, right: str) -> None:
    assert quoted(draft(asked, passage(right), limits=Limits(0.0, 0.8))) == [right]


def test_a_section_about_the_opposite_is_not_quoted_even_where_its_sentences_do_not_say_so() -> None:
    wrong = passage("Choose cookies and press the button of the panel.", heading="Enable cookies")
    assert quoted(draft("How do I disable cookies?", wrong, limits=Limits(0.0, 0.8))) == []


# ---------------------------------------------------------------- several questions, and none answered


def test_a_question_without_an_answer_is_listed_and_the_outcome_is_partial() -> None:
    made = draft(f"{ASKED} Which printers support duplex scanning?", passage(ANSWER))
    assert made.outcome is Outcome.PARTIAL
    assert made.unanswered == ("Which printers support duplex scanning?",)
    assert quoted(made) == [ANSWER]


def test_each_of_two_questions_gets_its_sentence() -> None:
    scan = "Duplex scanning is supported by printers of the X series."
    made = draft(
        f"{ASKED} Which printers support duplex scanning?",
        passage(ANSWER, "a"),
        passage(scan, "b"),
        limits=Limits(0.02, 0.8, max_units=2),
    )
    assert made.outcome is Outcome.DRAFT
    assert sorted(quoted(made)) == sorted([ANSWER, scan])


def test_an_off_topic_ticket_is_met_with_an_abstention_and_a_question() -> None:
    other = [passage(f"Bake bread number{n} for an hour.", f"d{n}", title=f"Bread {n}") for n in range(4)]
    made = draft("Telescope XT-500 shows SEC_ERROR_42 after the Zürich update", *other, other[0])
    assert made.outcome is Outcome.ABSTAIN
    assert made.strength is Strength.WEAK
    assert made.evidence == ()
    assert quoted(made) == []
    assert made.abstention is not None
    assert {"XT-500", "SEC_ERROR_42", "Zürich"} <= set(made.abstention.missing)
    assert [(e.marker, e.passage.doc_id) for e in made.abstention.nearest] == [(1, "d0"), (2, "d1"), (3, "d2")]
    assert made.abstention.question_back in [s.text for s in made.sentences if s.kind is SentenceKind.QUESTION]


def test_nothing_found_is_an_abstention_that_says_so() -> None:
    made = draft(ASKED)
    assert (made.outcome, made.confidence) == (Outcome.ABSTAIN, 0.0)
    assert made.reasons == ("The search found no passage.",)


WORDS = st.sampled_from(
    ["clear", "browser", "cache", "open", "the", "menu", "not", "42", "v1.2", "Press", "<NAME_1>", "e.g.", "www.a.org"]
)
UNIT = st.tuples(
    st.sampled_from(["", "- ", "1. ", "## ", "    "]),
    st.lists(WORDS, min_size=1, max_size=9).map(" ".join),
    st.sampled_from([".", "?", ":", "", "! Then it is clear."]),
    st.sampled_from(["\n", "\n\n", " "]),
).map("".join)
TEXTS = st.lists(st.lists(UNIT, min_size=1, max_size=6).map("".join), max_size=4)


@given(TEXTS, st.sampled_from(["docs", "tickets"]))
def test_every_evidence_sentence_of_any_reply_is_grounded_and_verbatim(texts: list[str], collection: str) -> None:
    passages = [passage(text, f"d{n}", collection=collection) for n, text in enumerate(texts)]
    made = draft("Clear the browser cache in the menu", *passages, limits=Limits(0.0, 0.8))
    held = {evidence.marker: evidence.passage for evidence in made.evidence}
    assert list(held) == list(range(1, len(held) + 1))
    for sentence in made.sentences:
        assert sentence.grounded
        assert bool(sentence.citations) is (sentence.kind is SentenceKind.EVIDENCE)
        for citation in sentence.citations:
            assert held[citation.marker].text[citation.quote.slice] == citation.quoted_text
            assert "?" not in citation.quoted_text
            assert "<NAME_1>" not in citation.quoted_text
