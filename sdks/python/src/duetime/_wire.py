"""Between the names and types of Python and those of the API."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

# Objects of the API inside of a request; all others are the caller's, and their keys stay as they are.
_NESTED = ("retry_policy", "callback", "dst")
# None takes these away; elsewhere it means that nothing was given.
_NULLABLE = ("payload", "metadata")


def camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def instant_text(at: datetime | str, field: str) -> str:
    """ISO 8601 with an offset, to the millisecond."""
    if isinstance(at, str):
        return at
    if at.tzinfo is None:
        from ._errors import invalid_input

        raise invalid_input(field, f"{field} needs a time zone: datetime.now(timezone.utc), not datetime.now()")
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_wire(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A request body of keyword arguments."""
    body: dict[str, Any] = {}
    for name, value in fields.items():
        if value is None and name not in _NULLABLE:
            continue
        if isinstance(value, datetime) and name not in _NULLABLE:
            value = instant_text(value, name)
        elif name in _NESTED and isinstance(value, Mapping):
            value = {camel_case(key): item for key, item in value.items() if item is not None}
        elif name in ("status", "fields") and not isinstance(value, str) and isinstance(value, Sequence):
            value = [camel_case(item) for item in value]
        body[camel_case(name)] = value
    return body


@cache
def _hints(cls: Hashable) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def from_wire(cls: type[T], value: Mapping[str, Any]) -> T:
    """An answer as a dataclass. Fields that this version does not know are left out; what a list left out is None."""
    hints = _hints(typing.cast(Hashable, cls))
    names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
    return cls(**{name: _converted(value.get(camel_case(name)), hints[name]) for name in names})


def _converted(value: Any, hint: Any) -> Any:
    if value is None:
        return None
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        hint = next(one for one in typing.get_args(hint) if one is not type(None))
        origin = typing.get_origin(hint)
    if hint is datetime:
        return datetime.fromisoformat(value)
    if origin is list:
        return [_converted(item, typing.get_args(hint)[0]) for item in value]
    if dataclasses.is_dataclass(hint):
        return from_wire(typing.cast(type, hint), value)
    if typing.is_typeddict(hint):
        return {snake_case(key): item for key, item in value.items()}
    return value


def as_json(value: Any) -> Any:
    """A dataclass with the names of the API, without what is None."""
    if isinstance(value, datetime):
        return instant_text(value, "value")
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {camel_case(name): as_json(item) for name, item in pairs if item is not None}
    return value
