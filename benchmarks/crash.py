"""Kill the product at random moments while it drafts and while it sends; count what was lost or done twice.

    python -m benchmarks.crash --kills 20

Each round announces three tickets (or approves their drafts), waits a random time, sends SIGKILL, starts again and
waits until the work is done. Afterwards every ticket must have exactly one draft, one note, one reply, and the ledger
must verify.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from core.domain.account import Role, User
from core.domain.draft import DraftState
from core.domain.jobs import JobState
from core.ports import DraftFilter
from core.usecases.verify_ledger import verify_ledger
from plugin.bootstrap import Records, now, open_records
from plugin.settings import Settings
from tests.servers.product import Product

QUESTIONS = (
    ("Password", "I forgot my password. How can I reset it?"),
    ("Download stops", "My download of raw data stops halfway every time. What can I do?"),
    ("Error P2-1042", "What does error P2-1042 mean and how do I get rid of it?"),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What the kills did; all but `kills` and `tickets` must be zero."""

    kills: int
    tickets: int
    lost: int
    duplicated: int
    ledger_problems: int
    seconds: float

    @property
    def clean(self) -> bool:
        return not (self.lost or self.duplicated or self.ledger_problems)


def kill_while_drafting(product: Product, kills: int, rng: random.Random) -> list[str]:
    """The tickets that were announced; every one is finished when this returns."""
    tickets = []
    for number in range(kills):
        product.start()
        for which, (subject, body) in enumerate(QUESTIONS):
            ticket = f"D{number:03}-{which}"
            product.add_ticket(ticket, subject, body)
            assert product.announce(ticket).status_code == 202
            tickets.append(ticket)
        time.sleep(rng.uniform(0.0, 14.0))
        product.kill()
    product.start()
    records = open_records(settings_of(product))
    product.wait_until(lambda: not busy(records), 600)
    records.close()
    return tickets


def kill_while_sending(product: Product, kills: int, rng: random.Random) -> None:
    """Approve the ready drafts a few at a time and kill the process in between."""
    records = open_records(settings_of(product))
    for _ in range(kills):
        if product.process is None:
            product.start()
        approve_some(records, rng.randint(2, 3))
        time.sleep(rng.uniform(0.0, 0.15) if rng.random() < 0.7 else rng.uniform(0.0, 1.5))
        product.kill()
    product.start()
    product.wait_until(lambda: not busy(records), 600)
    records.close()


def approve_some(records: Records, count: int) -> None:
    """Approve `count` open drafts, as the review page does; the serving process sends them."""
    from core.domain.provenance import Component
    from core.domain.redaction import NO_LISTS, Entity
    from core.usecases.review_draft import approve_draft

    class NothingFound:
        component = Component("recognizer", "none")
        lists = NO_LISTS

        def recognize(self, _text: str) -> list[Entity]:
            return []

    class OtherProcess:
        def wake(self) -> None:
            """The workers live in the serving process and look by themselves."""

    agent = User("u1", "agent@example.org", "Agent", Role.AGENT, "", now())
    with records.uow() as tx:
        ready = tx.drafts.list(DraftFilter(states=frozenset({DraftState.READY, DraftState.PARTIAL})), depth=count)
    for draft in ready:
        approve_draft(
            draft.draft_id,
            agent=agent,
            text=None,
            stars=None,
            uow=records.uow,
            recognizer=NothingFound(),
            queue=OtherProcess(),
            clock=now,
        )


def busy(records: Records) -> bool:
    with records.uow() as tx:
        counts = Counter(tx.inbox.counts()) + Counter(tx.outbox.counts())
    return bool(counts[JobState.PENDING] + counts[JobState.WORKING])


def settings_of(product: Product) -> Settings:
    return Settings(data_dir=product.data, folder_dir=product.helpdesk, port=product.port)


def examine(product: Product, tickets: list[str], kills: int, seconds: float) -> Result:
    """Count drafts, notes and replies by ticket, and verify the ledger."""
    records = open_records(settings_of(product))
    with records.uow() as tx:
        drafts = Counter(d.ticket_id for t in tickets for d in tx.drafts.for_ticket("folder", t))
        sent = {d.ticket_id for t in tickets for d in tx.drafts.for_ticket("folder", t) if d.state is DraftState.SENT}
    notes = Counter(path.parent.name for path in product.posted("notes"))
    replies = Counter(path.parent.name for path in product.posted("replies"))
    lost = sum(drafts[t] == 0 for t in tickets) + sum(notes[t] == 0 for t in tickets) + len(sent - set(replies))
    twice = sum(n - 1 for counted in (drafts, notes, replies) for n in counted.values() if n > 1)
    report = verify_ledger(uow=records.uow, keys=records.seal_keys)
    records.close()
    return Result(kills, len(tickets), lost, twice, len(report.problems), round(seconds, 1))


def run(kills: int, seed: int, folder: Path) -> Result:
    """The whole series in `folder`."""
    rng, since = random.Random(seed), time.monotonic()
    product = Product(folder)
    product.prepare()
    try:
        tickets = kill_while_drafting(product, kills, rng)
        kill_while_sending(product, kills, rng)
        product.stop()
        return examine(product, tickets, 2 * kills, time.monotonic() - since)
    finally:
        product.kill()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = run(options.kills, options.seed, Path(folder))
    line = {name: getattr(result, name) for name in Result.__slots__}
    print(json.dumps(line))
    if options.json:
        options.json.write_text(json.dumps(line, indent=1) + "\n")
    return 0 if result.clean else 1


if __name__ == "__main__":
    sys.exit(main())
