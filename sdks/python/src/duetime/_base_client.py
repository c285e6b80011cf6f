"""What both clients share: their options, and how calls are written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack

from . import _batch, _calls
from ._errors import DuetimeError, invalid_input
from ._models import NewTimer, OnConflict, PreviewQuery, Timer, TimerChanges, TimerPage, TimerQuery
from ._schedules import When, with_schedule
from ._transport import Budget, Json, Send, Steps
from ._wire import to_wire

TimerName = str | Timer
ApiKey = str | Callable[[], str | None] | None


class TimerToCreate(NewTimer, When, total=False):
    """A new timer; when it fires can also be said with ``at``, ``after`` or ``every``."""


class ChangesToMake(TimerChanges, When, total=False):
    """Changes; when it fires can also be said with ``at``, ``after`` or ``every``."""


class ScheduleToPreview(PreviewQuery, When, total=False):
    """A schedule; also as ``at``, ``after`` or ``every``."""


class BatchUpdate:
    """An update as an item of a batch: ``BatchUpdate("reminder-1", after=timedelta(hours=1))``."""

    def __init__(self, timer: TimerName, **changes: Unpack[ChangesToMake]) -> None:
        self.timer = timer
        self.changes = changes


class BatchCancel:
    """A cancel as an item of a batch."""

    def __init__(self, timer: TimerName, *, if_version: int | None = None) -> None:
        self.timer = timer
        self.if_version = if_version


BatchItem = TimerToCreate | BatchUpdate | BatchCancel


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
        return _calls.change("update", self._update_body(name, changes), self._budget())

    def _update_body(self, name: TimerName, changes: Mapping[str, Any]) -> Json:
        return {**to_wire(with_schedule(changes)), **self._named(name)}

    def _change_steps(self, verb: str, name: TimerName, **more: Any) -> Steps[Json]:
        return _calls.change(verb, {**self._named(name), **to_wire(more)}, self._budget())

    def _ask_steps(self, verb: str, name: TimerName, **more: Any) -> Steps[Any]:
        body = {**self._named(name), **to_wire(more)}
        return _calls.ask(f"timers/{verb}", body, self._budget(), once_only=verb == "trigger")

    def _cancel_many_steps(self, filter: Mapping[str, Any], dry_run: bool) -> Steps[Json]:
        _calls.check_cancel_filter(to_wire(filter))
        return _calls.change_many("cancel", {**self._in_namespace(filter), "dryRun": dry_run}, self._budget())

    def _retry_many_steps(self, filter: Mapping[str, Any], dry_run: bool) -> Steps[Json]:
        body = {**self._in_namespace(filter), "all": True, "dryRun": dry_run}
        return _calls.change_many("retry", body, self._budget())

    def _batch_steps(self, items: Iterable[BatchItem], on_conflict: OnConflict) -> Steps[_batch.BatchResults]:
        return _batch.batch([self._item(item, on_conflict) for item in items], self._budget())

    def _item(self, item: BatchItem, on_conflict: OnConflict) -> _batch.Item:
        if isinstance(item, BatchCancel):
            return _batch.Item("delete", {**self._named(item.timer), **to_wire({"if_version": item.if_version})})
        try:
            if isinstance(item, BatchUpdate):
                return _batch.Item("update", self._update_body(item.timer, item.changes))
            return _batch.Item("create", _calls.ready_create(item, self.namespace, on_conflict))
        except DuetimeError as error:
            return _batch.Item("create", error)

    def _page_steps(self, query: Mapping[str, Any]) -> Steps[Any]:
        return _calls.ask("timers/list", self._in_namespace(query), self._budget())

    def _preview_steps(self, query: Mapping[str, Any]) -> Steps[Any]:
        return _calls.ask("timers/preview", to_wire(with_schedule(query)), self._budget())

    def _look_steps(self, path: str, query: Mapping[str, Any]) -> Steps[Any]:
        return _calls.look(path, query, self._budget())

    def _test_callback_steps(self, test: Mapping[str, Any]) -> Steps[Any]:
        return _calls.ask("callbacks/test", self._in_namespace(test), self._budget(), once_only=True)


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
