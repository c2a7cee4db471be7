"""A sentence stands only if its quotation says it."""

from dataclasses import replace

import pytest

from core.domain.draft import Citation, Evidence, Sentence, SentenceKind, Strength
from core.domain.passage import Span
from core.drafting.composition import Composition, Outcome
from core.drafting.grounding import check_sentence, verify
from tests.unit.drafting.passages import passage

TEXT = "Never delete the file user.js of version 128.0.3. Press OK."
PASSAGE = passage(TEXT, "a", url="https://example.org/a")
QUOTE = Span(0, 49)
CITED = Citation(1, "a#0", QUOTE, TEXT[QUOTE.slice])
GOOD = Sentence(TEXT[QUOTE.slice], SentenceKind.EVIDENCE, (CITED,))


def reason(sentence: Sentence) -> str:
    checked = check_sentence(sentence, {"a#0": PASSAGE})
    assert checked.grounded is not bool(checked.reason)
    return checked.reason


def test_a_verbatim_quotation_is_grounded_whatever_its_white_space_and_case() -> None:
    assert reason(replace(GOOD, text="Never  delete the file user.js of version 128.0.3.")) == ""
    assert reason(replace(GOOD, grounded=False, reason="old")) == ""


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (replace(GOOD, citations=()), "no source"),
        (replace(GOOD, citations=(replace(CITED, passage_id="b#0"),)), "not among the passages"),
        (replace(GOOD, citations=(replace(CITED, quote=Span(1, 50)),)), "does not stand in the passage"),
        (replace(GOOD, citations=(replace(CITED, quoted_text="Delete it."),)), "does not stand in the passage"),
        (replace(GOOD, citations=(replace(CITED, quote=Span(0, 0), quoted_text=""),)), "empty"),
        (replace(GOOD, citations=(replace(CITED, quote=Span(0, 99)),)), "outside"),
        (replace(GOOD, citations=(CITED, replace(CITED, passage_id="b#0"))), "not among the passages"),
        (replace(GOOD, text="Never delete the folder user.js of version 128.0.3."), "words that are not"),
        (replace(GOOD, text="Never delete the file user.js of version 128.3."), "“128.3” is not"),
        (replace(GOOD, text="Never delete the file js.user of version 128.0.3."), "“js.user” is not"),
        (replace(GOOD, text="Delete the file user.js of version 128.0.3."), "says no"),
        (replace(GOOD, text="Never delete the file https://example.org/b"), "a link"),
    ],
)
def test_what_the_quotation_does_not_say_is_not_grounded(changed: Sentence, why: str) -> None:
    assert why in reason(changed)


def test_two_sources_that_say_the_same_no_still_support_it() -> None:
    assert reason(replace(GOOD, citations=(CITED, replace(CITED, marker=2)))) == ""


@pytest.mark.parametrize("kind", [SentenceKind.GREETING, SentenceKind.QUESTION, SentenceKind.CLOSING])
def test_a_sentence_that_claims_nothing_needs_no_source(kind: SentenceKind) -> None:
    assert reason(Sentence("Hello,", kind)) == ""


def test_verify_keeps_what_fails_visible_and_counts_it() -> None:
    bad = replace(GOOD, text="Press F5 instead.")
    made = Composition(
        Outcome.DRAFT, (GOOD, bad), (Evidence(1, PASSAGE, 1.0),), None, Strength.FAIR, 0.6, (), ("First.",), ()
    )
    verified = verify(made)
    assert [sentence.grounded for sentence in verified.sentences] == [True, False]
    assert verified.reasons == ("First.", "1 of 2 sentences did not pass the check against their sources.")
    assert verify(replace(made, sentences=(GOOD,))).reasons == ("First.",)


@pytest.mark.parametrize("kind", list(SentenceKind))
def test_a_placeholder_the_ticket_does_not_know_fails_whatever_it_stands_in(kind: SentenceKind) -> None:
    checked = check_sentence(replace(GOOD, kind=kind, text="Dear <PERSON 4>,"), {"a#0": PASSAGE}, {"<PERSON_1>"})
    assert not checked.grounded
    assert checked.reason == "<PERSON 4> stands for nothing in this ticket"


def test_a_mangled_placeholder_of_the_ticket_is_put_right() -> None:
    checked = check_sentence(Sentence("Dear [person 1],", SentenceKind.GREETING), {}, {"<PERSON_1>"})
    assert (checked.text, checked.grounded) == ("Dear <PERSON_1>,", True)


def test_what_a_source_says_verbatim_is_no_placeholder() -> None:
    text = "Never delete the file person_1 there."
    source = passage(text, "a")
    cited = Citation(1, "a#0", Span(0, len(text)), text)
    checked = check_sentence(Sentence(text, SentenceKind.EVIDENCE, (cited,)), {"a#0": source}, {"<PERSON_1>"})
    assert (checked.text, checked.grounded) == (text, True)


def test_verify_hands_the_placeholders_on() -> None:
    strange = Sentence("Dear <PERSON_2>,", SentenceKind.GREETING)
    made = Composition(Outcome.DRAFT, (strange,), (), None, Strength.FAIR, 0.6, (), (), ())
    assert [sentence.grounded for sentence in verify(made, placeholders={"<PERSON_1>"}).sentences] == [False]
