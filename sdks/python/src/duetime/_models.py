"""Generated from the schemas of the service by `npm run docs`: change it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Required, TypedDict

BATCH_TIMERS_MAX = 1000

ServerErrorCode = Literal[
    "INVALID_INPUT",
    "NAMESPACE_NOT_ENABLED",
    "TIMER_NOT_FOUND",
    "CALENDAR_NOT_FOUND",
    "TIMER_ALREADY_EXISTS",
    "IDEMPOTENCY_KEY_REUSED",
    "TIMER_NOT_PENDING",
    "VERSION_CONFLICT",
    "UNAUTHORIZED",
    "FORBIDDEN",
    "ROUTE_NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "RATE_LIMITED",
    "UNAVAILABLE",
    "NOT_OWNER",
    "INTERNAL",
]
OnConflict = Literal["replace", "keep", "reject"]
Status = Literal["pending", "paused", "executing", "completed", "failed", "canceled"]
Sort = Literal["dueAt", "createdAt"]
Order = Literal["asc", "desc"]
Outcome = Literal["delivered", "rescheduled", "failed"]


class Callback(TypedDict, total=False):
    """Where a timer fires. Its type says which of the other fields it has."""

    type: Required[Literal["http", "nats"]]
    url: str
    headers: Mapping[str, str]
    """Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value."""
    topic: str
    key: str



class ClockChangeRules(TypedDict, total=False):
    """What a local time means that does not exist or exists twice, where clocks change."""

    gap: Literal["shift", "skip"]
    """A local time that clocks skip: shifted, as much later as they go forward (default), or skipped."""
    overlap: Literal["first", "second", "both"]
    """A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default."""



class CalendarRule(TypedDict, total=False):
    """The calendar that says when nothing fires, and what becomes of a firing that it excludes."""

    name: Required[str]
    """Its name in the namespace."""
    on_excluded: Literal["skip", "move"]
    """A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved)."""



class RetryPolicyOptions(TypedDict, total=False):
    """When a failed delivery is tried again."""

    max_retries: int
    """Attempts after the first, 0 to 100. Default 3."""
    max_attempts: int
    """Attempts in all, the first included, 1 to 101; instead of maxRetries."""
    initial_interval: str
    """Wait before the first retry, such as 30s or PT30S. Default 30s."""
    backoff_multiplier: float
    """Each wait is so many times the last. Default 2."""
    multiplier: float
    """Same as backoffMultiplier."""
    max_interval: str
    """The longest wait. Default 10m."""
    max_retry_attempts_duration: str
    """No attempt starts later after the first one. Default 24h."""
    max_attempts_duration: str
    """Same as maxRetryAttemptsDuration."""



class NewTimer(TypedDict, total=False):
    """A timer to create."""

    namespace: str
    """Default: default."""
    id: str
    """Any text. Default: a new UUIDv7."""
    idempotency_key: str
    """Instead of an id: a create that is repeated with the same key makes no second timer. The header Idempotency-Key does the same."""
    execute_at: datetime | str
    """When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin]."""
    schedule: str
    """Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9)."""
    time_zone: str
    """Whose calendar the schedule follows, such as Europe/Berlin. Default UTC."""
    dst: ClockChangeRules
    """In the nights when clocks change."""
    start_at: str
    """Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then."""
    end_at: str
    """Of a schedule that repeats: nothing fires after. Written as startAt."""
    max_firings: int
    """Of a schedule that repeats: how many iterations it has. Those that are passed over count."""
    spread: str
    """Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h."""
    calendar: CalendarRule
    """A calendar: nothing fires when it says so."""
    catch_up: Any
    """Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3})."""
    max_lateness: str
    """A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h."""
    overlap: Literal["skip", "queue", "allow"]
    """Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other."""
    callback_url: str
    """Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***."""
    callback: Callback
    """Where the timer fires, with headers or over NATS; instead of callbackUrl."""
    payload: Any
    """Any JSON; delivered as it is."""
    metadata: Mapping[str, Any] | None
    """Labels to find timers by: strings, numbers, booleans or null."""
    retry_policy: RetryPolicyOptions
    """When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are."""
    callback_timeout: str
    """How long the receiver may take, 1s to 1h. Default 30s."""
    callback_timeout_seconds: float
    """The same in seconds."""
    on_conflict: OnConflict
    """When the id is taken: replace the timer (default), keep it and answer with it, or reject with 409."""



class TimerChanges(TypedDict, total=False):
    """What to change of a timer: only what is given changes."""

    execute_at: datetime | str
    """When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin]."""
    schedule: str
    """Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9)."""
    time_zone: str
    """Whose calendar the schedule follows, such as Europe/Berlin. Default UTC."""
    dst: ClockChangeRules
    """In the nights when clocks change."""
    start_at: str
    """Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then."""
    end_at: str
    """Of a schedule that repeats: nothing fires after. Written as startAt."""
    max_firings: int
    """Of a schedule that repeats: how many iterations it has. Those that are passed over count."""
    spread: str
    """Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h."""
    calendar: CalendarRule
    """A calendar: nothing fires when it says so."""
    catch_up: Any
    """Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3})."""
    max_lateness: str
    """A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h."""
    overlap: Literal["skip", "queue", "allow"]
    """Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other."""
    callback_url: str
    """Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***."""
    callback: Callback
    """Where the timer fires, with headers or over NATS; instead of callbackUrl."""
    payload: Any
    """Any JSON; delivered as it is."""
    metadata: Mapping[str, Any] | None
    """Labels to find timers by: strings, numbers, booleans or null."""
    retry_policy: RetryPolicyOptions
    """When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are."""
    callback_timeout: str
    """How long the receiver may take, 1s to 1h. Default 30s."""
    callback_timeout_seconds: float
    """The same in seconds."""
    if_version: int
    """Refused with 409 unless the timer has this version."""
    retry: bool
    """Bring the timer back if it failed: with these changes it is pending again and fires at once, or when they say. Its attempts are kept."""



class TimerQuery(TypedDict, total=False):
    """Which timers, in which order, and how many on a page."""

    namespace: str
    """Default: default. * is all namespaces that the key may see."""
    status: Status | Sequence[Status]
    due_from: datetime | str
    """Due at this instant or later."""
    due_to: datetime | str
    """Due before this instant."""
    metadata_key: str
    """A key their metadata must have."""
    metadata_value: Any
    """The value that key must have."""
    search: str
    """Ids that begin with this text; of too many timers to look through, the very id. searched in the answer says which."""
    sort: Sort
    """Sorted and counted: the answer has a total and no nextCursor."""
    order: Order
    """Default: asc."""
    offset: int
    """How many to pass over, for a sorted list."""
    limit: int
    """Timers on a page. Default 100; cut to 1000 if more."""
    cursor: str
    """nextCursor of the page before."""
    fields: Sequence[Literal["id", "namespace", "groupId", "status", "executeAt", "schedule", "timeZone", "dst", "startAt", "endAt", "maxFirings", "spread", "calendar", "nominalAt", "iteration", "catchUp", "maxLateness", "overlap", "skipped", "running", "pausedUntil", "callbackUrl", "callback", "payload", "metadata", "retryPolicy", "callbackTimeout", "callbackTimeoutSeconds", "createdAt", "updatedAt", "executedAt", "triggeredAt", "nextAttemptAt", "attemptCount", "attempts", "lastError", "correlationId", "version", "deliveryId"]]
    """Which fields the timers are shown with. What is left out is not read: more timers fit on a page without payload."""



class BulkFilter(TypedDict, total=False):
    """Which timers to change at once."""

    namespace: str
    """Default: default."""
    status: Status | Sequence[Status]
    due_from: datetime | str
    """Due at this instant or later."""
    due_to: datetime | str
    """Due before this instant."""
    metadata_key: str
    """A key their metadata must have."""
    metadata_value: Any
    """The value that key must have."""
    all: bool
    """Without any other filter: every timer of the namespace."""



class PreviewQuery(TypedDict, total=False):
    """A schedule to look at."""

    execute_at: datetime | str
    """When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin]."""
    schedule: str
    """Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9)."""
    time_zone: str
    """Whose calendar the schedule follows; the answer shows its local times too."""
    dst: ClockChangeRules
    """In the nights when clocks change."""
    start_at: str
    """Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then."""
    end_at: str
    """Of a schedule that repeats: nothing fires after. Written as startAt."""
    max_firings: int
    """Of a schedule that repeats: how many iterations it has. Those that are passed over count."""
    spread: str
    """Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h."""
    calendar: CalendarRule
    """A calendar: nothing fires when it says so."""
    from_: str
    """Only firings at this instant or later."""
    to: str
    """Only firings before this instant."""
    namespace: str
    """Default: default."""
    id: str
    """Of the timer that is meant, which decides how far its firings are spread."""
    count: int
    """How many firings. Default 5."""



class ForecastQuery(TypedDict, total=False):
    """Of which namespace, and in which steps of time."""

    namespace: str
    """Of this namespace only. Default: all that the key may see."""
    step: Literal["second", "minute", "hour", "day"]
    """Default: minute."""
    steps: int
    """How many, up to 366. Default 60."""



class CallbackTest(TypedDict, total=False):
    """A callback to try."""

    namespace: str
    """Default: default."""
    callback_url: str
    """Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***."""
    callback: Callback
    """Where the timer fires, with headers or over NATS; instead of callbackUrl."""
    payload: Any
    """Any JSON; delivered as it is."""
    metadata: Mapping[str, Any] | None
    """Labels to find timers by: strings, numbers, booleans or null."""
    callback_timeout: str
    """How long the receiver may take, 1s to 1h. Default 30s."""
    callback_timeout_seconds: float
    """The same in seconds."""



@dataclass(frozen=True, slots=True, kw_only=True)
class RunningIteration:
    """An iteration that runs beside others of its timer."""

    iteration: int
    execute_at: datetime
    attempt_count: int
    """Attempts that have ended."""
    next_attempt_at: datetime | None = None
    """When it is, or was, tried again."""
    delivery_id: str



@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When a failed delivery is tried again."""

    max_retries: int
    initial_interval: str
    backoff_multiplier: float
    max_interval: str
    max_retry_attempts_duration: str



@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt to deliver."""

    at: datetime
    duration_ms: float
    outcome: Outcome
    status_code: int | None = None
    error: str | None = None
    note: str | None = None
    """What is worth knowing although it is no failure: an unexpected answer, a wait that was changed."""
    iteration: int | None = None
    """Of one that ran beside others."""



@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """A timer as the service has it."""

    id: str
    namespace: str
    group_id: str
    """The namespace by its other name."""
    status: Status
    execute_at: datetime
    """When the current firing is due; a trigger of a cycle does not move it, nor do retries."""
    schedule: str | None = None
    """As it was given; absent for a plain executeAt."""
    time_zone: str | None = None
    dst: ClockChangeRules | None = None
    """In the nights when clocks change."""
    start_at: datetime | None = None
    """Nothing fires before."""
    end_at: datetime | None = None
    """Nothing fires after."""
    max_firings: int | None = None
    """How many iterations it has."""
    spread: str | None = None
    """How far firings of many timers are spread."""
    calendar: CalendarRule | None = None
    """A calendar: nothing fires when it says so."""
    nominal_at: datetime | None = None
    """When the schedule says that the current firing is, if executeAt is another time."""
    iteration: int | None = None
    """Which iteration of a cycle is next, from 1."""
    catch_up: Any | None = None
    """Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3})."""
    max_lateness: str | None = None
    """What would begin later than this is missed."""
    overlap: str | None = None
    """skip, queue or allow."""
    skipped: int | None = None
    """How many iterations were not fired; absent for none."""
    running: list[RunningIteration] | None = None
    """With overlap allow: iterations that have begun and are not over, beside the next one."""
    paused_until: datetime | None = None
    """When the pause ends by itself."""
    callback_url: str | None = None
    callback: Callback | None = None
    """As it was given; header values are shown as ***."""
    payload: Any | None = None
    metadata: dict[str, Any] | None = None
    retry_policy: RetryPolicy
    callback_timeout: str
    callback_timeout_seconds: float
    created_at: datetime
    updated_at: datetime
    executed_at: datetime | None = None
    """When the last attempt started."""
    triggered_at: datetime | None = None
    """Of a cycle: it fires once more, beside its schedule, as was asked for then."""
    next_attempt_at: datetime | None = None
    """While it waits for a retry."""
    attempt_count: int
    """Attempts made of the current firing."""
    attempts: list[Attempt]
    """The last attempts, oldest first."""
    last_error: str | None = None
    correlation_id: str | None = None
    """Of a timer that a message made: as the message had it."""
    version: int
    """Grows with every change; see ifVersion."""
    delivery_id: str
    """Sent with every attempt of the current firing, to recognise duplicates by."""



@dataclass(frozen=True, slots=True, kw_only=True)
class TimerPage:
    """Some of the timers of a list, and where it goes on."""

    timers: list[Timer]
    next_cursor: str | None = None
    total: int | None = None
    """Of a sorted list or a search: how many match."""
    next_offset: int | None = None
    """Of a sorted list or a search whose page ended before its limit, because its timers are large: the offset to go on at."""
    searched: Literal["prefix", "exact"] | None = None



@dataclass(frozen=True, slots=True, kw_only=True)
class UnusualFiring:
    """A firing that is not simply when the schedule says."""

    execute_at: datetime
    nominal_at: datetime | None = None
    """When the schedule says, if that is another time."""
    reasons: list[Literal["gap", "overlap", "calendar", "spread"]]
    note: str
    """The reasons in words."""



@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """When a timer would fire."""

    now: datetime
    firings: list[datetime]
    time_zone: str | None = None
    local_firings: list[str] | None = None
    description: str
    """The schedule in words."""
    unusual: list[UnusualFiring]
    """Those of the firings that are not simply when the schedule says: where clocks change, say."""



@dataclass(frozen=True, slots=True, kw_only=True)
class Canceled:
    """What came of canceling many timers."""

    matched: int
    too_late: int
    more: bool
    canceled: int



@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """What came of retrying many timers."""

    matched: int
    too_late: int
    more: bool
    retried: int



@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCounts:
    """How many timers have each status."""

    pending: int
    paused: int
    executing: int
    completed: int
    failed: int
    canceled: int



@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceCounts:
    """How many timers of a namespace have each status."""

    namespace: str
    pending: int
    paused: int
    executing: int
    completed: int
    failed: int
    canceled: int



@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGauges:
    """What the node that answered has in memory and under way."""

    in_flight: int
    ready: int
    window_timers: int
    commit_queue: int
    owned_shards: int
    listeners: int



@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityCounts:
    """What happened in a time."""

    fired: int
    delivered: int
    rescheduled: int
    retried: int
    failed: int
    created: int
    canceled: int



@dataclass(frozen=True, slots=True, kw_only=True)
class LatenessBucket:
    """How many were late by this much at most, and more than the bucket before."""

    le_ms: int
    count: int



@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """How late deliveries began, in milliseconds."""

    count: int
    p50: int | None
    p90: int | None
    p99: int | None
    max: int | None
    histogram: list[LatenessBucket]



@dataclass(frozen=True, slots=True, kw_only=True)
class ActivitySecond:
    """What happened in a second."""

    at: datetime
    fired: int
    delivered: int
    rescheduled: int
    retried: int
    failed: int
    created: int
    canceled: int



@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """How many timers there are, and what happened lately."""

    now: datetime
    version: str
    node: str
    scope: str
    """Counts are of the whole cluster; the rest is what this node did since it started."""
    database: str
    started_at: datetime
    namespace: str | None
    tracked: bool
    """false: there are more namespaces than a node follows, so figures of this one may be missing."""
    counts: StatusCounts
    counts_at: datetime
    namespaces: list[NamespaceCounts]
    """The 50 with the most live timers."""
    namespaces_total: int
    gauges: NodeGauges | None
    """Of the whole node; null for a key that is bound to namespaces."""
    last_minute: ActivityCounts
    last_hour: ActivityCounts
    lateness: Lateness
    """Of the last hour, in ms. The histogram has the buckets that something is in."""
    lateness_last_minute: Lateness
    per_second: list[ActivitySecond]
    """The last 60 seconds that are over."""



@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastStep:
    """How many timers are due in one step."""

    at: datetime
    count: int
    hot: bool



@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastPeak:
    """The step with the most timers."""

    at: datetime
    count: int



@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """How many timers are due in each step of time from now."""

    now: datetime
    step_ms: int
    steps: list[ForecastStep]
    overdue: int
    """Due before the first step."""
    total: int
    complete: bool
    """false: there are more timers than are counted, so some are missing; of hours, those of a day are spread over it instead."""
    peak: ForecastPeak | None



@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackTestResult:
    """What came of a callback that was tried."""

    outcome: Outcome
    status_code: int | None
    duration_ms: int
    error: str | None
    next_execute_at: datetime | None
    delivery_id: str
    fired_at: datetime
    response_body: str | None
    response_truncated: bool
