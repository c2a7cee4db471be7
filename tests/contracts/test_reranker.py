"""What every reranker does: the fake one, and sentence-transformers with a tiny cross-encoder of random weights.

No cross-encoder's weights come with a package, so the real one is made here: a BERT of two layers, seeded.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from connectors.models.reranker import PIN_FILE, RANKER_FILE, CrossEncoderReranker, read_ranker, write_ranker
from connectors.models.weights import sha256_of
from core.errors import ModelCorrupt, ModelUnavailable
from core.ports import Reranker
from core.retrieval.learned import Ranker
from tests.contracts.tiny_models import make_cross_encoder
from tests.fakes.reranker import FakeReranker

TEXTS = ["restart", "how to restart the browser in safe mode", "clear the cache of the browser", "spectra"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_cross_encoder(tmp_path_factory.mktemp("models") / "tiny-cross-encoder")


@pytest.fixture(scope="module")
def tiny(folder: Path) -> CrossEncoderReranker:
    return CrossEncoderReranker(str(folder), threads=1, batch=3)


@pytest.fixture(params=["fake", pytest.param("cross-encoder", marks=pytest.mark.models)])
def reranker(request: pytest.FixtureRequest) -> Reranker:
    made: Reranker = FakeReranker(max_words=61) if request.param == "fake" else request.getfixturevalue("tiny")
    return made


def test_there_is_one_score_a_text_in_their_order(reranker: Reranker) -> None:
    scores = reranker.score("restart the browser", TEXTS)
    assert len(scores) == len(TEXTS)
    assert len(set(scores)) > 1
    assert reranker.score("restart the browser", TEXTS[::-1]) == pytest.approx(scores[::-1], abs=1e-4)


def test_nothing_to_score_gives_no_scores(reranker: Reranker) -> None:
    assert reranker.score("restart", []) == []
    assert reranker.truncated("restart", []) == 0


def test_the_same_pair_scores_the_same_in_threads(reranker: Reranker) -> None:
    expected = reranker.score("restart", TEXTS)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: reranker.score("restart", TEXTS), range(8)))
    assert all(scores == pytest.approx(expected, abs=1e-4) for scores in found)


def test_pairs_longer_than_the_limit_are_counted_and_still_scored(reranker: Reranker) -> None:
    fitting, long = "browser " * 60, "browser " * 61
    assert reranker.truncated("cache", [fitting, long, "short"]) == 1
    assert len(reranker.score("cache", [fitting, long, "short"])) == 3


def test_a_component_names_model_and_hash(reranker: Reranker) -> None:
    component = reranker.component
    assert component.role == "reranker"
    assert component.name
    assert len(component.sha256) == 64


# ---------------------------------------------------------------- sentence-transformers


@pytest.mark.models
def test_scores_are_the_logits_sentence_transformers_gives(folder: Path, tiny: CrossEncoderReranker) -> None:
    from sentence_transformers import CrossEncoder
    from torch import nn

    model = CrossEncoder(str(folder), activation_fn=nn.Identity())
    expected = model.predict([("restart", text) for text in TEXTS])
    assert tiny.score("restart", TEXTS) == pytest.approx([float(score) for score in expected], abs=1e-4)


@pytest.mark.models
def test_the_query_is_read_with_the_text(tiny: CrossEncoderReranker) -> None:
    one, other = (tiny.score(query, TEXTS) for query in ("restart the browser", "galaxies and their spectra"))
    differences = [a - b for a, b in zip(one, other, strict=True)]
    assert max(differences) - min(differences) > 1e-3


@pytest.mark.models
def test_the_end_of_the_longer_text_is_what_is_lost(tiny: CrossEncoderReranker) -> None:
    query = "galaxy " * 10
    first, same, other = ("browser " * 51 + end for end in ("", "spectra", "cache cache"))
    assert tiny.truncated(query, [first, same, other]) == 2
    scores = tiny.score(query, [first, same, other])
    assert scores == pytest.approx([scores[0]] * 3, abs=1e-4)


def test_hash_limit_and_name_need_no_torch(tiny: CrossEncoderReranker, folder: Path) -> None:
    program = (
        "import sys; from connectors.models.reranker import CrossEncoderReranker\n"
        "r = CrossEncoderReranker(sys.argv[1])\n"
        "print(r.component.name, r.component.sha256, r.truncated('a', ['b ' * 61]),"
        " {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", program, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    sha256 = sha256_of([folder / "model.safetensors"])
    assert done.stdout == f"tiny-cross-encoder {sha256} 1 set()\n", done.stderr


def test_a_model_that_is_not_on_this_machine_is_unavailable_with_advice() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        CrossEncoderReranker("nobody/no-such-reranker")
    assert "nobody/no-such-reranker" in caught.value.message
    assert "CITEDESK_RERANKER" in caught.value.hint


def test_a_model_with_several_scores_a_pair_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="not a whole cross-encoder"):
        CrossEncoderReranker(str(make_cross_encoder(tmp_path / "three", labels=3)))


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_unavailable(copy: Path, missing: str) -> None:
    (copy / missing).unlink()
    with pytest.raises(ModelUnavailable, match="copy"):
        CrossEncoderReranker(str(copy))


@pytest.mark.models
def test_weights_that_do_not_load_are_unavailable(copy: Path) -> None:
    (copy / "model.safetensors").write_bytes(b"not weights at all")
    with pytest.raises(ModelUnavailable, match="does not load"):
        CrossEncoderReranker(str(copy)).score("restart", TEXTS)


@pytest.mark.models
def test_a_model_that_fails_while_it_reads_is_unavailable(copy: Path) -> None:
    """The tokenizer numbers more word pieces than the model has."""
    content = json.loads((copy / "tokenizer.json").read_text())
    content["model"]["vocab"]["browser"] = 40_000
    (copy / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(ModelUnavailable, match="failed"):
        CrossEncoderReranker(str(copy)).score("restart", TEXTS)


def test_weights_other_than_those_that_training_wrote_are_refused(copy: Path) -> None:
    pin = copy / PIN_FILE
    pin.write_text(json.dumps({"sha256": sha256_of([copy / "model.safetensors"])}))
    assert CrossEncoderReranker(str(copy)).component.name == "copy"
    pin.write_text(json.dumps({"sha256": "0" * 64}))
    with pytest.raises(ModelCorrupt, match="copy"):
        CrossEncoderReranker(str(copy))
    pin.write_text("damaged")
    with pytest.raises(ModelCorrupt, match="damaged"):
        CrossEncoderReranker(str(copy))


# ---------------------------------------------------------------- learned rankers


def test_a_ranker_is_read_as_it_was_written_with_its_hash(tmp_path: Path) -> None:
    written = write_ranker(tmp_path / "ours", Ranker({"dense": 0.25}, 30), {"queries": 7})
    read = read_ranker(tmp_path / "ours")
    assert read == written
    assert (read.weights, read.depth, read.name) == ({"dense": 0.25}, 30, "ours")
    assert read.sha256 == sha256_of([tmp_path / "ours" / RANKER_FILE])


@pytest.mark.parametrize("content", ["", "{}", '{"weights": {"magic": 1}, "depth": 5}', '{"weights": [], "depth": 5}'])
def test_a_damaged_ranker_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / RANKER_FILE).write_text(content)
    with pytest.raises(ModelCorrupt, match="damaged"):
        read_ranker(tmp_path)


def test_a_ranker_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="no ranker"):
        read_ranker(tmp_path)
