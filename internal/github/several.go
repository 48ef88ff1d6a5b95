package github

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/upstream"
)

const (
	maxMutations = 20 // in one document
	maxLookups   = 25 // things that one document reads
)

// Outcome is what came of one part.
type Outcome[T any] struct {
	Value T
	Err   error // why it failed, or why that is not known
	Tried bool  // GitHub was asked, or may have been
	Part  bool  // a part of it was written, although it failed
	// Incomplete says what GitHub left out of a part that was read; nil if nothing.
	Incomplete *Incomplete
}

// partsWith returns the variables of parts that have one each, with the same name.
func partsWith[T any](name string, values []T) []map[string]any {
	parts := make([]map[string]any, len(values))
	for i, value := range values {
		parts[i] = map[string]any{name: value}
	}
	return parts
}

// batch sends the parts in documents, each with its variables by the names that the document
// declares. A part that GitHub refuses does not keep the others from being carried out. After a
// document without a clear answer, and at a rate limit, the rest is not sent.
func batch[T result](ctx context.Context, c *Client, name string, about fault.Resource, parts []map[string]any) []Outcome[T] {
	return sendAll[T](ctx, c, documents()[name], about, parts)
}

func sendAll[T result](ctx context.Context, c *Client, d document, about fault.Resource, parts []map[string]any) []Outcome[T] {
	all := make([]Outcome[T], len(parts))
	most := maxLookups
	if d.mutates() {
		most = maxMutations
	}
	var of []int
	for i, part := range parts {
		if all[i].Err = c.permits(ctx, d, about, part); all[i].Err == nil {
			of = append(of, i)
		}
	}
	var halted error
	for chunk := range slices.Chunk(of, most) {
		if halted != nil {
			rest := *fault.From(halted)
			rest.MayHaveHappened = false
			for _, i := range chunk {
				all[i].Err = &rest
			}
			continue
		}
		sent := make([]map[string]any, len(chunk))
		for k, i := range chunk {
			sent[k] = parts[i]
		}
		got, err := sendParts[T](ctx, c, d, about, sent)
		halted = err
		for k, i := range chunk {
			one := Outcome[T]{Err: err, Tried: fault.From(err).MayHaveHappened}
			if err == nil {
				one = got[k]
				one.Value = lockedDown(ctx, c, one.Value)
			}
			if fault.Is(one.Err, fault.RateLimited) || fault.Is(one.Err, fault.UpstreamError) {
				halted = one.Err
			}
			all[i] = one
		}
	}
	return all
}

// permits returns an error if a fence keeps the client from a part of a query. The other parts are
// asked for without it.
func (c *Client) permits(ctx context.Context, d document, about fault.Resource, part map[string]any) error {
	if caller, _ := identity.From(ctx); d.mutates() || caller.Fence.Read == nil {
		return nil
	}
	variables := map[string]any{}
	for name, value := range part {
		variables[name+"0"] = value
	}
	_, err := c.callFor(ctx, d.of(1), about, variables)
	return err
}

// sendParts sends one document.
func sendParts[T result](ctx context.Context, c *Client, d document, about fault.Resource, parts []map[string]any) ([]Outcome[T], error) {
	variables := map[string]any{}
	for k, part := range parts {
		for name, value := range part {
			variables[name+strconv.Itoa(k)] = value
		}
	}
	call, err := c.callFor(ctx, d.of(len(parts)), about, variables)
	if err != nil {
		return nil, err
	}
	if d.mutates() {
		call.sent.parts = len(parts)
	}
	var got []Outcome[T]
	var invalid error
	call.sent.judge = func(a upstream.Answer) *fault.Error {
		var failed []graphqlError
		got, failed, invalid = judgedParts[T](call, d, a, len(parts))
		return call.meaning(a, failed)
	}
	_, err = upstream.Ask(ctx, c.upstream, call.request(), func(upstream.Answer) (struct{}, error) { return struct{}{}, invalid })
	return got, err
}

// judgedParts reads an answer: what came of each part, or the errors of an answer that says nothing
// of any part.
func judgedParts[T result](c *call, d document, a upstream.Answer, n int) (parts []Outcome[T], failed []graphqlError, err error) {
	var answer graphqlAnswer
	var data map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		return nil, nil, err
	}
	if len(answer.Data) > 0 {
		if err := json.Unmarshal(answer.Data, &data); err != nil {
			return nil, nil, err
		}
	}
	if data == nil {
		if len(answer.Errors) == 0 {
			err = errNoData
		}
		return nil, answer.Errors, err
	}
	none := true
	for k := range n {
		alias := "m" + strconv.Itoa(k)
		one, known := judgedPart[T](c, d, a, data[alias], answer.about(alias, data))
		none = none && !known
		parts = append(parts, one)
	}
	transient := !slices.ContainsFunc(answer.Errors, func(e graphqlError) bool { return !isOutage(e.reply()) && !isLimit(e.reply()) })
	if none && transient && len(answer.Errors) > 0 {
		return nil, answer.Errors, nil
	}
	return parts, nil, nil
}

// about returns the errors of a part of the data. An error that names no part is one of every part.
func (a graphqlAnswer) about(alias string, data map[string]json.RawMessage) (errs []graphqlError) {
	for _, e := range a.Errors {
		of := ""
		if len(e.path) > 0 {
			of, _ = e.path[0].(string)
		}
		if _, another := data[of]; of == alias || !another || !strings.HasPrefix(of, "m") {
			errs = append(errs, e)
		}
	}
	return errs
}

// judgedPart returns what came of one part, and whether the answer has its result.
func judgedPart[T result](c *call, d document, a upstream.Answer, data json.RawMessage, errs []graphqlError) (one Outcome[T], known bool) {
	one.Tried = true
	if len(data) == 0 {
		data = json.RawMessage("null")
	}
	thing, err := reach(data, d.thing[1:])
	if errors.Is(err, errNoData) && !isNull(data) || err == nil && isNull(thing) {
		err = errAbsent
	}
	hidden := 0
	if err == nil {
		one.Value, hidden, err = decoded[T](thing)
	}
	switch {
	case err == nil:
		one.Incomplete = incomplete(hidden, ssoOrganizations(a.Header))
		return one, true
	case len(errs) == 0 && !d.mutates() && errors.Is(err, errAbsent):
		errs = []graphqlError{{kind: absent}}
	case len(errs) == 0:
		f := fault.New(fault.UpstreamError, "GitHub did not say what came of this")
		f.MayHaveHappened = d.mutates()
		one.Err = f
		return one, false
	}
	f := c.meaning(a, errs)
	f.MayHaveHappened = d.mutates() && f.Code == fault.UpstreamError
	f.Upstream.Provider, f.Upstream.Status = ProviderID, a.Status
	one.Err = f
	return one, false
}
