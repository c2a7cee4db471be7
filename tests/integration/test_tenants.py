"""Questions of random audiences, through the product's own search over the embedded indexes: no leak.

A thousand in every run; `TENANT_QUESTIONS=10000 make test ARGS="-k leak_nothing"` asks ten thousand (four minutes).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from core.domain.retrieval import Inquiry
from ingest.pipeline import ingest
from ingest.report import Cutting
from ingest.sources import SourceItem
from plugin.bootstrap import Services, open_services
from plugin.settings import Settings
from tests.fakes.search import FakeEmbedder
from tests.fakes.tenants import PLACES, Place, leaks, questions

QUESTIONS = int(os.environ.get("TENANT_QUESTIONS", "1000"))


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """The real store and embedded indexes, every place's documents in them; only the embedder is a fake."""
    settings = Settings(_env_file=None, data_dir=tmp_path, retrieval_depth=20)
    opened = open_services(settings)
    try:
        made = replace(opened, embedder=cast(Any, FakeEmbedder()), translator=None)
        for place in PLACES:
            fill(made, place)
        yield made
    finally:
        opened.close()


def fill(services: Services, place: Place) -> None:
    items = [
        SourceItem(f"{number}.md", "", f"Help {number}", text.encode()) for number, text in enumerate(place.texts())
    ]
    report = ingest(
        place.collection,
        items,
        uow=services.uow,
        lexical=services.lexical,
        vectors=services.vectors,
        embedder=services.embedder,
        cutting=Cutting(60, 10),
        batch=20,
    )
    assert report.passages == len(items)


@pytest.mark.timeout(600)
def test_questions_of_random_audiences_leak_nothing(services: Services) -> None:
    found = 0
    for question, audience in questions(QUESTIONS, seed=10):
        retrieval = services.search(Inquiry(question), audience)
        assert leaks(retrieval, audience) == []
        assert retrieval.reduced == ()
        found += len(retrieval.ranked)
    assert found == QUESTIONS * services.settings.retrieval_k
