package upstream

import (
	"context"

	"basecamp-mcp/internal/writeplan"
)

// Read sends a GET through the cache: an answer that did not change is neither transferred nor
// decoded again. decode returns the value of an answer; for an unchanged answer, kept is the cached
// value. A metered call reads each URL once; see also [Reuse]. The value may be shared with the
// same call and later calls of the same user, so callers must not change it.
func Read[T any](ctx context.Context, c *Client, r Request, decode func(a Answer, kept T) (T, error)) (T, error) {
	key := cacheKey{user: r.User, url: r.URL.String()}
	if plan := writeplan.From(ctx); plan != nil {
		if value, known, err := afterPlan(plan, r, decode); known {
			return value, err
		}
		return once(ctx, key, func() (T, error) { return readToPlan(ctx, c, r, plan, decode) })
	}
	if r.Screen != nil {
		return once(ctx, key, func() (T, error) {
			return Ask(ctx, c, r, func(a Answer) (T, error) {
				var none T
				return decode(a, none)
			})
		})
	}
	return once(ctx, key, func() (T, error) { return readThroughCache(ctx, c, r, key, decode) })
}

func readThroughCache[T any](ctx context.Context, c *Client, r Request, key cacheKey, decode func(a Answer, kept T) (T, error)) (T, error) {
	var none T
	kept, reusable := lookup[T](ctx, c.cache, key)
	journal, watched := writeplan.JournalFrom(ctx), writeplan.WatchFrom(ctx) != nil
	if reusable && !watched {
		return kept.value, nil
	}
	asked := c.config.Now()
	x := &exchange{client: c, request: r, kept: kept.validator}
	if journal != nil || watched {
		x.kept = validator{} // they need the whole answer
	}
	a, err := x.run(ctx)
	if err != nil {
		return none, err
	}
	value, err := decode(a, kept.value)
	if err != nil {
		return none, x.garbled(a, err)
	}
	defer recycle(a.Body) // the value has copies
	c.watch(ctx, a)
	if journal != nil {
		journal.Saw(r.URL.String(), a.Body)
	}
	if a.Unchanged() {
		confirm(c.cache, key, cached[T]{kept.validator, value}, asked)
	} else {
		keep(c.cache, key, cached[T]{value: value, validator: validatorOf(a.Header)}, len(a.Body), asked)
	}
	return value, nil
}

// Send sends a request and returns what decode makes of the answer's body. If the body is empty, it
// returns the zero value.
func Send[T any](ctx context.Context, c *Client, r Request, decode func(body []byte, into any) error) (T, error) {
	var value T
	x := &exchange{client: c, request: r}
	a, err := x.run(ctx)
	if err != nil || len(a.Body) == 0 {
		return value, err
	}
	if err := decode(a.Body, &value); err != nil {
		return value, x.garbled(a, err)
	}
	recycle(a.Body) // the value has copies
	return value, nil
}

// Ask sends a request and returns what decode makes of the whole answer, which no cache keeps.
func Ask[T any](ctx context.Context, c *Client, r Request, decode func(a Answer) (T, error)) (T, error) {
	var none T
	x := &exchange{client: c, request: r}
	a, err := x.run(ctx)
	if err != nil {
		return none, err
	}
	value, err := decode(a)
	if err != nil {
		return none, x.garbled(a, err)
	}
	if plan := writeplan.From(ctx); plan != nil && r.reads() {
		plan.Saw(r.URL.String(), a.Body)
	}
	if journal := writeplan.JournalFrom(ctx); journal != nil && r.reads() {
		journal.Saw(r.URL.String(), a.Body)
	}
	if r.reads() {
		c.watch(ctx, a)
	}
	return value, nil
}

// watch says that a call reads a text by someone outside the account, if ctx asks for it.
func (c *Client) watch(ctx context.Context, a Answer) {
	if found := writeplan.WatchFrom(ctx); found != nil && c.config.Outside != nil && c.config.Outside(a.Body) {
		found()
	}
}
