"""The client for asyncio: the same methods, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar, Unpack

import httpx

from . import _batch, _calls
from ._base_client import ApiKey, BaseClient, BatchItem, ChangesToMake, ScheduleToPreview, TimerName, TimerToCreate
from ._base_client import next_query
from ._errors import error_of
from ._gathering import CallOrder, Gatherer
from ._models import BulkFilter, CallbackTest, CallbackTestResult, Canceled, Forecast, ForecastQuery, OnConflict
from ._models import Overview, Preview, Retried, Timer, TimerPage, TimerQuery
from ._transport import HttpAnswer, HttpFailure, Json, Send, Steps, Told
from ._wire import from_wire

T = TypeVar("T")


class AsyncDuetime(BaseClient):
    """A client of the service for asyncio. It keeps connections open: close it, or use it in an ``async with`` statement. A call
    ends with its task when that is cancelled."""

    def __init__(
        self,
        url: str = "http://localhost:8080",
        *,
        api_key: ApiKey = None,
        namespace: str = "default",
        timeout: float = 30.0,
        attempt_timeout: float = 10.0,
        retries: int = 10,
        headers: Mapping[str, str] | None = None,
        http: httpx.AsyncClient | None = None,
        gather: bool = True,
    ) -> None:
        """``http`` replaces the HTTP client, for proxies and certificates of your own. Creates, updates and cancels that are called at
        the same time share requests, unless ``gather`` is False: nothing waits for it, and each has its own answer or error."""
        super().__init__(
            url,
            api_key=api_key,
            namespace=namespace,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            retries=retries,
            headers=headers,
        )
        self._http = http or httpx.AsyncClient()
        self._gatherer = Gatherer(self._sent_alone) if gather else None
        self._order = CallOrder()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def create(self, **timer: Unpack[TimerToCreate]) -> Timer:
        """Stored on disk when it returns. Without an id it gets one here, before it is first sent: sent twice, it still is
        one timer that fires once. A timer of the same id is replaced unless ``on_conflict`` says otherwise."""
        body = _calls.ready_create(timer, self.namespace)
        return from_wire(Timer, await self._in_turn(body, _calls.create(body, self._budget())))

    async def batch(self, items: Iterable[BatchItem], *, on_conflict: OnConflict = "replace") -> _batch.BatchResults:
        """Creates, and updates and cancels as ``BatchUpdate`` and ``BatchCancel``: any number, 1,000 to a request. Each has its own
        result, in order: a bad one fails alone. What is said of one timer is carried out in order."""
        return await self._run(self._batch_steps(items, on_conflict))

    async def get(self, timer: TimerName, *, include_secrets: bool | None = None) -> Timer:
        """Finished timers can be read while the service retains them. Raises ``NotFound`` when there is none."""
        return from_wire(Timer, await self._run(self._ask_steps("get", timer, include_secrets=include_secrets)))

    async def list(self, **query: Unpack[TimerQuery]) -> AsyncIterator[Timer]:
        """Every timer that matches, page by page: ``async for timer in client.list(status="failed")``."""
        following: TimerQuery | None = query
        while following is not None:
            page = await self.page(**following)
            for timer in page.timers:
                yield timer
            following = next_query(following, page)

    async def page(self, **query: Unpack[TimerQuery]) -> TimerPage:
        """One page of a list; its ``next_cursor`` leads to the next one."""
        return from_wire(TimerPage, await self._run(self._page_steps(query)))

    async def update(self, timer: TimerName, **changes: Unpack[ChangesToMake]) -> Timer:
        """Only what is given changes. Once it returns, the old version never fires. Raises ``Conflict`` when it is too late."""
        body = self._update_body(timer, changes)
        return from_wire(Timer, await self._in_turn(body, _calls.change("update", body, self._budget())))

    async def cancel(self, timer: TimerName, *, if_version: int | None = None) -> None:
        """Once it returns, the delivery never starts. Raises ``Conflict`` when it is too late."""
        steps = self._change_steps("delete", timer, if_version=if_version)
        await self._in_turn(self._named(timer), steps)

    async def cancel_many(self, *, dry_run: bool = False, **filter: Unpack[BulkFilter]) -> Canceled:
        """Every pending or paused timer that matches, however many."""
        return from_wire(Canceled, await self._run(self._cancel_many_steps(filter, dry_run)))

    async def trigger(self, timer: TimerName) -> Timer:
        """Makes it due at once; a cycle goes on as before. This is the one call that is not sent again when its answer was
        lost, since it would fire twice."""
        return from_wire(Timer, await self._run(self._ask_steps("trigger", timer)))

    async def pause(self, timer: TimerName, *, until: datetime | str | None = None) -> Timer:
        """It does not fire until it is resumed, or until this instant."""
        return from_wire(Timer, await self._run(self._ask_steps("pause", timer, until=until)))

    async def resume(self, timer: TimerName) -> Timer:
        """What came due during the pause fires at once."""
        return from_wire(Timer, await self._run(self._ask_steps("resume", timer)))

    async def retry(self, timer: TimerName) -> Timer:
        """Brings a failed timer back: its delivery starts at once, with all its attempts."""
        return from_wire(Timer, await self._run(self._change_steps("retry", timer)))

    async def retry_many(self, *, dry_run: bool = False, **filter: Unpack[BulkFilter]) -> Retried:
        """Every failed timer that matches, however many."""
        return from_wire(Retried, await self._run(self._retry_many_steps(filter, dry_run)))

    async def preview(self, **query: Unpack[ScheduleToPreview]) -> Preview:
        """When a timer like this, created now, would fire. Nothing is stored."""
        return from_wire(Preview, await self._run(self._preview_steps(query)))

    async def overview(self, *, namespace: str | None = None) -> Overview:
        """How many timers there are by status, and what happened lately: in one namespace, or in all that the key may see."""
        return from_wire(Overview, await self._run(self._look_steps("overview", {"namespace": namespace})))

    async def forecast(self, **query: Unpack[ForecastQuery]) -> Forecast:
        """How many timers come due in the next seconds, minutes, hours or days."""
        return from_wire(Forecast, await self._run(self._look_steps("forecast", query)))

    async def test_callback(self, **test: Unpack[CallbackTest]) -> CallbackTestResult:
        """Sends one delivery now, exactly as a timer would, and tells what came of it. Nothing is stored. Never sent twice."""
        return from_wire(CallbackTestResult, await self._run(self._test_callback_steps(test)))

    async def _in_turn(self, body: Json, steps: Steps[T]) -> T:
        """After the calls on the same timer that were made before."""
        id = body.get("timerId", body.get("id"))
        if self._gatherer is None or id is None:
            return await self._run(steps)
        try:
            async with asyncio.timeout(self._timeout):
                end = await self._order.turn((body["namespace"], id))
        except TimeoutError as error:
            raise error_of("TIMEOUT", "an earlier call on this timer has not ended in time", retryable=True) from error
        try:
            return await self._run(steps)
        finally:
            end()

    async def _run(self, steps: Steps[T]) -> T:
        told: Told = None
        try:
            while True:
                step = steps.send(told)
                told = None
                if isinstance(step, Send):
                    told = await self._sent(step)
                else:
                    await asyncio.sleep(step.seconds)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _sent(self, send: Send) -> Told:
        if self._gatherer is None or not self._gatherer.takes(send):
            return await self._sent_alone(send)
        try:
            async with asyncio.timeout(send.timeout):
                return await self._gatherer.send(send)
        except TimeoutError as error:
            return HttpFailure(error, timed_out=True)

    async def _sent_alone(self, send: Send) -> HttpAnswer | HttpFailure:
        try:
            async with asyncio.timeout(send.timeout):
                response = await self._http.request(
                    send.method,
                    self.url + send.path,
                    content=send.content,
                    headers=self._request_headers(send),
                    timeout=None,
                )
        except (TimeoutError, httpx.TimeoutException) as error:
            return HttpFailure(error, timed_out=True)
        except httpx.TransportError as error:
            return HttpFailure(error, timed_out=False)
        return HttpAnswer(response.status_code, response.headers, response.text)
