"""Looks for canaries in every byte that the product left, and in what its stores give when asked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import ahocorasick

from tests.canaries.people import Canary

BLOCK_BYTES = 1 << 24
OVERLAP_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Leak:
    kind: str
    where: str


class Searcher:
    """Finds any of the canaries, in any case, as UTF-8, UTF-16, JSON string, or percent-encoded."""

    def __init__(self, canaries: Iterable[Canary]) -> None:
        self._automaton = ahocorasick.Automaton()
        for canary in canaries:
            for form in _forms(canary.value):
                self._automaton.add_word(form, canary.kind)
        self._automaton.make_automaton()

    def in_bytes(self, content: bytes, where: str) -> Iterator[Leak]:
        text = content.decode("latin-1").lower()
        for kind in sorted({kind for _, kind in self._automaton.iter(text)}):
            yield Leak(kind, where)

    def in_text(self, text: str, where: str) -> Iterator[Leak]:
        yield from self.in_bytes(text.encode(errors="surrogatepass"), where)

    def in_file(self, path: Path, where: str) -> Iterator[Leak]:
        """Blocks overlap, so that nothing hides at a border."""
        with path.open("rb") as file:
            tail = b""
            while block := file.read(BLOCK_BYTES):
                yield from self.in_bytes(tail + block, where)
                tail = block[-OVERLAP_BYTES:]

    def in_folder(self, root: Path, *, beside: Sequence[Path] = ()) -> Iterator[Leak]:
        """Contents *and* names of everything below `root`, but for the files `beside`."""
        for path in sorted(root.rglob("*")):
            yield from self.in_text(path.name, f"the name of a file in {path.parent.name}")
            if path.is_file() and path not in beside:
                yield from self.in_file(path, str(path.relative_to(root)))

    def in_database(self, path: Path) -> Iterator[Leak]:
        """Every row of every table as SQLite gives it back: long values lie in pieces in the file."""
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
            for table in tables:
                for row in connection.execute(f'select * from "{table}"'):
                    yield from self.in_text("\x1f".join(map(_shown, row)), f"{path.name}, table {table}")
        finally:
            connection.close()


def _forms(value: str) -> set[str]:
    """How a value may be written down, each as its bytes read as latin-1, in lower case."""
    plain = [value, json.dumps(value)[1:-1], quote(value), quote(value, safe=""), value.lower(), value.upper()]
    encoded = [form.encode() for form in plain] + [value.encode("utf-16-le"), value.lower().encode("utf-16-le")]
    return {form.decode("latin-1").lower() for form in encoded}


def _shown(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
