from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from benchmarks.peers.shared import SharedEmbedder, Texts
from benchmarks.retrieval_peers import PEERS
from tests.fakes.search import FakeEmbedder

REQUIREMENTS = Path(__file__).resolve().parents[3] / "benchmarks" / "peers" / "requirements.txt"


def test_every_package_a_peer_needs_is_pinned() -> None:
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    pinned = {line.split("==")[0].replace("_", "-").lower() for line in lines}
    assert {package for _, needed in PEERS.values() for package in needed} <= pinned


def test_peers_get_the_products_vectors_for_passages_and_its_embedder_for_queries() -> None:
    plain = FakeEmbedder()
    shared = SharedEmbedder(plain, Texts(["a", "b"], ["proxy", "export"]))
    shared.vectors[1] *= 2  # whatever the vectors are, they are looked up and not made again
    np.testing.assert_allclose(shared.embed_documents(["export"])[0], 2 * plain.embed_passages(["export"])[0])
    np.testing.assert_allclose(shared.embed_query("quota"), plain.embed_queries(["quota"])[0])
    either = shared.embed_either(["export", "quota"])
    np.testing.assert_allclose(either, [shared.embed_documents(["export"])[0], shared.embed_query("quota")])
