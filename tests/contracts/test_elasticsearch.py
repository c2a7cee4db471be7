"""What the contract suites leave open: agreement with the embedded index, failures of a cluster, changes of shape."""

from __future__ import annotations

import base64
import datetime as dt
import json
import logging
import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from connectors.search.elasticsearch_client import Connection
from connectors.search.elasticsearch_lexical import ElasticsearchLexicalIndex
from connectors.search.elasticsearch_vectors import ElasticsearchVectorIndex, Neighbours
from connectors.search.embedded import EmbeddedLexicalIndex
from core.domain.passage import Passage, Span
from core.errors import IndexUnavailable, InvalidSettings, StorageFull
from core.ports import EmbedderIdentity, LexicalEntry, VectorEntry
from core.retrieval.analysis import lexical_entry, lexical_query
from tests.fakes.scripted_cluster import scripted_cluster
from tests.servers import elasticsearch
from tests.servers.product import free_port

cluster = elasticsearch.cluster

Cluster = elasticsearch.Cluster
SAMPLES = Path(__file__).resolve().parents[2] / "plugin" / "samples"
EMBEDDER = EmbedderIdentity("small", "a" * 64, 3)
PRODUCT_DEPTH = 100
"""The default of CITEDESK_RETRIEVAL_DEPTH: the embedded index finds candidates in proportion to the depth."""

WORDS = {"body": ["alpha"]}


def entry(passage_id: str, body: str = "alpha") -> LexicalEntry:
    return LexicalEntry(passage_id, passage_id.split("#")[0], {"body": body.split()})


@pytest.fixture
def index(cluster: Cluster) -> Iterator[ElasticsearchLexicalIndex]:
    made = ElasticsearchLexicalIndex(cluster.connection, prefix=cluster.prefix)
    yield made
    made.close()


def found(index: ElasticsearchLexicalIndex) -> list[str]:
    return [passage_id for passage_id, _ in index.search("docs", WORDS, 50)]


# ---------------------------------------------------------------- beside the embedded index


def sample_entries() -> list[LexicalEntry]:
    """The documentation of the demo, five paragraphs to a passage."""
    entries = []
    for line in (SAMPLES / "docs.jsonl").read_text().splitlines():
        row = json.loads(line)
        blocks = row["text"].split("\n\n")
        for start in range(0, len(blocks), 5):
            text = "\n\n".join(blocks[start : start + 5])
            headings = tuple(block.lstrip("# ") for block in blocks[: start + 1] if block.startswith("#"))[-1:]
            name = f"{row['_id']}#{start}"
            span = Span(0, len(text))
            entries.append(
                lexical_entry(Passage(name, row["_id"], "docs", row["title"], headings, text, span, span, "v"))
            )
    return entries


def sample_queries() -> list[dict[str, list[str]]]:
    tickets = [json.loads(path.read_text()) for path in sorted((SAMPLES / "helpdesk" / "tickets").glob("*.json"))]
    return [lexical_query(f"{ticket['subject']}\n{ticket['messages'][0]['body']}") for ticket in tickets]


@pytest.mark.server
def test_both_engines_give_the_same_best_20_for_every_ticket_of_the_demo(
    index: ElasticsearchLexicalIndex, tmp_path: Path
) -> None:
    embedded = EmbeddedLexicalIndex(tmp_path)
    entries, queries = sample_entries(), sample_queries()
    assert len(entries) > 3000
    assert len(queries) >= 40
    for engine in (embedded, index):
        engine.replace("docs", [], entries)
    for query in queries:
        ours, theirs = (engine.search("docs", query, PRODUCT_DEPTH)[:20] for engine in (embedded, index))
        assert len(ours) == 20
        assert [name for name, _ in theirs] == [name for name, _ in ours]
        assert [score for _, score in theirs] == pytest.approx([score for _, score in ours], rel=1e-4)


@pytest.mark.server
def test_shards_do_not_change_the_scores(cluster: Cluster, index: ElasticsearchLexicalIndex) -> None:
    spread = ElasticsearchLexicalIndex(cluster.connection, prefix=f"{cluster.prefix}spread-", shards=3)
    entries = [entry(f"d{n}#0", "alpha " * (n % 5 + 1) + "beta " * n) for n in range(40)]
    for engine in (index, spread):
        engine.replace("docs", [], entries)
    query = {"body": ["alpha", "beta"]}
    assert spread.search("docs", query, 30) == index.search("docs", query, 30)
    spread.close()


# ---------------------------------------------------------------- a change of shape


@pytest.mark.server
def test_an_index_of_another_shape_is_filled_beside_the_old_one_and_takes_its_place(
    cluster: Cluster, index: ElasticsearchLexicalIndex
) -> None:
    index.replace("docs", [], [entry(f"d{n}#0") for n in range(1200)])
    broken = f"{cluster.prefix}lexical-docs.v2"
    cluster.client.index(index=broken, document={"left": "by a change that broke off"})
    reshaped = ElasticsearchLexicalIndex(cluster.connection, prefix=cluster.prefix, shards=2)
    assert reshaped.count("docs") == 1200
    reshaped.replace("docs", ["d7"], [])
    assert cluster.indices() == [broken]
    assert reshaped.count("docs") == 1199
    assert "d8#0" in {name for name, _ in reshaped.search("docs", WORDS, 2000)}
    reshaped.replace("docs", ["d9"], [])
    assert cluster.indices() == [broken]
    reshaped.close()


@pytest.mark.server
def test_a_change_of_shape_that_fails_leaves_the_old_index_as_it_was(
    cluster: Cluster, index: ElasticsearchLexicalIndex
) -> None:
    index.replace("docs", [], [entry("d1#0")])
    (old,) = cluster.indices()
    cluster.client.indices.put_settings(index=old, settings={"index.blocks.read": True})
    reshaped = ElasticsearchLexicalIndex(cluster.connection, prefix=cluster.prefix, shards=2)
    with pytest.raises(IndexUnavailable):
        reshaped.replace("docs", ["d2"], [entry("d2#0")])
    cluster.client.indices.put_settings(index=old, settings={"index.blocks.read": None})
    assert cluster.indices() == [old]
    index.replace("docs", ["d3"], [entry("d3#0")])
    assert found(index) == ["d1#0", "d3#0"]
    reshaped.close()


@pytest.mark.server
def test_vectors_survive_the_change_from_graph_to_exact_search(cluster: Cluster) -> None:
    vectors = [VectorEntry(f"d{n}#0", f"d{n}", row.astype(np.float32)) for n, row in enumerate(np.eye(3))]
    for neighbours in (Neighbours.HNSW, Neighbours.EXACT):
        index = ElasticsearchVectorIndex(cluster.connection, prefix=cluster.prefix, neighbours=neighbours)
        index.replace("docs", [], vectors, EMBEDDER)
        assert index.search("docs", vectors[1].vector, 1, EMBEDDER) == [("d1#0", 1.0)]
        assert index.identity("docs") == EMBEDDER
        index.close()
    assert cluster.indices() == [f"{cluster.prefix}dense-docs.v2"]


@pytest.mark.server
def test_the_mean_follows_what_another_process_writes(cluster: Cluster) -> None:
    one, other = (ElasticsearchVectorIndex(cluster.connection, prefix=cluster.prefix) for _ in range(2))
    x, y, _ = np.eye(3, dtype=np.float32)
    one.replace("docs", [], [VectorEntry("a#0", "a", x)], EMBEDDER)
    assert one.mean("docs") == pytest.approx([1, 0, 0])
    other.replace("docs", [], [VectorEntry("b#0", "b", y)], EMBEDDER)
    assert one.mean("docs") == pytest.approx([0.5, 0.5, 0])
    other.replace("docs", ["a", "b"], [], EMBEDDER)
    assert one.mean("docs") is None
    one.close()
    other.close()


# ---------------------------------------------------------------- nothing is lost or shown silently


@pytest.mark.server
def test_an_entry_that_is_refused_is_named_and_the_others_are_written(index: ElasticsearchLexicalIndex) -> None:
    too_long = "d2#" + "x" * 40_000
    with pytest.raises(IndexUnavailable, match="1 entries of the lexical index of docs were refused"):
        index.replace("docs", [], [entry("d1#0"), entry(too_long), entry("d3#0")])
    assert found(index) == ["d1#0", "d3#0"]


@pytest.mark.server
def test_a_name_that_is_too_long_for_the_server_is_replaced_and_deleted_like_any_other(
    index: ElasticsearchLexicalIndex,
) -> None:
    name = "d2" + "ü" * 400 + "#0"
    index.replace("docs", [], [entry("d1#0"), entry(name)])
    assert found(index) == ["d1#0", name]
    index.replace("docs", [name[:-2]], [])
    assert found(index) == ["d1#0"]


@pytest.mark.server
def test_a_disk_over_its_watermark_is_a_full_storage(cluster: Cluster, index: ElasticsearchLexicalIndex) -> None:
    index.replace("docs", [], [entry("d1#0")])
    cluster.client.indices.put_settings(
        index=f"{cluster.prefix}*", settings={"index.blocks.read_only_allow_delete": True}
    )
    with pytest.raises(StorageFull):
        index.replace("docs", [], [entry("d2#0")])
    assert found(index) == ["d1#0"]


@pytest.mark.server
def test_entries_of_another_collection_are_not_found_even_in_the_same_index(
    cluster: Cluster, index: ElasticsearchLexicalIndex
) -> None:
    index.replace("docs", [], [entry("d1#0")])
    index.replace("secret", [], [entry("s1#0")])
    secret = next(name for name in cluster.indices() if "secret" in name)
    docs = next(name for name in cluster.indices() if "docs" in name)
    hit = cluster.client.search(index=secret)["hits"]["hits"][0]
    cluster.client.index(index=docs, id=hit["_id"], document=hit["_source"], refresh=True)
    assert found(index) == ["d1#0"]
    assert index.count("docs") == 1


@pytest.mark.server
def test_an_alias_that_leads_to_two_indexes_is_refused(cluster: Cluster, index: ElasticsearchLexicalIndex) -> None:
    index.replace("docs", [], [entry("d1#0")])
    index.replace("other", [], [entry("o1#0")])
    alias = f"{cluster.prefix}lexical-docs"
    cluster.client.indices.put_alias(index=f"{cluster.prefix}lexical-other.v1", name=alias)
    with pytest.raises(IndexUnavailable, match="several indexes"):
        index.replace("docs", [], [entry("d2#0")])


@pytest.mark.server
def test_collections_are_listed_by_their_real_names(index: ElasticsearchLexicalIndex) -> None:
    assert index.collections() == []
    index.replace("acme/internal/docs", [], [entry("d1#0")])
    index.replace("docs", [], [entry("d1#0")])
    assert index.collections() == ["acme/internal/docs", "docs"]
    index.drop("acme/internal/docs")
    assert index.collections() == ["docs"]
    assert re.fullmatch(r"Elasticsearch \d+\.\d+\.\d+\S*, 1 collections", index.check())


@pytest.mark.server
def test_no_text_is_logged_even_when_everything_is(
    index: ElasticsearchLexicalIndex, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    index.replace("docs", [], [entry("d1#0", "quokka")])
    index.search("docs", {"body": ["quokka"]}, 5)
    assert len(caplog.records) > 3
    assert "quokka" not in caplog.text


# ---------------------------------------------------------------- what a cluster says when it is not well

BULK = "PUT /citedesk-lexical-docs/_bulk"
BUSY = {"type": "es_rejected_execution_exception", "reason": "rejected execution of quokka"}


def answers(*bulk: tuple[int, Any]) -> dict[str, list[tuple[int, Any]]]:
    return {
        "GET /citedesk-lexical-docs/_mapping": [(404, {"error": {"type": "index_not_found_exception"}, "status": 404})],
        "PUT /citedesk-lexical-docs.v1": [(200, {"acknowledged": True})],
        "POST /citedesk-lexical-docs/_refresh": [(200, {})],
        BULK: list(bulk),
    }


def result(passage_id: str, status: int, error: object = None) -> dict[str, Any]:
    return {"index": {"_id": passage_id, "status": status, **({"error": error} if error else {})}}


def connection(url: str, **options: Any) -> Connection:
    return Connection((url,), timeout_s=5, retry_base_s=0.001, **options)


def test_what_a_busy_cluster_refuses_is_sent_again_and_nothing_else() -> None:
    script = answers(
        (200, {"errors": True, "items": [result("d1#0", 201), result("d2#0", 429, BUSY)]}),
        (200, {"errors": False, "items": [result("d2#0", 201)]}),
    )
    with scripted_cluster(script) as scripted:
        index = ElasticsearchLexicalIndex(connection(scripted.url))
        index.replace("docs", [], [entry("d1#0"), entry("d2#0")])
        index.close()
        first, second = (body for _, body in scripted.asked(BULK))
    assert "d1#0" in first
    assert "d1#0" not in second
    assert "d2#0" in second


def test_a_cluster_that_stays_busy_is_unavailable_and_its_words_are_not_repeated() -> None:
    with scripted_cluster(answers((200, {"errors": True, "items": [result("d1#0", 429, BUSY)]}))) as scripted:
        index = ElasticsearchLexicalIndex(connection(scripted.url))
        with pytest.raises(IndexUnavailable, match=r"\(es_rejected_execution_exception\): d1#0\.") as caught:
            index.replace("docs", [], [entry("d1#0")])
        index.close()
        tries = len(scripted.asked(BULK))
    assert tries == 5
    assert caught.value.retryable
    assert "quokka" not in caught.value.message


def test_credentials_go_along_and_a_refusal_of_them_says_so() -> None:
    refusal = (401, {"error": {"type": "security_exception", "reason": "no"}, "status": 401})
    script = {"POST /citedesk-lexical-docs/_search": [refusal]}
    with scripted_cluster(script) as scripted:
        for options in ({"user": "ada", "password": "secret12"}, {"api_key": "a2V5"}):
            index = ElasticsearchLexicalIndex(connection(scripted.url, **options))
            with pytest.raises(IndexUnavailable, match="credentials") as caught:
                index.search("docs", WORDS, 5)
            index.close()
            assert "CITEDESK_ELASTICSEARCH_API_KEY" in caught.value.hint
        sent = [headers["authorization"] for headers, _ in scripted.asked("POST /citedesk-lexical-docs/_search")]
    assert sent == [f"Basic {base64.b64encode(b'ada:secret12').decode()}", "ApiKey a2V5"]


def test_a_cluster_that_is_not_there_is_unavailable() -> None:
    index = ElasticsearchLexicalIndex(connection(f"http://127.0.0.1:{free_port()}"))
    for work in (
        lambda: index.search("docs", WORDS, 5),
        lambda: index.replace("docs", ["d1"], [entry("d1#0")]),
        lambda: index.count("docs"),
        lambda: index.drop("docs"),
        index.check,
    ):
        with pytest.raises(IndexUnavailable, match="does not answer"):
            work()
    index.close()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 that signs itself, with its key, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path = tmp_path / "server.pem"
    path.write_bytes(pem + made.public_bytes(serialization.Encoding.PEM))
    return path


def test_a_server_is_believed_only_with_a_certificate_of_the_given_authority(certificate: Path) -> None:
    script = {"POST /citedesk-lexical-docs/_count": [(200, {"count": 3})]}
    with scripted_cluster(script, certificate) as scripted:
        index = ElasticsearchLexicalIndex(connection(scripted.url, ca_file=certificate))
        assert index.count("docs") == 3
        index.close()
        stranger = ElasticsearchLexicalIndex(connection(scripted.url))
        with pytest.raises(IndexUnavailable, match="does not answer"):
            stranger.count("docs")
        stranger.close()


@pytest.mark.parametrize(
    "options",
    [
        {"url": "search.example"},
        {"url": "https://search.example:9200", "ca_file": Path("nowhere.pem")},
        {"url": "http://127.0.0.1:9200", "user": "ada", "api_key": "x"},
    ],
)
def test_settings_that_cannot_work_are_refused_before_anything_is_sent(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings):
        ElasticsearchLexicalIndex(connection(**options))


def test_secrets_are_not_shown() -> None:
    assert "secret12" not in repr(connection("http://x:1", user="ada", password="secret12", api_key="secret12"))
