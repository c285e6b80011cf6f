// Command conformance makes the calls of the scenarios in sdks/conformance with this SDK. See the README there for the protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	duetime "github.com/duetime/duetime/sdks/go"
)

type args = json.RawMessage

var (
	client   *duetime.Client
	mutex    sync.Mutex
	received = []*duetime.Delivery{}
	ctx      = context.Background()
)

type name struct {
	TimerID        string    `json:"timerId"`
	IfVersion      int       `json:"ifVersion"`
	IncludeSecrets bool      `json:"includeSecrets"`
	Until          time.Time `json:"until"`
}

var ops = map[string]func(args) (any, error){
	"configure": with(configure),
	"create":    with(func(timer duetime.NewTimer) (any, error) { return client.Create(ctx, timer) }),
	"preview":   with(func(query duetime.PreviewQuery) (any, error) { return client.Preview(ctx, query) }),
	"get": with(func(n name) (any, error) {
		if n.IncludeSecrets {
			return client.GetWithSecrets(ctx, n.TimerID)
		}
		return client.Get(ctx, n.TimerID)
	}),
	"update": func(text args) (any, error) {
		var n name
		var changes duetime.TimerChanges
		must(json.Unmarshal(text, &n))
		must(json.Unmarshal(text, &changes))
		return client.Update(ctx, n.TimerID, changes)
	},
	"cancel": with(func(n name) (any, error) {
		if n.IfVersion > 0 {
			return nil, client.CancelVersion(ctx, n.TimerID, n.IfVersion)
		}
		return nil, client.Cancel(ctx, n.TimerID)
	}),
	"pause": with(func(n name) (any, error) {
		if !n.Until.IsZero() {
			return client.PauseUntil(ctx, n.TimerID, n.Until)
		}
		return client.Pause(ctx, n.TimerID)
	}),
	"resume":  with(func(n name) (any, error) { return client.Resume(ctx, n.TimerID) }),
	"trigger": with(func(n name) (any, error) { return client.Trigger(ctx, n.TimerID) }),
	"retry":   with(func(n name) (any, error) { return client.Retry(ctx, n.TimerID) }),
	"list":    with(list),
	"batch":   with(batch),
	"cancelMany": with(func(filter struct {
		duetime.BulkFilter
		DryRun bool
	}) (any, error) {
		if filter.DryRun {
			return client.CountCancelable(ctx, filter.BulkFilter)
		}
		return client.CancelMany(ctx, filter.BulkFilter)
	}),
	"retryMany": with(func(filter struct {
		duetime.BulkFilter
		DryRun bool
	}) (any, error) {
		if filter.DryRun {
			return client.CountRetryable(ctx, filter.BulkFilter)
		}
		return client.RetryMany(ctx, filter.BulkFilter)
	}),
	"overview":     with(func(query struct{ Namespace string }) (any, error) { return client.Overview(ctx, query.Namespace) }),
	"forecast":     with(func(query duetime.ForecastQuery) (any, error) { return client.Forecast(ctx, query) }),
	"testCallback": with(func(test duetime.CallbackTest) (any, error) { return client.TestCallback(ctx, test) }),
	"verify":       with(verify),
	"handle":       with(handle),
	"listen":       with(listen),
	"received": func(args) (any, error) {
		mutex.Lock()
		defer mutex.Unlock()
		return append([]*duetime.Delivery{}, received...), nil
	},
}

func with[T any](run func(T) (any, error)) func(args) (any, error) {
	return func(text args) (any, error) {
		var value T
		must(json.Unmarshal(text, &value))
		return run(value)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func configure(options struct {
	URL, Namespace, APIKey      string
	TimeoutMs, AttemptTimeoutMs int64
	Retries                     *int
}) (any, error) {
	retries := 10
	if options.Retries != nil {
		retries = *options.Retries
	}
	if retries == 0 {
		retries = -1
	}
	client = duetime.New(duetime.Options{
		URL: options.URL, Namespace: options.Namespace, APIKey: options.APIKey, Retries: retries,
		Timeout:        time.Duration(options.TimeoutMs) * time.Millisecond,
		AttemptTimeout: time.Duration(options.AttemptTimeoutMs) * time.Millisecond,
	})
	mutex.Lock()
	defer mutex.Unlock()
	received = nil
	return nil, nil
}

func list(text json.RawMessage) (any, error) {
	// One status can be given without a list; Go has lists only.
	var fields map[string]any
	must(json.Unmarshal(text, &fields))
	if status, ok := fields["status"].(string); ok {
		fields["status"] = []string{status}
	}
	text, err := json.Marshal(fields)
	must(err)
	var query duetime.TimerQuery
	must(json.Unmarshal(text, &query))
	timers := []*duetime.Timer{}
	for timer, err := range client.List(ctx, query) {
		if err != nil {
			return nil, err
		}
		timers = append(timers, timer)
	}
	return timers, nil
}

func batch(given struct {
	Timers     []json.RawMessage
	OnConflict duetime.OnConflict
}) (any, error) {
	isMixed := false
	creates := make([]duetime.NewTimer, len(given.Timers))
	items := make([]duetime.BatchItem, len(given.Timers))
	for index, text := range given.Timers {
		var about struct {
			name
			Action string
		}
		var changes duetime.TimerChanges
		must(json.Unmarshal(text, &about))
		must(json.Unmarshal(text, &creates[index]))
		must(json.Unmarshal(text, &changes))
		isMixed = isMixed || about.Action != ""
		switch {
		case about.Action == "update":
			items[index] = duetime.UpdateItem(about.TimerID, changes)
		case about.Action == "delete" && about.IfVersion > 0:
			items[index] = duetime.CancelVersionItem(about.TimerID, about.IfVersion)
		case about.Action == "delete":
			items[index] = duetime.CancelItem(about.TimerID)
		default:
			items[index] = duetime.CreateItem(creates[index])
		}
	}
	var results []duetime.BatchResult
	var err error
	if isMixed {
		results, err = client.BatchItems(ctx, items)
	} else {
		results, err = client.Batch(ctx, creates, given.OnConflict)
	}
	if err != nil {
		return nil, err
	}
	shown := make([]any, len(results))
	for index, result := range results {
		if result.Err != nil {
			shown[index] = map[string]any{"error": facts(result.Err)}
		} else {
			shown[index] = map[string]any{"timer": result.Timer}
		}
	}
	return shown, nil
}

func verify(given struct {
	Body             string
	Headers          map[string]string
	Secrets          []string
	Now              int64
	ToleranceSeconds int64
}) (any, error) {
	tolerance := time.Duration(given.ToleranceSeconds) * time.Second
	id, err := duetime.VerifyWebhook([]byte(given.Body), header(given.Headers), given.Secrets, tolerance, time.Unix(given.Now, 0))
	return map[string]string{"id": id}, err
}

func header(fields map[string]string) http.Header {
	all := http.Header{}
	for field, value := range fields {
		all.Set(field, value)
	}
	return all
}

type scripted struct {
	Type, Reason string
	AfterSeconds float64
	At           time.Time
}

func (s scripted) answer() (duetime.Answer, error) {
	switch s.Type {
	case "retry":
		return duetime.Retry(s.Reason, time.Duration(s.AfterSeconds*float64(time.Second))), nil
	case "again":
		return duetime.AgainAt(s.At), nil
	case "gone":
		return duetime.Gone(s.Reason), nil
	case "throw":
		return duetime.Answer{}, errors.New("as the scenario says")
	default:
		return duetime.Done(), nil
	}
}

func quiet(error, *duetime.Delivery) {}

func handle(given struct {
	Method, Body string
	Headers      map[string]string
	Secrets      []string
	Answer       scripted
}) (any, error) {
	called := false
	run := func(context.Context, *duetime.Delivery) (duetime.Answer, error) {
		called = true
		return given.Answer.answer()
	}
	request := httptest.NewRequest(given.Method, "/", strings.NewReader(given.Body))
	request.Header = header(given.Headers)
	recorder := httptest.NewRecorder()
	duetime.NewReceiver(run, duetime.ReceiverOptions{Secrets: given.Secrets, OnError: quiet}).ServeHTTP(recorder, request)
	headers := map[string]string{}
	for field := range recorder.Header() {
		headers[strings.ToLower(field)] = recorder.Header().Get(field)
	}
	body := json.RawMessage(recorder.Body.Bytes())
	return map[string]any{"status": recorder.Code, "headers": headers, "body": body, "called": called}, nil
}

func listen(given struct {
	Secrets []string
	Answers map[string][]scripted
	Dedup   bool
}) (any, error) {
	run := func(_ context.Context, delivery *duetime.Delivery) (duetime.Answer, error) {
		mutex.Lock()
		defer mutex.Unlock()
		received = append(received, delivery)
		answers := given.Answers[delivery.ID]
		if len(answers) == 0 {
			return duetime.Done(), nil
		}
		given.Answers[delivery.ID] = answers[1:]
		return answers[0].answer()
	}
	options := duetime.ReceiverOptions{Secrets: given.Secrets, OnError: quiet}
	if given.Dedup {
		options.Memory = duetime.NewRecentDeliveries(0)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go func() { must(http.Serve(listener, duetime.NewReceiver(run, options))) }()
	return map[string]string{"url": "http://" + listener.Addr().String() + "/"}, nil
}

func facts(err error) map[string]any {
	if errors.Is(err, duetime.ErrWebhookVerification) {
		return map[string]any{"code": "WEBHOOK_VERIFICATION"}
	}
	var failure *duetime.Error
	if !errors.As(err, &failure) {
		return map[string]any{"code": "RUNNER", "message": err.Error()}
	}
	return map[string]any{
		"code": failure.Code, "message": failure.Message, "status": failure.Status, "retryable": failure.Retryable,
		"attempts": failure.Attempts, "details": failure.Details, "requestId": failure.RequestID,
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked struct {
			ID   int
			Op   string
			Args args
		}
		must(json.Unmarshal(lines.Bytes(), &asked))
		value, err := ops[asked.Op](asked.Args)
		if err != nil {
			must(output.Encode(map[string]any{"id": asked.ID, "error": facts(err)}))
		} else {
			must(output.Encode(map[string]any{"id": asked.ID, "value": value}))
		}
	}
}
