package basecamp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

func (c *connection) state(ctx context.Context, path string) (any, error) {
	call, err := c.newCall(ctx, request{path: path})
	if err != nil {
		return nil, err
	}
	return upstream.Ask(ctx, c.upstream, call.request(), func(a upstream.Answer) (any, error) { return writeplan.Decode(a.Body) })
}

// Restore undoes steps of this package, each unless what it wrote has changed since. Before the
// write, Basecamp may still accept a change of another person. It then reads whether what was moved
// has its place again.
func (c *Client) Restore(ctx context.Context, steps []writeplan.Step) []writeplan.Restored {
	all, undo, order := make([]writeplan.Restored, len(steps)), make([]undoing, len(steps)), make([]int, len(steps))
	for i, s := range steps {
		if order[i] = i; writeplan.DecodeInto(s.Opposite, &undo[i]) != nil {
			all[i].Err = fmt.Errorf("restore %s: its opposite cannot be read", s.What)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(undo[a].turn(), undo[b].turn()) })
	before, after := WithSiblings(ctx, len(steps)), WithSiblings(upstream.Afresh(ctx), len(steps))
	for _, i := range order {
		if all[i].Err == nil {
			r, err := c.restore(before, steps[i], undo[i])
			r.Err = err
			all[i] = r
		}
	}
	for i, u := range undo {
		if all[i].Result == writeplan.Undone && u.moves() && !c.hasPlace(after, u) {
			all[i].Except = []string{writeplan.Position}
		}
	}
	return all
}

// moves reports whether the write moved an item among others.
func (u *undoing) moves() bool { return slices.Contains(u.Fields, "position") }

// place returns the place before a move, or 0 if it is not known.
func (u *undoing) place() int {
	place, _ := strconv.Atoi(writeplan.Text(u.Was["position"]))
	return place
}

// turn returns when the write is undone. Places count from the top: what comes from another list or
// moves up again is put back in the ascending order of the places, and then what moves down again
// in the descending one. What else was changed comes before them. What was made comes after them,
// because it may hold what was moved.
func (u *undoing) turn() int {
	switch {
	case len(u.Was) == 0:
		return math.MaxInt
	case !u.moves():
		return 0
	case u.Up:
		return math.MaxInt - u.place()
	}
	return u.place()
}

// hasPlace reports whether an item that was moved has its place again.
func (c *Client) hasPlace(ctx context.Context, u undoing) bool {
	if u.place() == 0 {
		return false
	}
	state, err := c.stateBeside(ctx, u.Read)
	now, _ := state.(fields)
	return err == nil && writeplan.Equal(now["position"], u.Was["position"])
}

func (c *Client) restore(ctx context.Context, s writeplan.Step, u undoing) (writeplan.Restored, error) {
	state, err := c.stateBeside(ctx, u.Read)
	if err == nil && (u.By == operations.UpNext || u.By == operations.Reminder) {
		// the list has only what the client may read
		if g := c.fencedBy(ctx, request{method: u.Method, path: "recordings/" + u.ID + "/bubble_up.json"}); g != nil {
			err = g.permit(ctx)
		}
	}
	switch {
	case fault.Is(err, fault.NotFound):
		return writeplan.Gone(), nil
	case err != nil:
		return writeplan.Restored{Gone: fault.Is(err, fault.PermissionDenied)}, err
	case u.By == operations.UpNext:
		return c.restorePriority(ctx, u, state)
	}
	f, _ := state.(fields)
	if r, settled := u.Settled(u.current(state), shownEither); settled {
		if r.Result == writeplan.Refused {
			r.At, r.By = writeplan.Text(f["updated_at"]), c.lastBy(ctx, s.ID)
		}
		return r, nil
	}
	if all := siblingsOf(ctx); all != nil {
		familyOf[whole](all).forget(whole(f).key())
	}
	_, err = send[json.RawMessage](ctx, c, u.Method, request{path: u.Path, about: fault.Resource{Type: s.Type, ID: s.ID}}, u.body(f))
	if err == nil && u.Leave != "" {
		_, err = send[json.RawMessage](ctx, c, "DELETE", request{path: u.Leave, about: fault.Resource{Type: "item"}}, nil)
	}
	if err != nil {
		return writeplan.Restored{}, err
	}
	touched := u.Touch != "" && writeplan.Text(f["updated_at"]) != u.Touch
	return writeplan.Restored{Result: writeplan.Undone, Touched: touched}, nil
}

// current returns the fields that the write left, as they are now.
func (u *undoing) current(state any) fields {
	now := fields{}
	for name, left := range u.Left {
		now[name] = u.value(state, name, left)
	}
	return now
}

// body returns the body of the request that undoes the write: the old fields, and as they are now
// those that the write did not change. It is nil if the request has none.
func (u *undoing) body(now fields) any {
	body := fields{}
	if u.By == operations.Members {
		for id, was := range u.Was {
			list := u.Drops
			if was == true {
				list = u.Adds
			}
			ids, _ := body[list].([]json.Number)
			body[list] = append(ids, json.Number(id))
		}
		return body
	}
	for _, name := range u.Fields {
		value, changed := u.Was[name]
		if !changed && name == "position" {
			continue
		}
		if !changed {
			value = valueIn(name, now)
		}
		if name == scheduled && value == nil {
			continue
		}
		body[name] = value
	}
	switch {
	case len(u.Fields) == 0:
		return nil
	case u.Wrap != "":
		return fields{u.Wrap: body}
	}
	return body
}

// lastBy returns who made the latest change of an item, or "" if that is not known.
func (c *Client) lastBy(ctx context.Context, id string) string {
	item, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return ""
	}
	events, err := EventsOf.Page(ctx, c, 1, item)
	if err != nil || len(events.Items) == 0 {
		return ""
	}
	return plaintext.Clean(events.Items[0].Creator.Name)
}

// restorePriority puts a priority back to its place, or removes it.
func (c *Client) restorePriority(ctx context.Context, u undoing, state any) (writeplan.Restored, error) {
	item, _ := strconv.ParseInt(u.ID, 10, 64) // it was one in the path or the body of a request
	was, _ := strconv.Atoi(writeplan.Text(u.Was["position"]))
	left, _ := strconv.Atoi(writeplan.Text(u.Left["position"]))
	list := priorities(state)
	now := slices.Index(list, u.ID) + 1
	restored := writeplan.Restored{Result: writeplan.Undone}
	if (now > 0) != (left > 0) && (now > 0) != (was > 0) {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "Up Next was changed since"}, nil
	}
	if was == now || was == 0 && now == 0 {
		return restored, nil
	}
	if was == 0 {
		return restored, c.Prioritize(ctx, item, false)
	}
	if now == 0 {
		if err := c.Prioritize(ctx, item, true); err != nil {
			return restored, err
		}
		list = append(list, u.ID)
	}
	return restored, c.MovePriority(ctx, item, min(was, len(list)))
}

// ItemTitle returns the title of what a step wrote, and of its project; "" if it cannot be read.
func (c *Client) ItemTitle(ctx context.Context, kind, id string) (title, within string) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return "", ""
	}
	path, known := itemPaths[kind]
	if !known {
		return "", ""
	}
	state, err := c.state(ctx, fmt.Sprintf(path, number))
	if err != nil {
		return "", ""
	}
	f, _ := state.(fields)
	project, _ := f["bucket"].(fields)
	return plaintext.Clean(titleOf(f)), plaintext.Clean(titleOf(project))
}
