"""The calls of both clients, as steps. Each can be carried out twice by an unlucky retry without harm."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import UUID

from ._errors import DuetimeError, error_of, invalid_input
from ._models import BATCH_TIMERS_MAX, Timer
from ._same_timer import is_as_asked
from ._schedules import with_schedule
from ._transport import Budget, Call, Json, Steps, may_have_happened, pause, request
from ._wire import from_wire, to_wire

_CLOCKS_APART_SECONDS = 1.0  # of two nodes of one cluster; what the timer is like is compared as well
_BATCH_BYTES_MAX = 300_000  # far below the 8 MiB that the service takes


@dataclass(frozen=True)
class BatchResult:
    """What came of one timer of a batch: the timer, or the error."""

    timer: Timer | None = None
    error: DuetimeError | None = None


BatchResults = list[BatchResult]


def new_timer_id() -> str:
    """A UUIDv7: ids that are made one after the other sort that way."""
    bits = bytearray(int(time.time() * 1000).to_bytes(6) + os.urandom(10))
    bits[6] = 0x70 | (bits[6] & 0x0F)
    bits[8] = 0x80 | (bits[8] & 0x3F)
    return str(UUID(bytes=bytes(bits)))


def ready_create(fields: Mapping[str, Any], namespace: str, on_conflict: str = "replace") -> Json:
    """A create that can be sent again: it has an id before it is first sent, or an idempotency key."""
    body = to_wire(with_schedule(fields))
    body.setdefault("namespace", namespace)
    if "idempotencyKey" in body:
        return body
    if "id" in body:
        body.setdefault("onConflict", on_conflict)
    else:
        # Of an id that was made here nobody else can know, so a timer that has it already is this one.
        body.update(id=new_timer_id(), onConflict="keep")
    return body


def create(body: Json, budget: Budget) -> Steps[Json]:
    while True:
        repeated = False

        def sent(uncertain: bool) -> Json:
            nonlocal repeated
            repeated = uncertain
            return _without_replacing(body) if uncertain else body

        try:
            answer = yield from request(Call("create", sent), budget)
            return dict(answer.body)
        except DuetimeError as error:
            there = _timer_in_the_way(error) if repeated else None
            if there is None:
                raise
            if _is_made(there, body, error.server_time, budget):
                return there
            if body.get("onConflict") == "reject":
                raise
            # Another timer is there, which this one is to replace: as if nothing had been sent before.


def change(verb: str, body: Json, budget: Budget) -> Steps[Json]:
    """One change of one timer. A change that says it is too late after an answer was lost may have been in time before."""
    repeated = False

    def sent(uncertain: bool) -> Json:
        nonlocal repeated
        repeated = uncertain
        return body

    try:
        answer = yield from request(Call(verb, sent), budget)
        return dict(answer.body or {})
    except DuetimeError as error:
        if not repeated or error.code not in ("TIMER_NOT_PENDING", "VERSION_CONFLICT"):
            raise
        name = {"namespace": body["namespace"], "timerId": body["timerId"]}
        timer = (yield from request(Call("get", lambda _: name), budget)).body
        if _is_changed(verb, timer, body):
            return dict(timer)
        raise


def _is_changed(verb: str, timer: Json, body: Json) -> bool:
    if verb == "delete":
        return bool(timer["status"] == "canceled")
    if verb == "retry":
        return bool(timer["status"] != "failed")
    if_version = body.get("ifVersion")
    return is_as_asked(timer, body) and (if_version is None or timer["version"] > if_version)


def ask(verb: str, body: Json, budget: Budget, once_only: bool = False) -> Steps[Any]:
    return (yield from request(Call(verb, lambda _: body, once_only), budget)).body


_CANCEL_NEEDS = ("namespace", "metadataKey", "dueFrom", "dueTo")


def check_cancel_filter(body: Json) -> None:
    """The service asks for this too, but takes the client's own namespace, which is always sent, for an answer."""
    if body.get("all") is not True and not any(name in body for name in _CANCEL_NEEDS):
        ways = ", ".join(("namespace", "metadata_key", "due_from", "due_to"))
        raise invalid_input("all", f"say which timers: {ways}, or all=True for every timer of the namespace")


def change_many(verb: str, body: Json, budget: Budget) -> Steps[Json]:
    """Asks until the service says that there are no more: it changes a bounded number at a time."""
    counted = "canceled" if verb == "cancel" else "retried"
    sums = {"matched": 0, "tooLate": 0, counted: 0}
    while True:
        answer = yield from ask(verb, body, budget)
        for name in sums:
            sums[name] += answer[name]
        # Nothing changed although there are more: they are too late, and asking again would find the same ones.
        if not answer["more"] or body.get("dryRun") is True or answer[counted] == 0:
            return {**sums, "more": answer["more"]}


class _Item:
    def __init__(self, body: Json | DuetimeError) -> None:
        self.body: Json = {} if isinstance(body, DuetimeError) else body
        self.uncertain = False
        self.result = BatchResult(error=body) if isinstance(body, DuetimeError) else None


def batch(bodies: Sequence[Json | DuetimeError], budget: Budget) -> Steps[list[BatchResult]]:
    """Results in the order of the timers. As many requests as it takes; what is wrong already is its own result."""
    items = [_Item(body) for body in bodies]
    for chunk in _chunks([item for item in items if item.result is None]):
        yield from _create_chunk(chunk, budget)
    return [item.result or BatchResult() for item in items]


def _create_chunk(items: Sequence[_Item], budget: Budget) -> Steps[None]:
    retry = 0
    while still_open := [item for item in items if item.result is None]:
        busy = yield from _send_items(still_open, budget)
        if busy is None:
            continue
        try:
            if retry >= budget.retries:
                raise busy
            yield from pause(retry, busy, budget)
        except DuetimeError:
            # The others have their results: what is left has this one.
            for item in items:
                item.result = item.result or BatchResult(error=busy)
        retry += 1


def _send_items(items: Sequence[_Item], budget: Budget) -> Steps[DuetimeError | None]:
    def sent(uncertain: bool) -> Json:
        for item in items:
            item.uncertain = item.uncertain or uncertain
        return {"timers": [_without_replacing(item.body) if item.uncertain else item.body for item in items]}

    answer = yield from request(Call("batch", sent), budget)
    busy = None
    for item, answered in zip(items, answer.body["results"], strict=True):
        if "timer" in answered:
            item.result = BatchResult(timer=from_wire(Timer, answered["timer"]))
            continue
        error = _item_error(answered)
        if error.retryable:
            item.uncertain = item.uncertain or may_have_happened(error)
            busy = error
        else:
            item.result = _settled(item, error, answer.server_time, budget)
    return busy


def _settled(item: _Item, error: DuetimeError, server_time: str | None, budget: Budget) -> BatchResult | None:
    """None: to be sent again as it was at first."""
    there = _timer_in_the_way(error) if item.uncertain else None
    if there is None:
        return BatchResult(error=error)
    if _is_made(there, item.body, server_time, budget):
        return BatchResult(timer=from_wire(Timer, there))
    item.uncertain = False
    return BatchResult(error=error) if item.body.get("onConflict") == "reject" else None


def _item_error(answered: Json) -> DuetimeError:
    details = answered.get("details") or {}
    wait = details.get("retryAfterMs")
    return error_of(
        answered["error"],
        answered.get("message", ""),
        status=answered["status"],
        details=details,
        retryable=answered["status"] in (429, 503),
        retry_after=wait / 1000 if isinstance(wait, int | float) else None,
    )


def _chunks(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """By number and, since payloads can be large, by size."""
    chunk: list[_Item] = []
    size = 0
    for item in items:
        item_size = len(repr(item.body))
        if chunk and (len(chunk) == BATCH_TIMERS_MAX or size + item_size > _BATCH_BYTES_MAX):
            yield chunk
            chunk, size = [], 0
        chunk.append(item)
        size += item_size
    if chunk:
        yield chunk


def _without_replacing(body: Json) -> Json:
    return {**body, "onConflict": "reject"} if body.get("onConflict") == "replace" else body


def _timer_in_the_way(error: DuetimeError) -> Json | None:
    return error.details.get("timer") if error.code == "TIMER_ALREADY_EXISTS" else None


def _is_made(there: Json, body: Json, server_time: str | None, budget: Budget) -> bool:
    """It was made since the call began, by the server's own clock where that is known, and it is what was asked for."""
    began = _seconds_of(server_time) - (time.monotonic() - budget.started_at) - _CLOCKS_APART_SECONDS
    return datetime.fromisoformat(there["createdAt"]).timestamp() >= began and is_as_asked(there, body)


def _seconds_of(server_time: str | None) -> float:
    if server_time is None:
        return time.time()
    if server_time[:1].isdigit():
        return datetime.fromisoformat(server_time).timestamp()
    return parsedate_to_datetime(server_time).timestamp()
