"""The product itself as a process, as an administrator starts it: `citedesk serve` on a data folder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

SECRET = "a-secret-for-the-folder-webhook"
DOCS = Path(__file__).resolve().parent.parent / "data" / "handbook"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def citedesk(*arguments: str, env: Mapping[str, str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, as a shell would."""
    return subprocess.run(
        [sys.executable, "-m", "plugin", *arguments],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )


@dataclass
class Product:
    """A data folder with a folder helpdesk in it; `start`, `kill` (SIGKILL), `stop` (SIGTERM) as often as you like."""

    root: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def helpdesk(self) -> Path:
        return self.root / "helpdesk"

    @property
    def log(self) -> Path:
        return self.root / "log.txt"

    @property
    def env(self) -> dict[str, str]:
        return {
            "CITEDESK_DATA_DIR": str(self.data),
            "CITEDESK_FOLDER_DIR": str(self.helpdesk),
            "CITEDESK_FOLDER_SECRET": SECRET,
            "CITEDESK_PORT": str(self.port),
            "CITEDESK_LOG_LEVEL": "DEBUG",
            "CITEDESK_RETRY_BASE_S": "0.2",
            **self.extra,
        }

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def prepare(self, docs: Path = DOCS) -> None:
        """Make the folders and ingest the documentation."""
        (self.helpdesk / "tickets").mkdir(parents=True, exist_ok=True)
        done = citedesk("ingest", "docs", str(docs), env=self.env)
        assert done.returncode == 0, done.stderr

    def copy_of(self, other: Product) -> None:
        """Take over another product's prepared folders."""
        shutil.copytree(other.data, self.data)
        shutil.copytree(other.helpdesk, self.helpdesk)

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "plugin", "serve"], env={**os.environ, **self.env}, stdout=log, stderr=log
            )
        self.wait_until(self._answers, 60)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        if self.process is None:
            return 0
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.process = None
        return code

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        try:
            return httpx.get(f"{self.address}/readyz", timeout=2, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    def wait_until(self, condition: Any, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"nothing happened in {seconds} s; the log: {self.log.read_text()}"
            time.sleep(0.05)

    def add_ticket(self, ticket_id: str, subject: str, body: str, **person: str) -> None:
        """A ticket file as `docs/connectors/folder.md` describes it."""
        ticket = {
            "id": ticket_id,
            "subject": subject,
            "status": "open",
            "created_at": "2026-11-30T09:00:00+00:00",
            "requester": {"id": "p1", "name": "Maria Lopez", "email": "maria.lopez@example.org", **person},
            "messages": [
                {
                    "id": f"{ticket_id}-1",
                    "author": "customer",
                    "body": body,
                    "sent_at": "2026-11-30T09:00:00+00:00",
                }
            ],
        }
        (self.helpdesk / "tickets" / f"{ticket_id}.json").write_text(json.dumps(ticket))

    def announce(self, ticket_id: str, secret: str = SECRET) -> httpx.Response:
        return httpx.post(
            f"{self.address}/webhooks/folder",
            json={"event": "ticket.created", "ticket_id": ticket_id, "message_id": f"{ticket_id}-1"},
            headers={"X-Citedesk-Secret": secret},
            timeout=10,
            trust_env=False,
        )

    def posted(self, kind: str) -> list[Path]:
        """Files of all `notes` or `replies` in the helpdesk."""
        folder = self.helpdesk / kind
        return sorted(path for path in folder.rglob("*.json")) if folder.exists() else []
