package duetime

import "context"

// Changes of all timers that match a filter, however many: the service changes a bounded number at a time.

type bulkBody struct {
	BulkFilter
	DryRun bool `json:"dryRun,omitempty"`
}

type bulkAnswer struct {
	Matched, TooLate, Canceled, Retried int
	More                                bool
}

// CancelMany cancels every pending or paused timer that matches.
func (c *Client) CancelMany(ctx context.Context, filter BulkFilter) (*Canceled, error) {
	return c.cancelMany(ctx, filter, false)
}

// CountCancelable only counts what CancelMany would cancel. More means that there are more than it counted.
func (c *Client) CountCancelable(ctx context.Context, filter BulkFilter) (*Canceled, error) {
	return c.cancelMany(ctx, filter, true)
}

func (c *Client) cancelMany(ctx context.Context, filter BulkFilter, dryRun bool) (*Canceled, error) {
	// The service asks for this too, but takes the client's own namespace, which is always sent, for an answer.
	isSaid := filter.All || filter.Namespace != "" || filter.MetadataKey != "" || !filter.DueFrom.IsZero() || !filter.DueTo.IsZero()
	if !isSaid {
		return nil, invalidInput("all", "say which timers: Namespace, MetadataKey, DueFrom, DueTo, or All for every timer of the namespace")
	}
	sums, err := c.askWhileMore(ctx, "cancel", filter, dryRun)
	if err != nil {
		return nil, err
	}
	return &Canceled{Matched: sums.Matched, TooLate: sums.TooLate, Canceled: sums.Canceled, More: sums.More}, nil
}

// RetryMany retries every failed timer that matches.
func (c *Client) RetryMany(ctx context.Context, filter BulkFilter) (*Retried, error) {
	return c.retryMany(ctx, filter, false)
}

// CountRetryable only counts what RetryMany would retry. More means that there are more than it counted.
func (c *Client) CountRetryable(ctx context.Context, filter BulkFilter) (*Retried, error) {
	return c.retryMany(ctx, filter, true)
}

func (c *Client) retryMany(ctx context.Context, filter BulkFilter, dryRun bool) (*Retried, error) {
	filter.All = true
	sums, err := c.askWhileMore(ctx, "retry", filter, dryRun)
	if err != nil {
		return nil, err
	}
	return &Retried{Matched: sums.Matched, TooLate: sums.TooLate, Retried: sums.Retried, More: sums.More}, nil
}

func (c *Client) askWhileMore(ctx context.Context, verb string, filter BulkFilter, dryRun bool) (*bulkAnswer, error) {
	filter.Namespace = orDefault(filter.Namespace, c.namespace)
	var sums bulkAnswer
	for {
		answer, err := c.askOnce(ctx, verb, bulkBody{filter, dryRun})
		if err != nil {
			return nil, err
		}
		sums.Matched += answer.Matched
		sums.TooLate += answer.TooLate
		sums.Canceled += answer.Canceled
		sums.Retried += answer.Retried
		sums.More = answer.More
		// Nothing changed although there are more: they are too late, and asking again would find the same ones.
		if !answer.More || dryRun || answer.Canceled+answer.Retried == 0 {
			return &sums, nil
		}
	}
}

func (c *Client) askOnce(ctx context.Context, verb string, body bulkBody) (*bulkAnswer, error) {
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	var answer bulkAnswer
	_, err := c.send(ctx, limits, call{path: "timers/" + verb, body: always(body)}, &answer)
	return &answer, err
}
