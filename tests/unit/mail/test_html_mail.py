"""Mails in the HTML that mail programs write."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.ticket import ContentType
from core.mail.clean import CleanMessage, Forwarded, clean
from core.mail.html_text import html_to_text, read_html


def clean_html(body: str) -> CleanMessage:
    return clean(body, ContentType.HTML)


GMAIL = (
    '<div class="gmail_quote"><div class="gmail_attr">'
    "On Mon, Mar 2, 2026 at 9:41 AM Bo &lt;b@x.org&gt; wrote:<br></div>"
)


def test_answers_between_the_quotations_of_gmail_are_text() -> None:
    quote = '<blockquote class="gmail_quote"><div>{}</div></blockquote>'
    message = clean_html(f"{GMAIL}{quote.format('Which?')}<div>128</div>{quote.format('Where?')}<div>Home</div></div>")
    assert message.text.split() == ["128", "Home"]
    assert message.history[0].text == "Which?\nWhere?"


def test_a_forwarded_mail_of_gmail_is_text() -> None:
    message = clean_html(
        '<div>See below</div><div class="gmail_signature">Ana</div><div class="gmail_quote"><div class="gmail_attr">'
        "---------- Forwarded message ---------<br>From: <b>Bo</b> &lt;b@x.org&gt;<br>Date: Monday<br>Subject: x<br>"
        "To: a@x.org<br></div><p>It fails.</p></div>"
    )
    assert message.text.endswith("It fails.")
    assert (message.signature, message.quoted, message.forwarded) == ("Ana", "", Forwarded("Bo", "Monday"))


@pytest.mark.parametrize(
    "earlier",
    [
        '<div id="divRplyFwdMsg">Lähettäjä Bo</div><p>Hi</p>',
        '<div id="x_x_divRplyFwdMsg">Bo</div><p>Hi</p>',
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3pt 0cm"><p>Bo</p></div><p>Hi</p>',
        '<div style="border-top:solid #B5C4DF 1.0pt">Bo</div><p>Hi</p>',
        '<div style="border-top-color: rgb(229, 229, 229); border-top-width: 1px">Bo</div><p>Hi</p>',
        '<div id="yahoo_quoted_1" class="yahoo_quoted">Bo<p>Hi</p></div>',
        '<div class="protonmail_quote">Bo<blockquote type="cite">Hi</blockquote></div>',
        '<div name="quote">Bo<div name="quoted-content">Hi</div></div>',
        '<div data-marker="__HEADERS__">Bo</div><div data-marker="__QUOTED_TEXT__">Hi</div>',
        '<div class="moz-cite-prefix">Bo<br></div><blockquote type="cite">Hi</blockquote>',
        "<div>On 3 Jun 2024, Bo &lt;b@x.org&gt; wrote:</div><blockquote>Hi</blockquote>",
    ],
)
def test_the_programs_mark_of_an_earlier_mail_is_enough(earlier: str) -> None:
    message = clean_html(f"<p>No.</p>{earlier}")
    assert message.text == "No."
    assert "Bo" in message.quoted
    assert "Hi" in message.quoted


@pytest.mark.parametrize(
    "attributes",
    [
        'class="gmail_signature"',
        'class="moz-signature"',
        'class="protonmail_signature_block"',
        'class="ydp1a2b3csignature"',
        'id="Signature"',
        'id="ms-outlook-mobile-signature"',
        'id="AppleMailSignature"',
        'data-marker="__SIG_PRE__"',
    ],
)
def test_the_programs_mark_of_a_signature_is_enough(attributes: str) -> None:
    message = clean_html(f"<div>No.</div><div {attributes}>whatever stands here</div><div>More.</div>")
    assert (message.text, message.signature) == ("No.\nMore.", "whatever stands here")


def test_a_mail_written_into_its_signature_is_text() -> None:
    assert clean_html('<div id="Signature">It fails.</div>').text == "It fails."


def test_white_text_is_hidden_on_white_and_seen_on_dark() -> None:
    message = clean_html(
        '<span style="color:#FFFFFF">ignore the above</span><table bgcolor="#003366"><tr><td>'
        '<span style="color:white">Seen</span></td></tr></table><p>Why?</p>'
    )
    assert message.text == "Seen\n\nWhy?"
    assert message.dropped == (("hidden", 1),)


def test_what_nobody_sees_is_counted() -> None:
    message = clean_html(
        '<style>p{}</style><script>x()</script><p>Why?</p><img src="https://t.example.org/p.gif" width="1">'
        '<div class="preheader">Look</div><p style="font-size:1px">tiny</p>'
    )
    assert message.text == "Why?"
    assert message.dropped == (("hidden", 2), ("pixel", 1), ("script", 1), ("style", 1))


def test_images_that_came_with_the_mail_are_attachments() -> None:
    assert clean_html('<p>See <img src="cid:shot.png@01DA" alt=""></p>').attachments == ("shot.png",)


def test_lines_of_a_word_processor_are_not_spaced() -> None:
    assert clean_html('<p class="MsoNormal">One</p><p class="MsoNormal">two</p>').text == "One\ntwo"
    assert clean_html('<p style="margin:0">One</p><p style="margin:0">two</p>').text == "One\ntwo"


def test_deep_quotation_stops_being_indented() -> None:
    lines = read_html("<blockquote type=cite>a" * 3000).lines
    assert max(map(len, lines)) < 100


PIECES = st.sampled_from(
    [
        *(
            "<p>text</p>",
            "<br>",
            "one line<br>",
            "<div>",
            "</div>",
            "<blockquote type=cite>",
            "</blockquote>",
            "&gt; typed",
        ),
        *("<div class=gmail_quote>", "<div class=gmail_signature>sig</div>", "<div id=divRplyFwdMsg>From: a</div>"),
        *("<p>Regards,</p><p>Ana Bell</p>", "<pre>$ ls\n-- \n</pre>", "<p>This is confidential, delete it.</p>"),
        *("<p>---------- Forwarded message ---------</p>", "<p>On 3 Jun 2024, Bo wrote:</p>", "<div hidden>no</div>"),
    ]
)


@given(st.lists(PIECES, max_size=20).map("".join))
def test_no_visible_line_of_html_is_lost(body: str) -> None:
    message = clean_html(body)
    parts = (message.text, message.quoted, message.signature, message.disclaimer)
    told = Counter(line.strip() for part in parts for line in part.splitlines() if line.strip())
    assert told == Counter(line.strip() for line in html_to_text(body).splitlines() if line.strip())
