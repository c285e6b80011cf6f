package duetime

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	firstWait      = 100 * time.Millisecond
	longestWait    = 5 * time.Second
	quotedBytesMax = 200
)

// call is one request, sent as often as it takes: until there is an answer that trying again would not change, or the
// time or the attempts are used up.
type call struct {
	// path is what follows /api/v1/.
	path string
	// action is what it is in a batch: create, update or delete. Without one it goes alone.
	action string
	// body is asked for every attempt: uncertain when one before may have been carried out although its answer is not known. Without it
	// this is a GET.
	body func(uncertain bool) any
	// onceOnly is for what must not happen twice: it is not sent again once it may have been carried out.
	onceOnly bool
}

func always(body any) func(bool) any { return func(bool) any { return body } }

// budget is what is left for a call; several requests of one call share it.
type budget struct {
	startedAt time.Time
	deadline  time.Time
}

func (c *Client) begin(ctx context.Context) (context.Context, context.CancelFunc, budget) {
	now := time.Now()
	limits := budget{startedAt: now, deadline: now.Add(c.timeout)}
	// The caller's context is asked first everywhere: what it says is returned as it is.
	limited, cancel := context.WithDeadline(ctx, limits.deadline)
	if deadline, ok := limited.Deadline(); ok {
		limits.deadline = deadline
	}
	return limited, cancel, limits
}

// send reads the answer into `into` and returns the service's clock.
func (c *Client) send(ctx context.Context, limits budget, request call, into any) (time.Time, error) {
	uncertain := false
	for attempt := 1; ; attempt++ {
		serverTime, err := c.try(ctx, request, attempt, uncertain, into)
		if err == nil {
			return serverTime, nil
		}
		failure := asError(err)
		if failure == nil || !failure.Retryable || attempt > c.retries {
			return time.Time{}, err
		}
		uncertain = uncertain || mayHaveHappened(failure)
		if uncertain && request.onceOnly {
			return time.Time{}, err
		}
		if err := pause(ctx, limits, attempt-1, failure); err != nil {
			return time.Time{}, err
		}
	}
}

// pause waits before the next attempt. It returns the failure at once when that would be after the deadline.
func pause(ctx context.Context, limits budget, retry int, failure *Error) error {
	wait := backoff(retry, failure.RetryAfter)
	if time.Now().Add(wait).After(limits.deadline) {
		return failure
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backoff is exponential with full jitter, so that clients that failed together do not come back together.
func backoff(retry int, retryAfter time.Duration) time.Duration {
	ceiling := min(longestWait, firstWait<<min(retry, 10))
	jitter := time.Duration(mathrand.Int64N(int64(ceiling)))
	if retryAfter > 0 {
		return retryAfter + min(jitter, 500*time.Millisecond)
	}
	return jitter
}

// mayHaveHappened: everything but a server that says it did not.
func mayHaveHappened(failure *Error) bool {
	return failure.Status != http.StatusTooManyRequests && failure.Code != NotOwner
}

// try is one attempt: alone, or with others that are made at the same time.
func (c *Client) try(ctx context.Context, request call, attempt int, uncertain bool, into any) (time.Time, error) {
	about := Error{RequestID: newRequestID(), Attempts: attempt}
	var body []byte
	if request.body != nil {
		written, err := json.Marshal(request.body(uncertain))
		if err != nil {
			return time.Time{}, fmt.Errorf("duetime: the request cannot be written as JSON: %w", err)
		}
		body = written
	}
	if !request.onceOnly {
		// What is sent once only has no second attempt to save time for.
		limited, cancel := context.WithTimeout(ctx, c.attemptTimeout)
		defer cancel()
		ctx = limited
	}
	if c.gatherer != nil && request.action != "" {
		return c.gatherer.send(ctx, request, body, about, into)
	}
	return c.attempt(ctx, request, body, about, into)
}

// attempt sends one request, once; without a body it is a GET.
func (c *Client) attempt(ctx context.Context, request call, body []byte, about Error, into any) (time.Time, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	outgoing, err := http.NewRequestWithContext(ctx, method, c.url+"/api/v1/"+request.path, bytes.NewReader(body))
	if err != nil {
		return time.Time{}, fmt.Errorf("duetime: %w", err)
	}
	for name, values := range c.header {
		outgoing.Header[name] = values
	}
	if body != nil {
		outgoing.Header.Set("Content-Type", "application/json")
	}
	outgoing.Header.Set("Accept", "application/json")
	outgoing.Header.Set("X-Request-ID", about.RequestID)
	if c.apiKey != "" {
		outgoing.Header.Set("X-API-Key", c.apiKey)
	}
	response, err := c.http.Do(outgoing)
	if err != nil {
		return time.Time{}, noAnswer(ctx, about, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return time.Time{}, noAnswer(ctx, about, err)
	}
	return read(response, text, about, into)
}

// noAnswer: the caller's own end of the call is returned as it is; a deadline of ours is a timeout.
func noAnswer(ctx context.Context, about Error, cause error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	about.Retryable, about.cause = true, cause
	if ctx.Err() != nil || errors.Is(cause, context.DeadlineExceeded) {
		about.Code, about.Message = Timeout, "the service did not answer in time"
	} else {
		about.Code, about.Message = Network, "the service cannot be reached: "+cause.Error()
	}
	return &about
}

func read(response *http.Response, text []byte, about Error, into any) (time.Time, error) {
	about.Status = response.StatusCode
	about.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"), time.Now())
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		about.Retryable = true
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		if into == nil && len(text) == 0 {
			return time.Time{}, nil
		}
		if err := json.Unmarshal(text, into); err != nil {
			return time.Time{}, badAnswer(about, text, err)
		}
		serverTime, _ := http.ParseTime(response.Header.Get("Date"))
		return serverTime, nil
	}
	var refusal struct {
		Error, Message string
		Details        map[string]any
		Timestamp      time.Time
	}
	if err := json.Unmarshal(text, &refusal); err != nil || refusal.Error == "" {
		return time.Time{}, badAnswer(about, text, err)
	}
	about.Code, about.Message = Code(refusal.Error), refusal.Message
	about.Details, about.serverTime = refusal.Details, refusal.Timestamp
	return time.Time{}, &about
}

// badAnswer: a proxy's page, or another program on that port.
func badAnswer(about Error, text []byte, cause error) error {
	shown := strings.TrimSpace(string(text[:min(len(text), quotedBytesMax)]))
	if shown == "" {
		shown = "without a body"
	} else {
		shown = "with a body that is not Duetime's: " + shown
	}
	about.Code, about.Message, about.cause = BadAnswer, fmt.Sprintf("HTTP %d %s", about.Status, shown), cause
	return &about
}

// parseRetryAfter reads seconds or a date; 0 when it is neither.
func parseRetryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && seconds >= 0 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func newRequestID() string {
	var id [10]byte
	_, _ = rand.Read(id[:]) // never fails
	return "req_" + hex.EncodeToString(id[:])
}
