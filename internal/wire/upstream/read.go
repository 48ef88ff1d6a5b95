package upstream

import (
	"context"

	"basecamp-mcp/internal/wire/writeplan"
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
	kept, reusable := c.cache.lookup(ctx, key)
	old, fits := kept.value.(T)
	if !fits {
		kept, reusable = cached{}, false
	}
	if reusable {
		return old, nil
	}
	asked := c.config.Now()
	x := &exchange{client: c, request: r, kept: kept.validator}
	if writeplan.JournalFrom(ctx) != nil {
		x.kept = validator{} // it needs the whole answer
	}
	a, err := x.run(ctx)
	if err != nil {
		return none, err
	}
	value, err := decode(a, old)
	if err != nil {
		return none, x.garbled(a, err)
	}
	saw(ctx, r, a)
	answer := cached{validatorOf(a.Header), value}
	c.cache.saidTotal(key, answer.value)
	if a.Unchanged() {
		answer.validator = kept.validator
		c.cache.confirm(key, answer, asked)
	} else {
		c.cache.keep(key, answer, len(a.Body), asked)
	}
	recycle(a.Body) // the value has copies
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
	saw(ctx, r, a)
	return value, nil
}

// saw shows what a call has read to its plan and its journal.
func saw(ctx context.Context, r Request, a Answer) {
	if !r.reads() {
		return
	}
	if plan := writeplan.From(ctx); plan != nil {
		plan.Saw(r.URL.String(), a.Body)
	}
	if journal := writeplan.JournalFrom(ctx); journal != nil {
		journal.Saw(r.URL.String(), a.Body)
	}
}
