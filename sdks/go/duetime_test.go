package duetime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestSchedulesAreWrittenAsTheServiceTakesThem(t *testing.T) {
	for given, expected := range map[string]string{
		After(72 * time.Hour):                          "PT259200S",
		After(1500 * time.Millisecond):                 "PT1.5S",
		After(0):                                       "PT0S",
		Every(10 * time.Minute):                        "R/PT600S",
		EveryTimes(10*time.Minute, 3):                  "R3/PT600S",
		EveryFrom(time.Hour, time.Unix(1896080400, 0)): "R/2030-01-31T09:00:00.000Z/PT3600S",
	} {
		if given != expected {
			t.Errorf("%s instead of %s", given, expected)
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body) // the server only notices that the client is gone when the body has been read
		<-request.Context().Done()
	}))
	defer silent.Close()
	client := New(Options{URL: silent.URL})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := client.Get(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v instead of context.Canceled", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := client.Get(ctx, "a"); !errors.Is(err, Timeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not a timeout", err)
	}
}

func TestErrorsAreFoundByTheirCode(t *testing.T) {
	var err error = &Error{Code: TimerNotPending, Message: "too late"}
	if !errors.Is(err, TimerNotPending) || errors.Is(err, TimerNotFound) {
		t.Error("the code of an error is not found")
	}
}

const delivery = `{"id":"a","namespace":"default","groupId":"default","payload":{"n":1},"executeAt":"2030-01-31T09:00:00.000Z",` +
	`"firedAt":"2030-01-31T09:00:00.001Z","attempt":1,"deliveryId":"d-1"}`

func post(receiver http.Handler) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	receiver.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", bytes.NewBufferString(delivery)))
	return recorder
}

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	never := func(context.Context, *Delivery) (Answer, error) { panic("called") }
	if status := post(NewReceiver(never, ReceiverOptions{MaxBodyBytes: 10})).Code; status != 413 {
		t.Errorf("%d instead of 413", status)
	}
}

func TestADeliveryThatIsBeingProcessedIsNotProcessedBesideThat(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	slow := func(context.Context, *Delivery) (Answer, error) {
		close(begun)
		<-ended
		return Done(), nil
	}
	receiver := NewReceiver(slow, ReceiverOptions{Memory: NewRecentDeliveries(0)})
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- post(receiver) }()
	<-begun
	if second := post(receiver); second.Header().Get("Retry-After") != "1" {
		t.Errorf("answered %s", second.Body)
	}
	close(ended)
	<-first
	if third := post(receiver).Body.String(); third != `{"ok":true}` {
		t.Errorf("answered %s", third)
	}
}

func TestAHandlerThatPanicsLeavesItsDeliveryToTheNextAttempt(t *testing.T) {
	calls := 0
	receiver := NewReceiver(func(context.Context, *Delivery) (Answer, error) {
		calls++
		if calls == 1 {
			panic("broken")
		}
		return Done(), nil
	}, ReceiverOptions{Memory: NewRecentDeliveries(0)})
	func() {
		defer func() { _ = recover() }()
		post(receiver)
	}()
	if answer := post(receiver).Body.String(); answer != `{"ok":true}` || calls != 2 {
		t.Errorf("answered %s after %d calls", answer, calls)
	}
}

func TestOnlySoManyDeliveriesAreRemembered(t *testing.T) {
	memory, ctx := NewRecentDeliveries(2), context.Background()
	for _, id := range []string{"a", "b", "c"} {
		_, _ = memory.Claim(ctx, id)
		_ = memory.Keep(ctx, id, Done())
	}
	for id, isKnown := range map[string]bool{"b": true, "c": true} {
		if claim, _ := memory.Claim(ctx, id); (claim.Answer != nil) != isKnown {
			t.Errorf("%s: %v", id, claim)
		}
	}
	if claim, _ := memory.Claim(ctx, "a"); claim.Busy || claim.Answer != nil {
		t.Errorf("a is still known: %v", claim)
	}
}

func TestAnswersCanBeStored(t *testing.T) {
	text, err := json.Marshal(AgainAt(time.Unix(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	var read Answer
	if err := json.Unmarshal(text, &read); err != nil || read.body["nextExecuteAt"] != "1970-01-01T00:00:00Z" {
		t.Errorf("%s became %v, %v", text, read, err)
	}
}
