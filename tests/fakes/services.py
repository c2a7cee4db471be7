"""Services over fakes: what a page or a worker needs, in memory. `cast(Services, FakeServices())` where types ask."""

from __future__ import annotations

from typing import cast

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
        self.ledger_key = self.store.ledger_key
        self.session_key = b"s" * 32

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

    def address_of(self, draft_id: str) -> str:
        return f"{self.settings.public_url}/drafts/{draft_id}"
