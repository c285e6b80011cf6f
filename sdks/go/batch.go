package duetime

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Many creates, updates and cancels in as few requests as it takes. Each has its own result, and can be carried out twice by an unlucky
// retry without harm, as if it had been called alone.

const batchBytesMax = 300_000 // far below the 8 MiB that the service takes

// BatchItem is one of many changes: CreateItem, UpdateItem, CancelItem or CancelVersionItem makes it.
type BatchItem struct {
	create *NewTimer
	id     string
	update *TimerChanges
	// ifVersion is of a cancel; 0 for any version.
	ifVersion int
}

// CreateItem is Create as an item of a batch.
func CreateItem(timer NewTimer) BatchItem { return BatchItem{create: &timer} }

// UpdateItem is Update as an item of a batch.
func UpdateItem(id string, changes TimerChanges) BatchItem {
	return BatchItem{id: id, update: &changes}
}

// CancelItem is Cancel as an item of a batch.
func CancelItem(id string) BatchItem { return BatchItem{id: id} }

// CancelVersionItem is CancelVersion as an item of a batch.
func CancelVersionItem(id string, version int) BatchItem {
	return BatchItem{id: id, ifVersion: version}
}

// BatchResult is what came of one item of a batch: the timer, or the error. Of a cancel that was carried out it has neither.
type BatchResult struct {
	Timer *Timer
	Err   error
}

// Batch creates any number of timers, 1,000 to a request. Each has its own result, in order: a bad one fails alone. The timers that do
// not say what happens when their id is taken do what onConflict says; "" means replace.
func (c *Client) Batch(ctx context.Context, timers []NewTimer, onConflict OnConflict) ([]BatchResult, error) {
	items := make([]*openItem, len(timers))
	for index, timer := range timers {
		items[index] = c.open(CreateItem(timer), orDefault(onConflict, OnConflictReplace))
	}
	return c.batch(ctx, items)
}

// BatchItems is Batch for creates, updates and cancels together. What is said of one timer is carried out in order.
func (c *Client) BatchItems(ctx context.Context, given []BatchItem) ([]BatchResult, error) {
	items := make([]*openItem, len(given))
	for index, item := range given {
		items[index] = c.open(item, OnConflictReplace)
	}
	return c.batch(ctx, items)
}

type openItem struct {
	// action is "" for a create.
	action        string
	namespace, id string
	create        NewTimer
	body          any
	isDone        func(*Timer) bool
	unsure        bool
	result        *BatchResult
}

func (c *Client) open(item BatchItem, onConflict OnConflict) *openItem {
	switch {
	case item.create != nil:
		create := c.ready(*item.create, onConflict)
		return &openItem{namespace: create.Namespace, id: create.ID, create: create, body: create}
	case item.update != nil:
		body := struct {
			Action string `json:"action"`
			updateBody
		}{"update", updateBody{c.named(item.id), *item.update}}
		return &openItem{action: "update", namespace: c.namespace, id: item.id, body: body, isDone: isUpdated(*item.update)}
	default:
		body := struct {
			Action string `json:"action"`
			deleteBody
		}{"delete", deleteBody{c.named(item.id), item.ifVersion}}
		return &openItem{action: "delete", namespace: c.namespace, id: item.id, body: body, isDone: isCanceled}
	}
}

func (i *openItem) sent() any {
	if i.action == "" && i.unsure {
		return withoutReplacing(i.create)
	}
	return i.body
}

func (c *Client) batch(ctx context.Context, items []*openItem) ([]BatchResult, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	for _, chunk := range chunks(items) {
		if err := c.sendChunk(ctx, limits, chunk); err != nil {
			return nil, err
		}
	}
	results := make([]BatchResult, len(items))
	for index, item := range items {
		results[index] = *item.result
	}
	return results, nil
}

func (c *Client) sendChunk(ctx context.Context, limits budget, items []*openItem) error {
	for retry := 0; ; retry++ {
		var open []*openItem
		for _, item := range items {
			if item.result == nil {
				open = append(open, item)
			}
		}
		if len(open) == 0 {
			return nil
		}
		busy, err := c.sendItems(ctx, limits, open)
		if err != nil {
			return err
		}
		if busy == nil {
			continue
		}
		if retry < c.retries {
			err = pause(ctx, limits, retry, busy)
			if err == nil {
				continue
			}
			if asError(err) == nil {
				return err
			}
		}
		// The others have their results: what is left has this one.
		for _, item := range open {
			if item.result == nil {
				item.result = &BatchResult{Err: busy}
			}
		}
	}
}

type batchAnswer struct{ Results []batchItemAnswer }

type batchItemAnswer struct {
	Status  int
	Timer   *Timer
	Error   Code
	Message string
	Details map[string]any
}

func (a batchItemAnswer) failure() *Error {
	failure := &Error{Code: a.Error, Message: a.Message, Status: a.Status, Details: a.Details, Attempts: 1}
	failure.Retryable = a.Status == http.StatusServiceUnavailable || a.Status == http.StatusTooManyRequests
	if wait, ok := a.Details["retryAfterMs"].(float64); ok {
		failure.RetryAfter = time.Duration(wait) * time.Millisecond
	}
	return failure
}

func anotherNumber(about Error) *Error {
	about.Code, about.Status, about.Message = BadAnswer, http.StatusOK, "the batch has another number of results than items"
	return &about
}

// sendItems returns the failure of those that are to be sent again after a while; nil when there are none.
func (c *Client) sendItems(ctx context.Context, limits budget, items []*openItem) (*Error, error) {
	body := func(uncertain bool) any {
		sent := make([]any, len(items))
		for index, item := range items {
			item.unsure = item.unsure || uncertain
			sent[index] = item.sent()
		}
		return map[string]any{"timers": sent}
	}
	var answer batchAnswer
	serverTime, err := c.send(ctx, limits, call{path: "timers/batch", body: body}, &answer)
	if err != nil {
		return nil, err
	}
	if len(answer.Results) != len(items) {
		return nil, anotherNumber(Error{Attempts: 1})
	}
	var busy *Error
	for index, answered := range answer.Results {
		item := items[index]
		if answered.Status < 300 {
			item.result = &BatchResult{Timer: answered.Timer}
			continue
		}
		failure := answered.failure()
		switch {
		case failure.Retryable:
			item.unsure = item.unsure || mayHaveHappened(failure)
			busy = failure
		case item.action == "":
			item.result = settled(item, failure, serverTime, limits)
		default:
			if item.result, err = c.settledChange(ctx, limits, item, failure); err != nil {
				return nil, err
			}
		}
	}
	return busy, nil
}

// settled returns nil for a create that is to be sent again as it was at first.
func settled(item *openItem, failure *Error, serverTime time.Time, limits budget) *BatchResult {
	there := timerInTheWay(failure)
	if !item.unsure || there == nil {
		return &BatchResult{Err: failure}
	}
	if isMade(there, item.create, serverTime, limits) {
		return &BatchResult{Timer: there}
	}
	item.unsure = false
	if item.create.OnConflict == OnConflictReject {
		return &BatchResult{Err: failure}
	}
	return nil
}

func (c *Client) settledChange(ctx context.Context, limits budget, item *openItem, failure *Error) (*BatchResult, error) {
	if !item.unsure {
		return &BatchResult{Err: failure}, nil
	}
	timer, err := c.changedBefore(ctx, limits, item.id, failure, item.isDone)
	switch {
	case err != nil:
		return nil, err
	case timer == nil:
		return &BatchResult{Err: failure}, nil
	case item.action == "delete":
		return &BatchResult{}, nil
	default:
		return &BatchResult{Timer: timer}, nil
	}
}

// chunks are by number and, since payloads can be large, by size. A timer is in one only once: what is said of it first has ended, with
// all its attempts, before the next is sent.
func chunks(items []*openItem) [][]*openItem {
	var all [][]*openItem
	begin, size, names := 0, 0, map[string]bool{}
	for index, item := range items {
		text, _ := json.Marshal(item.body) // what cannot be written fails when it is sent
		name := item.namespace + "/" + item.id
		isFull := index-begin == batchTimersMax || size+len(text) > batchBytesMax
		if index > begin && (isFull || item.id != "" && names[name]) {
			all = append(all, items[begin:index])
			begin, size, names = index, 0, map[string]bool{}
		}
		size += len(text)
		names[name] = true
	}
	if begin < len(items) {
		all = append(all, items[begin:])
	}
	return all
}
