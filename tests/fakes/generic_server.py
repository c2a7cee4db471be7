"""A real HTTP server that speaks the generic helpdesk's REST contract, and misbehaves when told to."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from core.domain.ticket import ContentType, Message, Person, Ticket

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one request. `status` 0: it is served as usual, apart from the other faults."""

    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    delay_s: float = 0
    drip_s: float = 0
    """Pause after each byte of the body."""
    cut_off: bool = False
    """Announce the whole body, send half of it, hang up."""
    after_effect: bool = False
    """Do what was asked before failing: the answer is lost, not the request."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came. `idempotency_key` is empty when there was none."""

    method: str
    path: str
    query: dict[str, list[str]]
    idempotency_key: str
    authorization: str


class GenericServer:
    """`with GenericServer() as server: GenericHelpdesk(server.url, server.token)`. Tickets are kept as JSON."""

    def __init__(self, *, token: str = "token-of-the-test", page_size: int = 2) -> None:
        self.token = token
        self.page_size = page_size
        self.tickets: dict[str, Json] = {}
        self.seen: list[Seen] = []
        self._receipts: dict[tuple[str, str], str] = {}
        self._faults: list[Fault] = []
        self._lock = Lock()
        self._http = _Http(self)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def add_ticket(self, ticket: Ticket) -> None:
        self.tickets[ticket.ticket_id] = ticket_as_json(ticket)

    def misbehave(self, *faults: Fault) -> None:
        """The next requests go wrong, one fault each."""
        self._faults += faults

    def next_fault(self, seen: Seen) -> Fault:
        with self._lock:
            self.seen.append(seen)
            return self._faults.pop(0) if self._faults else Fault()

    def answer(self, seen: Seen, body: bytes) -> tuple[int, Json]:
        """Status and JSON, and the effect: what the contract says."""
        if seen.authorization != f"Bearer {self.token}":
            return 401, {"error": "wrong token"}
        parts = seen.path.strip("/").split("/")
        with self._lock:
            match (seen.method, *parts):
                case ("GET", "tickets"):
                    return 200, self._page(seen.query)
                case ("GET", "tickets", ticket_id) if ticket_id in self.tickets:
                    return 200, self.tickets[ticket_id]
                case ("POST", "tickets", ticket_id, "notes" | "replies" as kind) if ticket_id in self.tickets:
                    return self._post(ticket_id, kind, seen.idempotency_key, json.loads(body)["body"])
        return 404, {"error": "not found"}

    def _page(self, query: dict[str, list[str]]) -> Json:
        number = int(query["page"][0])
        found = [ticket for ticket in self.tickets.values() if ticket["status"] in ("solved", "closed")]
        if "since" in query:
            since = datetime.fromisoformat(query["since"][0])
            found = [ticket for ticket in found if datetime.fromisoformat(ticket["solved_at"]) > since]
        start = (number - 1) * self.page_size
        more = start + self.page_size < len(found)
        return {"tickets": found[start : start + self.page_size], "next_page": number + 1 if more else None}

    def _post(self, ticket_id: str, kind: str, key: str, text: str) -> tuple[int, Json]:
        if not key:
            return 400, {"error": "no Idempotency-Key"}
        if (kind, key) in self._receipts:
            return 200, {"id": self._receipts[kind, key]}
        message_id = f"{kind}{len(self._receipts) + 1}"
        self._receipts[kind, key] = message_id
        now = datetime.now(UTC).isoformat()
        message = {"id": message_id, "author": "agent", "body": text, "sent_at": now, "public": kind == "replies"}
        self.tickets[ticket_id]["messages"].append(message)
        return 201, {"id": message_id}


class _Http(ThreadingHTTPServer):
    def __init__(self, contract: GenericServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.contract = contract


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it is called with
        """Silence."""

    def _serve(self) -> None:
        address = urlsplit(self.path)
        key, authorization = self.headers.get("Idempotency-Key", ""), self.headers.get("Authorization", "")
        seen = Seen(self.command, address.path, parse_qs(address.query), key, authorization)
        content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        fault = self.server.contract.next_fault(seen)
        time.sleep(fault.delay_s)
        self._respond(fault, lambda: self.server.contract.answer(seen, content))

    def _respond(self, fault: Fault, act: Callable[[], tuple[int, Json]]) -> None:
        status, payload = act() if not fault.status or fault.after_effect else (0, {})
        body = json.dumps(payload).encode() if fault.body is None else fault.body
        try:
            self._send_head(fault.status or status, fault, len(body))
            self._send_body(fault, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client had enough

    def _send_head(self, status: int, fault: Fault, length: int) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), *fault.headers):
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _send_body(self, fault: Fault, body: bytes) -> None:
        if fault.cut_off:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif fault.drip_s:
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(fault.drip_s)
        else:
            self.wfile.write(body)


def ticket_as_json(ticket: Ticket) -> Json:
    """The ticket in the schema that the folder helpdesk and the generic contract share."""
    newest = max((message.sent_at for message in ticket.messages), default=ticket.created_at)
    return {
        "id": ticket.ticket_id,
        "subject": ticket.subject,
        "status": ticket.status.value,
        "requester": _person_as_json(ticket.requester),
        "created_at": ticket.created_at.isoformat(),
        "solved_at": newest.isoformat() if ticket.is_finished else None,
        "url": ticket.url,
        "messages": [_message_as_json(message) for message in ticket.messages],
    }


def _message_as_json(message: Message) -> Json:
    return {
        "id": message.message_id,
        "author": message.author.value,
        "body": message.body,
        "sent_at": message.sent_at.isoformat(),
        "content_type": "html" if message.content_type is ContentType.HTML else "text",
        "person": _person_as_json(message.person) if message.person else None,
        "public": message.public,
    }


def _person_as_json(person: Person) -> Json:
    return {"id": person.person_id, "name": person.name, "email": person.email}
