package writes

import (
	"cmp"
	"encoding/json"
	"strings"
)

// planRow says what a write does, and what undoes it.
type planRow struct {
	what    string
	kind    string // of what it is about
	makes   string // the kind of what it creates; untitled if that has no title of its own; empty for none
	cannot  string // why it cannot be undone
	left    fields // what the write leaves besides the fields that it sends
	note    string // what the answer says of its undo
	removed string // what its undo deletes, with its article
	ways    []way
	way     // the one that a request takes
}

// way is how one of the APIs carries out a write. If nothing is said to undo it, the same write
// does, with the old values of its fields.
type way struct {
	write  string   // the method and the last word of the path, or the mutation
	what   string   // it does, if the ways of a row do different things
	about  string   // the field of a mutation's input with the ID of what it is about
	answer []string // path of the answer in the payload of a mutation
	node   string   // the type in GraphQL of what a mutation changes or makes
	by     string   // the method, or the mutation, that undoes it
	with   fields   // what that sends
	id     string   // the field of that mutation's input with the ID of what was made
}

// planRows has what the writes do, and what undoes them. The twins of REST and GraphQL are one row.
// A write that is not in it is refused in a preview, and cannot be undone. A new write is one row;
// of a mutation, the type of its node has a document in StateDocuments. What it changes is put back
// without an undo, if the fields of its body have the names of those of the thing. What it makes
// needs the write that undoes it, with the field of the ID if that is a mutation, and removed or a
// row for it. Anything else needs the reason why it cannot be undone.
var planRows = []planRow{
	{what: "create an issue", kind: "repository", makes: "issue", left: open, note: "GitHub deletes no issues, so it is closed as not planned", ways: []way{
		{write: "POST issues", by: "PATCH", with: fields{"state": "closed", "state_reason": "not_planned"}},
		{write: "createIssue", about: "repositoryId", answer: issueAnswer, node: issueNode, by: "closeIssue", id: "issueId", with: fields{"stateReason": "NOT_PLANNED"}},
	}},
	{what: "change an issue", kind: "issue", ways: []way{{write: "PATCH issues"}, {write: "updateIssue", about: "id", answer: issueAnswer, node: issueNode}}},
	{what: "close an issue", kind: "issue", ways: []way{{write: "closeIssue", about: "issueId", answer: issueAnswer, node: issueNode}}},
	{what: "comment on an issue", kind: "issue", makes: untitled, removed: "a comment", ways: []way{
		{write: "POST comments", by: "DELETE"},
		{write: "addComment", about: "subjectId", answer: []string{"commentEdge", "node"}, node: commentNode, by: "deleteIssueComment", id: "id"},
	}},
	{what: "create a milestone", kind: "repository", makes: untitled, left: unused, removed: "a milestone", ways: []way{{write: "POST milestones", by: "DELETE"}}},
	{what: "nest an issue in an issue", kind: "issue", cannot: staysNested, ways: []way{{write: "POST sub_issues"}}},
	{what: "take an issue out of its parent", kind: "issue", cannot: staysNested, ways: []way{{write: "DELETE sub_issue"}}},
	{what: "move a sub-issue", kind: "issue", cannot: staysNested, ways: []way{{write: "PATCH priority"}}},
	{kind: "issue", ways: []way{
		{what: "set fields of an issue", write: "POST " + FieldValues, node: valuesNode},
		{what: "clear a field of an issue", write: "DELETE " + FieldValues, node: valuesNode},
	}},
	{what: "make an issue wait for another", kind: "issue", cannot: stillWaits, ways: []way{{write: "POST blocked_by"}}},
	{what: "end that an issue waits for another", kind: "issue", cannot: stillWaits, ways: []way{{write: "DELETE blocked_by"}}},
	{what: "create a project", kind: "owner", makes: "project", left: fields{"closed": false}, note: "GitHub deletes projects permanently, so it is closed", ways: []way{{write: "createProjectV2", about: "ownerId", answer: []string{"projectV2"}, node: ProjectNode, by: "updateProjectV2", id: "projectId", with: fields{"closed": true}}}},
	{what: "change a project", kind: "project", ways: []way{{write: "updateProjectV2", about: "projectId", answer: []string{"projectV2"}, node: ProjectNode}}},
	{what: "delete a project permanently", kind: "project", cannot: "GitHub deletes projects permanently", ways: []way{{write: "deleteProjectV2", about: "projectId"}}},
	{what: "add to a project", kind: "project", makes: "project_item", ways: []way{{write: "addProjectV2ItemById", about: "projectId", answer: []string{"item"}, node: itemNode, by: "deleteProjectV2Item", id: "itemId"}}},
	{what: "remove from a project", kind: "project_item", cannot: staysRemoved, ways: []way{{write: "deleteProjectV2Item", about: "itemId"}}},
	{kind: "project_item", ways: []way{
		{what: "set a field", write: "updateProjectV2ItemFieldValue", about: "itemId", node: itemNode},
		{what: "clear a field", write: "clearProjectV2ItemFieldValue", about: "itemId", node: itemNode},
	}},
	{what: "post a status update", kind: "project", makes: untitled, removed: "a status update", ways: []way{{write: "createProjectV2StatusUpdate", about: "projectId", answer: []string{"statusUpdate"}, node: statusNode, by: "deleteProjectV2StatusUpdate", id: "statusUpdateId"}}},
}

// rowOf returns the row of a write by its shape, with the way that it takes. What removes something
// that a row makes has a row of its own, or is one that cannot be undone.
func rowOf(shape string) planRow {
	for _, row := range planRows {
		for _, w := range row.ways {
			_, thing, _ := strings.Cut(w.write, " ")
			switch {
			case w.write == shape:
				row.way, row.what = w, cmp.Or(w.what, row.what)
				return row
			case row.removed != "" && strings.TrimSpace(w.by+" "+thing) == shape:
				_, name, _ := strings.Cut(row.removed, " ")
				return planRow{what: "delete " + row.removed, kind: row.kind, cannot: "GitHub deletes " + name + "s permanently", way: way{about: w.id}}
			}
		}
	}
	return planRow{}
}

var (
	open        = fields{"state": "open"}
	issueAnswer = []string{"issue"}
	unused      = fields{"state": "open", "open_issues": json.Number("0"), "closed_issues": json.Number("0")}
)

const (
	untitled     = "untitled"
	staysNested  = "nesting is not taken back; give the issue its old parent and place by another change"
	staysRemoved = "what is added to a project again is a new item, without its values and its place"
	stillWaits   = "what an issue waits for is not taken back; change it again"
)
