package duetime

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// asked is what create and update have in common. Policies and time limits are left out: the server writes them in its own way.
type asked struct {
	executeAt   time.Time
	schedule    string
	callbackURL string
	callback    *Callback
	payload     any
	metadata    map[string]any
}

func askedOf(create NewTimer) asked {
	return asked{create.ExecuteAt, create.Schedule, create.CallbackURL, create.Callback, create.Payload, create.Metadata}
}

// isAsAsked says whether everything that was asked for is so. After an answer was lost, what looks like a conflict may be the trace
// of the first attempt.
func isAsAsked(timer *Timer, wanted asked) bool {
	return (wanted.executeAt.IsZero() || nominalAt(timer).Equal(wanted.executeAt.Truncate(time.Millisecond))) &&
		(wanted.schedule == "" || isSchedule(timer, wanted.schedule)) &&
		isTarget(timer.Callback, wanted) &&
		(wanted.payload == nil || sameJSON(timer.Payload, wanted.payload)) &&
		(wanted.metadata == nil || sameJSON(timer.Metadata, wanted.metadata))
}

// isSchedule: a schedule can be an instant as well, and then shows as the due time.
func isSchedule(timer *Timer, wanted string) bool {
	if timer.Schedule != "" {
		return timer.Schedule == wanted
	}
	at, err := time.Parse(time.RFC3339Nano, wanted)
	return err == nil && nominalAt(timer).Equal(at)
}

// nominalAt is the due time before it was spread.
func nominalAt(timer *Timer) time.Time { return orDefault(timer.NominalAt, timer.ExecuteAt) }

func isTarget(shown *Callback, wanted asked) bool {
	callback := wanted.callback
	if callback == nil && wanted.callbackURL != "" {
		callback = &Callback{Type: "http", URL: wanted.callbackURL}
	}
	if callback == nil {
		return true
	}
	if shown == nil {
		return false
	}
	left, right := *shown, *callback
	left.Headers, right.Headers = nil, nil // answers hide their values
	left.URL, right.URL = comparableURL(left.URL), comparableURL(right.URL)
	return reflect.DeepEqual(left, right)
}

// comparableURL: answers show a URL as it was given, or in the form in which it is used; credentials are hidden.
func comparableURL(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		return text
	}
	if parsed.User != nil {
		parsed.User = url.User("hidden")
	}
	parsed.Host = strings.ToLower(parsed.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[parsed.Scheme]; port != "" {
		parsed.Host = strings.TrimSuffix(parsed.Host, port)
	}
	if parsed.Path == "" {
		parsed.Path = "/"
	}
	return parsed.String()
}

func sameJSON(a, b any) bool {
	left, right := plain(a), plain(b)
	return reflect.DeepEqual(left, right)
}

// plain is the value as the server has read it.
func plain(value any) any {
	if raw, ok := value.(json.RawMessage); ok && raw == nil {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var read any
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	return read
}
