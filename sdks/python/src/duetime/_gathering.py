"""Calls of one asyncio client that are made at the same time share requests: what waits while requests are under way goes with the next
one, as one batch. Nothing is delayed for it. A call that is alone goes at once, as a request of its own. Only an attempt is shared: what came
of it is told to each call as if it had been sent alone, and each decides for itself whether to try again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ._models import BATCH_TIMERS_MAX
from ._transport import HttpAnswer, HttpFailure, Send

_REQUESTS_MAX = 2  # one is answered while the next one is on its way; more would only make the batches smaller
_SLOW_SECONDS = 0.1  # a request that takes longer waits for something that others need not wait for
_BATCH_BYTES_MAX = 300_000  # far below the 8 MiB that the service takes
_ACTIONS = {"/api/v1/timers/create": "create", "/api/v1/timers/update": "update", "/api/v1/timers/delete": "delete"}
_REFUSED_FOR_AN_ITEM = (400, 413)  # one payload is nested too deeply, say

Outcome = HttpAnswer | HttpFailure
SendOne = Callable[[Send], Awaitable[Outcome]]


@dataclass(frozen=True)
class _Waiting:
    send: Send
    outcome: asyncio.Future[Outcome]

    @property
    def item(self) -> bytes:
        action = _ACTIONS[self.send.path]
        content = self.send.content or b""
        return content if action == "create" else f'{{"action": "{action}", '.encode() + content[1:]


class Gatherer:
    def __init__(self, send_one: SendOne) -> None:
        self._send_one = send_one
        self._waiting: list[_Waiting] = []
        self._under_way = 0
        self._planned = False
        self._tasks: set[asyncio.Task[None]] = set()

    def takes(self, send: Send) -> bool:
        return send.path in _ACTIONS

    async def send(self, send: Send) -> Outcome:
        """What the attempt came to. Whoever is cancelled meanwhile leaves the request to the others."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(send, loop.create_future())
        self._waiting.append(waiting)
        if not self._planned:
            self._planned = True
            loop.call_soon(self._flush)  # after the calls that are made in this turn
        return await waiting.outcome

    def _flush(self) -> None:
        self._planned = False
        while self._waiting and self._under_way < _REQUESTS_MAX:
            items = self._next()
            if items:
                self._under_way += 1
                task = asyncio.get_running_loop().create_task(self._request(items))
                self._tasks.add(task)  # the loop itself keeps only a weak reference
                task.add_done_callback(self._tasks.discard)

    def _next(self) -> list[_Waiting]:
        """The first of those that still wait, as many as a request takes."""
        count = size = 0
        for waiting in self._waiting:
            size += len(waiting.send.content or b"")
            if count == BATCH_TIMERS_MAX or (count > 0 and size > _BATCH_BYTES_MAX):
                break
            count += 1
        items, self._waiting = self._waiting[:count], self._waiting[count:]
        return [item for item in items if not item.outcome.done()]

    async def _request(self, items: Sequence[_Waiting]) -> None:
        freed = False

        def free() -> None:
            nonlocal freed
            if not freed:
                freed = True
                self._under_way -= 1
                self._flush()

        slow = asyncio.get_running_loop().call_later(_SLOW_SECONDS, free)
        try:
            await self._sent(items)
        finally:
            slow.cancel()
            free()

    async def _sent(self, items: Sequence[_Waiting]) -> None:
        try:
            outcomes = await self._outcomes(items)
        except BaseException as error:
            for item in items:
                if not item.outcome.done():
                    item.outcome.set_exception(error)
            raise
        for item, outcome in zip(items, outcomes, strict=True):
            if not item.outcome.done():
                item.outcome.set_result(outcome)

    async def _outcomes(self, items: Sequence[_Waiting]) -> list[Outcome]:
        if len(items) == 1:
            return [await self._send_one(items[0].send)]
        content = b'{"timers":[' + b",".join(item.item for item in items) + b"]}"
        timeout = max(item.send.timeout for item in items)
        outcome = await self._send_one(
            replace(items[0].send, path="/api/v1/timers/batch", content=content, timeout=timeout)
        )
        if isinstance(outcome, HttpFailure):
            return [outcome] * len(items)
        if outcome.status in _REFUSED_FOR_AN_ITEM:
            middle = len(items) // 2
            return [*await self._outcomes(items[:middle]), *await self._outcomes(items[middle:])]
        results = _results(outcome)
        if results is None or len(results) != len(items):
            return [outcome] * len(items)
        return [_as_if_alone(result, outcome) for result in results]


def _results(outcome: HttpAnswer) -> list[dict[str, Any]] | None:
    if not 200 <= outcome.status < 300:
        return None
    try:
        body = json.loads(outcome.text)
        return list(body["results"])
    except (ValueError, KeyError, TypeError):
        return None


def _as_if_alone(result: dict[str, Any], outcome: HttpAnswer) -> HttpAnswer:
    status = result["status"]
    headers = {"date": outcome.headers["date"]} if "date" in outcome.headers else {}
    if status < 300:
        return HttpAnswer(status, headers, json.dumps(result["timer"]) if "timer" in result else "")
    wait = (result.get("details") or {}).get("retryAfterMs")
    if isinstance(wait, int | float):
        headers["retry-after"] = str(wait / 1000)
    fields = {key: result[key] for key in result if key != "status"}
    return HttpAnswer(status, headers, json.dumps({**fields, "timestamp": outcome.headers.get("date")}))


class CallOrder:
    """Calls on one timer are carried out in the order in which they were made, each when the one before has ended, with all its attempts."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], asyncio.Future[None]] = {}

    async def turn(self, timer: tuple[str, str]) -> Callable[[], None]:
        """Waits for those before; what it returns is called at the end."""
        before = self._last.get(timer)
        mine = asyncio.get_running_loop().create_future()
        self._last[timer] = mine

        def end() -> None:
            if not mine.done():
                mine.set_result(None)
            if self._last.get(timer) is mine:
                del self._last[timer]

        if before is not None:
            try:
                await asyncio.shield(before)
            except BaseException:
                # Those after it wait for the one before instead.
                before.add_done_callback(lambda _: end())
                raise
        return end
