"""The calls of both clients, as steps. Each can be carried out twice by an unlucky retry without harm."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from ._errors import DuetimeError, invalid_input
from ._same_timer import is_as_asked
from ._schedules import with_schedule
from ._transport import Budget, Call, Json, Steps, request
from ._wire import to_wire

_CLOCKS_APART_SECONDS = 1.0  # of two nodes of one cluster; what the timer is like is compared as well


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
            return without_replacing(body) if uncertain else body

        try:
            answer = yield from request(Call("timers/create", sent), budget)
            return dict(answer.body)
        except DuetimeError as error:
            there = timer_in_the_way(error) if repeated else None
            if there is None:
                raise
            if is_made(there, body, error.server_time, budget):
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
        answer = yield from request(Call(f"timers/{verb}", sent), budget)
        return dict(answer.body or {})
    except DuetimeError as error:
        timer = (yield from changed_before(verb, body, error, budget)) if repeated else None
        if timer is None:
            raise
        return timer


def changed_before(verb: str, body: Json, error: DuetimeError, budget: Budget) -> Steps[Json | None]:
    """The timer, if it is as an earlier attempt would have left it; None when the error is what it says."""
    if error.code not in ("TIMER_NOT_PENDING", "VERSION_CONFLICT"):
        return None
    name = {"namespace": body["namespace"], "timerId": body["timerId"]}
    timer = (yield from request(Call("timers/get", lambda _: name), budget)).body
    return dict(timer) if _is_changed(verb, timer, body) else None


def _is_changed(verb: str, timer: Json, body: Json) -> bool:
    if verb == "delete":
        return bool(timer["status"] == "canceled")
    if verb == "retry":
        return bool(timer["status"] != "failed")
    if_version = body.get("ifVersion")
    return is_as_asked(timer, body) and (if_version is None or timer["version"] > if_version)


def ask(path: str, body: Json, budget: Budget, once_only: bool = False) -> Steps[Any]:
    return (yield from request(Call(path, lambda _: body, once_only), budget)).body


def look(path: str, query: Mapping[str, Any], budget: Budget) -> Steps[Any]:
    asked = urlencode({name: value for name, value in query.items() if value is not None})
    return (yield from request(Call(f"{path}?{asked}" if asked else path, None), budget)).body


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
        answer = yield from ask(f"timers/{verb}", body, budget)
        for name in sums:
            sums[name] += answer[name]
        # Nothing changed although there are more: they are too late, and asking again would find the same ones.
        if not answer["more"] or body.get("dryRun") is True or answer[counted] == 0:
            return {**sums, "more": answer["more"]}


def without_replacing(body: Json) -> Json:
    return {**body, "onConflict": "reject"} if body.get("onConflict") == "replace" else body


def timer_in_the_way(error: DuetimeError) -> Json | None:
    return error.details.get("timer") if error.code == "TIMER_ALREADY_EXISTS" else None


def is_made(there: Json, body: Json, server_time: str | None, budget: Budget) -> bool:
    """It was made since the call began, by the server's own clock where that is known, and it is what was asked for."""
    began = _seconds_of(server_time) - (time.monotonic() - budget.started_at) - _CLOCKS_APART_SECONDS
    return datetime.fromisoformat(there["createdAt"]).timestamp() >= began and is_as_asked(there, body)


def _seconds_of(server_time: str | None) -> float:
    if server_time is None:
        return time.time()
    if server_time[:1].isdigit():
        return datetime.fromisoformat(server_time).timestamp()
    return parsedate_to_datetime(server_time).timestamp()
