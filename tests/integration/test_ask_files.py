"""Questions that bring their own files, with the real models: what is answered, and that nothing stays behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest
from structlog.testing import capture_logs

from core.errors import IndexUnavailable
from core.usecases.ask_files import FilesAnswer, GivenFile
from plugin.asking import ask_with_files
from plugin.bootstrap import Services, open_services
from plugin.settings import Settings
from plugin.temporary import PREFIX, sweep_folders
from plugin.web.app import create_app
from tests.fakes.scenes import put_user
from tests.fakes.services import FakeServices, cheap_passwords
from tests.servers import elasticsearch
from tests.servers.product import Product, citedesk
from tests.unit.web.conftest import Visitor, csrf_token, multipart

cluster = elasticsearch.cluster

PUMP = b"""# Vacuum pump\n\nTo reset the quokka pump, hold the red lever for nine seconds until the lamp turns green.\n
Wait a minute before you start it again.\n"""
KILN = b"""# Kiln\n\nTo reset the zyzzyva kiln, switch the main breaker off and turn the brass key twice to the left.\n
Wait an hour before you start it again.\n"""
SECRETS = (b"quokka", b"zyzzyva", b"red lever", b"brass key")


@pytest.fixture(scope="module")
def lender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """An installation whose models are loaded; it holds no documents."""
    services = open_services(Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("lender")))
    services.warm_up()
    yield services
    services.close()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go during the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def quotes(given: FilesAnswer) -> str:
    return " ".join(sentence.text for sentence in given.answer.composition.sentences)


def remains(*folders: Path) -> list[Path]:
    """Files in which a word of the documents can be read."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if any(secret in path.read_bytes() for secret in SECRETS)]


@pytest.mark.models
def test_an_answer_cites_the_given_file_and_leaves_nothing_on_disk_or_in_the_log(
    lender: Services, temporary: Path
) -> None:
    with capture_logs() as logs:
        files = [GivenFile("pump.md", PUMP), GivenFile("picture.png", b"\x89PNG")]
        given = ask_with_files(lender.settings, "How do I reset the quokka pump?", files, lender=lender)
    assert "hold the red lever for nine seconds" in quotes(given)
    assert given.supporting[0].passage.doc_id.endswith(":pump.md")
    assert [(unread.name, unread.reason) for unread in given.unread] == [
        ("picture.png", "files of type .png are not read")
    ]
    assert list(temporary.iterdir()) == []
    assert remains(lender.settings.data_dir) == []
    (entry,) = (entry for entry in logs if entry["event"] == "answered from files")
    assert entry["supporting"] == ["1.1"]
    assert not any(word in repr(logs) for word in ("quokka", "lever", "pump"))


@pytest.mark.models
def test_an_answer_is_not_taken_from_anything_else(lender: Services, temporary: Path) -> None:
    given = ask_with_files(
        lender.settings, "How do I reset the zyzzyva kiln?", [GivenFile("pump.md", PUMP)], lender=lender
    )
    assert "brass key" not in repr(given)
    assert {item.passage.doc_id.split(":")[1] for item in given.supporting} <= {"pump.md"}


@pytest.mark.models
def test_two_at_once_never_see_each_other(lender: Services, temporary: Path) -> None:
    asked = [("quokka pump", "pump.md", PUMP), ("zyzzyva kiln", "kiln.md", KILN)] * 4

    def ask(case: tuple[str, str, bytes]) -> tuple[str, FilesAnswer]:
        thing, name, content = case
        question = f"How do I reset the {thing}?"
        return name, ask_with_files(lender.settings, question, [GivenFile(name, content)], lender=lender)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, asked))
    for name, given in answers:
        seen = {passage.doc_id.split(":")[1] for passage in given.answer.retrieval.passages.values()}
        assert seen == {name}
        assert ("red lever" if name == "pump.md" else "brass key") in quotes(given)
    assert list(temporary.iterdir()) == []


@pytest.mark.models
def test_nothing_stays_when_the_search_fails(
    lender: Services, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        assert remains(temporary)
        raise IndexUnavailable("Broken for the test.")

    monkeypatch.setattr(Services, "search", broken)
    with pytest.raises(IndexUnavailable):
        ask_with_files(lender.settings, "How do I reset it?", [GivenFile("pump.md", PUMP)], lender=lender)
    assert list(temporary.iterdir()) == []


@pytest.mark.models
@pytest.mark.server
def test_in_a_cluster_the_index_is_dropped_whatever_happens(
    lender: Services, temporary: Path, cluster: elasticsearch.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = lender.settings.model_copy(
        update={
            "elasticsearch_url": cluster.connection.urls[0],
            "elasticsearch_prefix": cluster.prefix,
            "vector_index": "elasticsearch",
        }
    )
    files = [GivenFile("pump.md", PUMP)]
    seen: list[list[str]] = []
    search = Services.search

    def look(self: Services, *arguments: object) -> object:
        seen.append(cluster.indices())
        return search(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Services, "search", look)
    given = ask_with_files(settings, "How do I reset the quokka pump?", files, lender=lender)
    assert "hold the red lever for nine seconds" in quotes(given)
    assert {(name.split("ask-")[0], name[-3:]) for name in seen[0]} == {
        (f"{cluster.prefix}lexical-", ".v1"),
        (f"{cluster.prefix}dense-", ".v1"),
    }
    assert cluster.indices() == []
    monkeypatch.setattr(Services, "compose", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ask_with_files(settings, "How do I reset the quokka pump?", files, lender=lender)
    assert len(seen) == 2
    assert cluster.indices() == []


@pytest.mark.server
def test_what_a_killed_process_left_in_a_cluster_is_swept_at_the_next_start_and_nothing_else(
    cluster: elasticsearch.Cluster, tmp_path: Path
) -> None:
    from connectors.search.elasticsearch_lexical import ElasticsearchLexicalIndex
    from core.ports import LexicalEntry

    index = ElasticsearchLexicalIndex(cluster.connection, prefix=cluster.prefix)
    now_ms = time.time_ns() // 1_000_000
    old, young = (f"ask-{now_ms - hours * 3_600_000:011x}{'0' * 15}/public/docs" for hours in (3, 1))
    for collection in (old, young, "docs", "acme/internal/docs"):
        index.replace(collection, [], [LexicalEntry("d#0", "d", {"body": ["alpha"]})])
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path / "data",
        elasticsearch_url=cluster.connection.urls[0],
        elasticsearch_prefix=cluster.prefix,
    )
    open_services(settings).close()
    assert index.collections() == sorted([young, "docs", "acme/internal/docs"])
    index.close()


def test_folders_of_killed_processes_are_swept_and_those_at_work_are_not(temporary: Path) -> None:
    for name, hours in ((f"{PREFIX}old", 3), (f"{PREFIX}new", 1), ("somebody-elses", 3)):
        folder = temporary / name
        folder.mkdir()
        (folder / "text").write_bytes(PUMP)
        os.utime(folder, (time.time() - hours * 3600,) * 2)
    assert sweep_folders() == 1
    assert sorted(path.name for path in temporary.iterdir()) == [f"{PREFIX}new", "somebody-elses"]


@pytest.mark.models
def test_the_api_answers_from_uploaded_files_and_keeps_nothing(lender: Services, temporary: Path) -> None:
    app = create_app(lender, cheap_passwords())
    person = put_user(cast(FakeServices, lender), "grace@example.org")
    grace = Visitor(app.test_client(), person, lender.clock().timestamp())
    padding = b"\n\nNothing to see here." * 60_000
    fields = {"csrf_token": csrf_token(grace.client.get("/queue").text), "question": "How do I reset the quokka pump?"}
    answer = grace.client.post("/api/ask", **multipart(fields, {"pump.md": PUMP, "large.xyz": padding}))
    assert answer.status_code == 200, answer.text
    given = json.loads(answer.text)
    assert "hold the red lever for nine seconds" in given["sentences"][0]["text"]
    assert given["passages"][0]["source"] == "pump.md"
    assert given["unread"] == [{"name": "large.xyz", "reason": "files of type .xyz are not read"}]
    assert list(temporary.iterdir()) == []
    assert remains(lender.settings.data_dir) == []


@pytest.mark.models
def test_the_command_answers_from_files_while_a_server_owns_the_data_folder(product: Product, tmp_path: Path) -> None:
    pump, kiln = tmp_path / "pump.md", tmp_path / "kiln.md"
    pump.write_bytes(PUMP)
    kiln.write_bytes(KILN)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**product.env, "TMPDIR": str(temporary)}
    product.start()
    locked = citedesk("ask", "How do I reset it?", env=env)
    assert locked.returncode == 5, locked.stderr
    done = citedesk("ask", "--docs", str(pump), str(kiln), "How do I reset the quokka pump?", env=env)
    assert done.returncode == 0, done.stderr
    assert "red lever" in done.stdout
    assert "Sources" in done.stdout
    assert list(temporary.glob(f"{PREFIX}*")) == []
    assert remains(product.data, temporary) == []


def test_a_command_line_with_two_questions_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    env = {"CITEDESK_DATA_DIR": str(tmp_path / "data")}
    two = citedesk("ask", "How do I", "reset it?", env=env)
    assert (two.returncode, "more than one question" in two.stderr) == (2, True)
    missing = citedesk("ask", "--docs", str(tmp_path / "nowhere.md"), "How?", env=env)
    assert (missing.returncode, "nowhere.md cannot be read" in missing.stderr) == (2, True)
    large = tmp_path / "large.md"
    large.write_bytes(b"x" * 2000)
    refused = citedesk("ask", "--docs", str(large), "How?", env={**env, "CITEDESK_ASK_MAX_BYTES": "1000"})
    assert (refused.returncode, "at most 1000 are read" in refused.stderr) == (2, True)
    assert not (tmp_path / "data").exists()


def test_more_files_than_allowed_are_refused_before_a_model_is_loaded(tmp_path: Path) -> None:
    program = """
import sys
from core.errors import BadInput
from core.usecases.ask_files import GivenFile
from plugin.asking import ask_with_files
from plugin.settings import Settings
try:
    ask_with_files(Settings(_env_file=None), "How?", [GivenFile(f"{n}.md", b"x") for n in range(21)])
except BadInput as error:
    print(error.message, {"torch", "spacy"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "21 files came with the question; at most 20 are read. set()\n", done.stderr
