"""Webhooks of helpdesks that can be told what to send: a secret in a header, or a signature with a time.

The body is JSON or a form (its fields, or one field `payload` with JSON in it):
`event`, `ticket_id`, and optionally `message_id` and `delivery_id`. See docs/connectors/generic.md.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import parse_qsl

from connectors.helpdesk.schema import is_ticket_id, is_token, number_as_text
from core.domain.jobs import EventKind, HelpdeskEvent
from core.errors import InvalidPayload, InvalidSettings, WebhookRejected

SECRET_HEADER = "x-citedesk-secret"  # noqa: S105 - the name of a header
SIGNATURE_HEADER = "x-citedesk-signature"
DELIVERY_HEADER = "x-citedesk-delivery"

EVENTS: Mapping[str, EventKind] = {
    "ticket.created": EventKind.MESSAGE_RECEIVED,
    "message.created": EventKind.MESSAGE_RECEIVED,
}
MAX_FORM_FIELDS = 50
MAX_CLOCK_SKEW_S = 30
"""How far the sender's clock may be ahead of ours."""

_SIGNATURE = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})")
_FORM = "application/x-www-form-urlencoded"


class SharedSecretWebhook:
    """The secret itself in `X-Citedesk-Secret`: for helpdesks that cannot sign. Use HTTPS in front."""

    def __init__(self, name: str, secret: str) -> None:
        self.name = name
        self._secret = _checked_secret(secret)

    def verify(self, headers: Mapping[str, str], body: bytes, now: datetime) -> None:
        given = headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(_header_bytes(given), self._secret):
            raise WebhookRejected("The webhook's secret is missing or wrong.")

    def parse(self, headers: Mapping[str, str], body: bytes) -> HelpdeskEvent | None:
        return parse_event(self.name, headers, body)


class SignedWebhook:
    """`X-Citedesk-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>." + body>`, at most `max_age_s` old."""

    def __init__(self, name: str, secret: str, *, max_age_s: float = 300) -> None:
        self.name = name
        self._secret = _checked_secret(secret)
        self._max_age_s = max_age_s

    def verify(self, headers: Mapping[str, str], body: bytes, now: datetime) -> None:
        match = _SIGNATURE.fullmatch(headers.get(SIGNATURE_HEADER, ""))
        if match is None:
            raise WebhookRejected("The webhook's signature is missing or malformed.")
        time_text, given = match.groups()
        if not hmac.compare_digest(given, _digest(self._secret, time_text, body)):
            raise WebhookRejected("The webhook's signature is wrong.")
        age_s = now.timestamp() - int(time_text)
        if not -MAX_CLOCK_SKEW_S <= age_s <= self._max_age_s:
            raise WebhookRejected("The webhook is too old or from the future.", hint="Compare the two clocks.")

    def parse(self, headers: Mapping[str, str], body: bytes) -> HelpdeskEvent | None:
        return parse_event(self.name, headers, body)


def sign(secret: str, body: bytes, now: datetime) -> str:
    """The value of `X-Citedesk-Signature` for this body at this moment.

    >>> sign("secret", b"{}", datetime.fromisoformat("2026-11-30T12:00:00+00:00"))[:24]
    't=1796040000,v1=04a43142'
    """
    time_text = str(int(now.timestamp()))
    return f"t={time_text},v1={_digest(secret.encode(), time_text, body)}"


def parse_event(connector: str, headers: Mapping[str, str], body: bytes) -> HelpdeskEvent | None:
    """The event in the body, or None for one that is none of our work. Raises `InvalidPayload`.

    A delivery id in the body goes before the one in the header, because only the body is signed; with neither
    it nor a message id, the body's SHA-256 stands in.
    """
    fields = _fields(headers.get("content-type", ""), body)
    name = fields.get("event")
    if not isinstance(name, str):
        raise InvalidPayload("The webhook names no event.")
    if name not in EVENTS:
        return None
    message_id = _token(fields, "message_id")
    delivery_id = _token(fields, "delivery_id") or _token(headers, DELIVERY_HEADER)
    if not message_id and not delivery_id:
        delivery_id = hashlib.sha256(body).hexdigest()
    return HelpdeskEvent(connector, EVENTS[name], _ticket_id(fields), message_id, delivery_id)


def _fields(content_type: str, body: bytes) -> Mapping[str, object]:
    if content_type.partition(";")[0].strip().lower() != _FORM:
        return _json_object(body)
    form = _form_fields(body)
    return _json_object(form["payload"].encode()) if "payload" in form else form


def _json_object(body: bytes) -> Mapping[str, object]:
    try:
        payload = json.loads(body.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidPayload("The webhook's body is not JSON in UTF-8.") from error
    if not isinstance(payload, dict):
        raise InvalidPayload("The webhook's body is not a JSON object.")
    return payload


def _form_fields(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MAX_FORM_FIELDS,
        )
    except ValueError as error:
        raise InvalidPayload("The webhook's body is not a form in UTF-8.") from error
    if len(dict(pairs)) < len(pairs):
        raise InvalidPayload("The webhook's form has a field twice.")
    return dict(pairs)


def _ticket_id(fields: Mapping[str, object]) -> str:
    value = number_as_text(fields.get("ticket_id"))
    if not isinstance(value, str) or not is_ticket_id(value):
        raise InvalidPayload("The webhook's ticket_id is missing or not a ticket id.")
    return value


def _token(fields: Mapping[str, object], name: str) -> str:
    """The optional id, empty when there is none."""
    value = number_as_text(fields.get(name))
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not is_token(value):
        raise InvalidPayload(f"The webhook's {name} is not an id.")
    return value


def _checked_secret(secret: str) -> bytes:
    """An empty secret would be proved by an absent header."""
    if not secret:
        raise InvalidSettings("A webhook needs a secret.")
    return secret.encode()


def _header_bytes(value: str) -> bytes:
    """What came over the wire: servers decode headers as Latin-1 (PEP 3333)."""
    return value.encode("latin-1", errors="backslashreplace")


def _digest(secret: bytes, time_text: str, body: bytes) -> str:
    return hmac.new(secret, time_text.encode() + b"." + body, hashlib.sha256).hexdigest()
