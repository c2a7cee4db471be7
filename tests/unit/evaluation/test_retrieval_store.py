from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from core.domain.ticket import Ticket
from core.errors import StoreUnavailable
from core.ports import Vectors
from plugin.evaluation import retrieval_store
from plugin.evaluation.retrieval_data import ticket_of
from plugin.evaluation.retrieval_store import Kept, RememberingEmbedder, evaluation_settings, prepared_folder, redacted
from plugin.progress import progress_bar
from plugin.settings import Settings
from tests.fakes.recognizer import FakeRecognizer
from tests.fakes.search import FakeEmbedder


class CountingEmbedder(FakeEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed_passages(self, texts: object) -> Vectors:
        listed = list(texts)  # type: ignore[call-overload]
        self.asked += listed
        return super().embed_passages(listed)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "kept", Settings(_env_file=None), progress_bar)


def test_a_passage_is_embedded_once_however_often_it_is_evaluated(tmp_path: Path) -> None:
    real = CountingEmbedder()
    with closing(RememberingEmbedder(real, tmp_path / "vectors.db")) as first:
        made = first.embed_passages(["proxy", "export", "proxy"])
    with closing(RememberingEmbedder(real, tmp_path / "vectors.db")) as second:
        again = second.embed_passages(["export", "quota", "proxy"])
        empty = second.embed_passages([])
    assert real.asked == ["proxy", "export", "quota"]
    plain = FakeEmbedder()
    np.testing.assert_array_equal(made, plain.embed_passages(["proxy", "export", "proxy"]))
    np.testing.assert_array_equal(again, plain.embed_passages(["export", "quota", "proxy"]))
    assert empty.shape == (0, plain.identity.dimension)


def test_indexes_are_kept_for_the_same_corpus_and_code(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("one")
    folder = prepared_folder(corpus, (), kept)
    (folder / "index").touch()
    assert prepared_folder(corpus, (), kept) == folder
    assert (folder / "index").exists()
    monkeypatch.setattr(retrieval_store, "code_hash", lambda places: "changed")
    assert prepared_folder(corpus, (), kept) == folder
    assert not (folder / "index").exists()
    corpus.write_text("two")
    assert prepared_folder(corpus, (), kept) != folder


def test_a_place_to_keep_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("one")
    with pytest.raises(StoreUnavailable, match="cannot be written to"):
        prepared_folder(corpus, (), Kept(corpus, Settings(_env_file=None), progress_bar))


def test_redacted_threads_are_made_once(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    tickets = [ticket_of({"_id": "a", "text": "Ann Miller writes", "sender": "Ann Miller <ann@example.org>"})]
    threads = redacted(tickets, FakeRecognizer({}), kept)
    assert "Ann" not in threads[0].messages[0].text

    def refuse(ticket: Ticket, **_: object) -> None:
        raise AssertionError("redacted again")

    monkeypatch.setattr(retrieval_store, "redact_thread", refuse)
    assert redacted(tickets, FakeRecognizer({}), kept) == threads
    with pytest.raises(AssertionError, match="again"):
        redacted([*tickets, ticket_of({"_id": "b", "text": "x"})], FakeRecognizer({}), kept)


def test_a_damaged_file_of_threads_is_made_anew(kept: Kept) -> None:
    tickets = [ticket_of({"_id": "a", "text": "x"})]
    threads = redacted(tickets, FakeRecognizer({}), kept)
    (file,) = (kept.folder / "threads").iterdir()
    file.write_text("[{]")
    assert redacted(tickets, FakeRecognizer({}), kept) == threads


def test_an_evaluation_reaches_nothing_of_the_installation(tmp_path: Path) -> None:
    mine = Settings(
        _env_file=None,
        database_url="postgresql+psycopg://user@host/name",
        folder_dir=tmp_path,
        generic_url="https://help.example.org",
        elasticsearch_url="https://cluster.example.org:9200",
        vector_index="elasticsearch",
        dense_weight=0.4,
    )
    own = evaluation_settings(mine, tmp_path / "apart")
    assert own.store_url == f"sqlite:///{tmp_path / 'apart' / 'citedesk.db'}"
    assert (own.folder_dir, own.generic_url, own.elasticsearch_url, own.vector_index) == (None, "", "", "chroma")
    assert (own.dense_weight, own.retrieval_k) == (0.4, 100)
