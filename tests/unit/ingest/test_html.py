from __future__ import annotations

from ingest.extract.from_html import extract_html


def extracted_text(html: str) -> str:
    return extract_html(html.encode()).text


def test_the_only_h1_is_the_title_and_headings_open_sections() -> None:
    page = b"<title>T | Site</title><h1>Proxy</h1><p>Intro.</p><h2>Set <em>up</em></h2><p>Do.</p>"
    result = extract_html(page)
    assert result.title == "Proxy"
    assert [section.path for section in result.sections] == [(), ("Set up",)]


def test_the_pages_title_is_taken_when_there_is_no_h1() -> None:
    assert extract_html(b"<title>Ports\n used</title><p>80</p>").title == "Ports used"


def test_scripts_navigation_forms_and_footers_are_dropped() -> None:
    text = extracted_text(
        "<style>p{}</style><nav>Home</nav><header role=banner>Logo</header><p>Text</p>"
        "<form><button>Send</button></form>"
        "<script>alert(1)</script><noscript>Turn it on</noscript><footer>Imprint</footer>"
    )
    assert text == "Text"


def test_hidden_text_is_dropped() -> None:
    text = extracted_text(
        "<p>Seen</p><p hidden>one</p><p style='color:red; display : none'>two</p><p aria-hidden=true>three</p>"
        "<span style='font-size:0px'>four</span><div style='VISIBILITY:hidden'>five</div><!-- six -->"
        "<span style='opacity:0'>seven</span><p style='opacity:0.8;font-size:0.9em'>Too</p>"
    )
    assert text == "Seen\n\nToo"


def test_only_the_main_part_is_taken() -> None:
    assert (
        extracted_text("<div>Menu</div><main><p>Body</p><footer>Sources</footer></main><div>Ads</div>")
        == "Body\n\nSources"
    )


def test_an_empty_main_part_does_not_hide_the_page() -> None:
    assert extracted_text("<main></main><p>Body</p>") == "Body"


def test_nested_lists_are_indented_and_numbered_from_their_start() -> None:
    text = extracted_text("<ol start=2><li>open<ul><li>red</li></ul></li><li><p>close</p><p>wait</p></li></ol>")
    assert text == "2. open\n  - red\n3. close\n  wait"


def test_definitions_follow_their_terms() -> None:
    assert extracted_text("<dl><dt>--all</dt><dd>Everything.</dd></dl>") == "--all\n\n- Everything."


def test_preformatted_text_is_verbatim() -> None:
    assert extracted_text("<pre>if x:\n    <b>go</b>\n\n\n  end</pre>") == "    if x:\n        go\n\n\n      end"


def test_a_tables_spanning_cells_fill_their_rows_and_columns() -> None:
    text = extracted_text(
        "<table><caption>Ports</caption><tr><th>Service<th>Port<th>Use</tr><tr><td rowspan=2>Mumble<td>1/tcp<td>a"
        "<tr><td>2/udp<td>b<tr><td colspan=2>all<td>c</table>"
    )
    assert text == "Ports\n\nService | Port | Use\nMumble | 1/tcp | a\nMumble | 2/udp | b\nall |  | c"


def test_a_table_that_lays_out_the_page_is_read_as_page() -> None:
    text = extracted_text(
        "<table><tr><td><h2>Left</h2><p>One</p></td><td><table><tr><td>a<td>b</table></td></tr></table>"
    )
    assert text == "One\n\na | b"


def test_text_between_blocks_is_not_lost() -> None:
    assert extracted_text("<div>one <b>two</b><p>three</p>four<br>five</div>") == "one two\n\nthree\n\nfour\nfive"


def test_a_block_inside_a_link_keeps_its_place() -> None:
    assert extracted_text("<a href=x><h2>Install</h2><p>Now</p></a>") == "Now"
    assert extract_html(b"<a href=x><h2>Install</h2><p>Now</p></a><h2>B</h2>b").sections[0].path == ("Install",)


def test_the_declared_encoding_is_used() -> None:
    page = "<meta charset='iso-8859-2'><p>žluťoučký</p>".encode("iso-8859-2")
    assert extract_html(page).text == "žluťoučký"


def test_an_encoding_that_does_not_exist_is_noted_as_guessed() -> None:
    result = extract_html(b"<meta charset=nonsense><p>caf\xe9</p>")
    assert (result.text, result.notes) == ("café", ("not UTF-8: read as Windows-1252",))


def test_xhtml_is_read_without_complaint() -> None:
    assert (
        extracted_text('<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>')
        == "x"
    )
