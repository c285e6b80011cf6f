package duetime

import (
	"context"
	"sync"
)

// callOrder: the calls of one client on one timer are carried out in the order in which they were made, each when the one before has
// ended, with all its attempts. Calls on different timers do not wait for each other.
type callOrder struct {
	mutex sync.Mutex
	// last has, for each timer with a call under way, what is closed when the last of its calls has ended.
	last map[string]chan struct{}
}

// turn waits for the calls before; what it returns is called at the end.
func (o *callOrder) turn(ctx context.Context, timer string) (func(), error) {
	mine := make(chan struct{})
	o.mutex.Lock()
	if o.last == nil {
		o.last = map[string]chan struct{}{}
	}
	before := o.last[timer]
	o.last[timer] = mine
	o.mutex.Unlock()
	end := func() {
		o.mutex.Lock()
		if o.last[timer] == mine {
			delete(o.last, timer)
		}
		o.mutex.Unlock()
		close(mine)
	}
	if before == nil {
		return end, nil
	}
	select {
	case <-before:
		return end, nil
	case <-ctx.Done():
		// Those after it wait for the one before instead.
		go func() {
			<-before
			end()
		}()
		return nil, noAnswer(ctx, Error{}, ctx.Err())
	}
}

// turn of a call on a timer, when calls are gathered: otherwise each is a request of its own, sent at once.
func (c *Client) turn(ctx context.Context, namespace, id string) (func(), error) {
	if c.gatherer == nil {
		return func() {}, nil
	}
	return c.gatherer.order.turn(ctx, namespace+"/"+id)
}
