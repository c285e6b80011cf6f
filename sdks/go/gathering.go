package duetime

import (
	"bytes"
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// Creates, updates and cancels that are called at the same time share requests: what waits while requests are under way goes with the
// next one, as one batch. Nothing is delayed for it. A call that is alone goes at once, as a request of its own. Only an attempt is
// shared: what came of it is told to each call as if it had been sent alone, and each decides for itself whether to try again.

const (
	requestsMax     = 2                      // one is answered while the next one is on its way; more would only make the batches smaller
	slowAfter       = 100 * time.Millisecond // a request that takes longer waits for something that others need not wait for
	slowRequestsMax = 62
)

type gatherer struct {
	client *Client
	order  callOrder
	// slowAfter is longer in some tests.
	slowAfter time.Duration

	mutex     sync.Mutex
	waiting   []*gathered
	isPlanned bool
	underWay  int
	slow      int
}

// gathered is an attempt of one call.
type gathered struct {
	// ctx ends with the call, or with the time for the attempt.
	ctx     context.Context
	request call
	body    []byte
	about   Error
	// outcome has room for it: whoever has given up need not take it.
	outcome chan outcome
}

// outcome of an attempt: without an error and without a timer it is that of a cancel.
type outcome struct {
	timer      *Timer
	serverTime time.Time
	err        error
}

// send is attempt for a call that may share its request.
func (g *gatherer) send(ctx context.Context, request call, body []byte, about Error, into any) (time.Time, error) {
	attempt := &gathered{ctx: ctx, request: request, body: body, about: about, outcome: make(chan outcome, 1)}
	g.mutex.Lock()
	g.waiting = append(g.waiting, attempt)
	g.plan()
	g.mutex.Unlock()
	select {
	case result := <-attempt.outcome:
		if timer, ok := into.(*Timer); ok && result.err == nil {
			*timer = *result.timer
		}
		return result.serverTime, result.err
	case <-ctx.Done():
		return time.Time{}, noAnswer(ctx, about, ctx.Err())
	}
}

// plan is called with the mutex held.
func (g *gatherer) plan() {
	if !g.isPlanned && g.hasRoom() && len(g.waiting) > 0 {
		g.isPlanned = true
		go g.flush()
	}
}

func (g *gatherer) hasRoom() bool { return g.underWay < requestsMax && g.slow < slowRequestsMax }

func (g *gatherer) flush() {
	runtime.Gosched() // after the calls of the goroutines that are ready to make one
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.isPlanned = false
	for g.hasRoom() && len(g.waiting) > 0 {
		if attempts := g.next(); len(attempts) > 0 {
			g.underWay++
			go g.carry(attempts)
		}
	}
}

// next takes the first of those that still wait, as many as a request takes.
func (g *gatherer) next() []*gathered {
	var attempts []*gathered
	size := 0
	for index, attempt := range g.waiting {
		size += len(attempt.body)
		if index == batchTimersMax || index > 0 && size > batchBytesMax {
			g.waiting = g.waiting[index:]
			return attempts
		}
		if attempt.ctx.Err() == nil {
			attempts = append(attempts, attempt)
		}
	}
	g.waiting = nil
	return attempts
}

func (g *gatherer) carry(attempts []*gathered) {
	isSlow, isOver := false, false
	timer := time.AfterFunc(g.slowAfter, func() {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		if isOver {
			return
		}
		isSlow = true
		g.underWay--
		g.slow++
		g.plan()
	})
	g.exchange(attempts)
	timer.Stop()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	isOver = true
	if isSlow {
		g.slow--
	} else {
		g.underWay--
	}
	g.plan()
}

// exchange tells each what came of it.
func (g *gatherer) exchange(attempts []*gathered) {
	if len(attempts) == 1 {
		attempts[0].outcome <- g.alone(attempts[0])
		return
	}
	about := Error{RequestID: newRequestID(), Attempts: 1}
	// The calls that wait for it end by contexts of their own.
	ctx, cancel := context.WithTimeout(context.Background(), g.client.attemptTimeout)
	defer cancel()
	var answer batchAnswer
	serverTime, err := g.client.attempt(ctx, call{path: "timers/batch"}, batchOf(attempts), about, &answer)
	if isRefusedForAnItem(err) {
		// The others are not to suffer from it.
		middle := len(attempts) / 2
		g.exchange(attempts[:middle])
		g.exchange(attempts[middle:])
		return
	}
	if err == nil && len(answer.Results) != len(attempts) {
		err = anotherNumber(about)
	}
	for index, attempt := range attempts {
		if err != nil {
			attempt.outcome <- outcome{err: attempt.counted(err)}
		} else {
			attempt.outcome <- attempt.outcomeOf(answer.Results[index], serverTime, about)
		}
	}
}

func (g *gatherer) alone(attempt *gathered) outcome {
	if attempt.request.action == "delete" {
		serverTime, err := g.client.attempt(attempt.ctx, attempt.request, attempt.body, attempt.about, nil)
		return outcome{serverTime: serverTime, err: err}
	}
	var timer Timer
	serverTime, err := g.client.attempt(attempt.ctx, attempt.request, attempt.body, attempt.about, &timer)
	return outcome{&timer, serverTime, err}
}

func batchOf(attempts []*gathered) []byte {
	var text bytes.Buffer
	text.WriteString(`{"timers":[`)
	for index, attempt := range attempts {
		if index > 0 {
			text.WriteByte(',')
		}
		if action := attempt.request.action; action == "create" {
			text.Write(attempt.body)
		} else {
			text.WriteString(`{"action":"` + action + `",`)
			text.Write(attempt.body[1:])
		}
	}
	text.WriteString(`]}`)
	return text.Bytes()
}

// isRefusedForAnItem: one payload is nested too deeply, say, and then the service does not read the whole request.
func isRefusedForAnItem(err error) bool {
	failure := asError(err)
	return failure != nil && (failure.Status == http.StatusBadRequest || failure.Status == http.StatusRequestEntityTooLarge)
}

func (a *gathered) outcomeOf(result batchItemAnswer, serverTime time.Time, about Error) outcome {
	if result.Status >= 300 {
		failure := result.failure()
		failure.RequestID, failure.serverTime = about.RequestID, serverTime
		return outcome{err: a.counted(failure)}
	}
	if result.Timer == nil && a.request.action != "delete" {
		about.Status = http.StatusOK
		return outcome{err: a.counted(badAnswer(about, nil, nil))}
	}
	return outcome{timer: result.Timer, serverTime: serverTime}
}

// counted is the error for this call: each has its own, with the number of its attempts.
func (a *gathered) counted(err error) error {
	failure, ok := err.(*Error)
	if !ok {
		return err
	}
	own := *failure
	own.Attempts = a.about.Attempts
	return &own
}
