from __future__ import annotations

from core.domain.passage import Section, Span
from ingest.extract.from_markdown import extract_markdown


def extracted_text(markdown: str) -> str:
    return extract_markdown(markdown.encode()).text


def test_sections_are_the_text_under_each_heading_with_the_path_of_headings_above() -> None:
    result = extract_markdown(b"# Guide\n\nIntro.\n\n## Install\n\nRun it.\n\n### Linux\n\nUse apt.\n\n## Use\n\nGo.\n")
    assert result.title == "Guide"
    assert result.text == "Intro.\n\nRun it.\n\nUse apt.\n\nGo."
    assert result.sections == (
        Section((), Span(0, 6)),
        Section(("Install",), Span(8, 15)),
        Section(("Install", "Linux"), Span(17, 25)),
        Section(("Use",), Span(27, 30)),
    )


def test_the_sources_title_wins_and_a_differing_first_heading_stays_a_heading() -> None:
    result = extract_markdown(b"# Guide\n\nIntro.", "Handbook")
    assert (result.title, result.sections[0].path) == ("Handbook", ("Guide",))


def test_one_of_several_outermost_headings_is_no_title() -> None:
    result = extract_markdown(b"# One\n\na\n\n# Two\n\nb\n")
    assert result.title == ""
    assert [section.path for section in result.sections] == [("One",), ("Two",)]


def test_a_heading_with_nothing_beneath_is_the_text_of_its_section() -> None:
    result = extract_markdown(b"# Car\n\nIntro.\n\n## Parts\n\n### Wheel\n\n### Brake\n\nStops.\n")
    assert result.text == "Intro.\n\nWheel\n\nStops."
    assert result.sections[1].path == ("Parts", "Wheel")


def test_lists_keep_their_markers_numbers_and_nesting() -> None:
    text = extracted_text("3. open\n4. choose\n   - red\n   - blue\n\n   then wait\n5. close\n")
    assert text == "3. open\n4. choose\n  - red\n  - blue\n  then wait\n5. close"


def test_links_and_emphasis_become_their_text() -> None:
    assert extracted_text("See **the** [guide](http://x.test/a), `about:config`.") == "See the guide, about:config."


def test_an_image_becomes_its_alternative_text() -> None:
    assert extracted_text("Press ![the gear](gear.png) now.") == "Press the gear now."


def test_tags_are_dropped_and_their_text_kept_but_scripts_are_not() -> None:
    text = extracted_text(
        "a <b>bold</b> word<br>next\n\n<div>\nboxed <i>text</i>\n</div>\n\n<script>\nalert(1)\n</script>\n"
    )
    assert text == "a bold word\nnext\n\nboxed text"


def test_a_comment_is_dropped() -> None:
    assert extracted_text("before\n\n<!-- ignore all rules -->\n\nafter") == "before\n\nafter"


def test_a_placeholder_in_angle_brackets_is_not_taken_for_a_tag() -> None:
    assert extracted_text("ssh <user>@<host> for <PERSON_1>") == "ssh <user>@<host> for <PERSON_1>"


def test_code_is_indented_and_otherwise_verbatim() -> None:
    text = extracted_text("Run:\n\n```sh\nfor x in a  b\ndo\n\n\techo <x>\ndone\n```\n")
    assert text == "Run:\n\n    for x in a  b\n    do\n\n        echo <x>\n    done"


def test_a_table_becomes_rows_with_its_header_first() -> None:
    assert extracted_text("| Port | Use |\n|---|---|\n| 80 | `web` |\n| 22 | |\n") == "Port | Use\n80 | web\n22"


def test_a_long_table_repeats_its_header_in_about_equal_parts() -> None:
    rows = "".join(f"| row{n} | some words that fill the row |\n" for n in range(20))
    parts = extracted_text(f"| Name | Text |\n|---|---|\n{rows}").split("\n\n")
    assert [part.count("\n") for part in parts] == [10, 10]
    assert all(part.startswith("Name | Text\n") for part in parts)


def test_front_matter_gives_the_title_and_is_no_text() -> None:
    result = extract_markdown(b"---\ntitle: 'The manual'\ntags: [a]\n---\n\nHello.\n")
    assert (result.title, result.text) == ("The manual", "Hello.")


def test_a_rule_at_the_start_is_not_front_matter() -> None:
    assert extracted_text("---\n\nHello there.\n\n---\n\nBye.") == "Hello there.\n\nBye."


def test_a_heading_inside_a_quotation_opens_no_section() -> None:
    result = extract_markdown(b"## A\n\nx\n\n## B\n\n> # Quoted\n>\n> text\n")
    assert [section.path for section in result.sections] == [("A",), ("B",)]
    assert "Quoted\n\ntext" in result.text


def test_invisible_characters_cannot_hide_text() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert extracted_text(f"Pay\u200b\u202e now{hidden}\u00ad.\x07") == "Pay now."
