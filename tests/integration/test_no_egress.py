"""The running product opens no connection beyond this machine: not from Python, not from a native library."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from tests.servers.product import DOCS, free_port

GUARD = Path(__file__).resolve().parent.parent / "servers" / "egress_guard"

pytestmark = [pytest.mark.models, pytest.mark.server]


def run_watched(arguments: list[str], folder: Path, seconds: float = 280) -> tuple[int, str, set[str]]:
    """Exit status, output, and every attempt to reach another machine, seen from inside and from outside."""
    log = folder / "egress.log"
    env = {**os.environ, "PYTHONPATH": str(GUARD), "EGRESS_LOG": str(log)}
    with (folder / "output.txt").open("w+") as output:
        process = subprocess.Popen(arguments, env=env, stdout=output, stderr=output, cwd=Path.cwd())
        watcher = Watcher(process.pid)
        watcher.start()
        code = process.wait(seconds)
        watcher.stop()
        output.seek(0)
        text = output.read()
    attempts = set(log.read_text().splitlines()) if log.exists() else set()
    return code, text, attempts | watcher.seen


class Watcher(threading.Thread):
    """Reads the kernel's table of the process's connections every 20 ms: native libraries cannot hide from it."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process(pid)
        self._stopping = threading.Event()
        self.seen: set[str] = set()

    def run(self) -> None:
        while not self._stopping.wait(0.02):
            try:
                family = [self._process, *self._process.children(recursive=True)]
                connections = [c for process in family for c in process.net_connections("inet")]
            except psutil.Error:
                continue
            self.seen |= {f"kernel {c.raddr.ip}" for c in connections if c.raddr and not is_loopback(c.raddr.ip)}

    def stop(self) -> None:
        self._stopping.set()
        self.join()


def is_loopback(address: str) -> bool:
    return address.startswith(("127.", "::ffff:127.")) or address == "::1"


def test_the_demo_reaches_no_other_machine(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "plugin", "demo", "--once", "--docs", str(DOCS)]
    code, output, attempts = run_watched(
        [*arguments, "--data", str(tmp_path / "demo"), "--port", str(free_port())], tmp_path
    )
    assert code == 0, output
    assert "Review page" in output
    assert attempts == set()


def test_the_guard_would_notice(tmp_path: Path) -> None:
    """A program that does call out is caught, so the test above can fail."""
    program = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('192.0.2.1', 9)); "
        "import time; time.sleep(1)"
    )
    _, _, attempts = run_watched([sys.executable, "-c", program], tmp_path)
    assert "socket.connect 192.0.2.1" in attempts
    assert "kernel 192.0.2.1" in attempts
