"""What every webhook does: prove itself, name an event, and refuse everything else without repeating it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest

from connectors.helpdesk.webhooks import SharedSecretWebhook, SignedWebhook, sign
from core.domain.jobs import EventKind, HelpdeskEvent
from core.errors import InvalidPayload, InvalidSettings, WebhookRejected
from core.ports import Webhook

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SECRET = "a secret – with a dash"
BODY = b'{"event": "message.created", "ticket_id": "17", "message_id": "m3"}'
FORM = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}


@dataclass(frozen=True)
class Bench:
    webhook: Webhook
    proof: Callable[[bytes], dict[str, str]]
    """The headers with which a sender who knows the secret sends this body now."""


def shared_bench() -> Bench:
    on_the_wire = SECRET.encode().decode("latin-1")
    return Bench(SharedSecretWebhook("desk", SECRET), lambda _body: {"x-citedesk-secret": on_the_wire})


def signed_bench() -> Bench:
    return Bench(SignedWebhook("desk", SECRET), lambda body: {"x-citedesk-signature": sign(SECRET, body, NOW)})


@pytest.fixture(params=[shared_bench, signed_bench], ids=["shared secret", "signed"])
def bench(request: pytest.FixtureRequest) -> Bench:
    made: Bench = request.param()
    return made


def test_who_knows_the_secret_is_let_in(bench: Bench) -> None:
    bench.webhook.verify(bench.proof(BODY), BODY, NOW)


@pytest.mark.parametrize("value", ["", "wrong", "a secret", SECRET + "x", "\x00", "ÿ", "€" * 10, "t=1,v1=" + "0" * 64])
def test_who_does_not_is_refused(bench: Bench, value: str) -> None:
    for name in bench.proof(BODY):
        with pytest.raises(WebhookRejected) as caught:
            bench.webhook.verify({name: value}, BODY, NOW)
        assert SECRET not in str(caught.value)


def test_no_header_is_refused(bench: Bench) -> None:
    with pytest.raises(WebhookRejected):
        bench.webhook.verify({}, BODY, NOW)


@pytest.mark.parametrize("kind", [SharedSecretWebhook, SignedWebhook])
def test_an_empty_secret_is_no_secret(kind: Callable[[str, str], Webhook]) -> None:
    with pytest.raises(InvalidSettings):
        kind("desk", "")


@pytest.mark.parametrize("event", ["ticket.created", "message.created"])
def test_a_new_message_is_an_event(bench: Bench, event: str) -> None:
    body = json.dumps({"event": event, "ticket_id": 17, "message_id": 3, "delivery_id": "d1"}).encode()
    assert bench.webhook.parse({}, body) == HelpdeskEvent("desk", EventKind.MESSAGE_RECEIVED, "17", "3", "d1")


@pytest.mark.parametrize("event", ["ticket.deleted", "", "Message.Created"])
def test_other_events_are_none_of_our_work(bench: Bench, event: str) -> None:
    assert bench.webhook.parse({}, json.dumps({"event": event}).encode()) is None


def test_unknown_fields_are_ignored(bench: Bench) -> None:
    body = b'{"event": "ticket.created", "ticket_id": "17", "message_id": "m", "text": "Dear all"}'
    assert bench.webhook.parse({}, body) == HelpdeskEvent("desk", EventKind.MESSAGE_RECEIVED, "17", "m")


def test_a_form_says_the_same_as_json(bench: Bench) -> None:
    fields = {"event": "message.created", "ticket_id": "17", "message_id": "<a+b@example.org>", "delivery_id": ""}
    from_json = bench.webhook.parse({}, json.dumps(fields).encode())
    assert from_json == HelpdeskEvent("desk", EventKind.MESSAGE_RECEIVED, "17", "<a+b@example.org>")
    assert bench.webhook.parse(FORM, urlencode(fields).encode()) == from_json
    assert bench.webhook.parse(FORM, urlencode({"payload": json.dumps(fields)}).encode()) == from_json


def test_the_delivery_header_names_the_delivery_unless_the_body_does(bench: Bench) -> None:
    headers = {"x-citedesk-delivery": "from-header"}
    event = bench.webhook.parse(headers, b'{"event": "ticket.created", "ticket_id": "17"}')
    assert event is not None
    assert (event.message_id, event.delivery_id) == ("", "from-header")
    event = bench.webhook.parse(headers, b'{"event": "ticket.created", "ticket_id": "17", "delivery_id": "from-body"}')
    assert event is not None
    assert event.delivery_id == "from-body"


def test_without_any_id_the_body_stands_for_the_delivery(bench: Bench) -> None:
    body = b'{"event": "ticket.created", "ticket_id": "17", "message_id": null}'
    event = bench.webhook.parse({}, body)
    assert event is not None
    assert event.delivery_id == hashlib.sha256(body).hexdigest()
    again, other = bench.webhook.parse({}, body), bench.webhook.parse({}, body + b" ")
    assert again is not None
    assert again.idempotency_key == event.idempotency_key
    assert other is not None
    assert other.idempotency_key != event.idempotency_key


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Maria",
        b'{"event": "ticket.created", "ticket_id": "17"',
        b"[]",
        b'"Maria"',
        b"null",
        b"{}",
        b'{"event": 1, "ticket_id": "17"}',
        b'{"event": "ticket.created"}',
        b'{"event": "ticket.created", "ticket_id": null}',
        b'{"event": "ticket.created", "ticket_id": true}',
        b'{"event": "ticket.created", "ticket_id": 1.5}',
        b'{"event": "ticket.created", "ticket_id": ["17"]}',
        b'{"event": "ticket.created", "ticket_id": -3}',
        b'{"event": "ticket.created", "ticket_id": "../Maria"}',
        b'{"event": "ticket.created", "ticket_id": "17|m1"}',
        b'{"event": "ticket.created", "ticket_id": "17", "message_id": "a|b"}',
        b'{"event": "ticket.created", "ticket_id": "17", "message_id": "a b"}',
        b'{"event": "ticket.created", "ticket_id": "17", "message_id": "\\ud800"}',
        b'{"event": "ticket.created", "ticket_id": "17", "message_id": {"id": 1}}',
        b'{"event": "ticket.created", "ticket_id": "' + b"1" * 129 + b'"}',
        b'{"event": "ticket.created", "ticket_id": ' + b"1" * 5000 + b"}",
        b'{"event": "ticket.created", "ticket_id": "17", "delivery_id": "' + b"1" * 201 + b'"}',
        '{"event": "ticket.created", "ticket_id": "17", "x": "ä"}'.encode("latin-1"),
        '{"event": "ticket.created", "ticket_id": "17"}'.encode("utf-16"),
        b'{"event": ' + b"[" * 200_000,
        b'{"a":' * 200_000,
    ],
    ids=lambda body: f"{len(body)} {body[:60]!r}",
)
def test_what_is_no_event_is_refused_without_repeating_it(bench: Bench, body: bytes) -> None:
    with pytest.raises(InvalidPayload) as caught:
        bench.webhook.parse({"content-type": "application/json"}, body)
    assert "Maria" not in str(caught.value)
    with pytest.raises(InvalidPayload):
        bench.webhook.parse(FORM, b"payload=" + urlencode({"": body})[1:].encode())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Maria",
        b"event=ticket.created",
        b"event=ticket.created&ticket_id=",
        b"event=ticket.created&ticket_id=17&ticket_id=18",
        b"event=ticket.created&ticket_id=17&x=%E4",
        "event=ticket.created&ticket_id=17&x=ä".encode(),
        b"event=ticket.created&ticket_id=17" + b"&x=1" * 60,
    ],
)
def test_a_form_that_is_no_event_is_refused(bench: Bench, body: bytes) -> None:
    with pytest.raises(InvalidPayload):
        bench.webhook.parse(FORM, body)


def test_a_bad_delivery_header_is_refused(bench: Bench) -> None:
    with pytest.raises(InvalidPayload):
        bench.webhook.parse({"x-citedesk-delivery": "x" * 201}, b'{"event": "ticket.created", "ticket_id": "17"}')


# ---------------------------------------------------------------- signatures


def test_a_signature_is_the_hmac_of_time_dot_body() -> None:
    """The value is from `printf '%s' '1796040000.{}' | openssl dgst -sha256 -hmac secret`."""
    expected = "t=1796040000,v1=04a431426d66dc6f7f39cb86ee222c0d9372a1d20c772d0eae0af73bc7be3bfe"
    assert sign("secret", b"{}", NOW) == expected


def test_a_changed_body_breaks_the_signature() -> None:
    with pytest.raises(WebhookRejected):
        SignedWebhook("desk", SECRET).verify({"x-citedesk-signature": sign(SECRET, BODY, NOW)}, BODY + b" ", NOW)


def test_a_changed_time_breaks_the_signature() -> None:
    old = sign(SECRET, BODY, NOW - timedelta(hours=1))
    renewed = f"t={int(NOW.timestamp())},{old.partition(',')[2]}"
    with pytest.raises(WebhookRejected):
        SignedWebhook("desk", SECRET).verify({"x-citedesk-signature": renewed}, BODY, NOW)


@pytest.mark.parametrize("age_s", [0, 300, -30])
def test_a_signature_is_good_for_five_minutes_and_half_a_minute_of_clock_skew(age_s: int) -> None:
    headers = {"x-citedesk-signature": sign(SECRET, BODY, NOW - timedelta(seconds=age_s))}
    SignedWebhook("desk", SECRET).verify(headers, BODY, NOW)


@pytest.mark.parametrize("age_s", [301, 86_400, -31, -86_400])
def test_an_old_or_future_signature_is_refused(age_s: int) -> None:
    headers = {"x-citedesk-signature": sign(SECRET, BODY, NOW - timedelta(seconds=age_s))}
    with pytest.raises(WebhookRejected, match="old"):
        SignedWebhook("desk", SECRET).verify(headers, BODY, NOW)


def test_the_age_allowed_can_be_set() -> None:
    headers = {"x-citedesk-signature": sign(SECRET, BODY, NOW - timedelta(seconds=11))}
    SignedWebhook("desk", SECRET, max_age_s=11).verify(headers, BODY, NOW)
    with pytest.raises(WebhookRejected):
        SignedWebhook("desk", SECRET, max_age_s=10).verify(headers, BODY, NOW)


@pytest.mark.parametrize("change", [str.upper, lambda v: v + "\n", lambda v: v + ",v1=0", lambda v: v.split(",")[1]])
def test_a_malformed_signature_is_refused(change: Callable[[str], str]) -> None:
    with pytest.raises(WebhookRejected, match="malformed"):
        SignedWebhook("desk", SECRET).verify({"x-citedesk-signature": change(sign(SECRET, BODY, NOW))}, BODY, NOW)
