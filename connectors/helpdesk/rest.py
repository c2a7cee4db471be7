"""JSON over HTTP with a helpdesk: time limits, size limits, retries and errors in one place.

Retried are requests that may be repeated without harm: GET, and POST with an idempotency key. The wait grows
exponentially with full jitter (Brooker 2015, "Exponential backoff and jitter"), or is what `Retry-After`
asks for. A long `Retry-After` is not waited out here: the job queue comes back later.
"""

from __future__ import annotations

import json
import random
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from core.errors import HelpdeskUnavailable, InvalidSettings, PermissionDenied, TicketNotFound

ATTEMPTS = 3
FIRST_WAIT_S = 0.5
MAX_WAIT_S = 10.0
MAX_RESPONSE_BYTES = 20_000_000
RETRIED = frozenset({0, 429, 500, 502, 503, 504})
"""Status codes worth another try; 0 stands for no answer at all."""

Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """`status` 0: there was none, because of `error`."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    error: httpx.HTTPError | None = None


class RestClient:
    """Talks to one address. Threads may share it. `timeout_s` bounds connecting, each wait, and reading a whole body.

    Redirects are not followed, so the credentials in `headers` reach no other host. Proxies named in the
    environment are not used.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        timeout_s: float,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._url = checked_url(url)
        self._timeout_s = timeout_s
        self._max_response_bytes = max_response_bytes
        self._sleep = sleep
        self._client = httpx.Client(
            headers={"Accept": "application/json", "Accept-Encoding": "identity", **headers},
            timeout=timeout_s,
            follow_redirects=False,
            trust_env=False,
            verify=ssl.create_default_context(),
        )

    def get(self, path: str, params: Mapping[str, str] | None = None) -> bytes:
        """The body of a 2xx answer. Raises `HelpdeskUnavailable`, `PermissionDenied`, `TicketNotFound` (404)."""
        return self._send(self._client.build_request("GET", self._url + path, params=params))

    def post(self, path: str, payload: object, *, idempotency_key: str) -> bytes:
        """As `get`. The server must take two posts with the same key for one."""
        headers = {"Idempotency-Key": idempotency_key, "Content-Type": "application/json"}
        content = json.dumps(payload).encode()
        return self._send(self._client.build_request("POST", self._url + path, headers=headers, content=content))

    def close(self) -> None:
        self._client.close()

    def _send(self, request: httpx.Request) -> bytes:
        for attempt in range(1, ATTEMPTS + 1):
            answer = self._try(request)
            wait_s = wait_before_retry(answer, attempt, datetime.now(UTC))
            if wait_s is None:
                break
            self._sleep(wait_s)
        return _body_of(answer)

    def _try(self, request: httpx.Request) -> Answer:
        try:
            response = self._client.send(request, stream=True)
            try:
                return Answer(response.status_code, self._read(response), response.headers)
            finally:
                response.close()
        except httpx.HTTPError as error:
            return Answer(0, error=error)

    def _read(self, response: httpx.Response) -> bytes:
        deadline = time.monotonic() + self._timeout_s
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > self._max_response_bytes:
                raise HelpdeskUnavailable(f"The helpdesk's answer is larger than {self._max_response_bytes} bytes.")
            if time.monotonic() > deadline:
                raise httpx.ReadTimeout("the answer took too long", request=response.request)
        return bytes(body)


def checked_url(url: str) -> str:
    """The address without trailing slash. Raises `InvalidSettings` unless it is http(s)://host, without password."""
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InvalidSettings("The helpdesk's address is not an address.") from error
    if parts.scheme not in ("http", "https") or not parts.host:
        raise InvalidSettings("The helpdesk's address must start with http:// or https://.")
    if parts.userinfo or parts.query or parts.fragment:
        raise InvalidSettings("The helpdesk's address must have no password, query or fragment in it.")
    return url.rstrip("/")


def wait_before_retry(answer: Answer, attempt: int, now: datetime) -> float | None:
    """Seconds until the next try after the `attempt`-th (from 1); None: do not try again."""
    if answer.status not in RETRIED or attempt >= ATTEMPTS:
        return None
    asked_s = retry_after_s(answer.headers.get("retry-after", ""), now)
    if asked_s is None:
        return random.uniform(0, FIRST_WAIT_S * 2 ** (attempt - 1))
    return asked_s if asked_s <= MAX_WAIT_S else None


def retry_after_s(value: str, now: datetime) -> float | None:
    """Seconds a `Retry-After` header asks for (RFC 9110, 10.2.3): a number or a date; None when it is neither.

    >>> retry_after_s("7", datetime(2026, 11, 30, tzinfo=UTC))
    7.0
    >>> retry_after_s("Mon, 30 Nov 2026 00:00:30 GMT", datetime(2026, 11, 30, tzinfo=UTC))
    30.0
    >>> retry_after_s("soon", datetime(2026, 11, 30, tzinfo=UTC)) is None
    True
    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())


def _body_of(answer: Answer) -> bytes:
    if answer.status == 0:
        reason = "in time" if isinstance(answer.error, httpx.TimeoutException) else "or breaks off"
        raise HelpdeskUnavailable(f"The helpdesk does not answer {reason}.") from answer.error
    if answer.status in (401, 403):
        raise PermissionDenied("The helpdesk refuses our key.", hint="Check the key and what its owner may do.")
    if answer.status == 404:
        raise TicketNotFound("The helpdesk knows no such ticket.")
    if 300 <= answer.status < 400:
        raise HelpdeskUnavailable("The helpdesk redirects us.", hint="Configure the address it redirects to.")
    if not 200 <= answer.status < 300:
        raise HelpdeskUnavailable(f"The helpdesk answers with status {answer.status}.")
    return answer.body
