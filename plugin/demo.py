"""The main job on real tickets, from nothing to a served review page.

Everything goes the way it goes in production: the tickets lie in a folder helpdesk, are announced by webhook over
HTTP with the right secret, and are drafted by the workers. Only the sample data is particular to the demo.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import httpx
from pydantic import SecretStr
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from core.domain.account import Role, User
from core.domain.draft import Draft, DraftState
from core.domain.jobs import JobState
from core.errors import BadInput, HelpdeskUnavailable
from ingest.report import IngestReport
from plugin.bootstrap import Services, new_id, now, open_services
from plugin.ingestion import ingest_docs, ingest_tickets
from plugin.logs import configure_logs
from plugin.progress import progress_bar
from plugin.serve import RunningService, wait_for_stop
from plugin.settings import Settings, load_settings
from plugin.web.passwords import hash_password

COLOURS = {DraftState.READY: "green", DraftState.PARTIAL: "yellow", DraftState.ABSTAINED: "magenta"}

PATIENCE_S = 300.0
"""How long the demo waits for all tickets to be drafted before it says which are missing."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Made once for a demo folder and kept in it (mode 0600), so that a second start shows the same login."""

    webhook: str
    password: str

    @classmethod
    def of(cls, folder: Path) -> Secrets:
        path = folder / "demo-secrets.json"
        if not path.exists():
            made = {"webhook": secrets.token_urlsafe(24), "password": secrets.token_urlsafe(12)}
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump(made, file)
        return cls(**json.loads(path.read_text()))


def run_demo(*, data_dir: Path, docs: Path | None, port: int, once: bool) -> None:
    """Set up, ingest, serve, post the tickets, print the table; then serve until Ctrl-C unless `once`."""
    since = time.monotonic()
    out = Console()
    if not out.is_terminal:
        out = Console(width=110)
    folder = data_dir.with_name(f"{data_dir.name}-{docs.resolve().name}") if docs else data_dir
    settings, made = _prepare(folder, port)
    configure_logs(level="WARNING", as_json=False)
    services = open_services(settings)
    try:
        _add_people(services, made.password)
        _fill_library(services, docs, out)
        with RunningService(services):
            drafts = _draft_all(services, made.webhook, out)
            out.print(_table(services, drafts))
            _say_where(settings, made, out, time.monotonic() - since)
            if not once:
                wait_for_stop()
    finally:
        services.close()


def _prepare(folder: Path, port: int) -> tuple[Settings, Secrets]:
    helpdesk = folder / "helpdesk"
    if not helpdesk.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with resources.as_file(resources.files("plugin") / "samples" / "helpdesk") as samples:
            shutil.copytree(samples, helpdesk)
    made = Secrets.of(folder)
    settings = load_settings(
        data_dir=folder,
        folder_dir=helpdesk,
        folder_secret=SecretStr(made.webhook),
        port=_free_port(port),
        base_url="",
        host="127.0.0.1",
    )
    _write_env_file(settings, made)
    return settings, made


def _write_env_file(settings: Settings, made: Secrets) -> None:
    """So that `citedesk doctor --env-file ...` and `citedesk serve --env-file ...` know the demo's installation."""
    lines = (
        f"CITEDESK_DATA_DIR={settings.data_dir.resolve()}",
        f"CITEDESK_FOLDER_DIR={(settings.data_dir / 'helpdesk').resolve()}",
        f"CITEDESK_FOLDER_SECRET={made.webhook}",
        f"CITEDESK_PORT={settings.port}",
    )
    path = _env_file(settings)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")


def _env_file(settings: Settings) -> Path:
    return settings.data_dir / "citedesk.env"


def _free_port(first: int) -> int:
    for port in range(first, min(first + 50, 65536)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise BadInput(f"No free port from {first} on.", hint="Pass another --port.")


def _add_people(services: Services, password: str) -> None:
    people = (("agent@example.org", "Ada Agent", Role.AGENT), ("manager@example.org", "Max Manager", Role.MANAGER))
    with services.uow() as tx:
        missing = [person for person in people if tx.users.by_login(person[0]) is None]
    if not missing:
        return
    hashed = hash_password(password)
    with services.uow() as tx:
        for login, name, role in missing:
            tx.users.add(User(new_id(), login, name, role, hashed, now()))
        tx.commit()


def _fill_library(services: Services, docs: Path | None, out: Console) -> None:
    with progress_bar("Documentation") as bar:
        if docs:
            report = ingest_docs(services, docs, progress=bar)
        else:
            with resources.as_file(resources.files("plugin") / "samples" / "docs.jsonl") as samples:
                report = ingest_docs(services, samples, progress=bar)
    out.print(f"Documentation: {_summary(report)}")
    for skipped in report.skipped:
        out.print(f"  skipped {skipped.source_key}: {skipped.reason}")
    if docs is None:
        with progress_bar("Solved tickets") as bar:
            out.print(f"Solved tickets: {_summary(ingest_tickets(services, 'folder', progress=bar))}")


def _summary(report: IngestReport) -> str:
    if not (report.added or report.changed or report.deleted):
        return f"{report.unchanged} unchanged, nothing to do"
    return (
        f"{report.added} added, {report.changed} changed, {report.deleted} deleted, "
        f"{report.duplicates} duplicates, {report.passages} passages written"
    )


def _draft_all(services: Services, secret: str, out: Console) -> list[tuple[str, Draft | None, str]]:
    """(ticket id, its newest draft, else what became of it) for every open ticket of the sample helpdesk."""
    tickets = _open_tickets(services)
    for ticket_id, message_id in tickets:
        _post(services.settings, secret, ticket_id, message_id)
    out.print(f"Webhooks: {len(tickets)} tickets announced to {services.settings.public_url}/webhooks/folder")
    _wait_for_workers(services, out)
    return [_outcome(services, ticket_id, message_id) for ticket_id, message_id in tickets]


def _open_tickets(services: Services) -> list[tuple[str, str]]:
    """Open tickets with the id of the message to answer."""
    folder = services.settings.folder_dir
    if folder is None:
        return []
    helpdesk = services.helpdesk("folder")
    tickets = [helpdesk.fetch_ticket(path.stem) for path in sorted((folder / "tickets").glob("*.json"))]
    return [
        (ticket.ticket_id, ticket.newest_customer_message.message_id)
        for ticket in tickets
        if not ticket.is_finished and ticket.newest_customer_message
    ]


def _post(settings: Settings, secret: str, ticket_id: str, message_id: str) -> None:
    try:
        response = httpx.post(
            f"http://{settings.host}:{settings.port}/webhooks/folder",
            json={"event": "ticket.created", "ticket_id": ticket_id, "message_id": message_id},
            headers={"X-Citedesk-Secret": secret},
            timeout=10,
            trust_env=False,
        )
        response.raise_for_status()
    except httpx.HTTPError as error:
        raise HelpdeskUnavailable("The demo's own web server did not accept a webhook.") from error


def _wait_for_workers(services: Services, out: Console) -> None:
    unfinished = frozenset({JobState.PENDING, JobState.WORKING})
    deadline = time.monotonic() + PATIENCE_S
    with progress_bar("Drafting") as bar:
        total = 0
        while time.monotonic() < deadline:
            with services.uow() as tx:
                waiting = tx.inbox.list(unfinished)
            total = max(total, len(waiting))
            if not waiting:
                return
            step = next((item.step for item in waiting if item.step), "loading the models")
            bar.step(total - len(waiting), total, step)
            time.sleep(0.2)
    out.print(f"Still waiting after {PATIENCE_S:.0f} s; the queue shows what happened.")


def _outcome(services: Services, ticket_id: str, message_id: str) -> tuple[str, Draft | None, str]:
    with services.uow() as tx:
        draft = tx.drafts.find("folder", ticket_id, message_id)
        items = [i for i in tx.inbox.list(frozenset(JobState)) if i.event.ticket_id == ticket_id]
    said = items[0].error_message or items[0].outcome if items else ""
    return ticket_id, draft, said


def _table(services: Services, rows: Sequence[tuple[str, Draft | None, str]]) -> Table:
    """One row a ticket; at 80 columns everything can still be read."""
    table = Table(title="Tickets", title_justify="left", header_style="bold", show_lines=True)
    table.add_column("Ticket", no_wrap=True)
    table.add_column("Decision", max_width=13)
    table.add_column("Subject, sources cited, draft", overflow="fold", ratio=1)
    table.add_column("Confid.", justify="right", no_wrap=True)
    table.add_column("Seconds", justify="right", no_wrap=True)
    for ticket_id, draft, said in rows:
        if draft is None:
            table.add_row(ticket_id, "no draft", escape(said), "", "")
            continue
        decision = f"[{COLOURS.get(draft.state, 'bold')}]{draft.state}[/]\n{draft.strength} evidence"
        lines = _lines(draft, services.address_of(draft.draft_id))
        table.add_row(ticket_id, decision, lines, f"{draft.confidence:.2f}", f"{draft.seconds:.1f}")
    return table


def _lines(draft: Draft, address: str) -> str:
    titles = dict.fromkeys(evidence.passage.title for evidence in draft.evidence)
    sources = [rf"\[{marker}] {escape(title)}" for marker, title in enumerate(titles, start=1)]
    return "\n".join(
        [f"[bold]{escape(draft.subject)}[/]", *(sources or ["no source"]), f"[link={address}]{address}[/]"]
    )


def _say_where(settings: Settings, made: Secrets, out: Console, seconds: float) -> None:
    out.print(f"\nReady after {seconds:.0f} s. Review page: [bold]{settings.public_url}/[/]")
    for line in (
        f"  agent    agent@example.org    password {made.password}",
        f"  manager  manager@example.org  password {made.password}",
        f"  Ask the documentation yourself at {settings.public_url}/ask",
        f"  Replies are written to {settings.folder_dir}/replies. Ctrl-C stops.",
        f"  Try: citedesk doctor --env-file {_env_file(settings)}",
    ):
        out.print(line, highlight=False, soft_wrap=True)
