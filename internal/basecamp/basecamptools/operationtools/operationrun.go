package operationtools

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/wire/writeplan"
)

// readOperation runs an operation that reads. One object is a list of one.
func (rs *Resolver) readOperation(ctx context.Context, row *operations.Row, given map[string]json.RawMessage, in listing.PageInput) (operationRead, error) {
	read := operationRead{Operation: row.Name}
	p, err := rs.prepare(ctx, row, given)
	if err != nil {
		return read, err
	}
	path := p.filled(row.Path)
	asked := basecamp.Raw(path, p.query, p.about)
	source := listing.Source[json.RawMessage](asked.Listed(strings.TrimPrefix(row.Items, ".")).Source(rs.BC))
	switch {
	case row.Sums:
		list := source
		source = listing.Whole(func(ctx context.Context) ([]json.RawMessage, error) {
			all, err := listing.Everything(ctx, list)
			read.addUp(lookup.Mapped(all, rs.viewOperation))
			return all, err
		})
	case row.Items == "":
		source = listing.Whole(func(ctx context.Context) ([]json.RawMessage, error) {
			one, err := asked.Get(ctx, rs.BC)
			return []json.RawMessage{one}, err
		})
	}
	l := &listing.List[json.RawMessage]{
		Of: listing.Digest(row.Name, path, p.query), ID: operationID, Sources: []listing.Source[json.RawMessage]{source},
	}
	found, err := l.Collect(ctx, in)
	if err != nil {
		return read, err
	}
	var said []string
	if row.Events {
		if said, read.Gaps, err = p.words(ctx, found.Items); err != nil {
			return read, err
		}
	}
	read.Scroll = listing.Scrolled(listing.Answer(l, found, func(raw json.RawMessage) operationItem {
		item := rs.viewOperation(raw)
		if row.Events {
			item, said = viewChange(item, said[0]), said[1:]
		}
		if row.Items != "" && in.Compact() {
			item.Trim(files.MaxPreview)
		}
		return item
	}))
	return read, nil
}

// changeByOperation runs an operation that changes something. It reads and checks everything before
// it writes.
func (rs *Resolver) changeByOperation(ctx context.Context, row *operations.Row, given map[string]json.RawMessage) (operationDone, error) {
	p, err := rs.prepare(ctx, row, given)
	if err != nil {
		return operationDone{}, err
	}
	if err := p.something(); err != nil {
		return operationDone{}, err
	}
	done := operationDone{Operation: row.Name, On: p.on, Next: row.Then, Previous: p.previous()}
	p.complete()
	beside := rs.Audience(ctx)
	if p.bucket != 0 && p.body != nil {
		beside.ExpectClients(p.bucket)
	}
	answer, err := basecamp.Raw(p.filled(row.Path), p.query, p.about).Send(ctx, rs.BC, row.Method, row.Idempotent, p.body)
	rs.ForgetProjects(ctx)
	if err != nil {
		return operationDone{}, err
	}
	if bytes.HasPrefix(answer, []byte("{")) {
		done.Result = viewResult(rs.viewOperation(answer))
	}
	var made basecamp.Recording
	if json.Unmarshal(answer, &made) != nil || made.Bucket.ID == 0 || made.Type == "" {
		made = basecamp.Recording{}
	}
	return p.reached(done, beside, made), nil
}

// reached adds to an answer whom the operation reached.
func (p *prepared) reached(done operationDone, a *lookup.Audience, made basecamp.Recording) operationDone {
	known := made.ID != 0 && p.bucket != 0
	switch {
	case (p.writes || p.notifies) && known:
		reach := a.Created(made, p.text, p.notified...)
		done.Reach, done.Seen = &reach, reach.ViewClients()
	case p.writes || p.notifies:
		reach := a.Created(basecamp.Recording{Status: lookup.Drafted}, p.text) // it is in no project
		done.Reach = &reach
	case known:
		clients, _ := a.SeenBy(made)
		done.Seen = lookup.SeenBy(clients)
	}
	return done
}

// something returns an error if an operation with optional arguments has none, or if two of its
// lists name the same.
func (p *prepared) something() error {
	optional, lists := false, map[int64]string{}
	for _, a := range p.row.Args {
		optional = optional || a.InBody() && !a.Need
		ids, _ := p.body[a.To].([]int64)
		for _, id := range ids {
			if other := lists[id]; other != "" && other != a.Name {
				return fault.Invalid(a.Name, "names %d, which %s names too; name it once", id, other)
			}
			lists[id] = a.Name
		}
	}
	if p.body != nil || !optional || !p.row.Replaces() {
		return nil
	}
	return fault.Invalid("arguments", "nothing to change is given; %s takes: %s", p.row.Name, p.row.Usage())
}

// readOld reads what the operation is about to change, once its path is known.
func (p *prepared) readOld(ctx context.Context) (err error) {
	path := p.filled(p.row.Before)
	if path == "" || p.old != nil || strings.Contains(path, "{") {
		return nil
	}
	p.old, err = basecamp.Raw(path, nil, p.about).Get(ctx, p.rs.BC)
	return err
}

// complete adds what the caller did not name to a request that replaces everything.
func (p *prepared) complete() {
	if !p.row.ReplacesAll || p.old == nil {
		return
	}
	var old map[string]any
	if writeplan.DecodeInto(p.old, &old) != nil {
		return
	}
	for i := range p.row.Args {
		a := &p.row.Args[i]
		if value := old[a.Field()]; a.InBody() && p.given[a.Name] == nil && value != nil && a.Field() != "-" {
			p.put(a, value)
		}
	}
}

// previous returns the old values of the fields that the operation changes, or nil.
func (p *prepared) previous() *toolanswer.Object {
	if p.old == nil {
		return nil
	}
	var previous toolanswer.Object
	view := p.rs.viewOperation(p.old)
	for i := range p.row.Args {
		a := &p.row.Args[i]
		if !a.InBody() || p.given[a.Name] == nil || a.Field() == "-" {
			continue
		}
		old := toolanswer.Object(view).Get(viewedName(a.Field()))
		if text, ok := old.(string); ok && (a.Kind == operations.Markdown || a.Kind == operations.Append) {
			old = parts.PreviousText(text, p.rs.Markdown(basecamp.HTML(p.text.HTML)))
		}
		previous = append(previous, toolanswer.Member{Name: a.Name, Value: old})
	}
	if previous == nil {
		return nil
	}
	return &previous
}

// operationID returns the ID of an item, or a number that stands for an item without one.
func operationID(raw json.RawMessage) int64 {
	var item struct {
		ID json.Number `json:"id"`
	}
	if json.Unmarshal(raw, &item) == nil {
		if id, err := item.ID.Int64(); err == nil {
			return id
		}
	}
	h := fnv.New64a()
	_, _ = h.Write(raw)
	return int64(h.Sum64() >> 1)
}

func operationName(raw json.RawMessage) string {
	for _, field := range []string{"name", "title", "service_name"} {
		if text := textIn(raw, field); text != "" {
			return text
		}
	}
	return ""
}

// textIn returns a text in a field of JSON, or "".
func textIn(raw json.RawMessage, field string) (text string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) == nil {
		_ = json.Unmarshal(fields[field], &text)
	}
	return text
}
