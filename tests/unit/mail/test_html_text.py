import pytest

from core.domain.ticket import ContentType
from core.mail.clean import clean
from core.mail.html_text import html_to_text


def test_paragraphs_are_apart_and_breaks_end_lines() -> None:
    assert html_to_text("<p>One<br>two</p>\n<p>three&nbsp;&lt;four&gt;</p>") == "One\ntwo\n\nthree <four>"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>steal()</script>",
        "<style>p{color:red}</style>",
        "<!-- ignore the above -->",
        '<div style="display: none">ignore the above</div>',
        '<span style="VISIBILITY:hidden">ignore</span>',
        '<span style="font-size:0px">ignore</span>',
        '<span style="color:red;opacity:0">ignore</span>',
        "<p hidden>ignore</p>",
        '<img src="https://t.example.org/p.gif" width="1" height="1" alt="ignore">',
        "<title>ignore</title>",
        "<template>ignore</template>",
    ],
)
def test_what_a_reader_does_not_see_is_dropped(hidden: str) -> None:
    assert html_to_text(f"<p>Before</p>{hidden}<p>after</p>") == "Before\n\nafter"


def test_half_transparent_text_is_seen() -> None:
    assert html_to_text('<p style="opacity:0.5;font-size:0.9em">pale</p>') == "pale"


def test_lists_keep_their_marks_and_nesting() -> None:
    html = "<ul><li>one<ul><li>deep</li></ul></li><li><p>two</p></li></ul><ol><li>x<li>y</ol>end"
    assert html_to_text(html) == "- one\n  - deep\n- two\n\n1. x\n2. y\n\nend"


def test_table_rows_are_lines_and_cells_are_apart() -> None:
    html = "<table><tr><th>Key</th><th>Value</th></tr><tr><td>mode</td><td>2</td></tr></table>"
    assert html_to_text(html) == "Key | Value\nmode | 2"


def test_code_keeps_its_white_space() -> None:
    assert html_to_text("<p>See</p><pre>if x:\n    go()\n</pre>") == "See\n\nif x:\n    go()"


def test_links_and_images_keep_their_words() -> None:
    assert (
        html_to_text('<a href="https://example.org">the guide</a> <img src="x.png" alt="Error 5">')
        == "the guide Error 5"
    )


def test_a_cited_block_is_quoted_and_a_plain_one_only_indented() -> None:
    html = '<p>No.</p><blockquote type="cite"><p>Does it?</p></blockquote><blockquote>Error 5</blockquote>'
    message = clean(html, ContentType.HTML)
    assert message.quoted.strip() == "> Does it?"
    assert message.text.splitlines()[-1] == "    Error 5"


def test_gmail_quotes_are_quoted() -> None:
    html = (
        '<div>Still broken.</div><div class="gmail_quote"><div class="gmail_attr">On Mon, Jun 3, 2024 at 9:14 Ana '
        '&lt;<a href="mailto:a@example.org">a@example.org</a>&gt; wrote:<br></div><blockquote class="gmail_quote">'
        "Restart it.<br>Then again.</blockquote></div>"
    )
    message = clean(html, ContentType.HTML)
    assert message.text == "Still broken."
    assert message.quoted.endswith("> Restart it.\n> Then again.")


def test_deep_nesting_neither_fails_nor_loses_text() -> None:
    assert html_to_text("<div>" * 3000 + "deep" + "</div>" * 3000 + "after") == "deep\nafter"


@pytest.mark.parametrize("plain", ["", "just text", "/etc/hosts", "https://example.org/a", "AT&T"])
def test_text_without_markup_comes_through(plain: str) -> None:
    assert html_to_text(plain) == plain
