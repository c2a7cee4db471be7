"""`citedesk tune` as somebody types it, and that what it stored is searched with."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain.retrieval import Inquiry
from plugin.bootstrap import open_services
from plugin.evaluation.retrieval import AUDIENCE
from plugin.settings import Settings
from plugin.weights import FILE, LearnedWeights, save_weights
from tests.servers.product import citedesk

pytestmark = [pytest.mark.models]

MINI = Path(__file__).resolve().parents[1] / "data" / "beir-mini"


def test_four_tickets_prove_nothing_and_nothing_is_stored(tmp_path: Path) -> None:
    env = {"CITEDESK_DATA_DIR": str(tmp_path)}
    done = citedesk("tune", "--data", str(MINI), env=env)
    assert done.returncode == 0, done.stderr
    assert "beir-mini, 4 queries; nDCG@10" in done.stdout
    assert "with the present dense weight 0.7" in done.stdout
    assert "Against " in done.stdout
    assert "Nothing is better by more than noise: the present weights stay." in done.stdout
    assert not (tmp_path / FILE).exists()


def test_judgements_may_name_the_documents_of_the_installation(tmp_path: Path) -> None:
    env = {"CITEDESK_DATA_DIR": str(tmp_path / "data")}
    assert citedesk("ingest", "docs", str(MINI / "corpus.jsonl"), env=env).returncode == 0
    judged = tmp_path / "judged.jsonl"
    judged.write_text('{"_id": "a", "text": "PROXY_AUTH_407", "gold": ["docs/proxy"]}\n')
    done = citedesk("tune", "--data", str(judged), env=env)
    assert done.returncode == 0, done.stderr
    assert "judged, 1 queries; nDCG@10 1.000" in done.stdout


def test_what_was_learned_is_searched_with_until_it_is_forgotten(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)
    services = open_services(settings)
    identity = services.embedder.identity
    assert services.settings.dense_weight == settings.dense_weight
    services.close()
    save_weights(tmp_path, identity, LearnedWeights(0.35, "error: dense 0.2", {}))
    services = open_services(settings)
    weights = {
        text: services.search(Inquiry(text), AUDIENCE).fused.parameters["dense_weight"]
        for text in ("Where is my telescope?", "The export fails with an error")
    }
    services.close()
    assert list(weights.values()) == [0.35, 0.2]
    done = citedesk("tune", "--forget", env={"CITEDESK_DATA_DIR": str(tmp_path)})
    assert done.stdout == "The learned weights are forgotten.\n"
    assert not (tmp_path / FILE).exists()


def test_without_data_there_is_nothing_to_learn_from(tmp_path: Path) -> None:
    done = citedesk("tune", env={"CITEDESK_DATA_DIR": str(tmp_path)})
    assert done.returncode == 2
    assert done.stderr == "citedesk: There is nothing to learn from. Give --data, or --forget to go back.\n"
