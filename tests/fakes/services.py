"""Services over fakes: what a page or a worker needs, in memory. `cast(Services, FakeServices())` where types ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from core.domain.access import Audience
from core.domain.audit import SealKeys
from core.domain.passage import Run
from core.domain.retrieval import Inquiry, Retrieval
from core.errors import ConnectorNotFound
from core.ports import UnitOfWork, Webhook
from plugin.bootstrap import Services
from plugin.settings import Settings
from plugin.web.passwords import Passwords
from tests.fakes.basics import FakeClock, counting_ids
from tests.fakes.helpdesk import FakeHelpdesk
from tests.fakes.recognizer import FakeRecognizer
from tests.fakes.search import FakeEmbedder, FakeLexicalIndex, FakeVectorIndex
from tests.fakes.store import FakeStore
from tests.fakes.translation import FakeDetector


class FakeQueue:
    """Counts how often it was woken."""

    def __init__(self) -> None:
        self.wakes = 0

    def wake(self) -> None:
        self.wakes += 1

    def wait(self, seen: int, timeout_s: float) -> int:
        return self.wakes


class FakeRecords:
    """A store in memory with keys that anybody can read here."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = FakeStore()
        self.session_key = b"s" * 32

    @property
    def seal_keys(self) -> SealKeys:
        return self.store.seal_keys()

    def uow(self) -> UnitOfWork:
        return self.store.uow()

    def close(self) -> None:
        self.store.close()


def cheap_passwords() -> Passwords:
    """Passwords whose hashes are hardly any work."""
    from argon2 import PasswordHasher

    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


class FakeServices:
    """Duck-types `plugin.bootstrap.Services`; the clock stands still unless another is given."""

    def __init__(self, settings: Settings | None = None, clock: FakeClock | None = None) -> None:
        self.settings = settings or Settings(_env_file=None)
        self.records = FakeRecords(self.settings)
        self.clock = clock or FakeClock()
        self.new_id = counting_ids()
        self.fake_helpdesk = FakeHelpdesk(clock=self.clock)
        self.helpdesks = {self.fake_helpdesk.name: self.fake_helpdesk}
        self.webhooks: dict[str, Webhook] = {}
        self.lexical = FakeLexicalIndex()
        self.vectors = FakeVectorIndex()
        self.embedder = FakeEmbedder()
        self.recognizer = FakeRecognizer({})
        self.detector = FakeDetector()
        self.translator = None
        self.queue = FakeQueue()
        self.owner = "test"

    @property
    def store(self) -> FakeStore:
        return self.records.store

    def as_services(self) -> Services:
        return cast(Services, self)

    def uow(self) -> UnitOfWork:
        return self.records.uow()

    def timer(self) -> float:
        return 0.0

    def helpdesk(self, name: str) -> FakeHelpdesk:
        if name not in self.helpdesks:
            raise ConnectorNotFound(f"No helpdesk called {name!r} is configured.")
        return self.helpdesks[name]

    def searcher(self, audience: Audience) -> Callable[[Inquiry], Retrieval]:
        return lambda inquiry: self.search(inquiry, audience)

    def search(self, _inquiry: Inquiry, _audience: Audience) -> Retrieval:
        return Retrieval((), (), Run("fusion", "", (), 10))

    def address_of(self, draft_id: str) -> str:
        return f"{self.settings.public_url}/drafts/{draft_id}"
