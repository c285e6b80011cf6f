package duetime

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"
)

// Options of a client. The zero value is a client of a service on this machine.
type Options struct {
	URL    string // Default http://localhost:8080.
	APIKey string
	// Namespace is for calls that do not name one. Default "default".
	Namespace string
	// Timeout is for a whole call, with all its attempts and waits. Default 30 s. The deadline of a context can end it sooner.
	Timeout time.Duration
	// AttemptTimeout is for one attempt. Default 10 s.
	AttemptTimeout time.Duration
	// Retries are the attempts after the first. Default 10; -1 for none.
	Retries int
	// Header is sent with every request.
	Header http.Header
	// HTTPClient replaces http.DefaultClient.
	HTTPClient *http.Client
	// DisableGathering sends a request for each call. Otherwise creates, updates and cancels that are called at the same time share
	// requests: nothing waits for it, and each has its own answer or error. A shared request ends by AttemptTimeout, and has none of the
	// values of the callers' contexts.
	DisableGathering bool
}

// Client of the service. Goroutines can share it.
type Client struct {
	url, apiKey, namespace  string
	timeout, attemptTimeout time.Duration
	retries                 int
	header                  http.Header
	http                    *http.Client
	gatherer                *gatherer
}

// New makes a client; it does not connect before the first call.
func New(options Options) *Client {
	client := &Client{
		url:            strings.TrimRight(orDefault(options.URL, "http://localhost:8080"), "/"),
		apiKey:         options.APIKey,
		namespace:      orDefault(options.Namespace, "default"),
		timeout:        orDefault(options.Timeout, 30*time.Second),
		attemptTimeout: orDefault(options.AttemptTimeout, 10*time.Second),
		retries:        max(0, orDefault(options.Retries, 10)),
		header:         options.Header.Clone(),
		http:           orDefault(options.HTTPClient, http.DefaultClient),
	}
	if !options.DisableGathering {
		client.gatherer = &gatherer{client: client, slowAfter: slowAfter}
	}
	return client
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// In is the same client for the timers of another namespace.
func (c *Client) In(namespace string) *Client {
	other := *c
	other.namespace = namespace
	return &other
}

type nameBody struct {
	Namespace string `json:"namespace"`
	TimerID   string `json:"timerId"`
}

type getBody struct {
	nameBody
	IncludeSecrets bool `json:"includeSecrets"`
}

type pauseBody struct {
	nameBody
	Until time.Time `json:"until"`
}

type deleteBody struct {
	nameBody
	IfVersion int `json:"ifVersion,omitempty"`
}

type updateBody struct {
	nameBody
	TimerChanges
}

func (c *Client) named(id string) nameBody { return nameBody{Namespace: c.namespace, TimerID: id} }

// Get reads a timer. Finished timers can be read while the service retains them. The error is TimerNotFound when there is none.
func (c *Client) Get(ctx context.Context, id string) (*Timer, error) {
	return c.ask(ctx, "get", c.named(id))
}

// GetWithSecrets is Get with the values of the callback's headers.
func (c *Client) GetWithSecrets(ctx context.Context, id string) (*Timer, error) {
	return c.ask(ctx, "get", getBody{c.named(id), true})
}

// Pause: the timer does not fire until it is resumed.
func (c *Client) Pause(ctx context.Context, id string) (*Timer, error) {
	return c.ask(ctx, "pause", c.named(id))
}

// PauseUntil is Pause, until this instant at the latest.
func (c *Client) PauseUntil(ctx context.Context, id string, until time.Time) (*Timer, error) {
	return c.ask(ctx, "pause", pauseBody{c.named(id), until.Truncate(time.Millisecond)})
}

// Resume: what came due during the pause fires at once.
func (c *Client) Resume(ctx context.Context, id string) (*Timer, error) {
	return c.ask(ctx, "resume", c.named(id))
}

// Trigger makes a timer due at once; a cycle goes on as before. This is the one call that is not sent again when its answer was lost,
// since it would fire twice.
func (c *Client) Trigger(ctx context.Context, id string) (*Timer, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	var timer Timer
	body := always(c.named(id))
	if _, err := c.send(ctx, limits, call{path: "timers/trigger", body: body, onceOnly: true}, &timer); err != nil {
		return nil, err
	}
	return &timer, nil
}

func (c *Client) ask(ctx context.Context, verb string, body any) (*Timer, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	var timer Timer
	if _, err := c.send(ctx, limits, call{path: "timers/" + verb, body: always(body)}, &timer); err != nil {
		return nil, err
	}
	return &timer, nil
}

// Update changes only what is given. Once it returns, the old version never fires. The error is TimerNotPending when it is too late.
// A Payload of json.RawMessage("null") takes the payload away, and an empty Metadata the metadata.
func (c *Client) Update(ctx context.Context, id string, changes TimerChanges) (*Timer, error) {
	return c.change(ctx, "update", id, updateBody{c.named(id), changes}, isUpdated(changes))
}

// isUpdated: that it is too late, or has another version, can be the work of the first attempt.
func isUpdated(changes TimerChanges) func(*Timer) bool {
	wanted := asked{changes.ExecuteAt, changes.Schedule, changes.CallbackURL, changes.Callback, changes.Payload, changes.Metadata}
	return func(timer *Timer) bool {
		return isAsAsked(timer, wanted) && (changes.IfVersion == nil || timer.Version > *changes.IfVersion)
	}
}

func isCanceled(timer *Timer) bool { return timer.Status == StatusCanceled }

// Cancel: once it returns, the delivery never starts. The error is TimerNotPending when it is too late.
func (c *Client) Cancel(ctx context.Context, id string) error { return c.CancelVersion(ctx, id, 0) }

// CancelVersion is Cancel for a timer that still has this version; otherwise the error is VersionConflict.
func (c *Client) CancelVersion(ctx context.Context, id string, version int) error {
	body := deleteBody{c.named(id), version}
	_, err := c.change(ctx, "delete", id, body, isCanceled)
	return err
}

// Retry brings a failed timer back: its delivery starts at once, with all its attempts.
func (c *Client) Retry(ctx context.Context, id string) (*Timer, error) {
	body := c.named(id)
	return c.change(ctx, "retry", id, body, func(timer *Timer) bool { return timer.Status != StatusFailed })
}

// change is one change of one timer. One that says it is too late after an answer was lost may have been in time before.
func (c *Client) change(ctx context.Context, verb, id string, body any, isDone func(*Timer) bool) (*Timer, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	end, err := c.turn(ctx, c.namespace, id)
	if err != nil {
		return nil, err
	}
	defer end()
	action := verb
	if verb == "retry" {
		action = ""
	}
	repeated := false
	sent := func(uncertain bool) any {
		repeated = uncertain
		return body
	}
	var timer Timer
	var into any = &timer
	if verb == "delete" {
		into = nil
	}
	_, err = c.send(ctx, limits, call{path: "timers/" + verb, action: action, body: sent}, into)
	if err == nil {
		return &timer, nil
	}
	if !repeated {
		return nil, err
	}
	changed, getErr := c.changedBefore(ctx, limits, id, err, isDone)
	if changed == nil && getErr == nil {
		return nil, err
	}
	return changed, getErr
}

// changedBefore is the timer, if it is as an earlier attempt would have left it; nil when the failure is what it says.
func (c *Client) changedBefore(ctx context.Context, limits budget, id string, failure error, isDone func(*Timer) bool) (*Timer, error) {
	if !errors.Is(failure, TimerNotPending) && !errors.Is(failure, VersionConflict) {
		return nil, nil
	}
	var timer Timer
	if _, err := c.send(ctx, limits, call{path: "timers/get", body: always(c.named(id))}, &timer); err != nil {
		return nil, err
	}
	if isDone(&timer) {
		return &timer, nil
	}
	return nil, nil
}

// List is every timer that matches, page by page; Limit is the size of a page. It ends after an error.
//
//	for timer, err := range client.List(ctx, duetime.TimerQuery{Status: []duetime.Status{duetime.StatusFailed}}) { … }
func (c *Client) List(ctx context.Context, query TimerQuery) iter.Seq2[*Timer, error] {
	return func(yield func(*Timer, error) bool) {
		for {
			page, err := c.Page(ctx, query)
			if err != nil {
				yield(nil, err)
				return
			}
			for index := range page.Timers {
				if !yield(&page.Timers[index], nil) {
					return
				}
			}
			if !advance(&query, page) {
				return
			}
		}
	}
}

// advance moves the query to the next page; false after the last one. Sorted lists have a total instead of a cursor.
func advance(query *TimerQuery, page *TimerPage) bool {
	if page.NextCursor != "" {
		query.Cursor = page.NextCursor
		return true
	}
	if page.NextOffset != nil {
		query.Offset = page.NextOffset
		return true
	}
	end := len(page.Timers)
	if query.Offset != nil {
		end += *query.Offset
	}
	query.Offset = &end
	return page.Total != nil && len(page.Timers) > 0 && end < *page.Total
}

// Page is one page of a list; its NextCursor leads to the next one.
func (c *Client) Page(ctx context.Context, query TimerQuery) (*TimerPage, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	query.Namespace = orDefault(query.Namespace, c.namespace)
	var page TimerPage
	if _, err := c.send(ctx, limits, call{path: "timers/list", body: always(query)}, &page); err != nil {
		return nil, err
	}
	return &page, nil
}

// Preview says when a timer like this, created now, would fire. Nothing is stored.
func (c *Client) Preview(ctx context.Context, query PreviewQuery) (*Preview, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	var preview Preview
	if _, err := c.send(ctx, limits, call{path: "timers/preview", body: always(query)}, &preview); err != nil {
		return nil, err
	}
	return &preview, nil
}
