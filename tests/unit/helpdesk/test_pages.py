"""The examples in docs/connectors do what the pages say."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from connectors.helpdesk.folder import PostedRecord
from connectors.helpdesk.schema import MessageRecord, PageRecord, TicketRecord, parse
from connectors.helpdesk.webhooks import SignedWebhook

PAGES = Path(__file__).resolve().parents[3] / "docs" / "connectors"


def blocks(page: str, language: str) -> list[str]:
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_ticket_of_the_page_is_a_ticket() -> None:
    ticket, posted = blocks("folder.md", "json")
    record = parse(TicketRecord, ticket.encode(), what="The example")
    assert record.model_fields_set == set(TicketRecord.model_fields)
    assert record.messages[0].model_fields_set == set(MessageRecord.model_fields)
    parse(PostedRecord, posted.encode(), what="The example")


def test_every_field_of_a_ticket_is_in_the_table() -> None:
    told = set(re.findall(r"^\| `([a-z_\[\].]+)` \|", (PAGES / "folder.md").read_text(encoding="utf-8"), re.MULTILINE))
    ticket, message = set(TicketRecord.model_fields), {f"messages[].{name}" for name in MessageRecord.model_fields}
    assert ticket | message <= told


def test_the_page_of_tickets_is_as_told() -> None:
    assert '`{"tickets": [...], "next_page": 2}`' in (PAGES / "generic.md").read_text(encoding="utf-8")
    assert set(PageRecord.model_fields) == {"tickets", "next_page"}


def test_the_signature_of_the_page_opens_the_door_for_the_event_of_the_page() -> None:
    (event,), (code,) = blocks("generic.md", "json"), blocks("generic.md", "python")
    names: dict[str, object] = {}
    exec(code, names)
    signature = names["signature"]
    assert callable(signature)
    webhook, body = SignedWebhook("generic", "secret"), event.encode()
    webhook.verify({"x-citedesk-signature": signature("secret", body)}, body, datetime.now(UTC))
    parsed = webhook.parse({}, body)
    assert parsed is not None
    assert (parsed.ticket_id, parsed.message_id, parsed.delivery_id) == ("17", "m3", "7f2c")
