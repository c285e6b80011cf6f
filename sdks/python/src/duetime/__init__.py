"""The Python client for Duetime, the durable timer service: create timers, and answer when they fire."""

from ._async_client import AsyncDuetime
from ._calls import BatchResult
from ._client import ChangesToMake, Duetime, ScheduleToPreview, TimerToCreate
from ._errors import AccessDenied, Conflict, DuetimeError, InvalidInput, NotFound, Unavailable
from ._models import (
    Attempt,
    BulkFilter,
    Callback,
    Canceled,
    NewTimer,
    OnConflict,
    Order,
    Outcome,
    Preview,
    PreviewQuery,
    Retried,
    RetryPolicy,
    RetryPolicyOptions,
    ServerErrorCode,
    Sort,
    Status,
    Timer,
    TimerChanges,
    TimerPage,
    TimerQuery,
)
from .dedup import DeliveryMemory, RecentDeliveries
from .receiver import Answer, Delivery, Receiver, again_at, done, gone, parse_delivery, retry
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "AccessDenied",
    "Answer",
    "AsyncDuetime",
    "Attempt",
    "BatchResult",
    "BulkFilter",
    "Callback",
    "Canceled",
    "ChangesToMake",
    "Conflict",
    "Delivery",
    "DeliveryMemory",
    "Duetime",
    "DuetimeError",
    "InvalidInput",
    "NewTimer",
    "NotFound",
    "OnConflict",
    "Order",
    "Outcome",
    "Preview",
    "PreviewQuery",
    "Receiver",
    "RecentDeliveries",
    "Retried",
    "RetryPolicy",
    "RetryPolicyOptions",
    "ScheduleToPreview",
    "ServerErrorCode",
    "Sort",
    "Status",
    "Timer",
    "TimerChanges",
    "TimerPage",
    "TimerQuery",
    "TimerToCreate",
    "Unavailable",
    "WebhookVerificationError",
    "again_at",
    "done",
    "gone",
    "parse_delivery",
    "retry",
    "verify_webhook",
]
__version__ = "0.1.0"
