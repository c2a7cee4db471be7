"""What is searched: documents, their sections, and the passages cut from them; and ranked runs of passages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Span:
    """Character offsets into a text, end exclusive.

    >>> "telescope"[Span(0, 4).slice]
    'tele'
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span needs 0 <= start <= end, not {self.start}, {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def slice(self) -> slice:
        return slice(self.start, self.end)

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document under one heading. `path` runs from the outermost heading to this one's.

    `page` counts from 1 and is None where the format has no pages.
    """

    path: tuple[str, ...]
    span: Span
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A source unit. `text` is what spans refer to; sections cover it without overlapping.

    `content_hash` is the hex SHA-256 of title and text: it is the document's version.
    `addresses` are all the places the same content was found at, the first one is shown. `solved_by` has a solved
    ticket only: the addresses or source keys of the documents that solved it.
    """

    doc_id: str
    collection: str
    title: str
    text: str
    sections: tuple[Section, ...]
    content_hash: str
    addresses: tuple[str, ...] = ()
    updated_at: datetime | None = None
    solved_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved unit: `text` is `document.text[span.slice]`, verbatim.

    `section_span` is the enclosing section in the same document. `url` may be empty (a local file);
    links in drafts come from here and from nowhere else. `solved_by` is its document's.
    """

    passage_id: str
    doc_id: str
    collection: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    span: Span
    section_span: Span
    doc_version: str
    url: str = ""
    page: int | None = None
    solved_by: tuple[str, ...] = ()

    @property
    def contextual_text(self) -> str:
        """The passage with its title and headings in front: what is embedded."""
        return "\n".join([" > ".join(dict.fromkeys((self.title, *self.heading_path))), self.text])


_PASSAGE_ID = re.compile(r"@[0-9a-f]{8}#\d+$")


def passage_id(doc_id: str, version: str, number: int) -> str:
    """The name of a document's passage: it says which document, which version of it, and its place there, from 0.

    >>> passage_id("docs:proxy.md", "0123456789abcdef", 2)
    'docs:proxy.md@01234567#2'
    """
    return f"{doc_id}@{version[:8]}#{number}"


def document_of(passage_id: str) -> str:
    """The doc_id in a passage's name; a name that is not made that way is taken for a document's own.

    >>> document_of("docs:proxy.md@01234567#2"), document_of("docs:proxy.md")
    ('docs:proxy.md', 'docs:proxy.md')
    """
    return _PASSAGE_ID.sub("", passage_id)


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """One line of a run; `rank` counts from 1, a higher score is better."""

    passage_id: str
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Run:
    """The ranked list one stage gave for one query, best first.

    `stage` is `lexical`, `dense`, `fusion` ...; `depth` is how many were asked for; `degraded` says
    why a stage gave nothing although it should have (an index that did not answer), else it is empty.
    """

    stage: str
    collection: str
    items: tuple[ScoredPassage, ...]
    depth: int
    seconds: float = 0.0
    degraded: str = ""
    parameters: dict[str, float] = field(default_factory=dict)
