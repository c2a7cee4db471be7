"""Ten thousand canaries through the whole product; then every byte is searched for them.

    python -m benchmarks.privacy [--canaries 10000]

Invented people write tickets in six languages, full of names, numbers, addresses, accounts and secrets. The tickets
arrive by webhook (the product is killed three times meanwhile), get drafted, reviewed, edited, approved and rejected;
others are asked about, ingested as solved ones, or damaged so that they fail. Debug logs and all tracers are on.
0 must be found.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from core.ports import DraftFilter
from plugin.bootstrap import open_records
from plugin.settings import Settings
from tests.canaries.drive import Drive, Sink, signed_in
from tests.canaries.people import CanaryTicket, tickets
from tests.canaries.search import Leak, Searcher
from tests.servers.product import Product

BATCH = 30
OTHERS = 20
"""Tickets that come in as solved ones, as questions, and with something broken: so many of each."""


@dataclass(frozen=True, slots=True)
class Result:
    """`leaks` counts (kind, where) pairs with how often; it must be empty."""

    canaries: int
    tickets: int
    searched_bytes: int
    leaks: dict[str, int]
    connections_elsewhere: int
    bytes_to_tracers: int
    seconds: float

    @property
    def clean(self) -> bool:
        return not (self.leaks or self.connections_elsewhere or self.bytes_to_tracers)


def main() -> None:
    arguments = _arguments()
    started = time.perf_counter()
    people = _people(arguments.canaries)
    with tempfile.TemporaryDirectory() as folder:
        product = Product(Path(folder))
        product.prepare()
        drive = Drive(product, Searcher([canary for person in people for canary in person.canaries]))
        sink = Sink()
        drive.prepare(sink.port)
        try:
            _run(drive, people)
        finally:
            product.stop()
        result = _result(drive, people, sink, time.perf_counter() - started)
    _report(result, arguments.output)
    sys.exit(0 if result.clean else 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--canaries", type=int, default=10_000, help="how many values to let loose")
    parser.add_argument("--output", type=Path, default=Path("docs/bench/privacy.json"), help="where the result goes")
    return parser.parse_args()


def _people(canaries: int) -> list[CanaryTicket]:
    """As many tickets as it takes."""
    each = len(next(tickets(1)).canaries)
    return list(islice(tickets(canaries), max(4 * OTHERS, -(-canaries // each))))


def _run(drive: Drive, people: Sequence[CanaryTicket]) -> None:
    solved, asking, failing, new = (
        people[:OTHERS],
        people[OTHERS : 2 * OTHERS],
        people[2 * OTHERS : 3 * OTHERS],
        people[3 * OTHERS :],
    )
    drive.ingest_solved(solved)
    drive.product.start()
    for start in range(0, len(new), BATCH):
        drive.deliver(new[start : start + BATCH], kills=1 if start < 3 * BATCH else 0)
        print(f"{min(start + BATCH, len(new))} of {len(new)} tickets drafted", flush=True)
    drafts = _drafts(drive.product, new)
    with signed_in(drive.product, "agent@desk.example", "agent") as agent:
        drive.review(agent, drafts)
        drive.ask(agent, asking)
        drive.stumble(agent, failing)
    with signed_in(drive.product, "boss@desk.example", "manager") as manager:
        drive.read_what_managers_read(manager, [draft_id for draft_id, _ in drafts])


def _drafts(product: Product, people: Sequence[CanaryTicket]) -> list[tuple[str, CanaryTicket]]:
    records = open_records(Settings(data_dir=product.data, folder_dir=product.helpdesk))
    try:
        with records.uow() as tx:
            newest = {person: tx.drafts.list(DraftFilter(text=person.ticket_id), depth=1) for person in people}
    finally:
        records.close()
    assert all(newest.values()), "every ticket has a draft"
    return [(draft.draft_id, person) for person, drafts in newest.items() for draft in drafts]


def _result(drive: Drive, people: Sequence[CanaryTicket], sink: Sink, seconds: float) -> Result:
    leaks: Counter[Leak] = Counter(drive.leaks())
    egress = len(drive.egress.read_text().splitlines()) if drive.egress.exists() else 0
    return Result(
        canaries=sum(len(person.canaries) for person in people),
        tickets=len(people),
        searched_bytes=sum(p.stat().st_size for p in drive.product.root.rglob("*") if p.is_file()),
        leaks={f"{leak.kind} in {leak.where}": count for leak, count in leaks.most_common()},
        connections_elsewhere=egress,
        bytes_to_tracers=len(sink.received),
        seconds=round(seconds, 1),
    )


def _report(result: Result, output: Path) -> None:
    facts: dict[str, Any] = {
        "command": "make bench-privacy",
        "date": time.strftime("%Y-%m-%d"),
        "canaries": result.canaries,
        "found": sum(result.leaks.values()),
        "tickets": result.tickets,
        "searched_bytes": result.searched_bytes,
        "leaks": result.leaks,
        "connections_elsewhere": result.connections_elsewhere,
        "bytes_to_tracers": result.bytes_to_tracers,
        "seconds": result.seconds,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps(facts, indent=2))


if __name__ == "__main__":
    main()
