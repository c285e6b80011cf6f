"""Whether a timer that is there is the one that was asked for. Needed after an answer was lost: what looks like a conflict may
be the trace of the first attempt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

Json = Mapping[str, Any]


def is_as_asked(timer: Json, asked: Json) -> bool:
    """Everything that was asked for is so. Policies and time limits do not count: the server writes them in its own way."""
    return (
        ("executeAt" not in asked or _same_instant(timer.get("nominalAt", timer["executeAt"]), asked["executeAt"]))
        and ("schedule" not in asked or _same_schedule(timer, asked["schedule"]))
        and _same_target(timer.get("callback"), asked)
        and ("payload" not in asked or timer.get("payload") == asked["payload"])
        and ("metadata" not in asked or timer.get("metadata") == asked["metadata"])
    )


def _same_schedule(timer: Json, asked: str) -> bool:
    # A schedule can be an instant as well, and then shows as the due time.
    if timer.get("schedule") is None:
        return _same_instant(timer.get("nominalAt", timer["executeAt"]), asked)
    return bool(timer["schedule"] == asked)


def _same_instant(shown: str, asked: str) -> bool:
    try:
        return datetime.fromisoformat(shown) == datetime.fromisoformat(asked)
    except (ValueError, TypeError):
        return False


def _same_target(shown: Json | None, asked: Json) -> bool:
    wanted = asked.get("callback")
    if wanted is None and "callbackUrl" in asked:
        wanted = {"type": "http", "url": asked["callbackUrl"]}
    if wanted is None:
        return True
    if shown is None:
        return False
    names = (set(shown) | set(wanted)) - {"headers"}  # answers hide their values
    return all(_same_field(name, shown.get(name), wanted.get(name)) for name in names)


def _same_field(name: str, shown: Any, wanted: Any) -> bool:
    if name == "url" and isinstance(shown, str) and isinstance(wanted, str):
        return _comparable_url(shown) == _comparable_url(wanted)
    return bool(shown == wanted)


def _comparable_url(url: str) -> object:
    """Answers show a URL as it was given, or in the form in which it is used; credentials are hidden."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return url
    return (parts.scheme, (parts.hostname or "").lower(), port, parts.path or "/", parts.query, parts.username is None)
