from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.domain.passage import Document, Passage, Section, Span
from ingest.chunking import LONGEST, cut


def words_in(text: str) -> int:
    return len(text.split())


def quarter_chars(text: str) -> int:
    """A tokenizer whose counts do not add up: the whole may have more tokens than its parts."""
    return len(text) // 4


def document(*texts: str, title: str = "Guide", path: tuple[str, ...] = ("Use",)) -> Document:
    sections, start = [], 0
    for number, text in enumerate(texts):
        sections.append(Section((*path, str(number)), Span(start, start + len(text)), page=number + 1))
        start += len(text) + 2
    return Document(
        "docs:a", "docs", title, "\n\n".join(texts), tuple(sections), "0123456789abcdef", ("http://a.test",)
    )


def passages_of(text: str, words: int = 20, overlap_words: int = 0, max_tokens: int = 1000) -> list[Passage]:
    return cut(document(text), words=words, overlap_words=overlap_words, count_tokens=words_in, max_tokens=max_tokens)


def sentence(name: str, words: int = 6) -> str:
    return " ".join([name.capitalize(), *["word"] * (words - 2), f"{name}."])


def test_a_short_section_is_one_passage_with_all_that_is_known_of_it() -> None:
    [first, second] = cut(
        document("One two.", "Three."), words=20, overlap_words=5, count_tokens=words_in, max_tokens=100
    )
    assert second == Passage(
        passage_id="docs:a@01234567#1",
        doc_id="docs:a",
        collection="docs",
        title="Guide",
        heading_path=("Use", "1"),
        text="Three.",
        span=Span(10, 16),
        section_span=Span(10, 16),
        doc_version="0123456789abcdef",
        url="http://a.test",
        page=2,
    )
    assert first.passage_id == "docs:a@01234567#0"


def test_cuts_fall_between_paragraphs_rather_than_in_them() -> None:
    paragraphs = [f"{sentence('a', 8)} {sentence('b', 8)}", f"{sentence('c', 7)} {sentence('d', 9)}", sentence("e", 16)]
    assert [p.text for p in passages_of("\n\n".join(paragraphs), words=16)] == paragraphs


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = " ".join(sentence(name) for name in "abcdefgh")
    cuts = [p.text for p in passages_of(text, words=12)]
    assert len(cuts) == 4
    assert all(part.endswith(".") and words_in(part) == 12 for part in cuts)


def test_an_abbreviation_or_a_version_does_not_end_a_sentence() -> None:
    text = "Take version 3.1 of it, e.g. the one in the store. " + sentence("b", 10)
    assert [words_in(p.text) for p in passages_of(text, words=11)] == [11, 10]


def test_a_list_is_cut_between_items() -> None:
    text = "\n".join(f"- {sentence('a', 4)} {sentence('b', 4)}\n  and {sentence('c', 4)}" for _ in range(6))
    assert all(p.text.startswith("- ") and p.text.count("- ") == 2 for p in passages_of(text, words=28))


def test_an_introduction_stays_with_its_list() -> None:
    text = f"{sentence('a', 12)}\n\n{sentence('b', 8)[:-1]}:\n\n- {sentence('c', 7)}\n- {sentence('d', 7)}"
    assert [p.text.startswith("B ") for p in passages_of(text, words=20)] == [False, True]


def test_a_table_that_fits_is_kept_whole() -> None:
    table = "\n".join(["Port | Use", *(f"{n} | some use" for n in range(5))])
    text = f"{sentence('a', 11)}\n\n{table}\n\n{sentence('b', 11)}"
    assert table in [p.text for p in passages_of(text, words=20)]


def test_code_with_blank_lines_is_kept_whole_and_keeps_its_indentation() -> None:
    code = "    def go():\n\n        return 1\n\n\n    go()  # now then"
    text = f"{sentence('a', 12)}\n\n{code}\n\n{sentence('b', 12)}"
    assert code in [p.text for p in passages_of(text, words=10)]


def test_long_code_is_cut_between_lines() -> None:
    text = "\n".join(f"    call({n}) # five words here" for n in range(20))
    assert all(p.text.startswith("    call(") for p in passages_of(text, words=20))


def test_passages_overlap_by_whole_sentences() -> None:
    text = " ".join(sentence(name, 5) for name in "abcdefgh")
    first, second, *_ = passages_of(text, words=20, overlap_words=9)
    assert first.text.rpartition(". ")[2] == second.text.partition(". ")[0] + "."


def test_there_is_no_overlap_between_sections_and_none_when_a_sentence_is_too_long_for_it() -> None:
    text = " ".join(sentence(name, 5) for name in "abcdefgh")
    passages = cut(document(text, text), words=20, overlap_words=4, count_tokens=words_in, max_tokens=100)
    assert all(not a.span.overlaps(b.span) for a, b in pairwise(passages))


def test_table_rows_are_not_repeated() -> None:
    text = "\n".join(f"{n} | b" for n in range(40))
    assert all(not a.span.overlaps(b.span) for a, b in pairwise(passages_of(text, words=30, overlap_words=10)))


def test_a_text_without_spaces_is_cut_by_tokens() -> None:
    passages = cut(document("文" * 100), words=50, overlap_words=0, count_tokens=len, max_tokens=40)
    assert "".join(p.text for p in passages) == "文" * 100


def test_the_limit_holds_for_tokenizers_whose_counts_do_not_add_up() -> None:
    text = "No. " * 60
    passages = cut(document(text), words=100, overlap_words=0, count_tokens=quarter_chars, max_tokens=20)
    assert max(quarter_chars(p.contextual_text) for p in passages) <= 20
    assert sum(p.text.count("No.") for p in passages) == 60


def test_headings_that_leave_no_room_lose_their_outer_part_and_then_the_title_its_end() -> None:
    long_path = ("far " * 15 + "out", "near")
    [passage] = cut(
        document("Text.", title="word " * 60, path=long_path),
        words=20,
        overlap_words=0,
        count_tokens=words_in,
        max_tokens=40,
    )
    assert words_in(passage.contextual_text) <= 40
    assert passage.title.startswith("word word")


def test_a_limit_below_one_character_is_refused() -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        cut(document("ab"), words=5, overlap_words=0, count_tokens=lambda text: 9 * len(text), max_tokens=10)


LINES = st.one_of(
    st.text(alphabet="ab .!?:\"'é文。\t", min_size=1, max_size=80),
    st.builds("- {}".format, st.text(alphabet="xy. ", max_size=40)),
    st.builds("    {}".format, st.text(alphabet="cd ()=", max_size=40)),
    st.builds("{} | {}".format, st.text(alphabet="ef ", max_size=9), st.text(alphabet="gh ", max_size=9)),
)
SECTIONS = st.lists(st.lists(LINES, min_size=1, max_size=12).map("\n".join), min_size=1, max_size=3)
BLANKS = st.sampled_from(["\n", "\n\n", "\n \n", "\n\n\n"])


@example(
    sections=[":\n::::::::\n- xxx\n- xxxxxxxxxxxxxxxxxxxxxxxxxxx\n:\n:\n:\n:"],
    blank="\n",
    words=8,
    overlap_words=3,
    max_tokens=16,
    count_tokens=quarter_chars,
)
@given(
    sections=SECTIONS,
    blank=BLANKS,
    words=st.integers(1, 30),
    overlap_words=st.integers(0, 15),
    max_tokens=st.integers(16, 60),
    count_tokens=st.sampled_from([words_in, quarter_chars]),
)
def test_passages_cover_everything_within_all_limits(
    sections: list[str], blank: str, words: int, overlap_words: int, max_tokens: int, count_tokens: object
) -> None:
    assert callable(count_tokens)
    source = document(*(text.replace("\n", blank) for text in sections))
    passages = cut(source, words=words, overlap_words=overlap_words, count_tokens=count_tokens, max_tokens=max_tokens)
    covered = {at for passage in passages for at in range(passage.span.start, passage.span.end)}
    assert all(char.isspace() or at in covered for at, char in enumerate(source.text))
    for number, passage in enumerate(passages):
        assert passage.passage_id.endswith(f"#{number}")
        assert passage.text == source.text[passage.span.slice]
        assert passage.text.strip()
        assert count_tokens(passage.contextual_text) <= max_tokens
        assert words_in(passage.text) <= max(1, words * LONGEST)
        assert passage.section_span.start <= passage.span.start <= passage.span.end <= passage.section_span.end
    assert all(a.span.start < b.span.start and a.span.end < b.span.end for a, b in pairwise(passages))


@given(sections=SECTIONS)
def test_cutting_is_deterministic(sections: list[str]) -> None:
    def once() -> list[Passage]:
        return cut(document(*sections), words=12, overlap_words=4, count_tokens=words_in, max_tokens=60)

    assert once() == once()
