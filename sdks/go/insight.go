package duetime

import (
	"context"
	"net/url"
	"strconv"
)

// What the service tells about its timers, and about callbacks.

// Overview says how many timers there are by status, and what happened lately: in one namespace, or with "" in all that the key may see.
func (c *Client) Overview(ctx context.Context, namespace string) (*Overview, error) {
	return look[Overview](ctx, c, "overview", url.Values{"namespace": {namespace}})
}

// Forecast says how many timers come due in the next seconds, minutes, hours or days.
func (c *Client) Forecast(ctx context.Context, query ForecastQuery) (*Forecast, error) {
	asked := url.Values{"namespace": {query.Namespace}, "step": {query.Step}}
	if query.Steps != nil {
		asked.Set("steps", strconv.Itoa(*query.Steps))
	}
	return look[Forecast](ctx, c, "forecast", asked)
}

// look leaves out what is empty.
func look[T any](ctx context.Context, c *Client, path string, query url.Values) (*T, error) {
	for name := range query {
		if query.Get(name) == "" {
			query.Del(name)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	var answer T
	if _, err := c.send(ctx, limits, call{path: path}, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// TestCallback sends one delivery now, exactly as a timer would, and tells what came of it. Nothing is stored. It is never sent twice.
func (c *Client) TestCallback(ctx context.Context, test CallbackTest) (*CallbackTestResult, error) {
	test.Namespace = orDefault(test.Namespace, c.namespace)
	ctx, cancel, limits := c.begin(ctx)
	defer cancel()
	var result CallbackTestResult
	if _, err := c.send(ctx, limits, call{path: "callbacks/test", body: always(test), onceOnly: true}, &result); err != nil {
		return nil, err
	}
	return &result, nil
}
