"""One prepared data folder for all tests that run the product as a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.product import Product


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Product:
    """Folders with the small handbook ingested; copied, never used directly."""
    product = Product(tmp_path_factory.mktemp("prepared"))
    product.prepare()
    return product


@pytest.fixture
def product(prepared: Product, tmp_path: Path) -> Iterator[Product]:
    """A product of its own, not started yet; whatever runs at the end is killed."""
    mine = Product(tmp_path / "product")
    mine.root.mkdir()
    mine.copy_of(prepared)
    yield mine
    mine.kill()
