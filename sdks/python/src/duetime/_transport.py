"""One request, sent as often as it takes: until there is an answer that trying again would not change, or the time or the
attempts are used up. It does no input or output itself: it yields what is to be sent and how long to wait, and is told what came of it,
so that the two clients, with and without asyncio, share it."""

from __future__ import annotations

import email.utils
import json
import random
import re
import secrets
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ._errors import DuetimeError, error_of

T = TypeVar("T")
Json = dict[str, Any]


@dataclass(frozen=True)
class Send:
    path: str
    headers: Mapping[str, str]
    content: bytes | None
    """None for a GET; everything else is a POST."""
    timeout: float

    @property
    def method(self) -> str:
        return "GET" if self.content is None else "POST"


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class HttpFailure:
    """No answer: it was too late, or the connection failed."""

    cause: Exception
    timed_out: bool


Step = Send | Sleep
Told = HttpAnswer | HttpFailure | None
Steps = Generator[Step, Told, T]


@dataclass(frozen=True)
class Budget:
    """What is left for a call; several requests of one call share it."""

    started_at: float
    deadline_at: float
    attempt_timeout: float
    retries: int


@dataclass(frozen=True)
class Call:
    path: str
    """After ``/api/v1/``."""
    body: Callable[[bool], Any] | None
    """Asked for every attempt: True when one before may have been carried out although its answer is not known."""
    once_only: bool = False
    """What must not happen twice is not sent again once it may have been carried out."""


@dataclass(frozen=True)
class Answer:
    body: Any
    server_time: str | None


_FIRST_SECONDS = 0.1
_LONGEST_SECONDS = 5.0
_RETRIED_STATUSES = (429, 502, 503, 504)
_QUOTED_CHARS_MAX = 200


def request(call: Call, budget: Budget) -> Steps[Answer]:
    uncertain = False
    attempt = 1
    while True:
        try:
            return (yield from _attempt(call, budget, attempt, uncertain))
        except DuetimeError as error:
            if not error.retryable or attempt > budget.retries:
                raise
            uncertain = uncertain or may_have_happened(error)
            if uncertain and call.once_only:
                raise
            yield from pause(attempt - 1, error, budget)
        attempt += 1


def pause(retry: int, error: DuetimeError, budget: Budget) -> Steps[None]:
    """Waits before the next attempt. Raises ``error`` at once when that would be after the deadline."""
    seconds = backoff(retry, error.retry_after)
    if time.monotonic() + seconds >= budget.deadline_at:
        raise error
    yield Sleep(seconds)


def backoff(retry: int, retry_after: float | None) -> float:
    """Exponential with full jitter, so that clients that failed together do not come back together."""
    jitter = random.random() * min(_LONGEST_SECONDS, _FIRST_SECONDS * float(1 << min(retry, 30)))
    return jitter if retry_after is None else retry_after + min(jitter, 0.5)


def may_have_happened(error: DuetimeError) -> bool:
    """Whether the request may have been carried out although it failed: everything but a server that says it was not."""
    return error.status != 429 and error.code != "NOT_OWNER"


def _attempt(call: Call, budget: Budget, attempt: int, uncertain: bool) -> Steps[Answer]:
    request_id = f"req_{secrets.token_hex(10)}"
    left = budget.deadline_at - time.monotonic()
    # What is sent once only has no second attempt to save time for.
    timeout = left if call.once_only else min(left, budget.attempt_timeout)
    body = None if call.body is None else call.body(uncertain)
    headers = {"accept": "application/json", "x-request-id": request_id}
    told = yield Send(
        path=f"/api/v1/{call.path}",
        headers=headers if body is None else {**headers, "content-type": "application/json"},
        content=None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode(),
        timeout=max(timeout, 0.001),
    )
    about = {"request_id": request_id, "attempts": attempt}
    if isinstance(told, HttpAnswer):
        return _read(told, about)
    assert isinstance(told, HttpFailure)
    code = "TIMEOUT" if told.timed_out else "NETWORK"
    words = "the service did not answer in time" if told.timed_out else f"the service cannot be reached: {told.cause}"
    raise error_of(code, words, retryable=True, **about) from told.cause


def _read(answer: HttpAnswer, about: Mapping[str, Any]) -> Answer:
    body = _parsed(answer.text)
    retrying = {
        "retryable": answer.status in _RETRIED_STATUSES,
        "retry_after": parse_retry_after(answer.headers.get("retry-after")),
    }
    if 200 <= answer.status < 300 and (body is not None or answer.text == ""):
        return Answer(body, answer.headers.get("date"))
    if answer.status >= 300 and isinstance(body, dict) and isinstance(body.get("error"), str) and "message" in body:
        raise error_of(
            body["error"],
            str(body["message"]),
            status=answer.status,
            details=body.get("details"),
            server_time=body.get("timestamp"),
            **retrying,
            **about,
        )
    # A proxy's page, or another program on that port.
    text = answer.text.strip()
    shown = f"with a body that is not Duetime's: {text[:_QUOTED_CHARS_MAX]}" if text else "without a body"
    raise error_of("BAD_ANSWER", f"HTTP {answer.status} {shown}", status=answer.status, **retrying, **about)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def parse_retry_after(value: str | None) -> float | None:
    """In seconds, or as a date; None when it is neither."""
    if value is None or value.strip() == "":
        return None
    if re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
