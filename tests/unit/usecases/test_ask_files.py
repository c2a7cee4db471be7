from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from core.domain.retrieval import Inquiry, Retrieval
from core.drafting.composition import Composition
from core.errors import BadInput, DocumentUnreadable, FilesTooLarge
from core.usecases.ask_files import FileLimits, FilesAnswer, GivenFile, Unread, ask_files
from tests.unit.usecases.world import World, composition, retrieval

LIMITS = FileLimits(files=3, total_bytes=10)
FILE = GivenFile("manual.md", b"text")


class Shelf:
    """A library that counts how often it is opened and closed; files without content cannot be read."""

    def __init__(self, error: Exception | None = None) -> None:
        self.recognizer = World().recognizer
        self.error = error
        self.held: list[GivenFile] = []
        self.asked: list[Inquiry] = []
        self.opened = self.closed = 0

    @contextmanager
    def open(self) -> Iterator[Shelf]:
        self.opened += 1
        try:
            yield self
        finally:
            self.closed += 1

    def read(self, files: Sequence[GivenFile]) -> tuple[Unread, ...]:
        self.held = [file for file in files if file.content]
        return tuple(Unread(file.name, "is empty") for file in files if not file.content)

    def count(self) -> int:
        return 7 * len(self.held)

    def search(self, inquiry: Inquiry) -> Retrieval:
        self.asked.append(inquiry)
        if self.error:
            raise self.error
        return retrieval()

    def compose(self, inquiry: Inquiry, found: Retrieval) -> Composition:
        return composition(inquiry, found)

    def ask(self, *files: GivenFile, question: str = "How?") -> FilesAnswer:
        return ask_files(question, files, open_library=self.open, limits=LIMITS)


def test_the_answer_comes_from_the_library_which_is_closed_afterwards() -> None:
    shelf = Shelf()
    given = shelf.ask(FILE, GivenFile("empty.md", b""))
    assert given.answer.composition == composition()
    assert given.supporting == composition().evidence
    assert (given.passages, given.unread) == (7, (Unread("empty.md", "is empty"),))
    assert (shelf.opened, shelf.closed) == (1, 1)


def test_personal_data_in_the_question_is_replaced_before_the_search() -> None:
    shelf = Shelf()
    shelf.ask(FILE, question="Ada Lovelace asks how")
    assert "Lovelace" not in repr(shelf.asked)


def test_the_library_is_closed_when_the_search_fails() -> None:
    shelf = Shelf(RuntimeError("broken"))
    with pytest.raises(RuntimeError):
        shelf.ask(FILE)
    assert (shelf.opened, shelf.closed) == (1, 1)


def test_files_of_which_none_can_be_read_are_named_and_forgotten() -> None:
    shelf = Shelf()
    with pytest.raises(DocumentUnreadable, match=r"None of the files can be read: empty\.md: is empty\."):
        shelf.ask(GivenFile("/home/ada/empty.md", b""))
    assert (shelf.closed, shelf.asked) == (1, [])


@pytest.mark.parametrize(
    ("files", "question", "error"),
    [
        ((), "How?", BadInput),
        ((FILE,), "  ", BadInput),
        ((FILE, FILE), "How?", BadInput),
        ((GivenFile(" ", b"text"),), "How?", BadInput),
        (tuple(GivenFile(f"{n}.md", b"x") for n in range(4)), "How?", BadInput),
        ((FILE, GivenFile("b.md", b"1234567")), "How?", FilesTooLarge),
    ],
)
def test_what_cannot_be_answered_is_refused_before_anything_is_opened(
    files: tuple[GivenFile, ...], question: str, error: type[BadInput]
) -> None:
    shelf = Shelf()
    with pytest.raises(error):
        shelf.ask(*files, question=question)
    assert shelf.opened == 0


def test_as_many_files_and_bytes_as_allowed_are_read() -> None:
    shelf = Shelf()
    assert shelf.ask(FILE, GivenFile("b.md", b"12345"), GivenFile("c.md", b"6")).passages == 21


def test_a_files_content_is_not_shown() -> None:
    assert "secret" not in repr(GivenFile("a.md", b"secret"))
