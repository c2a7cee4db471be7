"""How long a webhook waits for its 202, while the product is idle and while it drafts.

    python -m benchmarks.acknowledge --deliveries 300

Sends one delivery after the other, 20 a second, each for a ticket of its own, to `citedesk serve` with warm models.
While idle the deliveries are of an event that makes no work; while drafting each makes a draft.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.servers.product import SECRET, Product

PAUSE_S = 0.05


def latencies_ms(deliveries: int, send: Callable[[int], httpx.Response]) -> list[float]:
    measured = []
    for number in range(deliveries):
        since = time.perf_counter()
        answer = send(number)
        measured.append((time.perf_counter() - since) * 1000)
        assert answer.status_code in (200, 202), answer.text
        time.sleep(PAUSE_S)
    return measured


def summary(measured: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(measured, n=100)
    return {
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "max": round(max(measured), 1),
    }


def run(deliveries: int, folder: Path) -> dict[str, object]:
    product = Product(folder)
    product.prepare()
    product.start()
    product.wait_until(lambda: "models are loaded" in product.log.read_text())
    for number in range(deliveries):
        product.add_ticket(f"A{number}", "Password", "I forgot my password. How can I reset it?")
    headers = {"X-Citedesk-Secret": SECRET}
    with httpx.Client(base_url=product.address, headers=headers, trust_env=False, timeout=30) as client:

        def send(event: str) -> Callable[[int], httpx.Response]:
            return lambda number: client.post(
                "/webhooks/folder", json={"event": event, "ticket_id": f"A{number}", "message_id": f"A{number}-1"}
            )

        idle = summary(latencies_ms(deliveries, send("ticket.viewed")))
        drafting = summary(latencies_ms(deliveries, send("ticket.created")))
    product.kill()
    return {"deliveries": deliveries, "idle_ms": idle, "drafting_ms": drafting}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deliveries", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = run(options.deliveries, Path(folder))
    print(json.dumps(result))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
