package duetime

import (
	"strconv"
	"strings"
	"time"
)

// After is a schedule that fires once, so long after the service has stored it. Parts of a millisecond are left out.
func After(d time.Duration) string {
	// Whole milliseconds, written without an exponent.
	seconds := strconv.FormatFloat(d.Truncate(time.Millisecond).Seconds(), 'f', 3, 64)
	return "PT" + strings.TrimSuffix(strings.TrimRight(seconds, "0"), ".") + "S"
}

// Every is a schedule that fires again and again, for ever, first one interval from now.
func Every(d time.Duration) string { return "R/" + After(d) }

// EveryTimes is Every for so many firings.
func EveryTimes(d time.Duration, times int) string { return "R" + strconv.Itoa(times) + "/" + After(d) }

// EveryFrom is Every with a first firing at an instant.
func EveryFrom(d time.Duration, first time.Time) string {
	return "R/" + first.UTC().Format("2006-01-02T15:04:05.000Z07:00") + "/" + After(d)
}

// Ptr is for optional numbers: RetryPolicyOptions{MaxRetries: duetime.Ptr(0)}.
func Ptr[T any](value T) *T { return &value }
