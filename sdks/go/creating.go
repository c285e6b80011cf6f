package duetime

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"
)

// Creates can be sent twice without making two timers, or firing one twice. When an answer was lost, the next attempt asks not
// to replace anything; a timer that is in the way then is either the one that the first attempt made, which is the answer, or another
// one, and then it is judged as if nothing had been sent before.

const (
	clocksApart   = time.Second // of two nodes of one cluster; what the timer is like is compared as well
	batchBytesMax = 300_000     // far below the 8 MiB that the service takes
)

// newTimerID is a UUIDv7: ids that are made one after the other sort that way.
func newTimerID() string {
	var id [16]byte
	_, _ = rand.Read(id[6:]) // never fails
	ms := time.Now().UnixMilli()
	for index := 5; index >= 0; index-- {
		id[index] = byte(ms)
		ms >>= 8
	}
	id[6] = 0x70 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

// ready makes a create that can be sent again: it has an id before it is first sent, or an idempotency key.
func (c *Client) ready(timer NewTimer, onConflict OnConflict) NewTimer {
	if timer.Namespace == "" {
		timer.Namespace = c.namespace
	}
	switch {
	case timer.IdempotencyKey != "":
	case timer.ID == "":
		// Of an id that was made here nobody else can know, so a timer that has it already is this one.
		timer.ID, timer.OnConflict = newTimerID(), OnConflictKeep
	case timer.OnConflict == "":
		timer.OnConflict = onConflict
	}
	return timer
}

// Create returns when the timer is stored on disk. Without an id it gets one here, before it is first sent: sent twice, it still is one
// timer that fires once. A timer of the same id is replaced unless OnConflict says otherwise.
func (c *Client) Create(ctx context.Context, timer NewTimer) (*Timer, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	create := c.ready(timer, OnConflictReplace)
	for {
		repeated := false
		body := func(uncertain bool) any {
			repeated = uncertain
			if uncertain {
				return withoutReplacing(create)
			}
			return create
		}
		var made Timer
		_, err := c.send(ctx, limits, call{verb: "create", body: body}, &made)
		if err == nil {
			return &made, nil
		}
		failure := asError(err)
		if !repeated || failure == nil {
			return nil, err
		}
		there := timerInTheWay(failure)
		if there == nil {
			return nil, err
		}
		if isMade(there, create, failure.serverTime, limits) {
			return there, nil
		}
		if create.OnConflict == OnConflictReject {
			return nil, err
		}
	}
}

// BatchResult is what came of one timer of a batch: the timer, or the error.
type BatchResult struct {
	Timer *Timer
	Err   error
}

type batchItem struct {
	create    NewTimer
	uncertain bool
	result    *BatchResult
}

// Batch creates any number of timers, 1,000 to a request. Each has its own result, in order: a bad one fails alone. The timers that do
// not say what happens when their id is taken do what onConflict says; "" means replace.
func (c *Client) Batch(ctx context.Context, timers []NewTimer, onConflict OnConflict) ([]BatchResult, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	if onConflict == "" {
		onConflict = OnConflictReplace
	}
	items := make([]*batchItem, len(timers))
	for index, timer := range timers {
		items[index] = &batchItem{create: c.ready(timer, onConflict)}
	}
	for _, chunk := range chunks(items) {
		if err := c.createChunk(ctx, limits, chunk); err != nil {
			return nil, err
		}
	}
	results := make([]BatchResult, len(items))
	for index, item := range items {
		results[index] = *item.result
	}
	return results, nil
}

func (c *Client) createChunk(ctx context.Context, limits budget, items []*batchItem) error {
	for retry := 0; ; retry++ {
		var open []*batchItem
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

type batchAnswer struct {
	Results []struct {
		Status  int
		Timer   *Timer
		Error   Code
		Message string
		Details map[string]any
	}
}

// sendItems returns the failure of those that are to be sent again after a while; nil when there are none.
func (c *Client) sendItems(ctx context.Context, limits budget, items []*batchItem) (*Error, error) {
	body := func(uncertain bool) any {
		creates := make([]NewTimer, len(items))
		for index, item := range items {
			item.uncertain = item.uncertain || uncertain
			creates[index] = item.create
			if item.uncertain {
				creates[index] = withoutReplacing(item.create)
			}
		}
		return map[string]any{"timers": creates}
	}
	var answer batchAnswer
	serverTime, err := c.send(ctx, limits, call{verb: "batch", body: body}, &answer)
	if err != nil {
		return nil, err
	}
	if len(answer.Results) != len(items) {
		return nil, &Error{Code: BadAnswer, Status: 200, Message: "the batch has another number of results than timers", Attempts: 1}
	}
	var busy *Error
	for index, answered := range answer.Results {
		item := items[index]
		if answered.Timer != nil {
			item.result = &BatchResult{Timer: answered.Timer}
			continue
		}
		failure := &Error{Code: answered.Error, Message: answered.Message, Status: answered.Status, Details: answered.Details, Attempts: 1}
		failure.Retryable = answered.Status == 503 || answered.Status == 429
		if wait, ok := answered.Details["retryAfterMs"].(float64); ok {
			failure.RetryAfter = time.Duration(wait) * time.Millisecond
		}
		if failure.Retryable {
			item.uncertain = item.uncertain || mayHaveHappened(failure)
			busy = failure
		} else {
			item.result = settled(item, failure, serverTime, limits)
		}
	}
	return busy, nil
}

// settled returns nil for an item that is to be sent again as it was at first.
func settled(item *batchItem, failure *Error, serverTime time.Time, limits budget) *BatchResult {
	there := timerInTheWay(failure)
	if !item.uncertain || there == nil {
		return &BatchResult{Err: failure}
	}
	if isMade(there, item.create, serverTime, limits) {
		return &BatchResult{Timer: there}
	}
	item.uncertain = false
	if item.create.OnConflict == OnConflictReject {
		return &BatchResult{Err: failure}
	}
	return nil
}

// chunks are by number and, since payloads can be large, by size.
func chunks(items []*batchItem) [][]*batchItem {
	var all [][]*batchItem
	begin, size := 0, 0
	for index, item := range items {
		text, _ := json.Marshal(item.create) // what cannot be written fails when it is sent
		if index > begin && (index-begin == batchTimersMax || size+len(text) > batchBytesMax) {
			all = append(all, items[begin:index])
			begin, size = index, 0
		}
		size += len(text)
	}
	if begin < len(items) {
		all = append(all, items[begin:])
	}
	return all
}

func withoutReplacing(create NewTimer) NewTimer {
	if create.OnConflict == OnConflictReplace {
		create.OnConflict = OnConflictReject
	}
	return create
}

func timerInTheWay(failure *Error) *Timer {
	there, ok := failure.Details["timer"]
	if failure.Code != TimerAlreadyExists || !ok {
		return nil
	}
	text, _ := json.Marshal(there) // it was read from JSON
	var timer Timer
	if json.Unmarshal(text, &timer) != nil {
		return nil
	}
	return &timer
}

// isMade: it was made since the call began, by the server's own clock where that is known, and it is what was asked for.
func isMade(there *Timer, create NewTimer, serverTime time.Time, limits budget) bool {
	if serverTime.IsZero() {
		serverTime = time.Now()
	}
	began := serverTime.Add(-time.Since(limits.startedAt) - clocksApart)
	return !there.CreatedAt.Before(began) && isAsAsked(there, askedOf(create))
}
