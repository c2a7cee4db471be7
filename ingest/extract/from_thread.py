"""A solved ticket to blocks: what the customer asked and what was answered, in turns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from core.errors import DocumentUnreadable
from ingest.extract.blocks import Block, Extracted, assemble, heading
from ingest.extract.from_plain import plain_blocks

Turn = tuple[str, str]
"""(heading, text): `Question` or `Answer`, and what was written."""


def extract_thread(payload: bytes, title: str = "") -> Extracted:
    try:
        turns = [(str(name), str(text)) for name, text in json.loads(payload)]
    except (ValueError, TypeError) as error:
        raise DocumentUnreadable("The ticket's stored turns are damaged.") from error
    return assemble(_blocks(turns), title=title)


def _blocks(turns: Iterable[Turn]) -> Iterator[Block]:
    for name, group in groupby(turns, key=lambda turn: turn[0]):
        yield heading(name, 2)
        for _, text in group:
            yield from plain_blocks(text)
