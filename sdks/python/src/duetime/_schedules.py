"""When a timer fires, as Python has it at hand, in the form that the service takes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict

from ._errors import invalid_input
from ._wire import instant_text


class When(TypedDict, total=False):
    """In one of these ways; or by ``execute_at`` or ``schedule``, as the service takes them."""

    at: datetime | str
    """At this instant."""
    after: timedelta | str
    """So long after the service has stored it; text is ISO 8601, such as P3D."""
    every: timedelta | str
    """Again and again."""
    times: int
    """How often, with ``every``. For ever if left out."""
    start: datetime | str
    """When it fires first, with ``every``. One interval from now if left out."""


_WAYS = ("at", "after", "every", "execute_at", "schedule")
_OWN = ("at", "after", "every", "times", "start")


def with_schedule(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The same fields, with ``at``, ``after`` and ``every`` written as ``execute_at`` or ``schedule``."""
    given = [way for way in _WAYS if fields.get(way) is not None]
    if len(given) > 1:
        raise invalid_input(given[1], f"give one of {' and '.join(given)}, not both")
    for name in ("times", "start"):
        if fields.get(name) is not None and fields.get("every") is None:
            raise invalid_input(name, f"{name} belongs to every")
    rest = {name: value for name, value in fields.items() if name not in _OWN}
    if fields.get("at") is not None:
        rest["execute_at"] = instant_text(fields["at"], "at")
    elif fields.get("after") is not None:
        rest["schedule"] = duration_text(fields["after"], "after")
    elif fields.get("every") is not None:
        rest["schedule"] = _cycle_text(fields)
    return rest


def duration_text(duration: timedelta | str, field: str) -> str:
    """ISO 8601. Days of a timedelta are 24 hours each; text can say P1D, which is a day of the calendar."""
    if isinstance(duration, str):
        return duration
    if not isinstance(duration, timedelta):
        raise invalid_input(field, f"{field} must be a timedelta or ISO 8601 text such as P3D")
    if duration < timedelta(0):
        raise invalid_input(field, f"{field} must not be negative")
    ms = duration // timedelta(milliseconds=1)
    seconds = f"{ms // 1000}.{ms % 1000:03}".rstrip("0").rstrip(".")
    return f"PT{seconds}S"


def _cycle_text(fields: Mapping[str, Any]) -> str:
    times = fields.get("times")
    if times is not None and (not isinstance(times, int) or times < 1):
        raise invalid_input("times", "times must be a whole number from 1")
    start = "" if fields.get("start") is None else f"{instant_text(fields['start'], 'start')}/"
    return f"R{times or ''}/{start}{duration_text(fields['every'], 'every')}"
