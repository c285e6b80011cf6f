"""The receiving side: turns a function into an endpoint that speaks the callback protocol. What the function returns or raises
decides whether the timer is done, fires again at another time, or is tried again."""

from __future__ import annotations

import inspect
import json
import logging
import math
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ._wire import from_wire, instant_text
from .dedup import BUSY, NEW, DeliveryMemory
from .webhooks import TOLERANCE_SECONDS, WebhookVerificationError, verify_webhook

BODY_BYTES_MAX = 8 * 1024 * 1024  # more than the service sends unless it is told to
_log = logging.getLogger("duetime")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What is delivered when a timer fires."""

    id: str
    """Of the timer."""
    delivery_id: str
    """The same on every attempt: remember it to recognise duplicates."""
    namespace: str
    group_id: str
    """The namespace by its other name."""
    payload: Any
    execute_at: datetime
    """When it was due."""
    nominal_at: datetime | None = None
    """When the schedule says, if that is another time."""
    fired_at: datetime
    """When this attempt was sent."""
    attempt: int
    """From 1."""
    schedule: str | None = None
    iteration: int | None = None
    """Of a cycle, from 1."""
    triggered: bool | None = None
    """Of a cycle: it fires once more, beside its schedule, because somebody triggered it."""
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True)
class Answer:
    """What the service is told; made by ``done``, ``retry``, ``again_at`` and ``gone``."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    is_final: bool = True
    """Whether the firing is over with it: a failed attempt comes again and is to be processed again."""


def done() -> Answer:
    """The timer is done; a cycle goes on. Returning nothing means the same."""
    return Answer(200, {"ok": True})


def again_at(at: datetime | str) -> Answer:
    """The same timer fires again then, as a new firing."""
    return Answer(200, {"ok": False, "nextExecuteAt": instant_text(at, "at")})


def retry(reason: str, *, after_seconds: float | None = None) -> Answer:
    """This attempt failed, and why; the timer is tried again by its retry policy, not before ``after_seconds``."""
    headers = {} if after_seconds is None else {"retry-after": str(math.ceil(after_seconds))}
    return Answer(200, {"ok": False, "error": reason}, headers, is_final=False)


def gone(reason: str) -> Answer:
    """This timer cannot be served any more: it fails at once and is not tried again."""
    return Answer(410, {"ok": False, "error": reason})


Handler = Callable[[Delivery], Answer | None | Awaitable[Answer | None]]


@dataclass(frozen=True)
class HttpReply:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Receiver:
    """An endpoint for deliveries. The adapters for web frameworks use it; ``handle`` and ``handle_async`` are for all others."""

    def __init__(
        self,
        handler: Handler,
        *,
        secrets: str | Sequence[str] | None = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        max_body_bytes: int = BODY_BYTES_MAX,
        memory: DeliveryMemory | None = None,
    ) -> None:
        """``secrets`` are one or more of the service's WEBHOOK_SECRETS: with them, deliveries that are not signed get 401.
        With a ``memory``, a delivery that arrives again is answered as before, and the function is not called again."""
        self._handler = handler
        self._secrets = secrets
        self._tolerance_seconds = tolerance_seconds
        self.max_body_bytes = max_body_bytes
        self._memory = memory

    def handle(self, method: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        """Never raises: whatever goes wrong is an answer."""
        steps = self._steps(method, headers, body)
        try:
            answer = self._handler(next(steps))
            if inspect.isawaitable(answer):
                raise TypeError("an async function needs handle_async, or an adapter for an async framework")
        except StopIteration as end:
            return _reply(end.value)
        except Exception as error:
            return _ended(steps, error)
        return _ended(steps, answer)

    async def handle_async(self, method: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        """The same for asyncio; the function may be async."""
        steps = self._steps(method, headers, body)
        try:
            answer = self._handler(next(steps))
            result = await answer if inspect.isawaitable(answer) else answer
        except StopIteration as end:
            return _reply(end.value)
        except Exception as error:
            return _ended(steps, error)
        except BaseException:
            steps.close()  # the task was cancelled: the delivery comes again
            raise
        return _ended(steps, result)

    def _steps(
        self, method: str, headers: Mapping[str, str], body: bytes
    ) -> Generator[Delivery, Answer | None | Exception, Answer]:
        """Yields the delivery that the function is to be called with, if there is one, and is told what came of it."""
        if method.upper() != "POST":
            return Answer(405, {"ok": False, "error": "deliveries are sent by POST"}, {"allow": "POST"})
        if len(body) > self.max_body_bytes:
            return Answer(413, {"ok": False, "error": "the body is too large"})
        if self._secrets is not None:
            try:
                verify_webhook(body, headers, self._secrets, tolerance_seconds=self._tolerance_seconds)
            except WebhookVerificationError as error:
                return Answer(401, {"ok": False, "error": str(error)})
            except ValueError:
                # A secret that is no secret: the receiver's own mistake, which only its log should show.
                _log.exception("the secret of the receiver cannot be used")
                return Answer(500, {"ok": False})
        delivery = parse_delivery(body)
        if delivery is None:
            return Answer(400, {"ok": False, "error": "the body is not a delivery of Duetime"})
        memory = self._memory
        claim = NEW if memory is None else memory.claim(delivery.delivery_id)
        if claim == BUSY:
            return retry("this delivery is being processed already", after_seconds=1)
        if isinstance(claim, Answer):
            return claim
        is_kept = False
        try:
            told = yield delivery
            if isinstance(told, Exception):
                _log.error("the handler of timer %r failed", delivery.id, exc_info=told)
                return Answer(500, {"ok": False}, is_final=False)
            answer = told or done()
            if memory is not None and answer.is_final:
                memory.keep(delivery.delivery_id, answer)
                is_kept = True
            return answer
        finally:
            if memory is not None and not is_kept:
                memory.release(delivery.delivery_id)


def _ended(steps: Generator[Delivery, Answer | None | Exception, Answer], told: Any) -> HttpReply:
    try:
        steps.send(told)
    except StopIteration as end:
        return _reply(end.value)
    raise AssertionError("a delivery is handled once")


def _reply(answer: Answer) -> HttpReply:
    headers = {"content-type": "application/json", **answer.headers}
    return HttpReply(answer.status, headers, json.dumps(answer.body).encode())


def parse_delivery(body: bytes | str) -> Delivery | None:
    """None when it is no delivery."""
    try:
        value = json.loads(body)
        if isinstance(value["id"], str) and isinstance(value["deliveryId"], str):
            return from_wire(Delivery, value)
    except (ValueError, TypeError, KeyError):
        pass
    return None
