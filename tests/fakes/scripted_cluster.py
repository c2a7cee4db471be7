"""An HTTP server that answers as Elasticsearch does, word for word as scripted: for what a healthy one never says."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


@dataclass
class ScriptedCluster:
    """`answers` are (status, body) by "METHOD /path", used up one after the other, the last one for ever."""

    answers: dict[str, list[tuple[int, Any]]]
    requests: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    url: str = ""

    def asked(self, what: str) -> list[tuple[dict[str, str], str]]:
        """(headers, body) of these requests."""
        return [(headers, body) for name, headers, body in self.requests if name == what]


@contextmanager
def scripted_cluster(
    answers: dict[str, list[tuple[int, Any]]], certificate: Path | None = None
) -> Iterator[ScriptedCluster]:
    """Runs until the context ends. With a certificate (PEM with its key) it speaks TLS only."""
    cluster = ScriptedCluster(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            name = f"{self.command} {self.path.partition('?')[0]}"
            cluster.requests.append((name, {k.lower(): v for k, v in self.headers.items()}, body))
            left = cluster.answers.get(name, [(404, {"error": {"type": "not_scripted"}, "status": 404})])
            status, answer = left.pop(0) if len(left) > 1 else left[0]
            payload = json.dumps(answer).encode()
            self.send_response(status)
            for header, value in (
                ("Content-Type", "application/vnd.elasticsearch+json;compatible-with=8"),
                ("X-Elastic-Product", "Elasticsearch"),
                ("Content-Length", str(len(payload))),
            ):
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _serve  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    cluster.url = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield cluster
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
