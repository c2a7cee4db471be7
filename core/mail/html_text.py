"""HTML mail to plain text: what a reader of the mail sees, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup
from bs4.element import Comment, NavigableString, PageElement, PreformattedString, Tag

_UNSEEN = frozenset({"script", "style", "head", "title", "template", "object", "iframe", "svg", "audio", "video"})
_SPACED = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "ul", "ol", "table", "blockquote"})
_BLOCKS = re.compile(
    "address|article|aside|body|center|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|header|hr|li|main|nav|section"
    "|tbody|tfoot|thead|tr|p|h[1-6]|pre|[uo]l|table|blockquote"
)
_HIDING_STYLE = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|(?:^|;)opacity:0(?:\.0+)?(?:;|$|!)"
    r"|(?:^|;)font-size:0(?:px|pt|em|%)?(?:;|$|!)|(?:^|;)max-height:0(?:px)?(?:;|$|!)"
)
_INDENT = "    "
_CITING_CLASSES = frozenset({"gmail_quote", "yahoo_quoted", "moz-cite", "protonmail_quote"})
_SPACE = re.compile(r"[ \t\r\n\f\v\xa0]+")


def html_to_text(html: str) -> str:
    """The visible text. Cited blocks get `> ` before each line, list items `- ` or `1. `, cells ` | ` between them.

    Scripts, styles, comments, hidden elements and images without alternative text are not visible. Linear in the
    number of elements, whatever their nesting.
    """
    writer = _Writer()
    for element, entering in _walk(BeautifulSoup(f"<div>{html}</div>", "lxml")):
        if isinstance(element, Tag):
            (_enter if entering else _leave)(writer, element)
        elif isinstance(element, NavigableString) and not isinstance(element, PreformattedString | Comment):
            writer.write(str(element))
    return writer.text()


def _walk(root: Tag) -> Iterator[tuple[PageElement, bool]]:
    """(element, True) on the way in and (tag, False) on the way out, without recursion, unseen elements left out."""
    stack: list[tuple[PageElement, bool]] = [(root, True)]
    while stack:
        element, entering = stack.pop()
        if isinstance(element, Tag) and entering:
            if _is_unseen(element):
                continue
            stack.append((element, False))
            stack.extend((child, True) for child in reversed(element.contents))
        yield element, entering


def _is_unseen(tag: Tag) -> bool:
    style = re.sub(r"\s+", "", str(tag.get("style", ""))).lower()
    return tag.name in _UNSEEN or tag.has_attr("hidden") or bool(_HIDING_STYLE.search(style))


def _is_cited(tag: Tag) -> bool:
    classes = {str(name).lower() for name in tag.get_attribute_list("class") if name}
    return tag.name == "blockquote" and (str(tag.get("type", "")).lower() == "cite" or bool(classes & _CITING_CLASSES))


def _is_pixel(tag: Tag) -> bool:
    return any(str(tag.get(side, "")).strip().removesuffix("px") in ("0", "1") for side in ("width", "height"))


def _enter(writer: _Writer, tag: Tag) -> None:
    if _BLOCKS.fullmatch(tag.name):
        writer.end_block(spaced=tag.name in _SPACED and not writer.lists)
    writer.verbatim += tag.name == "pre"
    match tag.name:
        case "br":
            writer.break_line()
        case "blockquote":
            writer.prefixes.append("> " if _is_cited(tag) else _INDENT)
        case "ul" | "ol":
            writer.enter_list(ordered=tag.name == "ol")
        case "li":
            writer.bullet()
        case "td" | "th":
            writer.next_cell()
        case "img" if not _is_pixel(tag):
            writer.write(str(tag.get("alt", "")))


def _leave(writer: _Writer, tag: Tag) -> None:
    if tag.name in ("ul", "ol"):
        writer.lists.pop()
    if _BLOCKS.fullmatch(tag.name):
        writer.end_block(spaced=tag.name in _SPACED and not writer.lists)
    writer.verbatim -= tag.name == "pre"
    if tag.name == "blockquote":
        writer.prefixes.pop()
        writer.gap = "".join(writer.prefixes)


class _Writer:
    """Collects lines. `verbatim` counts the open `<pre>`; `lists` has the last number of each open list, -1 bullets.

    `gap` is set when a blank line goes before the next one, to the prefixes that were open where it was asked for.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = ""
        self.mark = ""
        self.verbatim = 0
        self.prefixes: list[str] = []
        self.lists: list[int] = []
        self.gap: str | None = None

    def write(self, text: str) -> None:
        if self.verbatim:
            first, *rest = text.replace("\r\n", "\n").split("\n")
            self.line += first
            for line in rest:
                self.break_line()
                self.line = line
            return
        words = _SPACE.sub(" ", text)
        self.line += words.lstrip(" ") if not self.line or self.line.endswith(" ") else words

    def break_line(self) -> None:
        prefix = "".join(self.prefixes)
        if self.gap is not None and self.lines:
            self.lines.append(min(self.gap, prefix, key=len).rstrip())
        self.lines.append((prefix + self.mark + self.line).rstrip())
        self.line = self.mark = ""
        self.gap = None

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

    def text(self) -> str:
        if self.line.strip():
            self.break_line()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)).strip("\n")
