"""Any helpdesk behind a small REST contract that can be implemented in an afternoon: docs/connectors/generic.md."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeVar

from pydantic_core import from_json

from connectors.helpdesk.rest import MAX_RESPONSE_BYTES, RestClient, Sleep
from connectors.helpdesk.schema import PageRecord, ReceiptRecord, Record, TicketRecord, is_ticket_id, is_token, parse
from core.domain.ticket import Capabilities, Ticket
from core.errors import HelpdeskUnavailable, InvalidPayload, InvalidSettings, TicketNotFound

DEFAULT_TIMEOUT_S = 15.0

R = TypeVar("R", bound=Record)


class GenericHelpdesk:
    """Threads may share it. An answer that is JSON but breaks the contract raises `InvalidPayload`."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.name = "generic"
        self.capabilities = Capabilities()
        self._url = url
        self._rest = RestClient(
            url,
            {"Authorization": f"Bearer {_checked_token(token)}"},
            timeout_s=timeout_s,
            max_response_bytes=max_response_bytes,
            sleep=sleep,
        )

    def fetch_ticket(self, ticket_id: str) -> Ticket:
        record = _read(TicketRecord, self._rest.get(_path(ticket_id)), what="The helpdesk's ticket")
        if record.id != ticket_id:
            raise InvalidPayload("The helpdesk answers with another ticket than the one asked for.")
        return record.to_ticket(self.name)

    def list_solved_tickets(self, since: datetime | None = None) -> Iterator[Ticket]:
        """Page by page, as the caller asks for more."""
        number: int | None = 1
        while number is not None:
            page = self._page(number, since)
            for record in page.tickets:
                yield record.to_ticket(self.name)
            number = page.next_page

    def post_internal_note(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        return self._post(ticket_id, "notes", body, idempotency_key)

    def post_reply(self, ticket_id: str, body: str, *, idempotency_key: str) -> str:
        return self._post(ticket_id, "replies", body, idempotency_key)

    def check(self) -> str:
        """Asks for the first page of solved tickets: that proves address, token and contract."""
        page = self._page(1, None)
        return f"{self._url} answers, {len(page.tickets)} solved tickets on its first page"

    def close(self) -> None:
        self._rest.close()

    def _page(self, number: int, since: datetime | None) -> PageRecord:
        params = {"status": "solved", "page": str(number)}
        if since is not None:
            params["since"] = since.astimezone(UTC).isoformat()
        try:
            raw = self._rest.get("/tickets", params)
        except TicketNotFound as error:
            raise HelpdeskUnavailable("There is no list of tickets at the helpdesk's address.") from error
        page = _read(PageRecord, raw, what="The helpdesk's list of tickets")
        _check_page(page, number)
        return page

    def _post(self, ticket_id: str, kind: str, body: str, key: str) -> str:
        if not (is_token(key) and key.isascii()):
            raise InvalidPayload("The idempotency key cannot be sent in a header.")
        raw = self._rest.post(f"{_path(ticket_id)}/{kind}", {"body": body}, idempotency_key=key)
        return _read(ReceiptRecord, raw, what="The helpdesk's receipt").id


def _checked_token(token: str) -> str:
    if not (token and token.isascii() and token.isprintable() and " " not in token):
        raise InvalidSettings("The generic helpdesk's token is empty or has characters that a header cannot carry.")
    return token


def _path(ticket_id: str) -> str:
    if not is_ticket_id(ticket_id):
        raise TicketNotFound("No ticket can have this id.")
    return f"/tickets/{ticket_id}"


def _check_page(page: PageRecord, number: int) -> None:
    if page.next_page is not None and page.next_page <= number:
        raise InvalidPayload(f"The helpdesk's list of tickets does not go on after page {number}.")
    if not all(record.solved_after(None) for record in page.tickets):
        raise InvalidPayload("The helpdesk's list of solved tickets has one that is not solved.")


def _read(kind: type[R], raw: bytes, *, what: str) -> R:
    """No JSON at all is a proxy's page or a cut-off answer, and may be better next time; wrong JSON will not."""
    try:
        from_json(raw)
    except ValueError as error:
        raise HelpdeskUnavailable("The helpdesk answers with something that is not JSON.") from error
    return parse(kind, raw, what=what)
