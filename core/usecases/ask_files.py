"""Answer one question from the files that come with it: they are read into an index of their own, which is deleted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Protocol

from core.domain.draft import Evidence
from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.composition import Composition
from core.errors import BadInput, DocumentUnreadable, FilesTooLarge
from core.ports import EntityRecognizer
from core.usecases.ask import Answer, ask, checked_question


@dataclass(frozen=True, slots=True)
class GivenFile:
    """`name` with its ending, which says what the content is."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class FileLimits:
    """The most one question may bring along: how many files, and how many bytes together."""

    files: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A file, or a part of one, that was not read."""

    name: str
    reason: str


class Library(Protocol):
    """Indexes that hold what `read` gave them and nothing else."""

    @property
    def recognizer(self) -> EntityRecognizer: ...

    def read(self, files: Sequence[GivenFile]) -> tuple[Unread, ...]:
        """Take the files in; what could not be read, and why."""
        ...

    def count(self) -> int:
        """Passages there are."""
        ...

    def search(self, inquiry: Inquiry) -> Retrieval: ...

    def compose(self, inquiry: Inquiry, retrieval: Retrieval) -> Composition: ...


OpenLibrary = Callable[[], AbstractContextManager[Library]]
"""A new, empty library; nothing of it is left when the context ends, however it ends."""


@dataclass(frozen=True, slots=True)
class FilesAnswer:
    """The answer, from how many passages it was chosen, and which files could not be read."""

    answer: Answer
    passages: int
    unread: tuple[Unread, ...]

    @property
    def supporting(self) -> tuple[Evidence, ...]:
        """What the answer rests on; without an answer nothing."""
        composition = self.answer.composition
        return () if composition.abstention else composition.evidence


def ask_files(
    question: str, files: Sequence[GivenFile], *, open_library: OpenLibrary, limits: FileLimits
) -> FilesAnswer:
    """Read the files, answer, forget the files.

    Raises `BadInput` for an unusable question or list of files, before anything is read, and `DocumentUnreadable`
    when none of the files can be read.
    """
    question = checked_question(question)
    _check(files, limits)
    with open_library() as library:
        unread = library.read(files)
        passages = library.count()
        if not passages:
            raise DocumentUnreadable(f"None of the files can be read: {_listed(unread)}.")
        answer = ask(question, recognizer=library.recognizer, search=library.search, compose=library.compose)
    return FilesAnswer(answer, passages, unread)


def _check(files: Sequence[GivenFile], limits: FileLimits) -> None:
    if not files:
        raise BadInput("There is no file to answer from.")
    if len(files) > limits.files:
        raise BadInput(f"{len(files)} files came with the question; at most {limits.files} are read.")
    total = sum(len(file.content) for file in files)
    if total > limits.total_bytes:
        raise FilesTooLarge(f"The files have {total} bytes together; at most {limits.total_bytes} are read.")
    names = [file.name for file in files]
    if "" in map(str.strip, names) or len(set(names)) < len(names):
        raise BadInput("Each file needs a name of its own.")


def _listed(unread: Sequence[Unread]) -> str:
    return "; ".join(f"{PurePath(item.name).name}: {item.reason}" for item in unread) or "they are empty"
