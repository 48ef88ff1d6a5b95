package github

import (
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"

	"basecamp-mcp/internal/writeplan"
)

// nestedIn is what a write to the sub-issues of an issue names, all by node ID.
type nestedIn struct{ parent, sub, after string }

// nested returns what the write names. REST names issues by other IDs, and the parent by its path.
func (w *journaled) nested() nestedIn {
	if w.call.sent.does != "" {
		text := func(name string) string { return writeplan.Text(w.body[name]) }
		return nestedIn{text("issueId"), text("subIssueId"), text("afterId")}
	}
	node := func(id string) string { return writeplan.Text(latest(w.reads, id)["node_id"]) }
	return nestedIn{node(w.call.subject()), node(writeplan.Text(w.body["sub_issue_id"])), node(writeplan.Text(w.body["after_id"]))}
}

// nests reports whether the write adds a sub-issue, and whether it moves one.
func (w *journaled) nests() (adds, moves bool) {
	shape := w.call.shape()
	return shape == "POST sub_issues" || shape == "addSubIssue", shape == "PATCH priority" || shape == "reprioritizeSubIssue"
}

// hadNoParent reports whether the call has read that an issue that it nests is in no other one.
func (w *journaled) hadNoParent() bool {
	f := latest(w.reads, writeplan.Text(w.body["sub_issue_id"]))
	if adds, _ := w.nests(); !adds || f["sub_issues_summary"] == nil || f["parent_issue_url"] != nil {
		return false
	}
	w.old = fields{"parentId": nil}
	return true
}

// placeAmong adds where an issue stands among the sub-issues of its parent.
func placeAmong(all, parent fields, issue any) {
	subs, _ := parent["subIssues"].(fields)
	nodes, _ := subs["nodes"].([]any)
	id := func(i int) any {
		if i < 0 || i >= len(nodes) {
			return nil
		}
		f, _ := nodes[i].(fields)
		return f["id"]
	}
	for i := range nodes {
		if id(i) == issue {
			all["afterId"], all["beforeId"] = id(i-1), id(i+1)
		}
	}
}

// moved keeps where an issue stood among others.
func (w *journaled) moved() {
	if w.u.Read == "" {
		w.step.Cannot = "it is not known which issue was moved"
		return
	}
	in := w.nested()
	w.u.With["beforeId"] = w.old["beforeId"]
	switch adds, moves := w.nests(); {
	case moves && in.after != "":
		w.u.Keep("afterId", w.old["afterId"], in.after)
		return
	case moves:
		w.u.Was["afterId"] = w.old["afterId"]
		return
	case adds:
		w.u.Keep("parentId", w.old["parentId"], in.parent)
	default:
		w.u.Keep("parentId", w.old["parentId"], nil)
	}
	if w.old["parentId"] != nil && len(w.u.Was) > 0 {
		w.u.Was["afterId"] = w.old["afterId"]
	}
}

// nestingWrites returns the writes that put an issue back where it stood.
func (r *restoring) nestingWrites() []write {
	parent := r.now["parentId"]
	var all []write
	if was, changed := r.Was["parentId"]; changed && was != parent {
		all = append(all, write{"removeSubIssue", fields{"issueId": parent, "subIssueId": r.Read}})
		if was != nil {
			all[0] = write{"addSubIssue", fields{"issueId": was, "subIssueId": r.Read, "replaceParent": true}}
		}
		parent = was
	}
	after, moved := r.Was["afterId"]
	move := fields{"issueId": parent, "subIssueId": r.Read}
	switch {
	case !moved || parent == nil:
		return all
	case after != nil:
		move["afterId"] = after
	case r.With["beforeId"] != nil:
		move["beforeId"] = r.With["beforeId"]
	default: // it was the only one
		return all
	}
	return append(all, write{moves, move})
}

const (
	moves       = "reprioritizeSubIssue" // the mutation that moves a sub-issue among its siblings
	unmarks     = "unmarkIssueAsDuplicate"
	duplicateOf = "duplicateIssueId" // what closes an issue as a duplicate names the other one so
)

// blocked keeps whether an issue waited for another one.
func (w *journaled) blocked() {
	list := w.call.client.below(w.call.sent.url.Path)
	if w.call.sent.method == http.MethodPost {
		w.u.Read = list
		w.u.Keep(writeplan.Text(w.body["issue_id"]), nil, true)
		return
	}
	w.u.Read = path.Dir(list)
	w.u.Keep(path.Base(list), true, nil)
}

// blockerWrites returns the writes that put back what an issue waits for.
func (r *restoring) blockerWrites() (all []write) {
	for id, was := range r.Was {
		if was == nil {
			all = append(all, write{http.MethodDelete, fields{"": r.Read + "/" + id}})
		} else {
			all = append(all, write{http.MethodPost, fields{"": r.Read, "issue_id": json.Number(id)}})
		}
	}
	return all
}

// gaveValues keeps the old values of the issue fields that were set or cleared.
func (w *journaled) gaveValues() {
	was := values(w.old)
	if list, _ := w.body["issue_field_values"].([]any); w.call.sent.method == http.MethodPost {
		for _, entry := range list {
			set, _ := entry.(fields)
			id := writeplan.Text(set["field_id"])
			w.u.Keep(id, was[id], set["value"])
		}
		return
	}
	id := path.Base(w.call.sent.url.Path)
	w.u.Keep(id, was[id], nil)
}

// valueWrites returns the writes that give an issue the old values of its fields.
func (r *restoring) valueWrites() (all []write) {
	var sets []any
	below, now := r.Read+"/"+fieldValues, values(r.now)
	for _, id := range slices.Sorted(maps.Keys(r.Was)) {
		switch was := r.Was[id]; {
		case writeplan.Equal(was, now[id]):
		case was == nil:
			all = append(all, write{http.MethodDelete, fields{"": below + "/" + id}})
		default:
			sets = append(sets, fields{"field_id": json.Number(id), "value": was})
		}
	}
	if len(sets) > 0 {
		all = append(all, write{http.MethodPost, fields{"": below, "issue_field_values": sets}})
	}
	return all
}
