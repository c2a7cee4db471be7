"""What every embedder does: the fake one and the packaged all-MiniLM-L6-v2."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from connectors.models.embedder import SentenceTransformerEmbedder, find_folder, load_tokenizer, windows
from connectors.models.weights import PINNED, check_pinned, sha256_of
from core.errors import ModelCorrupt, ModelUnavailable
from core.ports import Embedder
from tests.fakes.search import FakeEmbedder


@lru_cache(maxsize=1)
def packaged() -> SentenceTransformerEmbedder:
    """One for the whole module: loading takes seconds."""
    return SentenceTransformerEmbedder("packaged", threads=1, batch=4)


@pytest.fixture(params=["fake", pytest.param("packaged", marks=pytest.mark.models)])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return FakeEmbedder() if request.param == "fake" else packaged()


def test_vectors_are_normalised_float32_of_the_named_dimension(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(["Restart the browser.", "The telescope archive", ""])
    assert vectors.shape == (3, embedder.identity.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.identity.dimension)
    assert embedder.embed_queries([]).shape == (0, embedder.identity.dimension)


def test_a_related_text_is_nearer_than_another(embedder: Embedder) -> None:
    query = embedder.embed_queries(["restart browser"])[0]
    near, far = embedder.embed_passages(["how to restart the browser", "spectra of distant galaxies"]) @ query
    assert near > far + 0.3


def test_the_order_of_texts_does_not_change_a_vector(embedder: Embedder) -> None:
    texts = ["one", "a text of some more words " * 9, "three words here", "four", "five and six", "seven"]
    forward, backward = embedder.embed_passages(texts), embedder.embed_passages(texts[::-1])
    assert np.allclose(forward, backward[::-1], atol=1e-5)


def test_the_same_text_gives_the_same_vector_in_threads(embedder: Embedder) -> None:
    expected = embedder.embed_queries(["restart the browser"])
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(lambda _: embedder.embed_queries(["restart the browser"]), range(8)))
    assert all(np.allclose(vector, expected, atol=1e-5) for vector in vectors)


def test_tokens_are_counted_past_the_limit(embedder: Embedder) -> None:
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("browser " * 1000) == 1000 > embedder.max_tokens


def test_the_end_of_a_very_long_text_still_counts(embedder: Embedder) -> None:
    start = "galaxy " * (2 * embedder.max_tokens)
    alone, longer = embedder.embed_queries([start, start + "browser " * embedder.max_tokens])
    assert float(alone @ longer) < 0.99
    about = embedder.embed_passages(["browser"])[0]
    assert float(longer @ about) > float(alone @ about) + 0.1


# ---------------------------------------------------------------- the packaged model


@pytest.mark.models
def test_vectors_are_those_sentence_transformers_gives() -> None:
    from sentence_transformers import SentenceTransformer

    texts = ["How do I restart Firefox?", "short", "a longer text about certificates and proxies"]
    expected = SentenceTransformer(str(find_folder("packaged"))).encode(texts, normalize_embeddings=True)
    assert np.allclose(packaged().embed_queries(texts), expected, atol=1e-5)


def test_identity_limits_and_token_counts_need_no_torch() -> None:
    program = (
        "import sys; from connectors.models.embedder import SentenceTransformerEmbedder\n"
        "e = SentenceTransformerEmbedder('packaged')\n"
        "print(e.identity.name, e.identity.dimension, e.max_tokens, e.count_tokens('hello world'),"
        " {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "all-MiniLM-L6-v2 384 254 2 set()\n", done.stderr


def test_the_packaged_weights_are_the_pinned_ones() -> None:
    assert SentenceTransformerEmbedder("packaged").identity.sha256 == PINNED["all-MiniLM-L6-v2"]


def test_other_weights_than_the_pinned_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    with pytest.raises(ModelCorrupt, match="pinned"):
        check_pinned("all-MiniLM-L6-v2", sha256_of([tmp_path / "model.safetensors"]))


def test_a_changed_weights_file_gets_a_new_hash(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"one")
    before = sha256_of([file])
    file.write_bytes(b"three")
    assert sha256_of([file]) != before


def test_a_model_that_is_not_on_this_machine_is_unavailable_with_advice() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        SentenceTransformerEmbedder("nobody/no-such-model")
    assert "CITEDESK_EMBEDDER" in caught.value.hint


def test_a_folder_without_a_model_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=tmp_path.name):
        SentenceTransformerEmbedder(str(tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the packaged model's small files with weights of our own."""
    copy = tmp_path / "our-model"
    shutil.copytree(find_folder("packaged"), copy, ignore=shutil.ignore_patterns("*.safetensors"))
    (copy / "model.safetensors").write_bytes(b"not weights at all")
    return copy


def test_a_folder_is_named_by_its_last_part_and_its_own_hash(folder: Path) -> None:
    identity = SentenceTransformerEmbedder(str(folder)).identity
    assert identity.name == "our-model"
    assert identity.sha256 == sha256_of([folder / "model.safetensors"])


def test_prompts_of_the_model_count_against_its_limit(folder: Path) -> None:
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "find this here"}}))
    assert SentenceTransformerEmbedder(str(folder)).max_tokens == 254 - 3


@pytest.mark.parametrize("damaged", ["config.json", "tokenizer.json", "sentence_bert_config.json"])
def test_a_damaged_file_of_the_model_makes_it_unavailable(folder: Path, damaged: str) -> None:
    (folder / damaged).write_text("damaged")
    with pytest.raises(ModelUnavailable, match="our-model"):
        SentenceTransformerEmbedder(str(folder))


@pytest.mark.models
def test_weights_that_do_not_load_are_unavailable(folder: Path) -> None:
    with pytest.raises(ModelUnavailable):
        SentenceTransformerEmbedder(str(folder)).warm_up()


def test_a_text_within_the_limit_is_one_window() -> None:
    tokenizer = load_tokenizer(find_folder("packaged"))
    assert list(windows("  just this ", tokenizer, 254)) == ["  just this "]


def test_windows_are_cut_between_words_and_lose_none() -> None:
    tokenizer = load_tokenizer(find_folder("packaged"))
    text = "unbelievable restarting, Firefox! " * 50
    pieces = list(windows(text, tokenizer, 20))
    assert all(len(tokenizer.encode(piece, add_special_tokens=False).ids) <= 20 for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_a_word_longer_than_a_window_is_cut_inside() -> None:
    tokenizer = load_tokenizer(find_folder("packaged"))
    pieces = list(windows("z1q" * 30 + " end", tokenizer, 10))
    assert "".join(pieces) == "z1q" * 30 + "end"
    assert len(pieces) > 3
