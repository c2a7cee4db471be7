"""Where content comes from. A source yields items, and says of everything else why it was skipped."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote, urljoin

from core.domain.thread import RedactedThread
from core.domain.ticket import Author
from core.errors import DocumentUnreadable
from core.retrieval.voters import linked_addresses


class Format(StrEnum):
    MARKDOWN = "markdown"
    HTML = "html"
    RST = "rst"
    TEXT = "text"
    PDF = "pdf"
    THREAD = "thread"


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One document as it is found. `source_key` is its stable name in the source, unique there.

    `address` may be shown to customers as a link, and is empty when there is none. `title` may be empty: then the
    document's own is taken. `solved_by` has a solved ticket only: the addresses or source keys of the documents that
    solved it.
    """

    source_key: str
    address: str
    title: str
    payload: bytes = field(repr=False)
    format: Format = Format.MARKDOWN
    solved_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deferred:
    """An item that is costly to make (a ticket to redact): `load` is called only if `fingerprint` is not the known one.

    `fingerprint` must change whenever what `load` gives would.
    """

    source_key: str
    fingerprint: str
    load: Callable[[], SourceItem | Skipped] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read. A `source_key` that ends in `/` stands for everything in that folder."""

    source_key: str
    reason: str

    def covers(self, source_key: str) -> bool:
        """Whether this may be why an item that was there before is not there now."""
        inside = self.source_key if self.source_key.endswith("/") else f"{self.source_key}#"
        return source_key == self.source_key or source_key.startswith(inside)


Item = SourceItem | Deferred | Skipped

_SUFFIXES = {
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".rst": Format.RST,
    ".txt": Format.TEXT,
    ".pdf": Format.PDF,
}
_JSONL = ".jsonl"


# ---------------------------------------------------------------- a folder


def folder_items(root: Path, *, max_bytes: int, base_url: str = "") -> Iterator[SourceItem | Skipped]:
    """The folder's documents, recursively, in order of path; `source_key` is the path within it, with slashes.

    `base_url`, where the folder is published, gives each its address. Links to folders are not followed.
    Raises `DocumentUnreadable` when there is no such folder.
    """
    try:
        entries = _entries(root)
    except OSError as error:
        raise DocumentUnreadable(
            f"The folder {root} cannot be opened: {_why(error)}.", hint="Check the path given to `citedesk ingest`."
        ) from error
    return _walk(entries, root, max_bytes, base_url)


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir(), key=lambda entry: entry.name)


def _walk(entries: list[Path], root: Path, max_bytes: int, base_url: str) -> Iterator[SourceItem | Skipped]:
    for entry in entries:
        key = _key(entry, root)
        if entry.name.startswith("."):
            yield Skipped(key, "hidden")
        elif os.path.isdir(entry):  # unlike Path.is_dir, False without permission to look
            yield from _folder(entry, root, max_bytes, base_url)
        else:
            yield from _file(entry, key, max_bytes, base_url)


def _folder(folder: Path, root: Path, max_bytes: int, base_url: str) -> Iterator[SourceItem | Skipped]:
    key = f"{_key(folder, root)}/"
    if folder.is_symlink():
        yield Skipped(key, "a link to a folder")
        return
    try:
        entries = _entries(folder)
    except OSError as error:
        yield Skipped(key, f"cannot be opened: {_why(error)}")
        return
    yield from _walk(entries, root, max_bytes, base_url)


def _key(path: Path, root: Path) -> str:
    """Names that are no valid UTF-8 get question marks, as a key must be storable."""
    return path.relative_to(root).as_posix().encode("utf-8", "replace").decode()


def _file(path: Path, key: str, max_bytes: int, base_url: str) -> Iterator[SourceItem | Skipped]:
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES and suffix != _JSONL:
        yield Skipped(key, _unknown(suffix))
        return
    try:
        reason = _refusal(path, max_bytes)
        payload = b"" if reason else path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {_why(error)}"
    if reason:
        yield Skipped(key, reason)
    elif suffix == _JSONL:
        yield from _json_lines(payload, key, f"{key}#")
    else:
        address = urljoin(base_url, quote(key)) if base_url else ""
        yield SourceItem(key, address, "", payload, _SUFFIXES[suffix])


def _refusal(path: Path, max_bytes: int) -> str:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        return "not an ordinary file"
    return f"larger than {max_bytes} bytes" if status.st_size > max_bytes else ""


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__


# ---------------------------------------------------------------- files in memory


def given_items(name: str, payload: bytes) -> Iterator[SourceItem | Skipped]:
    """The documents of one file that somebody handed over; `name` tells by its ending what it is."""
    suffix = Path(name).suffix.lower()
    if suffix == _JSONL:
        yield from _json_lines(payload, name, f"{name}#")
    elif suffix in _SUFFIXES:
        yield SourceItem(_storable(name), "", "", payload, _SUFFIXES[suffix])
    else:
        yield Skipped(_storable(name), _unknown(suffix))


def _unknown(suffix: str) -> str:
    return f"files of type {suffix} are not read" if suffix else "files without a type are not read"


# ---------------------------------------------------------------- JSON lines


def jsonl_items(path: Path) -> Iterator[SourceItem | Skipped]:
    """One JSON object a line, as in BEIR: `_id`, `title`, `text` (Markdown) and, if there is one, `url`.

    `source_key` is the `_id`. Raises `DocumentUnreadable` when the file cannot be read.
    """
    try:
        payload = path.read_bytes()
    except OSError as error:
        raise DocumentUnreadable(f"{path} cannot be read: {_why(error)}.") from error
    return _json_lines(payload, path.name, "")


def _json_lines(payload: bytes, name: str, prefix: str) -> Iterator[SourceItem | Skipped]:
    for number, line in enumerate(payload.splitlines(), 1):
        if line.strip():
            yield _json_line(line, f"{name}:{number}", prefix)


def _json_line(line: bytes, place: str, prefix: str) -> SourceItem | Skipped:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Skipped(place, "not JSON")
    if not isinstance(row, dict) or not isinstance(row.get("_id"), str) or not row["_id"]:
        return Skipped(place, "not an object with an _id")
    key = prefix + _storable(row["_id"])
    title, text, url = (row.get(name) or "" for name in ("title", "text", "url"))
    if not all(isinstance(value, str) for value in (title, text, url)):
        return Skipped(key, f"{place}: title, text and url must be strings")
    return SourceItem(key, _storable(url), _storable(title), text.encode("utf-8", "replace"))


def _storable(text: str) -> str:
    """Without lone surrogates, which JSON can spell and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


# ---------------------------------------------------------------- solved tickets

_TURNS = {Author.CUSTOMER: "Question", Author.AGENT: "Answer"}


def solved_ticket_key(connector: str, ticket_id: str) -> str:
    return f"{connector}/{ticket_id}"


def solved_ticket_item(thread: RedactedThread) -> SourceItem | Skipped:
    """A redacted solved ticket, as questions and answers in turns; nobody is named.

    The thread must hold public messages only. A ticket that no agent answered is skipped.
    """
    key = solved_ticket_key(thread.connector, thread.ticket_id)
    turns = [[_TURNS[m.author], m.text] for m in thread.messages if m.author in _TURNS and m.text.strip()]
    if {name for name, _ in turns} != set(_TURNS.values()):
        return Skipped(key, "has no question or no answer")
    payload = json.dumps(turns, ensure_ascii=False).encode("utf-8", "replace")
    linked = [address for m in thread.messages if m.author is Author.AGENT for address in linked_addresses(m.text)]
    solved_by = tuple(dict.fromkeys(linked))
    return SourceItem(key, thread.url, thread.subject, payload, Format.THREAD, solved_by)
