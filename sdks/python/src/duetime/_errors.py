"""The errors that calls raise. Their class says what happened, their code says it in the words of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class DuetimeError(Exception):
    """A call failed: what the service said, or what went wrong on the way."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Mapping[str, Any] | None = None,
        request_id: str = "",
        retryable: bool = False,
        retry_after: float | None = None,
        server_time: str | None = None,
        attempts: int = 1,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Of the catalogue of errors; or NETWORK, TIMEOUT or BAD_ANSWER when there was no answer of the service."""
        self.message = message
        self.status = status
        """The HTTP status; 0 when there was no answer."""
        self.details: Mapping[str, Any] = details or {}
        """``field`` names what is wrong with a request."""
        self.request_id = request_id
        """Sent as X-Request-ID: the service's log has the request under it."""
        self.retryable = retryable
        """Whether the same call may succeed later."""
        self.retry_after = retry_after
        """How many seconds the service asked to wait, if it did."""
        self.server_time = server_time
        self.attempts = attempts
        """How many times the request was sent."""


class InvalidInput(DuetimeError):
    """Something in the request is wrong; ``details["field"]`` names it."""


class NotFound(DuetimeError):
    """There is no such timer, or not any more."""


class Conflict(DuetimeError):
    """The timer exists already, is too far gone for this change, or has another version; ``code`` says which."""


class AccessDenied(DuetimeError):
    """The key is missing or unknown, or may not do this."""


class Unavailable(DuetimeError):
    """The service is busy, away or did not answer in time. The same call may succeed later."""


_CLASSES: Mapping[str, type[DuetimeError]] = {
    "INVALID_INPUT": InvalidInput,
    "NAMESPACE_NOT_ENABLED": InvalidInput,
    "PAYLOAD_TOO_LARGE": InvalidInput,
    "TIMER_NOT_FOUND": NotFound,
    "TIMER_ALREADY_EXISTS": Conflict,
    "IDEMPOTENCY_KEY_REUSED": Conflict,
    "TIMER_NOT_PENDING": Conflict,
    "VERSION_CONFLICT": Conflict,
    "UNAUTHORIZED": AccessDenied,
    "FORBIDDEN": AccessDenied,
    "RATE_LIMITED": Unavailable,
    "UNAVAILABLE": Unavailable,
    "NOT_OWNER": Unavailable,
    "NETWORK": Unavailable,
    "TIMEOUT": Unavailable,
}


def error_of(code: str, message: str, **facts: Any) -> DuetimeError:
    return _CLASSES.get(code, DuetimeError)(code, message, **facts)


def invalid_input(field: str, message: str) -> DuetimeError:
    """A mistake that needs no server to be seen, in the form of the server's own refusals."""
    return error_of("INVALID_INPUT", message, status=400, details={"field": field})
