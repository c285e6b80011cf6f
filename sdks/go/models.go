// Code generated from the schemas of the service by `npm run docs`. DO NOT EDIT.

package duetime

import (
	"encoding/json"
	"time"
)

const batchTimersMax = 1000

// The codes of the service's refusals.
const (
	// A field is missing, unknown or out of bounds. `details` names it.
	InvalidInput Code = "INVALID_INPUT"

	// NAMESPACES lists the namespaces this service accepts, and this is not one of them.
	NamespaceNotEnabled Code = "NAMESPACE_NOT_ENABLED"

	// No timer has this namespace and id, or it finished and its retention time is over.
	TimerNotFound Code = "TIMER_NOT_FOUND"

	// The namespace has no calendar of this name.
	CalendarNotFound Code = "CALENDAR_NOT_FOUND"

	// A timer with this id exists and the request asked not to replace it.
	TimerAlreadyExists Code = "TIMER_ALREADY_EXISTS"

	// The idempotency key stands for a timer that was made with other parameters. `details.timer` is that timer.
	IdempotencyKeyReused Code = "IDEMPOTENCY_KEY_REUSED"

	// The timer is being delivered or has finished, so it is too late for this change.
	TimerNotPending Code = "TIMER_NOT_PENDING"

	// The timer changed since the version given in `ifVersion`. Read it again and decide anew.
	VersionConflict Code = "VERSION_CONFLICT"

	// The request carries no API key, or one that is not known.
	Unauthorized Code = "UNAUTHORIZED"

	// The API key lacks the permission or the namespace for this request.
	Forbidden Code = "FORBIDDEN"

	// No such route. /docs lists them all.
	RouteNotFound Code = "ROUTE_NOT_FOUND"

	// The path exists, with another method. `details.allowed` lists them.
	MethodNotAllowed Code = "METHOD_NOT_ALLOWED"

	// The request body, or the payload in it, is larger than the configured maximum.
	PayloadTooLarge Code = "PAYLOAD_TOO_LARGE"

	// Request bodies are JSON: send `Content-Type: application/json`.
	UnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"

	// Too many requests. Wait as long as `Retry-After` says.
	RateLimited Code = "RATE_LIMITED"

	// The store is failing, or more writes are waiting than it can take. The message says whether nothing was stored or that is not known. Retry after `Retry-After`.
	Unavailable Code = "UNAVAILABLE"

	// Nothing was stored: the part of the timers that this one belongs to is moving between nodes. Retry after `Retry-After`.
	NotOwner Code = "NOT_OWNER"

	// A defect of the service. Its log has the cause under the same request id.
	Internal Code = "INTERNAL"
)

// OnConflict is one of the constants below, or a word of a later version of the service.
type OnConflict string

const (
	OnConflictReplace OnConflict = "replace"
	OnConflictKeep    OnConflict = "keep"
	OnConflictReject  OnConflict = "reject"
)

// Status is one of the constants below, or a word of a later version of the service.
type Status string

const (
	StatusPending   Status = "pending"
	StatusPaused    Status = "paused"
	StatusExecuting Status = "executing"
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusCanceled  Status = "canceled"
)

// Sort is one of the constants below, or a word of a later version of the service.
type Sort string

const (
	SortDueAt     Sort = "dueAt"
	SortCreatedAt Sort = "createdAt"
)

// Order is one of the constants below, or a word of a later version of the service.
type Order string

const (
	OrderAsc  Order = "asc"
	OrderDesc Order = "desc"
)

// Outcome is one of the constants below, or a word of a later version of the service.
type Outcome string

const (
	OutcomeDelivered   Outcome = "delivered"
	OutcomeRescheduled Outcome = "rescheduled"
	OutcomeFailed      Outcome = "failed"
)

// Callback: Where a timer fires. Its type says which of the other fields it has.
type Callback struct {
	Type string `json:"type"`

	URL string `json:"url,omitempty"`

	// Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value.
	Headers map[string]string `json:"headers,omitzero"`

	Topic string `json:"topic,omitempty"`

	Key string `json:"key,omitempty"`
}

// ClockChangeRules: What a local time means that does not exist or exists twice, where clocks change.
type ClockChangeRules struct {
	// A local time that clocks skip: shifted, as much later as they go forward (default), or skipped.
	Gap string `json:"gap,omitempty"`

	// A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default.
	Overlap string `json:"overlap,omitempty"`
}

// CalendarRule: The calendar that says when nothing fires, and what becomes of a firing that it excludes.
type CalendarRule struct {
	// Its name in the namespace.
	Name string `json:"name"`

	// A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved).
	OnExcluded string `json:"onExcluded,omitempty"`
}

// RetryPolicyOptions: When a failed delivery is tried again.
type RetryPolicyOptions struct {
	// Attempts after the first, 0 to 100. Default 3.
	MaxRetries *int `json:"maxRetries,omitempty"`

	// Attempts in all, the first included, 1 to 101; instead of maxRetries.
	MaxAttempts *int `json:"maxAttempts,omitempty"`

	// Wait before the first retry, such as 30s or PT30S. Default 30s.
	InitialInterval string `json:"initialInterval,omitempty"`

	// Each wait is so many times the last. Default 2.
	BackoffMultiplier *float64 `json:"backoffMultiplier,omitempty"`

	// Same as backoffMultiplier.
	Multiplier *float64 `json:"multiplier,omitempty"`

	// The longest wait. Default 10m.
	MaxInterval string `json:"maxInterval,omitempty"`

	// No attempt starts later after the first one. Default 24h.
	MaxRetryAttemptsDuration string `json:"maxRetryAttemptsDuration,omitempty"`

	// Same as maxRetryAttemptsDuration.
	MaxAttemptsDuration string `json:"maxAttemptsDuration,omitempty"`
}

// NewTimer: A timer to create.
type NewTimer struct {
	// Default: default.
	Namespace string `json:"namespace,omitempty"`

	// Any text. Default: a new UUIDv7.
	ID string `json:"id,omitempty"`

	// Instead of an id: a create that is repeated with the same key makes no second timer. The header Idempotency-Key does the same.
	IdempotencyKey string `json:"idempotencyKey,omitempty"`

	// When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin].
	ExecuteAt time.Time `json:"executeAt,omitzero"`

	// Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9).
	Schedule string `json:"schedule,omitempty"`

	// Whose calendar the schedule follows, such as Europe/Berlin. Default UTC.
	TimeZone string `json:"timeZone,omitempty"`

	// In the nights when clocks change.
	Dst *ClockChangeRules `json:"dst,omitempty"`

	// Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then.
	StartAt string `json:"startAt,omitempty"`

	// Of a schedule that repeats: nothing fires after. Written as startAt.
	EndAt string `json:"endAt,omitempty"`

	// Of a schedule that repeats: how many iterations it has. Those that are passed over count.
	MaxFirings *int `json:"maxFirings,omitempty"`

	// Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h.
	Spread string `json:"spread,omitempty"`

	// A calendar: nothing fires when it says so.
	Calendar *CalendarRule `json:"calendar,omitempty"`

	// Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}).
	CatchUp any `json:"catchUp,omitempty"`

	// A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h.
	MaxLateness string `json:"maxLateness,omitempty"`

	// Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other.
	Overlap string `json:"overlap,omitempty"`

	// Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***.
	CallbackURL string `json:"callbackUrl,omitempty"`

	// Where the timer fires, with headers or over NATS; instead of callbackUrl.
	Callback *Callback `json:"callback,omitempty"`

	// Any JSON; delivered as it is.
	Payload any `json:"payload,omitempty"`

	// Labels to find timers by: strings, numbers, booleans or null.
	Metadata map[string]any `json:"metadata,omitzero"`

	// When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are.
	RetryPolicy *RetryPolicyOptions `json:"retryPolicy,omitempty"`

	// How long the receiver may take, 1s to 1h. Default 30s.
	CallbackTimeout string `json:"callbackTimeout,omitempty"`

	// The same in seconds.
	CallbackTimeoutSeconds *float64 `json:"callbackTimeoutSeconds,omitempty"`

	// When the id is taken: replace the timer (default), keep it and answer with it, or reject with 409.
	OnConflict OnConflict `json:"onConflict,omitempty"`
}

// TimerChanges: What to change of a timer: only what is given changes.
type TimerChanges struct {
	// When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin].
	ExecuteAt time.Time `json:"executeAt,omitzero"`

	// Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9).
	Schedule string `json:"schedule,omitempty"`

	// Whose calendar the schedule follows, such as Europe/Berlin. Default UTC.
	TimeZone string `json:"timeZone,omitempty"`

	// In the nights when clocks change.
	Dst *ClockChangeRules `json:"dst,omitempty"`

	// Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then.
	StartAt string `json:"startAt,omitempty"`

	// Of a schedule that repeats: nothing fires after. Written as startAt.
	EndAt string `json:"endAt,omitempty"`

	// Of a schedule that repeats: how many iterations it has. Those that are passed over count.
	MaxFirings *int `json:"maxFirings,omitempty"`

	// Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h.
	Spread string `json:"spread,omitempty"`

	// A calendar: nothing fires when it says so.
	Calendar *CalendarRule `json:"calendar,omitempty"`

	// Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}).
	CatchUp any `json:"catchUp,omitempty"`

	// A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h.
	MaxLateness string `json:"maxLateness,omitempty"`

	// Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other.
	Overlap string `json:"overlap,omitempty"`

	// Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***.
	CallbackURL string `json:"callbackUrl,omitempty"`

	// Where the timer fires, with headers or over NATS; instead of callbackUrl.
	Callback *Callback `json:"callback,omitempty"`

	// Any JSON; delivered as it is.
	Payload any `json:"payload,omitempty"`

	// Labels to find timers by: strings, numbers, booleans or null.
	Metadata map[string]any `json:"metadata,omitzero"`

	// When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are.
	RetryPolicy *RetryPolicyOptions `json:"retryPolicy,omitempty"`

	// How long the receiver may take, 1s to 1h. Default 30s.
	CallbackTimeout string `json:"callbackTimeout,omitempty"`

	// The same in seconds.
	CallbackTimeoutSeconds *float64 `json:"callbackTimeoutSeconds,omitempty"`

	// Refused with 409 unless the timer has this version.
	IfVersion *int `json:"ifVersion,omitempty"`

	// Bring the timer back if it failed: with these changes it is pending again and fires at once, or when they say. Its attempts are kept.
	Retry bool `json:"retry,omitempty"`
}

// TimerQuery: Which timers, in which order, and how many on a page.
type TimerQuery struct {
	// Default: default. * is all namespaces that the key may see.
	Namespace string `json:"namespace,omitempty"`

	Status []Status `json:"status,omitempty"`

	// Due at this instant or later.
	DueFrom time.Time `json:"dueFrom,omitzero"`

	// Due before this instant.
	DueTo time.Time `json:"dueTo,omitzero"`

	// A key their metadata must have.
	MetadataKey string `json:"metadataKey,omitempty"`

	// The value that key must have.
	MetadataValue any `json:"metadataValue,omitempty"`

	// Ids that begin with this text; of too many timers to look through, the very id. searched in the answer says which.
	Search string `json:"search,omitempty"`

	// Sorted and counted: the answer has a total and no nextCursor.
	Sort Sort `json:"sort,omitempty"`

	// Default: asc.
	Order Order `json:"order,omitempty"`

	// How many to pass over, for a sorted list.
	Offset *int `json:"offset,omitempty"`

	// Timers on a page. Default 100; cut to 1000 if more.
	Limit *int `json:"limit,omitempty"`

	// nextCursor of the page before.
	Cursor string `json:"cursor,omitempty"`

	// Which fields the timers are shown with. What is left out is not read: more timers fit on a page without payload.
	Fields []string `json:"fields,omitempty"`
}

// BulkFilter: Which timers to change at once.
type BulkFilter struct {
	// Default: default.
	Namespace string `json:"namespace,omitempty"`

	Status []Status `json:"status,omitempty"`

	// Due at this instant or later.
	DueFrom time.Time `json:"dueFrom,omitzero"`

	// Due before this instant.
	DueTo time.Time `json:"dueTo,omitzero"`

	// A key their metadata must have.
	MetadataKey string `json:"metadataKey,omitempty"`

	// The value that key must have.
	MetadataValue any `json:"metadataValue,omitempty"`

	// Without any other filter: every timer of the namespace.
	All bool `json:"all,omitempty"`
}

// PreviewQuery: A schedule to look at.
type PreviewQuery struct {
	// When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin].
	ExecuteAt time.Time `json:"executeAt,omitzero"`

	// Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9).
	Schedule string `json:"schedule,omitempty"`

	// Whose calendar the schedule follows; the answer shows its local times too.
	TimeZone string `json:"timeZone,omitempty"`

	// In the nights when clocks change.
	Dst *ClockChangeRules `json:"dst,omitempty"`

	// Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then.
	StartAt string `json:"startAt,omitempty"`

	// Of a schedule that repeats: nothing fires after. Written as startAt.
	EndAt string `json:"endAt,omitempty"`

	// Of a schedule that repeats: how many iterations it has. Those that are passed over count.
	MaxFirings *int `json:"maxFirings,omitempty"`

	// Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h.
	Spread string `json:"spread,omitempty"`

	// A calendar: nothing fires when it says so.
	Calendar *CalendarRule `json:"calendar,omitempty"`

	// Only firings at this instant or later.
	From string `json:"from,omitempty"`

	// Only firings before this instant.
	To string `json:"to,omitempty"`

	// Default: default.
	Namespace string `json:"namespace,omitempty"`

	// Of the timer that is meant, which decides how far its firings are spread.
	ID string `json:"id,omitempty"`

	// How many firings. Default 5.
	Count *int `json:"count,omitempty"`
}

// ForecastQuery: Of which namespace, and in which steps of time.
type ForecastQuery struct {
	// Of this namespace only. Default: all that the key may see.
	Namespace string `json:"namespace,omitempty"`

	// Default: minute.
	Step string `json:"step,omitempty"`

	// How many, up to 366. Default 60.
	Steps *int `json:"steps,omitempty"`
}

// CallbackTest: A callback to try.
type CallbackTest struct {
	// Default: default.
	Namespace string `json:"namespace,omitempty"`

	// Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***.
	CallbackURL string `json:"callbackUrl,omitempty"`

	// Where the timer fires, with headers or over NATS; instead of callbackUrl.
	Callback *Callback `json:"callback,omitempty"`

	// Any JSON; delivered as it is.
	Payload any `json:"payload,omitempty"`

	// Labels to find timers by: strings, numbers, booleans or null.
	Metadata map[string]any `json:"metadata,omitzero"`

	// How long the receiver may take, 1s to 1h. Default 30s.
	CallbackTimeout string `json:"callbackTimeout,omitempty"`

	// The same in seconds.
	CallbackTimeoutSeconds *float64 `json:"callbackTimeoutSeconds,omitempty"`
}

// RunningIteration: An iteration that runs beside others of its timer.
type RunningIteration struct {
	Iteration int `json:"iteration"`

	ExecuteAt time.Time `json:"executeAt"`

	// Attempts that have ended.
	AttemptCount int `json:"attemptCount"`

	// When it is, or was, tried again.
	NextAttemptAt time.Time `json:"nextAttemptAt,omitzero"`

	DeliveryID string `json:"deliveryId"`
}

// RetryPolicy: When a failed delivery is tried again.
type RetryPolicy struct {
	MaxRetries int `json:"maxRetries"`

	InitialInterval string `json:"initialInterval"`

	BackoffMultiplier float64 `json:"backoffMultiplier"`

	MaxInterval string `json:"maxInterval"`

	MaxRetryAttemptsDuration string `json:"maxRetryAttemptsDuration"`
}

// Attempt: One attempt to deliver.
type Attempt struct {
	At time.Time `json:"at"`

	DurationMs float64 `json:"durationMs"`

	Outcome Outcome `json:"outcome"`

	StatusCode *int `json:"statusCode,omitempty"`

	Error string `json:"error,omitempty"`

	// What is worth knowing although it is no failure: an unexpected answer, a wait that was changed.
	Note string `json:"note,omitempty"`

	// Of one that ran beside others.
	Iteration *int `json:"iteration,omitempty"`
}

// Timer: A timer as the service has it.
type Timer struct {
	ID string `json:"id"`

	Namespace string `json:"namespace"`

	// The namespace by its other name.
	GroupID string `json:"groupId"`

	Status Status `json:"status"`

	// When the current firing is due; a trigger of a cycle does not move it, nor do retries.
	ExecuteAt time.Time `json:"executeAt"`

	// As it was given; absent for a plain executeAt.
	Schedule string `json:"schedule,omitempty"`

	TimeZone string `json:"timeZone,omitempty"`

	// In the nights when clocks change.
	Dst *ClockChangeRules `json:"dst,omitempty"`

	// Nothing fires before.
	StartAt time.Time `json:"startAt,omitzero"`

	// Nothing fires after.
	EndAt time.Time `json:"endAt,omitzero"`

	// How many iterations it has.
	MaxFirings *int `json:"maxFirings,omitempty"`

	// How far firings of many timers are spread.
	Spread string `json:"spread,omitempty"`

	// A calendar: nothing fires when it says so.
	Calendar *CalendarRule `json:"calendar,omitempty"`

	// When the schedule says that the current firing is, if executeAt is another time.
	NominalAt time.Time `json:"nominalAt,omitzero"`

	// Which iteration of a cycle is next, from 1.
	Iteration *int `json:"iteration,omitempty"`

	// Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}).
	CatchUp json.RawMessage `json:"catchUp,omitempty"`

	// What would begin later than this is missed.
	MaxLateness string `json:"maxLateness,omitempty"`

	// skip, queue or allow.
	Overlap string `json:"overlap,omitempty"`

	// How many iterations were not fired; absent for none.
	Skipped *int `json:"skipped,omitempty"`

	// With overlap allow: iterations that have begun and are not over, beside the next one.
	Running []RunningIteration `json:"running,omitempty"`

	// When the pause ends by itself.
	PausedUntil time.Time `json:"pausedUntil,omitzero"`

	CallbackURL string `json:"callbackUrl,omitempty"`

	// As it was given; header values are shown as ***.
	Callback *Callback `json:"callback,omitempty"`

	Payload json.RawMessage `json:"payload,omitempty"`

	Metadata map[string]any `json:"metadata,omitzero"`

	RetryPolicy RetryPolicy `json:"retryPolicy"`

	CallbackTimeout string `json:"callbackTimeout"`

	CallbackTimeoutSeconds float64 `json:"callbackTimeoutSeconds"`

	CreatedAt time.Time `json:"createdAt"`

	UpdatedAt time.Time `json:"updatedAt"`

	// When the last attempt started.
	ExecutedAt time.Time `json:"executedAt,omitzero"`

	// Of a cycle: it fires once more, beside its schedule, as was asked for then.
	TriggeredAt time.Time `json:"triggeredAt,omitzero"`

	// While it waits for a retry.
	NextAttemptAt time.Time `json:"nextAttemptAt,omitzero"`

	// Attempts made of the current firing.
	AttemptCount int `json:"attemptCount"`

	// The last attempts, oldest first.
	Attempts []Attempt `json:"attempts"`

	LastError string `json:"lastError,omitempty"`

	// Of a timer that a message made: as the message had it.
	CorrelationID string `json:"correlationId,omitempty"`

	// Grows with every change; see ifVersion.
	Version int `json:"version"`

	// Sent with every attempt of the current firing, to recognise duplicates by.
	DeliveryID string `json:"deliveryId"`
}

// TimerPage: Some of the timers of a list, and where it goes on.
type TimerPage struct {
	Timers []Timer `json:"timers"`

	NextCursor string `json:"nextCursor,omitempty"`

	// Of a sorted list or a search: how many match.
	Total *int `json:"total,omitempty"`

	// Of a sorted list or a search whose page ended before its limit, because its timers are large: the offset to go on at.
	NextOffset *int `json:"nextOffset,omitempty"`

	Searched string `json:"searched,omitempty"`
}

// UnusualFiring: A firing that is not simply when the schedule says.
type UnusualFiring struct {
	ExecuteAt time.Time `json:"executeAt"`

	// When the schedule says, if that is another time.
	NominalAt time.Time `json:"nominalAt,omitzero"`

	Reasons []string `json:"reasons"`

	// The reasons in words.
	Note string `json:"note"`
}

// Preview: When a timer would fire.
type Preview struct {
	Now time.Time `json:"now"`

	Firings []time.Time `json:"firings"`

	TimeZone string `json:"timeZone,omitempty"`

	LocalFirings []string `json:"localFirings,omitempty"`

	// The schedule in words.
	Description string `json:"description"`

	// Those of the firings that are not simply when the schedule says: where clocks change, say.
	Unusual []UnusualFiring `json:"unusual"`
}

// Canceled: What came of canceling many timers.
type Canceled struct {
	Matched int `json:"matched"`

	TooLate int `json:"tooLate"`

	More bool `json:"more"`

	Canceled int `json:"canceled"`
}

// Retried: What came of retrying many timers.
type Retried struct {
	Matched int `json:"matched"`

	TooLate int `json:"tooLate"`

	More bool `json:"more"`

	Retried int `json:"retried"`
}

// StatusCounts: How many timers have each status.
type StatusCounts struct {
	Pending int `json:"pending"`

	Paused int `json:"paused"`

	Executing int `json:"executing"`

	Completed int `json:"completed"`

	Failed int `json:"failed"`

	Canceled int `json:"canceled"`
}

// NamespaceCounts: How many timers of a namespace have each status.
type NamespaceCounts struct {
	Namespace string `json:"namespace"`

	Pending int `json:"pending"`

	Paused int `json:"paused"`

	Executing int `json:"executing"`

	Completed int `json:"completed"`

	Failed int `json:"failed"`

	Canceled int `json:"canceled"`
}

// NodeGauges: What the node that answered has in memory and under way.
type NodeGauges struct {
	InFlight int `json:"inFlight"`

	Ready int `json:"ready"`

	WindowTimers int `json:"windowTimers"`

	CommitQueue int `json:"commitQueue"`

	OwnedShards int `json:"ownedShards"`

	Listeners int `json:"listeners"`
}

// ActivityCounts: What happened in a time.
type ActivityCounts struct {
	Fired int `json:"fired"`

	Delivered int `json:"delivered"`

	Rescheduled int `json:"rescheduled"`

	Retried int `json:"retried"`

	Failed int `json:"failed"`

	Created int `json:"created"`

	Canceled int `json:"canceled"`
}

// LatenessBucket: How many were late by this much at most, and more than the bucket before.
type LatenessBucket struct {
	LeMs int `json:"leMs"`

	Count int `json:"count"`
}

// Lateness: How late deliveries began, in milliseconds.
type Lateness struct {
	Count int `json:"count"`

	P50 *int `json:"p50,omitempty"`

	P90 *int `json:"p90,omitempty"`

	P99 *int `json:"p99,omitempty"`

	Max *int `json:"max,omitempty"`

	Histogram []LatenessBucket `json:"histogram"`
}

// ActivitySecond: What happened in a second.
type ActivitySecond struct {
	At time.Time `json:"at"`

	Fired int `json:"fired"`

	Delivered int `json:"delivered"`

	Rescheduled int `json:"rescheduled"`

	Retried int `json:"retried"`

	Failed int `json:"failed"`

	Created int `json:"created"`

	Canceled int `json:"canceled"`
}

// Overview: How many timers there are, and what happened lately.
type Overview struct {
	Now time.Time `json:"now"`

	Version string `json:"version"`

	Node string `json:"node"`

	// Counts are of the whole cluster; the rest is what this node did since it started.
	Scope string `json:"scope"`

	Database string `json:"database"`

	StartedAt time.Time `json:"startedAt"`

	Namespace string `json:"namespace,omitempty"`

	// false: there are more namespaces than a node follows, so figures of this one may be missing.
	Tracked bool `json:"tracked"`

	Counts StatusCounts `json:"counts"`

	CountsAt time.Time `json:"countsAt"`

	// The 50 with the most live timers.
	Namespaces []NamespaceCounts `json:"namespaces"`

	NamespacesTotal int `json:"namespacesTotal"`

	// Of the whole node; null for a key that is bound to namespaces.
	Gauges *NodeGauges `json:"gauges,omitempty"`

	LastMinute ActivityCounts `json:"lastMinute"`

	LastHour ActivityCounts `json:"lastHour"`

	// Of the last hour, in ms. The histogram has the buckets that something is in.
	Lateness Lateness `json:"lateness"`

	LatenessLastMinute Lateness `json:"latenessLastMinute"`

	// The last 60 seconds that are over.
	PerSecond []ActivitySecond `json:"perSecond"`
}

// ForecastStep: How many timers are due in one step.
type ForecastStep struct {
	At time.Time `json:"at"`

	Count int `json:"count"`

	Hot bool `json:"hot"`
}

// ForecastPeak: The step with the most timers.
type ForecastPeak struct {
	At time.Time `json:"at"`

	Count int `json:"count"`
}

// Forecast: How many timers are due in each step of time from now.
type Forecast struct {
	Now time.Time `json:"now"`

	StepMs int `json:"stepMs"`

	Steps []ForecastStep `json:"steps"`

	// Due before the first step.
	Overdue int `json:"overdue"`

	Total int `json:"total"`

	// false: there are more timers than are counted, so some are missing; of hours, those of a day are spread over it instead.
	Complete bool `json:"complete"`

	Peak *ForecastPeak `json:"peak,omitempty"`
}

// CallbackTestResult: What came of a callback that was tried.
type CallbackTestResult struct {
	Outcome Outcome `json:"outcome"`

	StatusCode *int `json:"statusCode,omitempty"`

	DurationMs int `json:"durationMs"`

	Error string `json:"error,omitempty"`

	NextExecuteAt time.Time `json:"nextExecuteAt,omitzero"`

	DeliveryID string `json:"deliveryId"`

	FiredAt time.Time `json:"firedAt"`

	ResponseBody string `json:"responseBody,omitempty"`

	ResponseTruncated bool `json:"responseTruncated"`
}
