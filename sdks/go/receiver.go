package duetime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Delivery is what is delivered when a timer fires.
type Delivery struct {
	// ID of the timer.
	ID        string `json:"id"`
	Namespace string `json:"namespace"`
	// GroupID is the namespace by its other name.
	GroupID string          `json:"groupId"`
	Payload json.RawMessage `json:"payload"`
	// ExecuteAt is when it was due.
	ExecuteAt time.Time `json:"executeAt"`
	// NominalAt is when the schedule says, if that is another time.
	NominalAt time.Time `json:"nominalAt,omitzero"`
	// FiredAt is when this attempt was sent.
	FiredAt time.Time `json:"firedAt"`
	// Attempt counts from 1.
	Attempt int `json:"attempt"`
	// DeliveryID is the same on every attempt: remember it to recognise duplicates.
	DeliveryID string `json:"deliveryId"`
	Schedule   string `json:"schedule,omitempty"`
	// Iteration of a cycle, from 1.
	Iteration int `json:"iteration,omitempty"`
	// Triggered: a cycle fires once more, beside its schedule, because somebody triggered it.
	Triggered bool           `json:"triggered,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// Answer is what the service is told. The zero value is Done().
type Answer struct {
	status     int
	body       map[string]any
	retryAfter string
	isFailure  bool
}

// Done: the timer is done; a cycle goes on.
func Done() Answer { return Answer{} }

// AgainAt: the same timer fires again then, as a new firing.
func AgainAt(at time.Time) Answer {
	return Answer{status: 200, body: map[string]any{"ok": false, "nextExecuteAt": at.UTC().Format(time.RFC3339Nano)}}
}

// Retry: this attempt failed, and why; the timer is tried again by its retry policy, not before `after` has passed.
func Retry(reason string, after time.Duration) Answer {
	answer := Answer{status: 200, body: map[string]any{"ok": false, "error": reason}, isFailure: true}
	if after > 0 {
		answer.retryAfter = strconv.Itoa(int(math.Ceil(after.Seconds())))
	}
	return answer
}

// Gone: this timer cannot be served any more. It fails at once and is not tried again.
func Gone(reason string) Answer {
	return Answer{status: 410, body: map[string]any{"ok": false, "error": reason}}
}

// Handler processes a delivery. With an error the attempt has failed, as with Retry, but only the log of the receiver has the reason.
type Handler func(ctx context.Context, delivery *Delivery) (Answer, error)

// ReceiverOptions of NewReceiver.
type ReceiverOptions struct {
	// Secrets are one or more of the service's WEBHOOK_SECRETS: with them, deliveries that are not signed get 401.
	Secrets []string
	// Tolerance between the clocks. Default 5 minutes.
	Tolerance time.Duration
	// MaxBodyBytes: larger bodies get 413. Default 8 MiB.
	MaxBodyBytes int64
	// Memory: a delivery that arrives again is answered as before, and the handler is not called again.
	Memory DeliveryMemory
	// OnError is told what the handler returned. Default: slog.
	OnError func(err error, delivery *Delivery)
}

type receiver struct {
	handler Handler
	ReceiverOptions
}

// NewReceiver is an endpoint for deliveries: http.Handle("POST /hooks/timer", duetime.NewReceiver(onTimer, options)).
func NewReceiver(handler Handler, options ReceiverOptions) http.Handler {
	options.MaxBodyBytes = orDefault(options.MaxBodyBytes, 8<<20)
	if options.OnError == nil {
		options.OnError = func(err error, delivery *Delivery) {
			slog.Error("duetime: a delivery failed", "error", err, "timer", delivery.ID)
		}
	}
	return &receiver{handler, options}
}

func (r *receiver) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	answer := r.answer(writer, request)
	if answer.body == nil {
		answer.status, answer.body = 200, map[string]any{"ok": true}
	}
	text, _ := json.Marshal(answer.body) // a map of texts
	writer.Header().Set("Content-Type", "application/json")
	if answer.retryAfter != "" {
		writer.Header().Set("Retry-After", answer.retryAfter)
	}
	writer.WriteHeader(answer.status)
	_, _ = writer.Write(text) // if the service is gone, it sends the delivery again
}

func (r *receiver) answer(writer http.ResponseWriter, request *http.Request) Answer {
	if request.Method != http.MethodPost {
		writer.Header().Set("Allow", http.MethodPost)
		return refusal(405, "deliveries are sent by POST")
	}
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, r.MaxBodyBytes))
	if err != nil {
		return refusal(413, "the body is too large")
	}
	if r.Secrets != nil {
		_, err := VerifyWebhook(body, request.Header, r.Secrets, r.Tolerance, time.Now())
		if errors.Is(err, ErrWebhookVerification) {
			return refusal(401, err.Error())
		}
		if err != nil {
			// A secret that is no secret: the receiver's own mistake, which only its log should show.
			r.OnError(err, &Delivery{})
			return failed()
		}
	}
	delivery, err := ParseDelivery(body)
	if err != nil {
		return refusal(400, "the body is not a delivery of Duetime")
	}
	return r.process(request.Context(), delivery)
}

func (r *receiver) process(ctx context.Context, delivery *Delivery) Answer {
	if r.Memory == nil {
		return r.run(ctx, delivery)
	}
	claim, err := r.Memory.Claim(ctx, delivery.DeliveryID)
	switch {
	case err != nil:
		r.OnError(err, delivery)
		return failed()
	case claim.Busy:
		return Retry("this delivery is being processed already", time.Second)
	case claim.Answer != nil:
		return *claim.Answer
	}
	// Until it is known what came of it, it is a failure, also when the handler panics: then it can be processed again.
	answer := failed()
	defer func() {
		settled := r.Memory.Release
		if !answer.isFailure {
			settled = func(ctx context.Context, id string) error { return r.Memory.Keep(ctx, id, answer) }
		}
		// Also when the service has given up: what was done is remembered.
		if err := settled(context.WithoutCancel(ctx), delivery.DeliveryID); err != nil {
			r.OnError(err, delivery)
		}
	}()
	answer = r.run(ctx, delivery)
	return answer
}

func (r *receiver) run(ctx context.Context, delivery *Delivery) Answer {
	answer, err := r.handler(ctx, delivery)
	if err != nil {
		r.OnError(err, delivery)
		return failed()
	}
	return answer
}

// ParseDelivery reads the body of a delivery.
func ParseDelivery(body []byte) (*Delivery, error) {
	var delivery Delivery
	if err := json.Unmarshal(body, &delivery); err != nil {
		return nil, fmt.Errorf("duetime: not a delivery: %w", err)
	}
	if delivery.ID == "" || delivery.DeliveryID == "" {
		return nil, errors.New("duetime: not a delivery: it has no id or no deliveryId")
	}
	return &delivery, nil
}

func refusal(status int, reason string) Answer {
	return Answer{status: status, body: map[string]any{"ok": false, "error": reason}, isFailure: true}
}

func failed() Answer {
	return Answer{status: 500, body: map[string]any{"ok": false}, isFailure: true}
}
