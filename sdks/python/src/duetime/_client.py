"""The client: one method for everything that the service can do with timers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx

from . import _calls
from ._errors import DuetimeError, invalid_input
from ._models import BulkFilter, Canceled, NewTimer, OnConflict, Preview, PreviewQuery, Retried
from ._models import Timer, TimerChanges, TimerPage, TimerQuery
from ._schedules import When, with_schedule
from ._transport import Budget, HttpAnswer, HttpFailure, Json, Send, Steps, Told
from ._wire import from_wire, to_wire

T = TypeVar("T")
TimerName = str | Timer
ApiKey = str | Callable[[], str | None] | None


class TimerToCreate(NewTimer, When, total=False):
    """A new timer; when it fires can also be said with ``at``, ``after`` or ``every``."""


class ChangesToMake(TimerChanges, When, total=False):
    """Changes; when it fires can also be said with ``at``, ``after`` or ``every``."""


class ScheduleToPreview(PreviewQuery, When, total=False):
    """A schedule; also as ``at``, ``after`` or ``every``."""


class BaseClient:
    """What both clients share: their options, and how calls are written."""

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
    ) -> None:
        """``timeout`` is for a whole call, with all its attempts and waits, in seconds; ``retries`` are the attempts
        after the first. ``api_key`` can be a function that is asked for every request."""
        if not url.startswith(("http://", "https://")):
            raise invalid_input("url", f"url must begin with http:// or https://, not {url!r}")
        self.url = url.rstrip("/")
        self.namespace = namespace
        self._api_key = api_key
        self._headers = dict(headers or {})
        self._timeout = timeout
        self._attempt_timeout = attempt_timeout
        self._retries = retries

    def _budget(self) -> Budget:
        now = time.monotonic()
        return Budget(now, now + self._timeout, self._attempt_timeout, self._retries)

    def _request_headers(self, send: Send) -> dict[str, str]:
        key = self._api_key() if callable(self._api_key) else self._api_key
        return {**send.headers, **({} if key is None else {"x-api-key": key}), **self._headers}

    def _named(self, name: TimerName) -> Json:
        if isinstance(name, Timer):
            return {"namespace": name.namespace, "timerId": name.id}
        return {"namespace": self.namespace, "timerId": name}

    def _in_namespace(self, fields: Mapping[str, Any]) -> Json:
        return {"namespace": self.namespace, **to_wire(fields)}

    def _create_steps(self, fields: Mapping[str, Any]) -> Steps[Json]:
        return _calls.create(_calls.ready_create(fields, self.namespace), self._budget())

    def _update_steps(self, name: TimerName, changes: Mapping[str, Any]) -> Steps[Json]:
        return _calls.change("update", {**to_wire(with_schedule(changes)), **self._named(name)}, self._budget())

    def _change_steps(self, verb: str, name: TimerName, **more: Any) -> Steps[Json]:
        return _calls.change(verb, {**self._named(name), **to_wire(more)}, self._budget())

    def _ask_steps(self, verb: str, name: TimerName, **more: Any) -> Steps[Any]:
        body = {**self._named(name), **to_wire(more)}
        return _calls.ask(verb, body, self._budget(), once_only=verb == "trigger")

    def _cancel_many_steps(self, filter: Mapping[str, Any], dry_run: bool) -> Steps[Json]:
        _calls.check_cancel_filter(to_wire(filter))
        return _calls.change_many("cancel", {**self._in_namespace(filter), "dryRun": dry_run}, self._budget())

    def _retry_many_steps(self, filter: Mapping[str, Any], dry_run: bool) -> Steps[Json]:
        body = {**self._in_namespace(filter), "all": True, "dryRun": dry_run}
        return _calls.change_many("retry", body, self._budget())

    def _batch_steps(
        self, timers: Iterable[TimerToCreate], on_conflict: OnConflict
    ) -> Steps[_calls.BatchResults]:
        def ready(timer: TimerToCreate) -> Json | DuetimeError:
            try:
                return _calls.ready_create(timer, self.namespace, on_conflict)
            except DuetimeError as error:
                return error

        return _calls.batch([ready(timer) for timer in timers], self._budget())

    def _page_steps(self, query: Mapping[str, Any]) -> Steps[Any]:
        return _calls.ask("list", self._in_namespace(query), self._budget())

    def _preview_steps(self, query: Mapping[str, Any]) -> Steps[Any]:
        return _calls.ask("preview", to_wire(with_schedule(query)), self._budget())


def next_query(query: TimerQuery, page: TimerPage) -> TimerQuery | None:
    """Where the next page begins; None after the last one. Sorted lists have a total instead of a cursor."""
    if page.next_cursor is not None:
        return {**query, "cursor": page.next_cursor}
    if page.next_offset is not None:
        return {**query, "offset": page.next_offset}
    end = query.get("offset", 0) + len(page.timers)
    if page.total is None or not page.timers or end >= page.total:
        return None
    return {**query, "offset": end}


class Duetime(BaseClient):
    """A client of the service. It keeps connections open: close it, or use it in a ``with`` statement. Threads can share it."""

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
        http: httpx.Client | None = None,
    ) -> None:
        """``http`` replaces the HTTP client, for proxies and certificates of your own."""
        super().__init__(
            url,
            api_key=api_key,
            namespace=namespace,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            retries=retries,
            headers=headers,
        )
        self._http = http or httpx.Client()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def create(self, **timer: Unpack[TimerToCreate]) -> Timer:
        """Stored on disk when it returns. Without an id it gets one here, before it is first sent: sent twice, it still is
        one timer that fires once. A timer of the same id is replaced unless ``on_conflict`` says otherwise."""
        return from_wire(Timer, self._run(self._create_steps(timer)))

    def batch(
        self, timers: Iterable[TimerToCreate], *, on_conflict: OnConflict = "replace"
    ) -> _calls.BatchResults:
        """Any number, 1,000 to a request. Each has its own result, in order: a bad one fails alone."""
        return self._run(self._batch_steps(timers, on_conflict))

    def get(self, timer: TimerName, *, include_secrets: bool | None = None) -> Timer:
        """Finished timers can be read while the service retains them. Raises ``NotFound`` when there is none."""
        return from_wire(Timer, self._run(self._ask_steps("get", timer, include_secrets=include_secrets)))

    def list(self, **query: Unpack[TimerQuery]) -> Iterator[Timer]:
        """Every timer that matches, page by page; ``limit`` is the size of a page."""
        following: TimerQuery | None = query
        while following is not None:
            page = self.page(**following)
            yield from page.timers
            following = next_query(following, page)

    def page(self, **query: Unpack[TimerQuery]) -> TimerPage:
        """One page of a list; its ``next_cursor`` leads to the next one."""
        return from_wire(TimerPage, self._run(self._page_steps(query)))

    def update(self, timer: TimerName, **changes: Unpack[ChangesToMake]) -> Timer:
        """Only what is given changes. Once it returns, the old version never fires. Raises ``Conflict`` when it is too late."""
        return from_wire(Timer, self._run(self._update_steps(timer, changes)))

    def cancel(self, timer: TimerName, *, if_version: int | None = None) -> None:
        """Once it returns, the delivery never starts. Raises ``Conflict`` when it is too late."""
        self._run(self._change_steps("delete", timer, if_version=if_version))

    def cancel_many(self, *, dry_run: bool = False, **filter: Unpack[BulkFilter]) -> Canceled:
        """Every pending or paused timer that matches, however many."""
        return from_wire(Canceled, self._run(self._cancel_many_steps(filter, dry_run)))

    def trigger(self, timer: TimerName) -> Timer:
        """Makes it due at once; a cycle goes on as before. This is the one call that is not sent again when its answer was
        lost, since it would fire twice."""
        return from_wire(Timer, self._run(self._ask_steps("trigger", timer)))

    def pause(self, timer: TimerName) -> Timer:
        """It does not fire until it is resumed."""
        return from_wire(Timer, self._run(self._ask_steps("pause", timer)))

    def resume(self, timer: TimerName) -> Timer:
        """What came due during the pause fires at once."""
        return from_wire(Timer, self._run(self._ask_steps("resume", timer)))

    def retry(self, timer: TimerName) -> Timer:
        """Brings a failed timer back: its delivery starts at once, with all its attempts."""
        return from_wire(Timer, self._run(self._change_steps("retry", timer)))

    def retry_many(self, *, dry_run: bool = False, **filter: Unpack[BulkFilter]) -> Retried:
        """Every failed timer that matches, however many."""
        return from_wire(Retried, self._run(self._retry_many_steps(filter, dry_run)))

    def preview(self, **query: Unpack[ScheduleToPreview]) -> Preview:
        """When a timer like this, created now, would fire. Nothing is stored."""
        return from_wire(Preview, self._run(self._preview_steps(query)))

    def _run(self, steps: Steps[T]) -> T:
        told: Told = None
        try:
            while True:
                step = steps.send(told)
                told = None
                if isinstance(step, Send):
                    told = self._sent(step)
                else:
                    time.sleep(step.seconds)
        except StopIteration as end:
            result: T = end.value
            return result

    def _sent(self, send: Send) -> Told:
        """httpx limits each read, not all of them together, so the time is looked at after each."""
        deadline = time.monotonic() + send.timeout
        request = self._http.build_request(
            "POST",
            self.url + send.path,
            content=send.content,
            headers=self._request_headers(send),
            timeout=send.timeout,
        )
        try:
            response = self._http.send(request, stream=True)
            try:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the answer took too long")
            finally:
                response.close()
        except httpx.TimeoutException as error:
            return HttpFailure(error, timed_out=True)
        except httpx.TransportError as error:
            return HttpFailure(error, timed_out=False)
        return HttpAnswer(response.status_code, response.headers, content.decode("utf-8", "replace"))
