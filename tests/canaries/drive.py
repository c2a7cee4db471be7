"""Takes canaries through the whole product, through every door a customer's words can come in by."""

from __future__ import annotations

import json
import re
import socketserver
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from core.domain.jobs import JobState
from plugin.bootstrap import open_records
from plugin.settings import Settings
from tests.canaries.people import CanaryTicket
from tests.canaries.search import Leak, Searcher
from tests.servers.product import SECRET, Product, citedesk

PASSWORD = "correct horse battery staple"
GUARD = Path(__file__).resolve().parent.parent / "servers" / "egress_guard"
BUSY = frozenset({JobState.PENDING, JobState.WORKING})


@dataclass
class Drive:
    """`tickets` must all be delivered by one of the methods; `pages` collects what nobody but an agent may read."""

    product: Product
    searcher: Searcher
    pages: list[tuple[str, str]] = field(default_factory=list)
    arguments: set[str] = field(default_factory=set)

    @property
    def temporary(self) -> Path:
        return self.product.root / "tmp"

    @property
    def egress(self) -> Path:
        return self.product.root / "egress.log"

    def prepare(self, sink: int) -> None:
        """Debug logs, development mode and every tracer a library has switched on, all pointing at the sink."""
        self.temporary.mkdir(exist_ok=True)
        address = f"http://127.0.0.1:{sink}"
        self.product.extra |= {
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(GUARD),
            "EGRESS_LOG": str(self.egress),
            "PYTHONFAULTHANDLER": "1",
            "PYTHONDEVMODE": "1",
            "LANGSMITH_TRACING": "true",
            "LANGCHAIN_TRACING_V2": "true",
            "LANGSMITH_ENDPOINT": address,
            "LANGCHAIN_ENDPOINT": address,
            "LANGSMITH_API_KEY": "ls-key",
            "OTEL_EXPORTER_OTLP_ENDPOINT": address,
            "OTEL_TRACES_EXPORTER": "otlp",
            "SENTRY_DSN": f"http://key@127.0.0.1:{sink}/1",
        }

    def ingest_solved(self, tickets: Sequence[CanaryTicket]) -> None:
        """Earlier tickets as evidence."""
        for ticket in tickets:
            self._write(ticket, "solved")
        done = citedesk("ingest", "tickets", env=self.product.env)
        assert done.returncode == 0, done.stderr
        self._keep("output of ingest tickets", done.stdout + done.stderr)

    def deliver(self, tickets: Sequence[CanaryTicket], *, kills: int = 0) -> None:
        """By webhook; `kills` times the product dies while it drafts them."""
        for ticket in tickets:
            self._write(ticket, "open")
            assert self.product.announce(ticket.ticket_id).status_code == 202
        for _ in range(kills):
            time.sleep(1.5)
            self.product.kill()
            self.product.start()
        self.wait_until_idle(60 + 20 * len(tickets))

    def wait_until_idle(self, seconds: float) -> None:
        records = open_records(Settings(data_dir=self.product.data, folder_dir=self.product.helpdesk))

        def idle() -> bool:
            self._look_at_processes()
            time.sleep(0.2)
            with records.uow() as tx:
                jobs = [*tx.inbox.list(BUSY, depth=1), *tx.outbox.list(BUSY, depth=1)]
            return not jobs

        try:
            self.product.wait_until(idle, seconds)
        finally:
            records.close()

    def review(self, client: httpx.Client, drafts: Sequence[tuple[str, CanaryTicket]]) -> None:
        """In turn: approve with the customer's data typed in, reject with a comment full of it, only look."""
        for number, (draft_id, ticket) in enumerate(drafts):
            page = client.get(f"/drafts/{draft_id}")
            assert page.status_code == 200
            form = {"csrf_token": token_in(page), "text": f"Dear {ticket.name},\n\n{ticket.body}", "confirmed": "1"}
            if number % 3 == 0:
                client.post(f"/drafts/{draft_id}/approve", data={**form, "stars": "4"})
            elif number % 3 == 1:
                reason = {"reason": "other", "comment": ticket.body[:900], "csrf_token": form["csrf_token"]}
                client.post(f"/drafts/{draft_id}/reject", data=reason)
            self._look_at_processes()

    def ask(self, client: httpx.Client, tickets: Sequence[CanaryTicket]) -> None:
        for ticket in tickets:
            token = token_in(client.get("/ask"))
            answer = client.post("/ask", data={"csrf_token": token, "question": ticket.body})
            assert answer.status_code == 200, answer.text

    def stumble(self, client: httpx.Client, tickets: Sequence[CanaryTicket]) -> None:
        """Everything that ends in an error, with canaries in the address, the headers, the form and the body."""
        for ticket in tickets:
            token = token_in(client.get("/ask"))
            broken = json.dumps({"ticket": ticket.body})[:-3]
            hook = {"X-Citedesk-Secret": SECRET}
            answers = [
                client.get(f"/{ticket.email}", params={"q": ticket.body[:300]}),
                client.get(f"/drafts/{ticket.email}"),
                client.get(f"/audit/{ticket.name}"),
                client.get("/queue", params={"state": ticket.name, "page": ticket.email}),
                client.post("/ask", data={"question": ticket.body}),
                client.post(f"/drafts/{ticket.ticket_id}/approve", data={"csrf_token": token, "text": ticket.body}),
                client.post("/webhooks/folder", content=broken, headers=hook),
                client.post("/webhooks/folder", content=ticket.body.encode(), headers=hook),
                client.post("/webhooks/folder", json={"event": ticket.name, "ticket_id": ticket.body}, headers=hook),
                client.post(
                    "/webhooks/folder", json={"event": "ticket.created", "ticket_id": ticket.email}, headers=hook
                ),
                client.post("/webhooks/" + ticket.email, json={}),
                client.post("/webhooks/folder", json={}, headers={"X-Citedesk-Secret": ticket.email}),
                client.put("/healthz", content=ticket.body.encode(), headers={"User-Agent": ticket.email}),
            ]
            too_long = client.post("/ask", data={"csrf_token": token, "question": ticket.body * 40})
            assert too_long.status_code == 400, "gives the question back too"
            for answer in answers:
                about = f"answer {answer.status_code} to {answer.request.method}"
                if answer.status_code >= 400:
                    self._keep(about, answer.text)
            self._break_ticket(ticket)
        self.wait_until_idle(120)

    def _break_ticket(self, ticket: CanaryTicket) -> None:
        """A ticket file that is damaged in the middle of somebody's data."""
        broken = f"{ticket.ticket_id}-broken"
        whole = json.dumps({"id": broken, "subject": ticket.subject, "status": ticket.email, "messages": ticket.body})
        (self.product.helpdesk / "tickets" / f"{broken}.json").write_text(whole[:-9])
        self.product.announce(broken)
        half = f"{ticket.ticket_id}-half"
        whole = json.dumps({"id": half, "subject": [ticket.subject], "status": ticket.email, "messages": ticket.body})
        (self.product.helpdesk / "tickets" / f"{half}.json").write_text(whole)
        self.product.announce(half)

    def read_what_managers_read(self, client: httpx.Client, draft_ids: Sequence[str]) -> None:
        everywhere = [
            "/audit",
            "/audit.csv",
            "/audit.json",
            "/audit/overview",
            "/audit/ledger",
            "/api/status",
            "/api/drafts",
        ]
        for address in [*everywhere, *(f"/audit/{draft_id}" for draft_id in draft_ids), "/healthz", "/readyz"]:
            answer = client.get(address)
            assert answer.status_code == 200, address
            self._keep(f"page {address.split('/')[1]}", answer.text)

    def leaks(self) -> list[Leak]:
        """After the product has stopped: every byte it left, every row, every page and argument seen."""
        look = self.searcher
        found = list(look.in_folder(self.product.data))
        for database in self.product.data.rglob("*.db"):
            found += look.in_database(database)
        for database in self.product.data.rglob("*.sqlite3"):
            found += look.in_database(database)
        found += look.in_file(self.product.log, "log")
        found += look.in_folder(self.temporary)
        for notes in self.product.posted("notes"):
            found += look.in_file(notes, "internal note")
        for where, text in self.pages:
            found += look.in_text(text, where)
        for line in self.arguments:
            found += look.in_text(line, "process arguments")
        return found

    def _write(self, ticket: CanaryTicket, status: str) -> None:
        person = {"id": f"p-{ticket.ticket_id}", "name": ticket.name, "email": ticket.email}
        at = "2026-11-30T09:00:00+00:00"
        message = {
            "id": f"{ticket.ticket_id}-1",
            "author": "customer",
            "body": ticket.body,
            "sent_at": at,
            "person": person,
        }
        reply = {
            "id": f"{ticket.ticket_id}-2",
            "author": "agent",
            "body": f"Dear {ticket.name}, use Forgot password.",
            "sent_at": at,
        }
        whole = {
            "id": ticket.ticket_id,
            "subject": ticket.subject,
            "status": status,
            "created_at": at,
            "requester": person,
            "messages": [message, reply] if status == "solved" else [message],
        }
        (self.product.helpdesk / "tickets" / f"{ticket.ticket_id}.json").write_text(json.dumps(whole))

    def _keep(self, where: str, text: str) -> None:
        """But for what the page gives back to whoever typed it."""
        self.pages.append((where, re.sub(r'<textarea id="typed".*?</textarea>', "", text, flags=re.DOTALL)))

    def _look_at_processes(self) -> None:
        if self.product.process is None:
            return
        try:
            family = [psutil.Process(self.product.process.pid)]
            family += family[0].children(recursive=True)
            self.arguments |= {" ".join([*process.cmdline(), *process.environ().values()]) for process in family}
        except psutil.Error:
            return  # it was killed a moment ago


def token_in(page: httpx.Response) -> str:
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.text)
    assert found, f"{page.url} has no form"
    return found.group(1)


@contextmanager
def signed_in(product: Product, login: str, role: str) -> Iterator[httpx.Client]:
    """A new account's browser."""
    done = citedesk("user", "add", login, "--role", role, env=product.env, input=PASSWORD + "\n")
    assert done.returncode == 0, done.stderr
    with httpx.Client(base_url=product.address, follow_redirects=True, trust_env=False, timeout=60) as client:
        page = client.get("/login")
        client.post("/login", data={"csrf_token": token_in(page), "login": login, "password": PASSWORD})
        yield client


class Sink(socketserver.ThreadingTCPServer):
    """Listens where tracers would report to, and keeps whatever comes."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        self.received = bytearray()
        super().__init__(("127.0.0.1", 0), _Swallow)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Swallow(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, Sink)
        self.server.received += self.request.recv(1 << 16) or b"?"
