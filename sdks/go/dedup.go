package duetime

import (
	"container/list"
	"context"
	"encoding/json"
	"sync"
)

// Claim is what is known of a delivery. The zero value: nothing, and from now on it is the caller's.
type Claim struct {
	// Busy: it is being processed.
	Busy bool
	// Answer that was given to it.
	Answer *Answer
}

// DeliveryMemory remembers answers by delivery id. A firing is delivered at least once: again when the answer to it was lost, or when
// the service was killed before it had stored the answer. Receivers of several processes share one memory, in a database for example.
type DeliveryMemory interface {
	Claim(ctx context.Context, deliveryID string) (Claim, error)
	// Keep: it has been processed, and this is the answer to it from now on.
	Keep(ctx context.Context, deliveryID string, answer Answer) error
	// Release: it failed, and the next attempt is to process it.
	Release(ctx context.Context, deliveryID string) error
}

const deliveriesMax = 10_000 // a few MB; a delivery comes again within seconds or minutes, not after so many others

// RecentDeliveries remembers in this process only, and only so many: the oldest ones are forgotten first.
type RecentDeliveries struct {
	max    int
	mutex  sync.Mutex
	claims map[string]*list.Element
	order  *list.List
}

type remembered struct {
	id    string
	claim Claim
}

// NewRecentDeliveries makes a memory for so many deliveries; 0 means 10,000.
func NewRecentDeliveries(max int) *RecentDeliveries {
	return &RecentDeliveries{max: orDefault(max, deliveriesMax), claims: map[string]*list.Element{}, order: list.New()}
}

// Claim of a delivery: the first caller processes it.
func (r *RecentDeliveries) Claim(_ context.Context, deliveryID string) (Claim, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if element, ok := r.claims[deliveryID]; ok {
		return element.Value.(*remembered).claim, nil
	}
	r.claims[deliveryID] = r.order.PushBack(&remembered{deliveryID, Claim{Busy: true}})
	if r.order.Len() > r.max {
		r.remove(r.order.Front())
	}
	return Claim{}, nil
}

// Keep the answer.
func (r *RecentDeliveries) Keep(_ context.Context, deliveryID string, answer Answer) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if element, ok := r.claims[deliveryID]; ok {
		element.Value.(*remembered).claim = Claim{Answer: &answer}
	}
	return nil
}

// Release the claim.
func (r *RecentDeliveries) Release(_ context.Context, deliveryID string) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if element, ok := r.claims[deliveryID]; ok {
		r.remove(element)
	}
	return nil
}

func (r *RecentDeliveries) remove(element *list.Element) {
	r.order.Remove(element)
	delete(r.claims, element.Value.(*remembered).id)
}

type answerJSON struct {
	Status     int            `json:"status"`
	Body       map[string]any `json:"body,omitempty"`
	RetryAfter string         `json:"retryAfter,omitempty"`
	IsFailure  bool           `json:"isFailure,omitempty"`
}

// MarshalJSON writes an answer for a memory that stores it.
func (a Answer) MarshalJSON() ([]byte, error) {
	return json.Marshal(answerJSON{a.status, a.body, a.retryAfter, a.isFailure})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Answer) UnmarshalJSON(text []byte) error {
	var read answerJSON
	err := json.Unmarshal(text, &read)
	*a = Answer{read.Status, read.Body, read.RetryAfter, read.IsFailure}
	return err
}
