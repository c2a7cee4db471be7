"""A folder with a document of every format, from the files to what the indexes answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.domain.passage import Passage
from core.retrieval.analysis import lexical_query
from ingest.pipeline import ingest
from ingest.report import Cutting, IngestReport
from ingest.sources import folder_items
from tests.fakes.search import FakeEmbedder, FakeLexicalIndex, FakeVectorIndex
from tests.fakes.store import FakeStore

SAMPLES = Path(__file__).parent.parent / "data" / "docs"
COLLECTION = "lumen"


class Library:
    """The samples in a folder of their own, ingested into the fakes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store, self.lexical, self.vectors = FakeStore(), FakeLexicalIndex(), FakeVectorIndex()
        self.embedder = FakeEmbedder()
        shutil.copytree(SAMPLES, folder)

    def ingest(self) -> IngestReport:
        return ingest(
            COLLECTION,
            folder_items(self.folder, max_bytes=100_000),
            uow=self.store.uow,
            lexical=self.lexical,
            vectors=self.vectors,
            embedder=self.embedder,
            cutting=Cutting(words=60, overlap_words=10),
            batch=3,
        )

    def best(self, question: str) -> list[Passage]:
        """The first passage of each index."""
        vector = self.embedder.embed_queries([question])[0]
        found = [
            self.lexical.search(COLLECTION, lexical_query(question), 1),
            self.vectors.search(COLLECTION, vector, 1, self.embedder.identity),
        ]
        with self.store.uow() as tx:
            return [tx.documents.passages([run[0][0]])[run[0][0]] for run in found]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "docs")


@pytest.mark.parametrize(
    ("question", "doc_id", "text"),
    [
        (
            "Which port does the dome control use?",
            "faq.html",
            "Service | Port\nWeb interface | 8450/tcp\nDome control | 8451/udp",
        ),
        ("How many targets a night on the survey plan?", "getting-started.md", "Plan | Targets a night | Storage"),
        (
            "What colour is the trigger signal, pin 4?",
            "reference/wiring.pdf",
            "Pin | Signal | Colour\n3 | Data | green",
        ),
        ("lumen plan dry-run option", "reference/commands.rst", "- --dry-run: Print the plan only."),
        ("café observatory driver loses connection", "reference/known-problems.txt", "after 30 minutes; restart it"),
        ("first image after a reset", "articles.jsonl#kb-1", "always empty"),
    ],
)
def test_both_indexes_find_the_answer_in_every_format(library: Library, question: str, doc_id: str, text: str) -> None:
    library.ingest()
    for passage in library.best(question):
        assert passage.doc_id == f"{COLLECTION}:{doc_id}"
        assert text in passage.text


def test_everything_is_counted_and_nothing_is_done_twice(library: Library) -> None:
    first = library.ingest()
    assert (first.added, first.skipped) == (7, ())
    assert first.notes == (("reference/known-problems.txt", "not UTF-8: read as Windows-1252"),)
    assert library.ingest() == IngestReport(unchanged=7)
    assert library.lexical.count(COLLECTION) == library.vectors.count(COLLECTION) == first.passages


def test_hidden_instructions_and_scripts_are_in_no_passage(library: Library) -> None:
    library.ingest()
    with library.store.uow() as tx:
        texts = [
            p.text
            for record in tx.documents.manifest(COLLECTION).values()
            for p in tx.documents.passages_of(record.doc_id)
        ]
    assert not [text for text in texts if "refund" in text or "track(" in text or "navy" in text]


def test_pages_of_a_pdf_and_the_addresses_of_articles_reach_the_passages(library: Library) -> None:
    library.ingest()
    [wiring, _] = library.best("Never connect pin 4 under power")
    assert (wiring.page, wiring.title, wiring.heading_path, wiring.url) == (2, "Wiring guide", ("2 Connectors",), "")
    [article, _] = library.best("replace the key file")
    assert article.url == "https://docs.lumen.test/kb/2"


def test_removing_and_shortening_files_leaves_nothing_behind(library: Library) -> None:
    library.ingest()
    shutil.rmtree(library.folder / "reference")
    (library.folder / "faq.html").write_text("<h1>Questions</h1><p>Ask us.</p>")
    report = library.ingest()
    assert (report.deleted, report.changed, report.passages) == (3, 1, 1)
    [size] = _sizes(library)
    assert library.lexical.count(COLLECTION) == library.vectors.count(COLLECTION) == size


def _sizes(library: Library) -> list[int]:
    with library.store.uow() as tx:
        return [size.passages for size in tx.documents.sizes()]
