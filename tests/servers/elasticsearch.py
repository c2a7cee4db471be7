"""A real Elasticsearch node for tests: one server a test run, on loopback, with half a gigabyte of heap.

Where it comes from, in this order: a running server at the address in TEST_ELASTICSEARCH_URL; the archive that
Elastic publishes for integration tests, in the folder TEST_SERVERS_DIR or in `shared/servers` beside the checkout;
the same archive through Maven. With none of them the tests are skipped and say so, or fail where
REQUIRE_ELASTICSEARCH=1.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.request import urlopen

import pytest

from connectors.search.elasticsearch_client import Connection
from tests.servers.product import free_port

VERSION = "8.19.9"
ARTIFACT = f"org.elasticsearch.distribution.integ-test-zip:elasticsearch:{VERSION}:zip"
ARCHIVE = f"elasticsearch-{VERSION}.zip"
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "servers"
HEAP = "512m"
NOBODY = 65534
START_S = 120
MAVEN_S = 180


class Unobtainable(Exception):
    """Why there is no server."""


@cache
def running_elasticsearch() -> str:
    """Its address. Started at the first call; stopped and deleted when the process ends. Raises `Unobtainable`."""
    if given := os.environ.get("TEST_ELASTICSEARCH_URL"):
        return given
    java = shutil.which("java")
    if not java:
        raise Unobtainable("there is no Java to run Elasticsearch with, and TEST_ELASTICSEARCH_URL names no server")
    folder = Path(tempfile.mkdtemp(prefix="citedesk-elasticsearch-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(_archive(folder)) as archive:
        archive.extractall(folder)
    return _start(folder / f"elasticsearch-{VERSION}", Path(java).resolve().parents[1])


def _archive(folder: Path) -> Path:
    for place in (os.environ.get("TEST_SERVERS_DIR"), BESIDE):
        if place and (Path(place) / ARCHIVE).is_file():
            return Path(place) / ARCHIVE
    maven = shutil.which("mvn")
    if not maven:
        raise Unobtainable(f"there is no {ARCHIVE} and no Maven to fetch it with")
    copy = f"{maven} -q -B org.apache.maven.plugins:maven-dependency-plugin:copy -Dmdep.useBaseVersion=true".split()
    options = [f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"]
    try:
        subprocess.run([*copy, *options], check=True, capture_output=True, timeout=MAVEN_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise Unobtainable(f"Maven could not fetch {ARTIFACT}") from error
    return folder / ARCHIVE


def _start(home: Path, java_home: Path) -> str:
    port = free_port()
    (home / "config" / "elasticsearch.yml").write_text(_configuration(home, port))
    (home / "bin" / "elasticsearch").chmod(0o755)
    environment = {**os.environ, "ES_JAVA_HOME": str(java_home), "ES_JAVA_OPTS": f"-Xms{HEAP} -Xmx{HEAP}"}
    for variable in ("ES_TMPDIR", "HOME"):
        environment[variable] = str(home / "tmp")
    (home / "tmp").mkdir()
    options: dict[str, int] = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        options = {"user": NOBODY, "group": NOBODY}
        _give_away(home)
    with (home / "start.log").open("wb") as log:
        process = subprocess.Popen(  # type: ignore[call-overload]
            [home / "bin" / "elasticsearch"], env=environment, stdout=log, stderr=log, start_new_session=True, **options
        )
    atexit.register(_stop, process)
    address = f"http://127.0.0.1:{port}"
    _wait(process, address, home / "start.log")
    return address


def _configuration(home: Path, port: int) -> str:
    settings = {
        "cluster.name": "citedesk-tests",
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": port,
        "transport.port": free_port(),
        "path.data": str(home / "data"),
        "path.logs": str(home / "logs"),
        "cluster.routing.allocation.disk.threshold_enabled": False,
        "xpack.security.enabled": False,
    }
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in settings.items())


def _give_away(home: Path) -> None:
    home.parent.chmod(0o755)
    for path in (home, *home.rglob("*")):
        os.chown(path, NOBODY, NOBODY)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not _is_up(address):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"Elasticsearch did not start: {log.read_text()[-2000:]}")
        time.sleep(0.3)


def _is_up(address: str) -> bool:
    try:
        with urlopen(f"{address}/_cluster/health", timeout=2) as answer:
            return bool(json.load(answer)["status"] in ("green", "yellow"))
    except OSError:
        return False


def elasticsearch_or_skip() -> str:
    """The address of a server; skips the test, or fails it with REQUIRE_ELASTICSEARCH=1, when there is none."""
    try:
        return running_elasticsearch()
    except Unobtainable as reason:
        if os.environ.get("REQUIRE_ELASTICSEARCH") == "1":
            pytest.fail(f"No Elasticsearch: {reason}.")
        pytest.skip(f"No Elasticsearch: {reason}.")


def connection_to(address: str) -> Connection:
    return Connection((address,), timeout_s=60, retry_base_s=0.05)


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The server, with a prefix of its own for the test; everything under it is deleted at the end."""
    cluster = Cluster(connection_to(elasticsearch_or_skip()), f"test{abs(hash(request.node.nodeid)):x}-")
    yield cluster
    cluster.clear()


class Cluster:
    """`call` sends what an administrator would send by hand."""

    def __init__(self, connection: Connection, prefix: str) -> None:
        from connectors.search.elasticsearch_client import connect

        self.connection = connection
        self.prefix = prefix
        self.client = connect(connection)

    def indices(self) -> list[str]:
        return sorted(self.client.indices.get(index=f"{self.prefix}*", features="aliases").body)

    def clear(self) -> None:
        if names := self.indices():
            self.client.indices.delete(index=names)
        self.client.close()


def main() -> int:
    """`python -m tests.servers.elasticsearch`: say whether a server can be had; exit status 0 if so."""
    try:
        print(f"Elasticsearch for tests: {running_elasticsearch()}")
    except Unobtainable as reason:
        print(f"Elasticsearch for tests: none, as {reason}; its tests are skipped.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
