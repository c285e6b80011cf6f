"""Many creates, updates and cancels in as few requests as it takes. Each has its own result, and can be carried out twice by an unlucky
retry without harm, as if it had been called alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ._calls import changed_before, is_made, timer_in_the_way, without_replacing
from ._errors import DuetimeError, error_of
from ._models import BATCH_TIMERS_MAX, Timer
from ._transport import Budget, Call, Json, Steps, may_have_happened, pause, request
from ._wire import from_wire

_BATCH_BYTES_MAX = 300_000  # far below the 8 MiB that the service takes


@dataclass(frozen=True)
class BatchResult:
    """What came of one item of a batch: the timer, or the error. Of a cancel that was carried out, neither."""

    timer: Timer | None = None
    error: DuetimeError | None = None


BatchResults = list[BatchResult]


class Item:
    """What is wrong already is its own result."""

    def __init__(self, action: Literal["create", "update", "delete"], body: Json | DuetimeError) -> None:
        self.action = action
        self.body: Json = {} if isinstance(body, DuetimeError) else body
        self.uncertain = False
        self.result = BatchResult(error=body) if isinstance(body, DuetimeError) else None

    @property
    def wire(self) -> Json:
        if self.action != "create":
            return {"action": self.action, **self.body}
        return without_replacing(self.body) if self.uncertain else self.body

    @property
    def timer(self) -> tuple[str, str] | None:
        """None: nobody knows its id yet."""
        id = self.body.get("timerId", self.body.get("id"))
        return None if id is None else (self.body["namespace"], id)


def batch(items: Sequence[Item], budget: Budget) -> Steps[BatchResults]:
    """Results in the order of the items."""
    for chunk in _chunks([item for item in items if item.result is None]):
        yield from _send_chunk(chunk, budget)
    return [item.result or BatchResult() for item in items]


def _send_chunk(items: Sequence[Item], budget: Budget) -> Steps[None]:
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


def _send_items(items: Sequence[Item], budget: Budget) -> Steps[DuetimeError | None]:
    def sent(uncertain: bool) -> Json:
        for item in items:
            item.uncertain = item.uncertain or uncertain
        return {"timers": [item.wire for item in items]}

    answer = yield from request(Call("timers/batch", sent), budget)
    busy = None
    for item, answered in zip(items, answer.body["results"], strict=True):
        if "timer" in answered:
            item.result = BatchResult(timer=from_wire(Timer, answered["timer"]))
            continue
        if answered["status"] < 300:
            item.result = BatchResult()
            continue
        error = _item_error(answered)
        if error.retryable:
            item.uncertain = item.uncertain or may_have_happened(error)
            busy = error
        else:
            item.result = yield from _settled(item, error, answer.server_time, budget)
    return busy


def _settled(item: Item, error: DuetimeError, server_time: str | None, budget: Budget) -> Steps[BatchResult | None]:
    """None: to be sent again as it was at first."""
    if item.action != "create":
        changed = (yield from changed_before(item.action, item.body, error, budget)) if item.uncertain else None
        if changed is None:
            return BatchResult(error=error)
        return BatchResult(timer=None if item.action == "delete" else from_wire(Timer, changed))
    there = timer_in_the_way(error) if item.uncertain else None
    if there is None:
        return BatchResult(error=error)
    if is_made(there, item.body, server_time, budget):
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


def _chunks(items: Sequence[Item]) -> Iterator[list[Item]]:
    """By number and, since payloads can be large, by size. A timer is in one only once: what is said of it first has ended, with all its
    attempts, before the next is sent."""
    chunk: list[Item] = []
    size = 0
    names: set[tuple[str, str] | None] = set()
    for item in items:
        item_size = len(repr(item.body))
        is_full = len(chunk) == BATCH_TIMERS_MAX or size + item_size > _BATCH_BYTES_MAX
        if chunk and (is_full or item.timer in names):
            yield chunk
            chunk, size, names = [], 0, set()
        chunk.append(item)
        size += item_size
        if item.timer is not None:
            names.add(item.timer)
    if chunk:
        yield chunk
