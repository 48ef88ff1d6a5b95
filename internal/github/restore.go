package github

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/upstream"
	"basecamp-mcp/internal/writeplan"
)

// restoring is a step that is undone.
type restoring struct {
	undoing
	about  fault.Resource
	now    fields
	writes []write
	result *writeplan.Restored
}

// write is a write that undoes another: a mutation with its input, or a method of REST with its
// body. The member "" of the body is the path.
type write struct {
	does string
	with fields
}

// Restore undoes steps of this package in their order, unless what they wrote has changed since.
// Steps of one kind are read together and written together. Between the read and the write, GitHub
// may still accept a change of another person.
func (c *Client) Restore(ctx context.Context, steps []writeplan.Step) []writeplan.Restored {
	results := make([]writeplan.Restored, len(steps))
	all := make([]*restoring, len(steps))
	for i, s := range steps {
		all[i] = &restoring{about: fault.Resource{Type: s.Type, ID: s.ID}, result: &results[i]}
		if err := writeplan.DecodeInto(s.Opposite, &all[i].undoing); err != nil {
			results[i].Err = fmt.Errorf("restore %s: %w", s.What, err)
		}
	}
	all = slices.DeleteFunc(all, func(r *restoring) bool { return r.result.Err != nil })
	all, within := absorbed(all)
	for len(all) > 0 {
		n := together(all)
		c.restore(ctx, all[:n])
		all = all[n:]
	}
	for r, item := range within {
		*r.result = writeplan.Restored{Result: item.result.Result, Reason: item.result.Reason, Err: item.result.Err}
	}
	return results
}

// absorbed returns the steps without those that set fields of items that other steps made: the
// values go with the item, and it is compared with them. within has the item of each.
func absorbed(all []*restoring) (rest []*restoring, within map[*restoring]*restoring) {
	items := map[string]*restoring{}
	for _, r := range all {
		if r.Node == itemNode && r.made() {
			if items[r.Read] = r; r.Left == nil {
				r.Left = fields{}
			}
		}
	}
	within = map[*restoring]*restoring{}
	for _, r := range slices.Backward(all) { // the latest value counts
		if item := items[r.Read]; item != nil && r != item {
			maps.Copy(item.Left, r.Left)
			within[r] = item
		}
	}
	return slices.DeleteFunc(all, func(r *restoring) bool { return within[r] != nil }), within
}

// together returns how many of the first steps can be undone at once: those of one kind that left
// different things.
func together(all []*restoring) int {
	left := map[string]bool{}
	for n, r := range all {
		if r.Node != all[0].Node || r.removed() != all[0].removed() || r.made() != all[0].made() {
			return n
		}
		for name := range r.Left {
			if r.Node == nestingNode {
				name = "its place"
			}
			if left[r.Read+" "+name] {
				return n
			}
			left[r.Read+" "+name] = true
		}
	}
	return len(all)
}

// made reports whether the step made something.
func (u undoing) made() bool { return len(u.Was) == 0 }

// removed reports whether the step removed an item of a project.
func (u undoing) removed() bool { return u.With["contentId"] != nil }

// restore undoes steps of one kind.
func (c *Client) restore(ctx context.Context, all []*restoring) {
	at := make([]string, len(all))
	for i, r := range all {
		at[i] = r.Read
	}
	states := c.states(ctx, all[0].Node, at)
	c.learnPlaces(ctx, all)
	if all[0].removed() {
		c.putBack(ctx, all, states)
		return
	}
	for i, r := range all {
		switch err := states[i].Err; {
		case fault.Is(err, fault.NotFound):
			*r.result = writeplan.Restored{Result: writeplan.Refused, Reason: "it no longer exists, or you no longer have access to it"}
		case err != nil:
			r.result.Err = err
		default:
			c.decide(ctx, r, fields(states[i].Value))
		}
	}
	c.carryOut(ctx, all)
	c.lookForDoubtful(ctx, all)
}

// lookForDoubtful reads what came of writes whose answer was lost, and sends once more what was not
// carried out. Sub-issues are moved again, because each has its place after others.
func (c *Client) lookForDoubtful(ctx context.Context, all []*restoring) {
	doubtful := slices.DeleteFunc(slices.Clone(all), func(r *restoring) bool {
		return r.result.Err == nil || !fault.From(r.result.Err).MayHaveHappened
	})
	if len(doubtful) == 0 {
		return
	}
	if all[0].Node == nestingNode {
		doubtful = all
	}
	at := make([]string, len(doubtful))
	for i, r := range doubtful {
		at[i] = r.Read
	}
	for i, one := range c.states(upstream.Afresh(ctx), doubtful[0].Node, at) {
		doubtful[i].repeat(fields(one.Value), one.Err)
	}
	c.carryOut(ctx, doubtful)
}

// repeat sets the writes that a step still needs, given the state of what it wrote.
func (r *restoring) repeat(state fields, err error) {
	r.writes = nil
	gone := fault.Is(err, fault.NotFound)
	if err != nil && !gone || r.result.Result == writeplan.Refused {
		return
	}
	now := r.saw(state)
	_, changed := r.Refusal(now, func(value any) any { return value })
	*r.result = writeplan.Restored{Result: writeplan.Undone, Reason: r.Note}
	if r.made() && !gone && !changed || !r.made() && !gone && (r.Pending(now) || r.Node == nestingNode) {
		r.writes = r.opposites()
	}
}

// saw keeps the state of what a step wrote, and returns what is compared with what it left.
func (r *restoring) saw(state fields) fields {
	r.now = flat(state)
	switch r.Node {
	case itemNode, valuesNode:
		return values(r.now)
	case issueNode:
		if of := r.Left[duplicateOf]; of != nil { // it may be unmarked: GitHub does not say
			r.now[duplicateOf] = of
		}
	}
	return r.now
}

// decide says what undoes a step, given the state of what it wrote.
func (c *Client) decide(ctx context.Context, r *restoring, state fields) {
	now := r.saw(state)
	if r.Node == itemNode && r.made() { // what others have set is lost with the item
		all := fields{}
		for name := range now {
			all[name] = r.Left[name]
		}
		r.Left = all
	}
	if refused, is := r.Refusal(now, r.shown(state)); is {
		refused.At = writeplan.Text(r.now[updated])
		*r.result = c.named(ctx, refused, r.Names, state)
		return
	}
	*r.result = writeplan.Restored{Result: writeplan.Undone, Reason: r.Note}
	if !r.made() && !r.Pending(now) && r.Node != nestingNode { // where others move before it, a place changes
		r.result.Reason = "it was as before already"
		return
	}
	r.writes = r.opposites()
}

// opposites returns the writes that undo the step.
func (r *restoring) opposites() (all []write) {
	switch {
	case r.Node == nestingNode:
		return r.nestingWrites()
	case r.Node == blockersNode:
		return r.blockerWrites()
	case r.Node == valuesNode:
		return r.valueWrites()
	case r.Node == itemNode && !r.made():
		for field, value := range r.Was {
			all = append(all, valueWrite(r.With["projectId"], r.Read, field, value))
		}
		return all
	}
	with := fields{}
	maps.Copy(with, r.With)
	maps.Copy(with, r.Was)
	switch {
	case r.Node == issueNode && !r.made():
		return r.issueWrites(with)
	case r.Node != "":
		return []write{{r.By, with}}
	}
	if text, was := with["body"]; was && text == nil {
		with["body"] = ""
	}
	with[""] = r.Read
	return []write{{r.By, with}}
}

// issueWrites returns the writes that give an issue its old fields.
func (r *restoring) issueWrites(input fields) (all []write) {
	state, of := writeplan.Text(input["state"]), input[duplicateOf]
	for _, name := range []string{"issueId", "duplicateId", duplicateOf} {
		delete(input, name)
	}
	input["id"] = r.Read
	if delete(input, "state"); state == "open" {
		input["state"] = "OPEN"
	}
	if len(input) > 1 {
		all = append(all, write{"updateIssue", input})
	}
	if reason, closed := strings.CutPrefix(state, closedAs); closed {
		closing := fields{"issueId": r.Read, "stateReason": strings.ToUpper(reason)}
		if of != nil {
			closing[duplicateOf] = of
		} else if reason == "duplicate" {
			r.result.Reason = "GitHub does not say of which issue it was a duplicate"
		}
		all = append(all, write{"closeIssue", closing})
	}
	if marked := r.Left[duplicateOf]; marked != nil {
		all = append(all, write{unmarks, fields{"canonicalId": marked, "duplicateId": r.Read}})
	}
	return all
}

// carryOut sends the writes of steps: the first one of each, then the second one, those of one kind
// together.
func (c *Client) carryOut(ctx context.Context, all []*restoring) {
	for n := 0; ; n++ {
		next := slices.DeleteFunc(slices.Clone(all), func(r *restoring) bool { return r.result.Err != nil || len(r.writes) <= n })
		if len(next) == 0 {
			return
		}
		for len(next) > 0 {
			does := next[0].writes[n].does
			var kind, others []*restoring
			for _, r := range next {
				if r.writes[n].does == does {
					kind = append(kind, r)
				} else {
					others = append(others, r)
				}
			}
			c.sendKind(ctx, does, kind, n)
			next = others
		}
	}
}

// sendKind sends the n-th write of steps, which is of one kind.
func (c *Client) sendKind(ctx context.Context, does string, all []*restoring, n int) {
	for i, err := range c.send(ctx, does, all, n) {
		r := all[i]
		switch gone := fault.Is(err, fault.NotFound); {
		case err == nil:
		case does == moves && n > 0 && (gone || fault.Is(err, fault.InvalidInput)):
			r.result.Reason = "it is the last sub-issue there now"
		case does == unmarks && (gone || fault.Is(err, fault.InvalidInput)): // reopened, it may be no duplicate any more
		default:
			r.result.Err = err
			if gone { // it was there just now: an earlier attempt may have removed it
				f := *fault.From(err)
				f.MayHaveHappened = true
				r.result.Err = &f
			}
		}
	}
}

// send sends the n-th write of steps, and returns the error of each.
func (c *Client) send(ctx context.Context, does string, all []*restoring, n int) []error {
	errs := make([]error, len(all))
	inputs := make([]fields, len(all))
	for i, r := range all {
		if inputs[i] = r.writes[n].with; inputs[i][""] != nil {
			errs[i] = c.sendPlain(ctx, does, inputs[i], r.about)
		}
	}
	if strings.ToUpper(does) == does { // a method
		return errs
	}
	document := undoDocument(does)
	for i, one := range batch[happened](ctx, c, document, fault.Resource{Type: all[0].about.Type}, partsWith("input", inputs)) {
		errs[i] = one.Err
	}
	return errs
}

// undoDocument returns a document with mutations of one kind, which asks for nothing of what they
// change.
func undoDocument(does string) several {
	return several{
		document: document{mutation: true, again: does != "addSubIssue", newer: isNewer(does)}, name: "Undo", field: does,
		declares: "$input#: " + strings.ToUpper(does[:1]) + does[1:] + "Input!", part: "(input: $input#) { clientMutationId }",
	}
}

// sendPlain sends a write to a path of the REST API.
func (c *Client) sendPlain(ctx context.Context, method string, with fields, about fault.Resource) error {
	r := request{
		method: method, url: c.rest.JoinPath(writeplan.Text(with[""])), about: about, of: core, inRepository: true, writes: true, again: method != http.MethodPost,
	}
	if method != http.MethodDelete {
		body := maps.Clone(with)
		delete(body, "")
		var err error
		if r.body, err = encode(body); err != nil {
			return fmt.Errorf("encode %s %s: %w", method, about.Type, err)
		}
	}
	call, err := c.newCall(ctx, r)
	if err != nil {
		return err
	}
	_, err = upstream.Ask(ctx, c.upstream, call.request(), func(a upstream.Answer) (any, error) {
		if method == http.MethodDelete && len(a.Body) == 0 {
			return nil, nil
		}
		value, err := writeplan.Decode(a.Body)
		f, isThing := value.(fields)
		if _, isList := value.([]any); err == nil && !isList && (!isThing || f["id"] == nil) {
			err = errNotAnItem
		}
		return value, err
	})
	return err
}

// ItemTitle returns the title of what a step wrote, and the repository of an issue; "" if it cannot
// be read.
func (c *Client) ItemTitle(ctx context.Context, kind, id string) (title, within string) {
	switch kind {
	case "repository":
		return id, ""
	case "issue":
		repo, number := parseAbout(id)
		i, _ := c.Issue(ctx, repo, number)
		return plaintext.Clean(i.Title), repo.String()
	case "project_item":
		i, _, _ := c.Item(ctx, id)
		return plaintext.Clean(i.Title), ""
	case "project":
		one := c.states(ctx, projectNode, []string{id})[0]
		return plaintext.Clean(writeplan.Text(one.Value["title"])), ""
	}
	return "", ""
}
