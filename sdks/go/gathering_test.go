package duetime

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// held is a request that waits for its answer.
type held struct {
	path   string
	items  []map[string]any
	answer chan string
}

// all answers every item as the service would, except those with an id that is refused.
func (h held) all() {
	var results []string
	for _, item := range h.items {
		if item["id"] == "refused" {
			results = append(results, `{"status":409,"error":"TIMER_ALREADY_EXISTS","message":"it is there","details":{}}`)
		} else {
			results = append(results, `{"status":200,"timer":{"id":"`+item["id"].(string)+`"}}`)
		}
	}
	if strings.HasSuffix(h.path, "/batch") {
		h.answer <- `{"results":[` + strings.Join(results, ",") + `]}`
	} else {
		h.answer <- `{"id":"` + h.items[0]["id"].(string) + `"}`
	}
}

func holding(t *testing.T, options Options) (*Client, chan held) {
	requests := make(chan held)
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		one := held{path: request.URL.Path, items: []map[string]any{body}, answer: make(chan string, 1)}
		if timers, ok := body["timers"].([]any); ok {
			one.items = nil
			for _, item := range timers {
				one.items = append(one.items, item.(map[string]any))
			}
		}
		requests <- one
		text := <-one.answer
		if text == "" {
			response.WriteHeader(http.StatusBadRequest)
			text = `{"error":"INVALID_INPUT","message":"nested too deeply"}`
		}
		_, _ = response.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	options.URL = server.URL
	return New(options), requests
}

func create(client *Client, ctx context.Context, id string) chan error {
	done := make(chan error, 1)
	go func() {
		timer, err := client.Create(ctx, NewTimer{ID: id, Schedule: "PT1H", CallbackURL: "http://127.0.0.1:9/"})
		if err == nil && timer.ID != id {
			err = errors.New("the answer of another call")
		}
		done <- err
	}()
	return done
}

// busy makes two calls, each a request of its own, and then the others, which wait.
func busy(t *testing.T, client *Client, requests chan held, ids ...string) (first, second held, done map[string]chan error) {
	done = map[string]chan error{"first": create(client, context.Background(), "first")}
	first = <-requests
	done["second"] = create(client, context.Background(), "second")
	second = <-requests
	if first.path != "/api/v1/timers/create" || second.path != first.path {
		t.Errorf("%s and %s instead of a request for each", first.path, second.path)
	}
	for _, id := range ids {
		done[id] = create(client, context.Background(), id)
	}
	awaitWaiting(client, len(ids))
	return first, second, done
}

func awaitWaiting(client *Client, count int) {
	for waiting := -1; waiting != count; time.Sleep(time.Millisecond) {
		client.gatherer.mutex.Lock()
		waiting = len(client.gatherer.waiting)
		client.gatherer.mutex.Unlock()
	}
}

func TestWhatIsCalledWhileTwoRequestsAreUnderWayGoesWithTheNext(t *testing.T) {
	client, requests := holding(t, Options{})
	// So that the two are not slow, however slow the machine is.
	client.gatherer.slowAfter = time.Minute
	first, second, done := busy(t, client, requests, "a", "refused", "b")
	first.all()
	batch := <-requests
	if batch.path != "/api/v1/timers/batch" || len(batch.items) != 3 {
		t.Errorf("%s with %d items", batch.path, len(batch.items))
	}
	batch.all()
	second.all()
	for id, ended := range done {
		if err := <-ended; id == "refused" && !errors.Is(err, TimerAlreadyExists) || id != "refused" && err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestASlowRequestDoesNotHoldUpTheCallsAfterIt(t *testing.T) {
	client, requests := holding(t, Options{})
	first, second, done := busy(t, client, requests)
	third := create(client, context.Background(), "third")
	(<-requests).all()
	if err := <-third; err != nil {
		t.Error(err)
	}
	first.all()
	second.all()
	for id, ended := range done {
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestACanceledCallLeavesTheOthersInItsRequestAlone(t *testing.T) {
	client, requests := holding(t, Options{})
	client.gatherer.slowAfter = time.Minute
	first, second, done := busy(t, client, requests, "kept")
	ctx, cancel := context.WithCancel(context.Background())
	canceled := create(client, ctx, "canceled")
	awaitWaiting(client, 2)
	first.all()
	batch := <-requests
	cancel()
	if err := <-canceled; !errors.Is(err, context.Canceled) {
		t.Errorf("%v instead of context.Canceled", err)
	}
	batch.all()
	second.all()
	if err := <-done["kept"]; err != nil {
		t.Error(err)
	}
}

func TestACallThatIsCanceledWhileItWaitsIsNotSent(t *testing.T) {
	client, requests := holding(t, Options{})
	client.gatherer.slowAfter = time.Minute
	first, second, done := busy(t, client, requests, "a", "b")
	ctx, cancel := context.WithCancel(context.Background())
	canceled := create(client, ctx, "canceled")
	awaitWaiting(client, 3)
	cancel()
	<-canceled
	first.all()
	batch := <-requests
	if len(batch.items) != 2 {
		t.Errorf("%d items", len(batch.items))
	}
	batch.all()
	second.all()
	for id, ended := range done {
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestABatchThatIsRefusedAsAWholeIsHalved(t *testing.T) {
	client, requests := holding(t, Options{})
	client.gatherer.slowAfter = time.Minute
	first, second, done := busy(t, client, requests, "a", "b", "deep", "c")
	first.all()
	second.all()
	for left := 4; left > 0; {
		request := <-requests
		isBad := slices.ContainsFunc(request.items, func(item map[string]any) bool { return item["id"] == "deep" })
		if isBad {
			request.answer <- ""
		} else {
			request.all()
		}
		if !isBad || len(request.items) == 1 {
			left -= len(request.items)
		}
	}
	for id, ended := range done {
		if err := <-ended; id == "deep" && !errors.Is(err, InvalidInput) || id != "deep" && err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestWithoutGatheringEachCallIsARequest(t *testing.T) {
	client, requests := holding(t, Options{DisableGathering: true})
	var all []held
	var done []chan error
	for _, id := range []string{"a", "b", "c", "d"} {
		done = append(done, create(client, context.Background(), id))
	}
	for range done {
		all = append(all, <-requests)
	}
	for _, one := range all {
		if one.path != "/api/v1/timers/create" {
			t.Error(one.path)
		}
		one.all()
	}
	for _, ended := range done {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
