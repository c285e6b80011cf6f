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

const clocksApart = time.Second // of two nodes of one cluster; what the timer is like is compared as well

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
	if timer.ID != "" { // of one that is made here nobody else can know
		end, err := c.turn(ctx, create.Namespace, create.ID)
		if err != nil {
			return nil, err
		}
		defer end()
	}
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
		_, err := c.send(ctx, limits, call{path: "timers/create", action: "create", body: body}, &made)
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
