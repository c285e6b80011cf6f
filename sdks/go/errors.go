package duetime

import (
	"errors"
	"time"
)

// Code says what went wrong, in the words of the service's catalogue of errors. It is an error itself, so that
// errors.Is(err, duetime.TimerNotPending) works.
type Code string

// What the service cannot say because there was no answer of it.
const (
	Network   Code = "NETWORK"    // No connection, or a broken one.
	Timeout   Code = "TIMEOUT"    // No answer in time.
	BadAnswer Code = "BAD_ANSWER" // An answer that Duetime does not give: a proxy's error page, for instance.
)

func (c Code) Error() string { return string(c) }

// Error is what calls return when they fail, except for errors of their context.
type Error struct {
	Code    Code
	Message string
	// Status is the HTTP status; 0 when there was no answer.
	Status int
	// Details has what is known about the failure: "field" names what is wrong with a request.
	Details map[string]any
	// RequestID was sent as X-Request-ID: the service's log has the request under it.
	RequestID string
	// Retryable says whether the same call may succeed later.
	Retryable bool
	// RetryAfter is how long the service asked to wait; 0 when it did not.
	RetryAfter time.Duration
	// Attempts is how many times the request was sent.
	Attempts int

	serverTime time.Time
	cause      error
}

func (e *Error) Error() string { return "duetime: " + string(e.Code) + ": " + e.Message }

func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is(err, duetime.TimerNotFound) true for errors of this code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && e.Code == code
}

func asError(err error) *Error {
	var failure *Error
	errors.As(err, &failure)
	return failure
}

func invalidInput(field, message string) *Error {
	return &Error{Code: InvalidInput, Message: message, Status: 400, Details: map[string]any{"field": field}, Attempts: 1}
}
