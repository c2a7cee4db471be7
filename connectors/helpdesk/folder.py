"""A helpdesk made of JSON files: for the demo, for tests, and for helpdesks that can export and import files.

<root>/tickets/<ticket>.json           read; the schema is `connectors.helpdesk.schema.TicketRecord`
<root>/notes/<ticket>/<key>.json       written, one file a note
<root>/replies/<ticket>/<key>.json     written, one file a reply
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import AwareDatetime

from connectors.helpdesk.files import remove_stale, write_once
from connectors.helpdesk.schema import MessageRecord, Record, TicketId, TicketRecord, is_ticket_id, parse
from core.domain.ticket import Author, Capabilities, Ticket
from core.errors import HelpdeskUnavailable, InvalidPayload, StorageFull, TicketNotFound
from core.ports import Clock

MAX_FILE_BYTES = 10_000_000
NAMED_FILES = 5
_FULL = (errno.ENOSPC, errno.EDQUOT)


class PostedRecord(Record):
    """A note or reply as it lies in its file."""

    key: TicketId
    body: str
    posted_at: AwareDatetime


def _utc_now() -> datetime:
    return datetime.now(UTC)


class FolderHelpdesk:
    """Any number of threads and processes may use the same folder."""

    def __init__(self, root: Path, *, clock: Clock = _utc_now) -> None:
        self.name = "folder"
        self.capabilities = Capabilities()
        self._root = root
        self._clock = clock

    def fetch_ticket(self, ticket_id: str) -> Ticket:
        """The ticket with its notes and replies. Raises also `InvalidPayload` for a file that breaks the schema."""
        return self._read(ticket_id).to_ticket(self.name)

    def list_solved_tickets(self, since: datetime | None = None) -> Iterator[Ticket]:
        """By file name. An unusable file stops no other: `InvalidPayload` names them all at the end."""
        unusable = []
        for name in self._file_names():
            try:
                record = self._read(name.removesuffix(".json"))
            except TicketNotFound:
                continue  # removed since the folder was listed
            except InvalidPayload:
                unusable.append(name)
                continue
            if record.solved_after(since):
                yield record.to_ticket(self.name)
        if unusable:
            raise InvalidPayload(_name_files(unusable))

    def post_internal_note(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        return self._post("note", ticket_id, body, idempotency_key)

    def post_reply(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        return self._post("reply", ticket_id, body, idempotency_key)

    def check(self) -> str:
        """Also raises when the folder cannot be written to."""
        tickets = len(self._file_names())
        if not os.access(self._root, os.W_OK):
            raise HelpdeskUnavailable("Citedesk may not write to the helpdesk's folder.")
        return f"{self._root}: {tickets} tickets"

    def _file_names(self) -> list[str]:
        with translated_errors():
            names = os.listdir(self._root / "tickets")
        return sorted(name for name in names if name.endswith(".json") and not name.startswith("."))

    def _read(self, ticket_id: str) -> TicketRecord:
        path = self._ticket_path(ticket_id)
        record = parse(TicketRecord, _read_bytes(path), what=_label(path))
        if record.id != ticket_id:
            raise InvalidPayload(f"{_label(path)} holds another ticket's id.")
        posted = self._posted("note", ticket_id) + self._posted("reply", ticket_id)
        return record.model_copy(update={"messages": (*record.messages, *posted)})

    def _ticket_path(self, ticket_id: str) -> Path:
        path = self._root / "tickets" / f"{ticket_id}.json"
        with translated_errors():
            if is_ticket_id(ticket_id) and path.is_file():
                return path
            os.stat(self._root / "tickets")  # a folder that is gone is another matter than a ticket that is gone
        raise TicketNotFound("The folder holds no such ticket.")

    def _posted(self, kind: str, ticket_id: str) -> list[MessageRecord]:
        with translated_errors():
            paths = sorted(self._posts_folder(kind, ticket_id).glob("[!.]*.json"))
        return [_message(kind, path) for path in paths]

    def _post(self, kind: str, ticket_id: str, body: str, key: str) -> str:
        self._ticket_path(ticket_id)
        if not is_ticket_id(key):
            raise InvalidPayload("The idempotency key cannot be a file name.")
        folder = self._posts_folder(kind, ticket_id)
        content = PostedRecord(key=key, body=body, posted_at=self._clock()).model_dump_json(indent=2)
        with translated_errors():
            remove_stale(folder)
            write_once(folder / f"{key}.json", content.encode())
        return f"{kind}-{key}"

    def _posts_folder(self, kind: str, ticket_id: str) -> Path:
        return self._root / {"note": "notes", "reply": "replies"}[kind] / ticket_id


@contextmanager
def translated_errors() -> Iterator[None]:
    """`OSError` as one of ours; the operating system's words name no text."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull("The disk with the helpdesk's folder is full.") from error
        raise HelpdeskUnavailable(f"The helpdesk's folder cannot be used: {error.strerror}.") from error


def _read_bytes(path: Path) -> bytes:
    with translated_errors(), path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise InvalidPayload(f"{_label(path)} is larger than {MAX_FILE_BYTES} bytes.")
    return content


def _message(kind: str, path: Path) -> MessageRecord:
    posted = parse(PostedRecord, _read_bytes(path), what=_label(path))
    return MessageRecord(
        id=f"{kind}-{posted.key}",
        author=Author.AGENT,
        body=posted.body,
        sent_at=posted.posted_at,
        public=kind == "reply",
    )


def _label(path: Path) -> str:
    """The file as an administrator finds it, without where the whole folder lies."""
    return f"{path.parent.name}/{path.name}"


def _name_files(names: list[str]) -> str:
    named = ", ".join(names[:NAMED_FILES]) + (", ..." if len(names) > NAMED_FILES else "")
    return f"{len(names)} ticket files cannot be used: {named}."
