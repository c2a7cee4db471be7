"""What an agent's edit leaves of the evidence."""

from core.domain.draft import Citation, Layout, Sentence, SentenceKind, render_text
from core.domain.passage import Span
from core.drafting.editing import check_edit


def evidence(text: str, marker: int = 1, layout: Layout = Layout.RUNNING) -> Sentence:
    citation = Citation(marker, f"p{marker}", Span(0, len(text)), text)
    return Sentence(text, SentenceKind.EVIDENCE, (citation,), layout=layout)


DRAFT = (
    Sentence("Hello,", SentenceKind.GREETING),
    evidence("Open the settings panel of version 128.0.3 first.", 1, Layout.PARAGRAPH),
    evidence("Then delete the browser cache.", 2),
    evidence("Press OK. Wait for it.", 3, Layout.ITEM),
    Sentence("Kind regards,\nYour support team", SentenceKind.CLOSING, layout=Layout.PARAGRAPH),
)
TEXT = render_text(DRAFT)


def outcome(text: str) -> list[tuple[str, list[int], bool]]:
    return [(e.origin, [c.marker for c in e.citations], e.supported) for e in check_edit(text, DRAFT)]


def test_an_unchanged_reply_keeps_every_citation() -> None:
    assert outcome(TEXT) == [
        ("system", [], True),
        ("system", [1], True),
        ("system", [2], True),
        ("system", [3], True),
        ("system", [], True),
    ]


def test_a_small_change_keeps_the_citation_but_is_the_agents() -> None:
    changed = TEXT.replace("Then delete the browser cache.", "Please delete the browser cache.")
    assert outcome(changed)[2] == ("agent", [2], True)


def test_another_number_loses_the_citation() -> None:
    assert outcome(TEXT.replace("128.0.3", "129.0"))[1] == ("agent", [], False)


def test_a_negation_loses_the_citation() -> None:
    assert outcome(TEXT.replace("Then delete", "Do not delete"))[2] == ("agent", [], False)


def test_new_words_are_not_supported() -> None:
    added = TEXT.replace("\n- Press", " You may also buy our new telescope today.\n- Press")
    assert outcome(added)[3] == ("agent", [], False)
    assert outcome(added)[4] == ("system", [3], True)


def test_a_link_the_agent_adds_is_not_supported() -> None:
    assert outcome("Delete the browser cache at https://example.org/x") == [("agent", [], False)]


def test_words_put_in_front_of_a_sentence_make_it_the_agents() -> None:
    assert outcome("Never Press OK. Wait for it.")[0] == ("agent", [], False)


def test_a_sentence_that_was_not_grounded_stays_unsupported() -> None:
    struck = Sentence("It is said so.", SentenceKind.EVIDENCE, (), grounded=False, reason="no source is cited")
    assert not check_edit("It is said so.", [struck])[0].supported


def test_another_greeting_needs_no_source_but_a_claim_behind_it_does() -> None:
    assert outcome(TEXT.replace("Hello,", "Dear <PERSON_4>,"))[0] == ("agent", [], True)
    assert outcome(TEXT.replace("Kind regards,\nYour support team", "Many thanks"))[-1] == ("agent", [], True)
    assert outcome(TEXT.replace("Hello,", "Dear <PERSON_4>, it costs 5 euros."))[0] == ("agent", [], False)
