"""reStructuredText to blocks, by docutils, with everything that Sphinx adds read as well as can be without Sphinx.

Nothing is included from files or the network, and no raw output is taken over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from core.errors import DocumentUnreadable
from ingest.extract.blocks import (
    Block,
    Extracted,
    Kind,
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

if TYPE_CHECKING:
    from docutils import nodes

_SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "docinfo_xform": False,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "input_encoding": "unicode",
    "raw_enabled": False,
    "report_level": 5,
    "syntax_highlight": "none",
    "warning_stream": False,
}
_ROLE = re.compile(r"^:[\w:+.-]+:`([^`]*)`$")
_ROLE_TARGET = re.compile(r"\s*<[^<>]*>$")
_DIRECTIVE = re.compile(r"^\.\.\s+([\w:.-]+)::[ \t]*([^\n]*)\n?((?:[ \t]+:[\w-]+:[^\n]*\n?)*)(.*)\Z", re.DOTALL)
_GENERATES = re.compile(
    r"toctree|index|include|literalinclude|raw|contents|meta|auto\w*|\w*module\w*|only|tabularcolumns"
)
_CODE_LIKE = re.compile(r"code|sourcecode|doctest|testcode|testoutput|prompt|ipython|console")
_DEPTH = 5


def extract_rst(payload: bytes, title: str = "") -> Extracted:
    decoded = decode(payload)
    notes = [decoded.note] if decoded.note else []
    return assemble(rst_blocks(clean(decoded.text)), title=title, notes=notes)


def rst_blocks(text: str) -> Iterator[Block]:
    return _document(text, depth=0)


def _document(text: str, depth: int) -> Iterator[Block]:
    from docutils.core import publish_doctree
    from docutils.utils import SystemMessage

    try:
        tree = publish_doctree(text, settings_overrides=_SETTINGS)
    except SystemMessage as error:
        raise DocumentUnreadable("The reStructuredText is damaged.") from error
    return _walk(tree, level=0, depth=depth)


def _walk(node: nodes.Element, level: int, depth: int) -> Iterator[Block]:
    """`level` counts the sections around, `depth` the unknown directives."""
    for child in node.children:
        name = type(child).__name__
        if name not in _DROPPED:
            yield from _WRITERS.get(name, _prose_or_inside)(child, level, depth)


def _prose_or_inside(node: nodes.Node, level: int, depth: int) -> Iterator[Block]:
    from docutils import nodes as n

    if isinstance(node, n.TextElement):
        yield paragraph(_inline(node))
    elif isinstance(node, n.Element):
        yield from _walk(node, level, depth)


def _section(node: nodes.Element, level: int, depth: int) -> Iterator[Block]:
    yield from _walk(node, level + 1, depth)


def _title(node: nodes.Element, level: int, _depth: int) -> Iterator[Block]:
    inside_section = type(node.parent).__name__ == "section"
    yield heading(_inline(node), level) if inside_section else paragraph(_inline(node))


def _code(node: nodes.Element, _level: int, _depth: int) -> Iterator[Block]:
    yield code(node.astext())


def _image(node: nodes.Element, _level: int, _depth: int) -> Iterator[Block]:
    yield paragraph(_inline(node))


def _lines(node: nodes.Element, _level: int, _depth: int) -> Iterator[Block]:
    from docutils import nodes as n

    yield paragraph("\n".join(map(_inline, node.findall(n.line))))


def _quotation(node: nodes.Element, level: int, depth: int) -> Iterator[Block]:
    yield from without_headings(_walk(node, level, depth))


def _list(node: nodes.Element, level: int, depth: int) -> Iterator[Block]:
    from docutils import nodes as n

    for number, item in enumerate(node.children, int(node.get("start", 1))):
        assert isinstance(item, n.Element)
        marker = "-" if isinstance(node, n.bullet_list) else f"{number}."
        yield from list_item(marker, _walk(item, level, depth))


def _definitions(node: nodes.Element, level: int, depth: int) -> Iterator[Block]:
    """`- term: ` before the first paragraph of its definition."""
    from docutils import nodes as n

    for entry in node.children:
        assert isinstance(entry, n.Element)
        *terms, body = entry.children
        assert isinstance(body, n.Element)
        blocks = list(without_headings(_walk(body, level, depth)))
        term = ", ".join(_inline(term) for term in terms)
        if blocks and blocks[0].kind is Kind.PARAGRAPH:
            blocks[0] = paragraph(f"{term}: {blocks[0].text}")
        else:
            blocks.insert(0, paragraph(term))
        yield from list_item("-", blocks)


def _admonition(node: nodes.Element, level: int, depth: int) -> Iterator[Block]:
    """`Note: ` before the first paragraph."""
    lead = f"{node.tagname.capitalize()}: "
    for block in without_headings(_walk(node, level, depth)):
        if lead and block.kind is Kind.PARAGRAPH:
            yield paragraph(lead + block.text)
            lead = ""
        else:
            yield block


def _table(node: nodes.Element, _level: int, _depth: int) -> Iterator[Block]:
    from docutils import nodes as n

    for title in node.findall(n.title):
        yield paragraph(_inline(title))
    yield from table([_inline(cell) for cell in row.children] for row in node.findall(n.row))


def _unknown_directive(message: nodes.Element, _level: int, depth: int) -> Iterator[Block]:
    """The content of a directive that docutils does not know: code as code, prose as prose, generated lists not."""
    from docutils import nodes as n

    source = next(message.findall(n.literal_block), None)
    match = _DIRECTIVE.match(source.astext()) if source else None
    if match is None or depth >= _DEPTH or _GENERATES.fullmatch(match.group(1)):
        return
    name, argument, _options, body = match.groups()
    if _CODE_LIKE.match(name):
        yield code(body)
    else:
        yield from without_headings(_document(f"{argument}\n\n{dedent(body)}", depth + 1))


def _inline(node: nodes.Node) -> str:
    from docutils import nodes as n

    match node:
        case n.Text():
            return node.astext().replace("\n", " ").replace("\0", "")
        case n.problematic():
            return _role(node.astext())
        case n.image():
            return str(node.get("alt", ""))
        case n.option_argument():
            return f"{node.get('delimiter', ' ')}{node.astext()}"
        case n.Element():
            separator = " " if isinstance(node, n.entry | n.definition | n.term) else ""
            return separator.join(map(_inline, node.children))
    return node.astext()


def _role(text: str) -> str:
    """The readable part of a role only Sphinx knows.

    >>> _role(":ref:`the guide <guide>`"), _role(":py:func:`~os.path.join`")
    ('the guide', 'os.path.join')
    """
    match = _ROLE.match(text)
    return _ROLE_TARGET.sub("", match.group(1)).lstrip("~!") if match else text


_DROPPED = frozenset(["comment", "meta", "pending", "raw", "substitution_definition", "target", "topic"])
_ADMONITIONS = "attention caution danger error hint important note tip warning"
_WRITERS: Mapping[str, Callable[[Any, int, int], Iterator[Block]]] = {
    "section": _section,
    "title": _title,
    "rubric": _title,
    "literal_block": _code,
    "doctest_block": _code,
    "math_block": _code,
    "image": _image,
    "bullet_list": _list,
    "enumerated_list": _list,
    "definition_list": _definitions,
    "field_list": _definitions,
    "option_list": _definitions,
    "line_block": _lines,
    "block_quote": _quotation,
    "table": _table,
    "system_message": _unknown_directive,
    **dict.fromkeys(_ADMONITIONS.split(), _admonition),
}
