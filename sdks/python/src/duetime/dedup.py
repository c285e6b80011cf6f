"""A firing is delivered at least once: again when the answer to it was lost, or when the service was killed before it had stored
the answer. The delivery id is the same each time, and this remembers what was answered to it."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from .receiver import Answer

NEW: Final = "new"
BUSY: Final = "busy"
DELIVERIES_MAX = 10_000  # a few MB; a delivery comes again within seconds or minutes, not after so many others

Claim = Literal["new", "busy"]


class DeliveryMemory(Protocol):
    """Where answers are remembered. Receivers of several processes share one, in a database for example."""

    def claim(self, delivery_id: str) -> "Claim | Answer":
        """``new``, and from now on it is the caller's; ``busy`` while it is being processed; or how it was answered."""

    def keep(self, delivery_id: str, answer: "Answer") -> None:
        """It has been processed, and this is the answer to it from now on."""

    def release(self, delivery_id: str) -> None:
        """It failed: the next attempt is to process it."""


class RecentDeliveries:
    """In this process only, and only so many: the oldest ones are forgotten first. Threads can share it."""

    def __init__(self, max_deliveries: int = DELIVERIES_MAX) -> None:
        self._max = max_deliveries
        self._lock = Lock()
        self._claims: OrderedDict[str, Literal["busy"] | Answer] = OrderedDict()

    def claim(self, delivery_id: str) -> "Claim | Answer":
        with self._lock:
            known = self._claims.get(delivery_id)
            if known is not None:
                return known
            self._claims[delivery_id] = BUSY
            if len(self._claims) > self._max:
                self._claims.popitem(last=False)
            return NEW

    def keep(self, delivery_id: str, answer: "Answer") -> None:
        with self._lock:
            self._claims[delivery_id] = answer

    def release(self, delivery_id: str) -> None:
        with self._lock:
            self._claims.pop(delivery_id, None)
