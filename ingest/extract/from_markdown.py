"""Markdown (CommonMark with tables) to blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.extract.blocks import (
    Block,
    Extracted,
    assemble,
    clean,
    code,
    heading,
    list_item,
    paragraph,
    table,
    without_headings,
)
from ingest.extract.encoding import decode
from ingest.extract.from_html import html_blocks, is_html_tag

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_FRONT_MATTER = re.compile(r"\A---\n((?:[\w-]+:.*\n|[ \t#-].*\n|\n)*)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FRONT_TITLE = re.compile(r"^title:[ \t]*(['\"]?)(.+?)\1[ \t]*$", re.MULTILINE)


def extract_markdown(payload: bytes, title: str = "") -> Extracted:
    """Links and emphasis become their text, tags of raw HTML are dropped, front matter gives the title."""
    decoded = decode(payload)
    text, front_title = _split_front_matter(clean(decoded.text))
    notes = [decoded.note] if decoded.note else []
    return assemble(markdown_blocks(text), title=title or front_title, notes=notes)


def markdown_blocks(text: str) -> Iterator[Block]:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return _walk(SyntaxTreeNode(parser.parse(text)))


def _split_front_matter(text: str) -> tuple[str, str]:
    match = _FRONT_MATTER.match(text)
    if not match:
        return text, ""
    title = _FRONT_TITLE.search(match.group(1))
    return text[match.end() :], title.group(2) if title else ""


def _walk(node: SyntaxTreeNode) -> Iterator[Block]:
    for child in node.children:
        yield from _blocks(child)


def _blocks(node: SyntaxTreeNode) -> Iterator[Block]:
    match node.type:
        case "heading":
            yield heading(_inline(node), int(node.tag[1]))
        case "paragraph":
            yield paragraph(_inline(node))
        case "bullet_list" | "ordered_list":
            yield from _list(node)
        case "fence" | "code_block":
            yield code(node.content)
        case "table":
            yield from table(_rows(node))
        case "html_block":
            yield from html_blocks(node.content)
        case "blockquote":
            yield from without_headings(_walk(node))


def _list(node: SyntaxTreeNode) -> Iterator[Block]:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, first):
        marker = "-" if node.type == "bullet_list" else f"{number}."
        yield from list_item(marker, _walk(item))


def _rows(node: SyntaxTreeNode) -> Iterator[list[str]]:
    for row in node.walk():
        if row.type == "tr":
            yield [_inline(cell) for cell in row.children]


def _inline(node: SyntaxTreeNode) -> str:
    """Readable text of a node's inline content; a hard line break is a newline."""
    match node.type:
        case "text" | "code_inline":
            return node.content
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case "html_inline":
            return _tag(node.content)
    return "".join(map(_inline, node.children))


def _tag(tag: str) -> str:
    """Nothing for HTML; but `<user>` is no HTML: somebody wrote a placeholder."""
    name = re.match(r"</?([A-Za-z][\w-]*)", tag)
    if name and not is_html_tag(name.group(1)):
        return tag
    return "\n" if name and name.group(1).lower() == "br" else ""
