"""`citedesk reranker train` as somebody types it, and what it installs at work in the product's own search."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from connectors.models.reranker import CrossEncoderReranker, read_ranker, write_ranker
from core.domain.access import DEFAULT_TENANT, PUBLIC, Audience
from core.domain.retrieval import Inquiry, Retrieval
from core.errors import ModelUnavailable
from core.retrieval.learned import Ranker
from plugin.bootstrap import Services, open_records, open_services
from plugin.ingestion import ingest_docs
from plugin.settings import Settings
from tests.contracts.tiny_models import make_bi_encoder, make_cross_encoder
from tests.fakes.judged import Answer, approved_draft, by_chance, by_fusion, by_opening
from tests.servers.product import DOCS, citedesk

EVERYBODY = Audience(DEFAULT_TENANT, frozenset({PUBLIC}))


def approve(data: Path, count: int, answer: Answer, texts: tuple[str, str] = ("", "")) -> None:
    """A data folder with that many sent drafts."""
    records = open_records(Settings(_env_file=None, data_dir=data))
    with records.uow() as tx:
        for number in range(count):
            tx.drafts.add(*approved_draft(number, answer, texts))
        tx.commit()
    records.close()


def train(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    options = ("--out", str(place / "out"), "--json", str(place / "found.json"), *arguments)
    return citedesk("reranker", "train", *options, env={"CITEDESK_DATA_DIR": str(place / "data")})


def test_a_ranker_that_earned_its_place_is_installed_once(tmp_path: Path) -> None:
    approve(tmp_path / "data", 40, by_opening)
    done = train(tmp_path, "--from", "approvals")
    assert done.returncode == 0, done.stderr
    assert f"CITEDESK_RANKER={tmp_path / 'out'}" in done.stdout
    assert "scores, learned from 40 queries" in done.stdout
    assert read_ranker(tmp_path / "out").weights["opening"] > 0.1
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["earned"] is True
    assert found["comparisons"][0]["low"] > 0
    again = train(tmp_path, "--from", "approvals")
    assert again.returncode == 5
    assert "is there already" in again.stderr


def test_a_ranker_that_did_not_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    approve(tmp_path / "data", 40, by_chance)
    done = train(tmp_path, "--from", "approvals")
    assert done.returncode == 5
    assert "has not earned its place" in done.stderr
    assert "approved drafts" in done.stdout
    assert not (tmp_path / "out").exists()
    assert json.loads((tmp_path / "found.json").read_text())["earned"] is False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--from", "approvals"), "3 judged queries are too few"),
        ((), "either --data or --from approvals"),
        (("--from", "approvals", "--data", "."), "either --data or --from approvals"),
        (("--from", "approvals", "--kind", "bi-encoder"), "only be measured with --data"),
    ],
)
def test_options_that_do_not_fit_are_named(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    approve(tmp_path / "data", 3, by_chance)
    done = train(tmp_path, *arguments)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.models
def test_a_cross_encoder_that_learned_to_read_is_installed(tmp_path: Path) -> None:
    """The passage that answers says so; the fused scores and openings know nothing of it."""
    approve(tmp_path / "data", 60, by_chance, ("cat cat cat", "hammer saw"))
    base = make_cross_encoder(tmp_path / "base")
    options = ("--kind", "cross-encoder", "--base", str(base), "--epochs", "12", "--rate", "0.01")
    done = train(tmp_path, "--from", "approvals", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"CITEDESK_RERANKER={tmp_path / 'out'}" in done.stdout
    assert "CITEDESK_RERANK_SHARE=" in done.stdout
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["comparisons"][0]["queries"] == 18
    assert found["comparisons"][0]["after"] > 0.9
    right, wrong = CrossEncoderReranker(str(tmp_path / "out")).score("query 3", ["cat cat cat", "hammer saw"])
    assert right > wrong


@pytest.mark.models
def test_a_cross_encoder_without_a_gain_is_deleted(tmp_path: Path) -> None:
    approve(tmp_path / "data", 24, by_fusion)
    options = ("--kind", "cross-encoder", "--base", str(make_cross_encoder(tmp_path / "base")), "--epochs", "1")
    done = train(tmp_path, "--from", "approvals", *options)
    assert done.returncode == 5, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"base", "data", "found.json"}


@pytest.mark.models
def test_a_bi_encoder_is_measured_on_an_index_of_its_own(tmp_path: Path) -> None:
    """One that was hardly trained, from random weights, ranks worse than the packaged one."""
    topics = ["proxy", "printer", "password", "invoice", "camera", "keyboard", "network", "license"] * 3
    data = tmp_path / "set"
    (data / "dev").mkdir(parents=True)
    words = [f"{topic} {number}" for number, topic in enumerate(topics)]
    documents = [{"_id": f"d{n}", "title": f"About {w}", "text": f"How to set up {w}."} for n, w in enumerate(words)]
    asked = [{"_id": f"q{n}", "text": f"My {w} does not work"} for n, w in enumerate(words)]
    (data / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (data / "dev" / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    rows = [f"q{n}\td{n}\t1" for n in range(len(words))]
    (data / "dev" / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *rows]))
    base = make_bi_encoder(tmp_path / "base")
    done = train(tmp_path, "--data", str(data), "--kind", "bi-encoder", "--base", str(base), "--epochs", "1")
    assert done.returncode == 5, done.stdout + done.stderr
    assert "has not earned its place" in done.stderr
    (found,) = json.loads((tmp_path / "found.json").read_text())["comparisons"]
    assert (found["set"], found["queries"]) == ("set", 7)
    assert found["after"] < found["before"]
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- at work


def search(services: Services) -> Retrieval:
    return services.search(Inquiry("How do I reset my password?"), EVERYBODY)


@pytest.mark.models
def test_both_rankers_work_in_the_search_and_stand_in_the_provenance(tmp_path: Path) -> None:
    ranker = write_ranker(tmp_path / "ours", Ranker({"opening": 0.5}, 20), {})
    tiny = make_cross_encoder(tmp_path / "tiny")
    settings = Settings(
        _env_file=None, data_dir=tmp_path / "data", ranker=tmp_path / "ours", reranker=str(tiny), rerank_depth=5
    )
    services = open_services(settings)
    try:
        ingest_docs(services, DOCS)
        found = search(services)
        assert [run.stage for run in found.runs][-3:] == ["fusion", "learned", "rerank"]
        assert found.fused.stage == "ordered"
        rerank = found.runs[-1]
        assert len(rerank.items) == 5
        assert [item.passage_id for item in found.fused.items[:5]] == [item.passage_id for item in rerank.items]
        assert rerank.parameters["truncated"] > 0
        assert rerank.seconds > 0
        parts = {part.role: part for part in services.components()}
        assert parts["ranker"] == ranker.component
        assert (parts["reranker"].name, len(parts["reranker"].sha256)) == ("tiny", 64)
    finally:
        services.close()


@pytest.mark.models
def test_a_cross_encoder_that_fails_leaves_the_fused_order_with_a_label(tmp_path: Path) -> None:
    tiny = make_cross_encoder(tmp_path / "tiny")
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", reranker=str(tiny))
    services = open_services(settings)
    try:
        ingest_docs(services, DOCS)
        (tiny / "model.safetensors").write_bytes(b"damaged")
        found = search(services)
        assert "not reranked" in found.reduced
        assert "does not load" in found.runs[-1].degraded
        fusion = next(run for run in found.runs if run.stage == "fusion")
        assert [item.passage_id for item in found.fused.items] == [item.passage_id for item in fusion.items[:10]]
    finally:
        services.close()


def test_a_configured_reranker_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="nowhere"):
        open_services(Settings(_env_file=None, data_dir=tmp_path / "a", reranker="nobody/nowhere"))
    with pytest.raises(ModelUnavailable, match="no ranker"):
        open_services(Settings(_env_file=None, data_dir=tmp_path / "b", ranker=tmp_path))
