"""What is searched beside the passages: each document as a whole, in collections of its own.

A whole document is one lexical entry (all of its terms) and one vector (its title and how it opens). It says which
document a ticket is about; the passages say where in it the answer stands. Both entries are named by the doc_id.
"""

from __future__ import annotations

from core.domain.passage import Document
from core.ports import LexicalIndex, VectorIndex

OPENING_WORDS = 40
"""A document's first words say what it is about; longer openings and the mean of all passages measured no better."""


def whole(collection: str) -> str:
    """The name under which the indexes hold a collection's documents as wholes.

    >>> whole("docs")
    'docs~whole'
    """
    return f"{collection}~whole"


def opening(document: Document) -> str:
    """The text that is embedded for a document: its title and its first 40 words.

    >>> opening(Document("d", "docs", "Proxy", "Set it in  the settings.", (), ""))
    'Proxy\\nSet it in the settings.'
    """
    return "\n".join((document.title, " ".join(document.text.split(maxsplit=OPENING_WORDS)[:OPENING_WORDS])))


def drop_collection(collection: str, *, lexical: LexicalIndex, vectors: VectorIndex) -> None:
    """Remove a collection from both indexes, with its documents as wholes."""
    for name in (collection, whole(collection)):
        lexical.drop(name)
        vectors.drop(name)
