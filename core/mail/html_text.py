"""HTML mail to plain text: what a reader of the mail sees, in reading order, and what its program marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bs4 import BeautifulSoup
from bs4.element import Comment, NavigableString, PageElement, PreformattedString, Tag

from core.mail.html_marks import Hint, hint_of, is_citing, style_of, unseen_reason
from core.mail.intros import ends_with_attribution

_SPACED = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "ul", "ol", "table", "blockquote"})
_BLOCKS = re.compile(
    "address|article|aside|body|center|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|header|hr|li|main|nav|section"
    "|tbody|tfoot|thead|tr|p|h[1-6]|pre|[uo]l|table|blockquote"
)
_INDENT = "    "
_MOST_PREFIXES = 20
_SPACE = re.compile(r"[ \t\r\n\f\v\xa0]+")
_NO_MARGIN = re.compile(r"(?:^|;)margin:0(?:\.0+)?(?:px|pt|in|cm|em)?(?:;|$|!)|(?:^|;)margin-(?:top|bottom):0")
_NO_GAP_CLASSES = frozenset({"MsoNormal", "MsoPlainText", "MsoListParagraph", "x_MsoNormal", "elementToProof"})
_INLINE_IMAGE = re.compile(r"cid:([^@\s]{1,120})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class VisibleText:
    """The lines a reader sees, for each what the mail program marked it as, the names of images that came with the
    mail, and how many pieces of each kind nobody sees, by name of the kind."""

    lines: tuple[str, ...]
    hints: tuple[Hint | None, ...]
    images: tuple[str, ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def html_to_text(html: str) -> str:
    """The visible text. Cited blocks get `> ` before each line, list items `- ` or `1. `, cells ` | ` between them.

    Scripts, styles, comments, hidden elements and images without alternative text are not visible. Linear in the
    number of elements, whatever their nesting.

    >>> html_to_text("<p>Two <b>words</b><br>and more</p>")
    'Two words\\nand more'
    """
    return read_html(html).text


def read_html(html: str) -> VisibleText:
    """The visible text of `html_to_text` with the marks of the mail program and what was left out."""
    writer = _Writer()
    for element, entering in _walk(BeautifulSoup(f"<div>{html}</div>", "lxml"), writer.dropped):
        if isinstance(element, Tag):
            (_enter if entering else _leave)(writer, element)
        elif isinstance(element, NavigableString) and not isinstance(element, PreformattedString | Comment):
            writer.write(str(element))
    return writer.result()


def _walk(root: Tag, dropped: Counter[str]) -> Iterator[tuple[PageElement, bool]]:
    """(element, True) on the way in and (tag, False) on the way out, without recursion, unseen elements left out."""
    stack: list[tuple[PageElement, bool]] = [(root, True)]
    while stack:
        element, entering = stack.pop()
        if isinstance(element, Tag) and entering:
            reason = unseen_reason(element)
            if reason:
                dropped[reason] += 1
                continue
            stack.append((element, False))
            stack.extend((child, True) for child in reversed(element.contents))
        yield element, entering


def _is_spaced(tag: Tag) -> bool:
    """Whether a blank line stands around the element: paragraphs, unless their style says that none does."""
    if tag.name not in _SPACED:
        return False
    classes = {str(name) for name in tag.get_attribute_list("class") if name}
    return tag.name != "p" or not (classes & _NO_GAP_CLASSES or _NO_MARGIN.search(style_of(tag)))


def _enter(writer: _Writer, tag: Tag) -> None:
    if _BLOCKS.fullmatch(tag.name):
        writer.end_block(spaced=_is_spaced(tag) and not writer.lists)
    writer.verbatim += tag.name == "pre"
    writer.hint_on(tag)
    match tag.name:
        case "br":
            writer.break_line()
        case "blockquote":
            writer.cite(tag)
        case "ul" | "ol":
            writer.enter_list(ordered=tag.name == "ol")
        case "li":
            writer.bullet()
        case "td" | "th":
            writer.next_cell()
        case "img":
            writer.image(tag)


def _leave(writer: _Writer, tag: Tag) -> None:
    if tag.name in ("ul", "ol"):
        writer.lists.pop()
    if _BLOCKS.fullmatch(tag.name):
        writer.end_block(spaced=_is_spaced(tag) and not writer.lists)
    writer.verbatim -= tag.name == "pre"
    if tag.name == "blockquote":
        writer.prefixes.pop()
        writer.gap = "".join(writer.prefixes)
    writer.hint_off(tag)


class _Writer:
    """Collects lines. `verbatim` counts the open `<pre>`; `lists` has the last number of each open list, -1 bullets.

    `gap` is set when a blank line goes before the next one, to the prefixes that were open where it was asked for.
    `marks` are the open elements that the mail program marked, with their hints.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.hints: list[Hint | None] = []
        self.line = ""
        self.line_hint: Hint | None = None
        self.mark = ""
        self.verbatim = 0
        self.prefixes: list[str] = []
        self.lists: list[int] = []
        self.gap: str | None = None
        self.marks: list[tuple[Tag, Hint]] = []
        self.images: list[str] = []
        self.dropped: Counter[str] = Counter()

    def write(self, text: str) -> None:
        if not self.line.strip():
            self.line_hint = self.marks[-1][1] if self.marks else None
        if self.verbatim:
            first, *rest = text.replace("\r\n", "\n").split("\n")
            self.line += first
            for line in rest:
                self.break_line()
                self.line_hint = self.marks[-1][1] if self.marks else None
                self.line = line
            return
        words = _SPACE.sub(" ", text)
        self.line += words.lstrip(" ") if not self.line or self.line.endswith(" ") else words

    def break_line(self) -> None:
        prefix = "".join(self.prefixes)
        if self.gap is not None and self.lines:
            self._add(min(self.gap, prefix, key=len).rstrip(), None)
        self._add((prefix + self.mark + self.line).rstrip(), self.line_hint if self.line.strip() else None)
        self.line = self.mark = ""
        self.line_hint = None
        self.gap = None

    def _add(self, line: str, hint: Hint | None) -> None:
        self.lines.append(line)
        self.hints.append(hint)

    def end_block(self, *, spaced: bool) -> None:
        if self.line.strip():
            self.break_line()
        self.line = ""
        if spaced and not self.mark and self.gap is None:
            self.gap = "".join(self.prefixes)

    def enter_list(self, *, ordered: bool) -> None:
        self.lists.append(0 if ordered else -1)

    def bullet(self) -> None:
        number = self.lists[-1] if self.lists else -1
        if number >= 0:
            self.lists[-1] = number + 1
        self.mark = "  " * (len(self.lists) - 1) + ("- " if number < 0 else f"{number + 1}. ")

    def next_cell(self) -> None:
        if self.line.strip():
            self.line = self.line.rstrip() + " | "

    def image(self, tag: Tag) -> None:
        inline = _INLINE_IMAGE.match(str(tag.get("src", "")))
        if inline:
            self.images.append(inline.group(1))
        self.write(str(tag.get("alt", "")))

    def cite(self, tag: Tag) -> None:
        """Open a block quotation. An unmarked one right below an attribution is as good as marked. Beyond twenty levels
        the depth is not shown."""
        recent = [line for line in self.lines[-8:] if line.strip()]
        after_attribution = not is_citing(tag) and bool(recent) and ends_with_attribution(recent)
        if after_attribution:
            self.marks.append((tag, Hint.QUOTE))
        prefix = "> " if is_citing(tag) or after_attribution else _INDENT
        self.prefixes.append(prefix if len(self.prefixes) < _MOST_PREFIXES else "")

    def hint_on(self, tag: Tag) -> None:
        if self.marks and self.marks[-1][1] is Hint.QUOTE:
            return
        hint = hint_of(tag)
        if hint is not None:
            self.marks.append((tag, hint))

    def hint_off(self, tag: Tag) -> None:
        while self.marks and self.marks[-1][0] is tag:
            self.marks.pop()

    def result(self) -> VisibleText:
        if self.line.strip():
            self.break_line()
        pairs = [pair for n, pair in enumerate(self._pairs()) if pair[0].strip() or n]
        dropped = tuple(sorted(self.dropped.items()))
        return VisibleText(
            tuple(line for line, _ in pairs), tuple(hint for _, hint in pairs), tuple(self.images), dropped
        )

    def _pairs(self) -> Iterator[tuple[str, Hint | None]]:
        """The lines with their hints, one blank line at most between two, none at the ends."""
        waiting = False
        for line, hint in zip(self.lines, self.hints, strict=True):
            if not line:
                waiting = True
                continue
            if waiting:
                yield "", None
            waiting = False
            yield line, hint
