package github

import "encoding/json"

// planRow says what a write does, and how GitHub answers it.
type planRow struct {
	what   string
	kind   string   // of what it is about
	makes  bool     // it creates something
	about  string   // the field of a mutation's input with the ID of what it is about
	answer []string // path of the answer in the payload of a mutation
	node   string   // the type in GraphQL of what a mutation changes or makes
	undo   opposite
}

// planRows has what the writes do, and what undoes them: by method and the last word of the path in
// REST, and by mutation. A write that is not in it is refused in a preview, and cannot be undone. A
// new write is one row; of a mutation, the type of its node has a document in stateDocuments. What
// it changes is put back without an undo, if the fields of its body have the names of those of the
// thing. What it makes needs the write that removes it, with the field of the ID if that is a
// mutation, and a row of its own. Anything else needs the reason why it cannot be undone.
var planRows = map[string]planRow{
	"POST issues":     {what: "create an issue", kind: "repository", makes: true, undo: opposite{by: "PATCH", with: notPlanned, left: open, note: closesIt, kind: "issue"}},
	"PATCH issues":    {what: "change an issue", kind: "issue"},
	"POST comments":   {what: "comment on an issue", kind: "issue", makes: true, undo: opposite{by: "DELETE"}},
	"POST milestones": {what: "create a milestone", kind: "repository", makes: true, undo: opposite{by: "DELETE", left: unused}},

	"DELETE comments":   {what: "delete a comment", kind: "issue", undo: opposite{cannot: "GitHub deletes comments permanently"}},
	"DELETE milestones": {what: "delete a milestone", kind: "repository", undo: opposite{cannot: "GitHub deletes milestones permanently"}},

	"POST sub_issues":           {what: "nest an issue in an issue", kind: "issue", undo: opposite{cannot: staysNested}},
	"DELETE sub_issue":          {what: "take an issue out of its parent", kind: "issue", undo: opposite{cannot: staysNested}},
	"PATCH priority":            {what: "move a sub-issue", kind: "issue", undo: opposite{cannot: staysNested}},
	"POST issue-field-values":   {what: "set fields of an issue", kind: "issue", node: valuesNode},
	"DELETE issue-field-values": {what: "clear a field of an issue", kind: "issue", node: valuesNode},
	"POST blocked_by":           {what: "make an issue wait for another", kind: "issue", undo: opposite{cannot: stillWaits}},
	"DELETE blocked_by":         {what: "end that an issue waits for another", kind: "issue", undo: opposite{cannot: stillWaits}},

	"createIssue":        {what: "create an issue", kind: "repository", makes: true, about: "repositoryId", answer: []string{"issue"}, node: issueNode, undo: opposite{by: "closeIssue", id: "issueId", with: fields{"stateReason": "NOT_PLANNED"}, left: open, note: closesIt, kind: "issue"}},
	"updateIssue":        {what: "change an issue", kind: "issue", about: "id", answer: []string{"issue"}, node: issueNode},
	"closeIssue":         {what: "close an issue", kind: "issue", about: "issueId", answer: []string{"issue"}, node: issueNode},
	"addComment":         {what: "comment on an issue", kind: "issue", makes: true, about: "subjectId", answer: []string{"commentEdge", "node"}, node: commentNode, undo: opposite{by: "deleteIssueComment", id: "id"}},
	"deleteIssueComment": {what: "delete a comment", kind: "issue", about: "id", undo: opposite{cannot: "GitHub deletes comments permanently"}},

	"createProjectV2":               {what: "create a project", kind: "owner", makes: true, about: "ownerId", answer: []string{"projectV2"}, node: projectNode, undo: opposite{by: "updateProjectV2", id: "projectId", with: fields{"closed": true}, left: fields{"closed": false}, note: "GitHub deletes projects permanently, so it is closed", kind: "project"}},
	"updateProjectV2":               {what: "change a project", kind: "project", about: "projectId", answer: []string{"projectV2"}, node: projectNode},
	"deleteProjectV2":               {what: "delete a project permanently", kind: "project", about: "projectId", undo: opposite{cannot: "GitHub deletes projects permanently"}},
	"addProjectV2ItemById":          {what: "add to a project", kind: "project", makes: true, about: "projectId", answer: []string{"item"}, node: itemNode, undo: opposite{by: "deleteProjectV2Item", id: "itemId", kind: "project_item"}},
	"deleteProjectV2Item":           {what: "remove from a project", kind: "project_item", about: "itemId", undo: opposite{cannot: staysRemoved}},
	"updateProjectV2ItemFieldValue": {what: "set a field", kind: "project_item", about: "itemId", node: itemNode},
	"clearProjectV2ItemFieldValue":  {what: "clear a field", kind: "project_item", about: "itemId", node: itemNode},
	"createProjectV2StatusUpdate":   {what: "post a status update", kind: "project", makes: true, about: "projectId", answer: []string{"statusUpdate"}, node: statusNode, undo: opposite{by: "deleteProjectV2StatusUpdate", id: "statusUpdateId"}},
	"deleteProjectV2StatusUpdate":   {what: "delete a status update", kind: "project", about: "statusUpdateId", undo: opposite{cannot: "GitHub deletes status updates permanently"}},
}

var (
	open       = fields{"state": "open"}
	notPlanned = fields{"state": "closed", "state_reason": "not_planned"}
	unused     = fields{"state": "open", "open_issues": json.Number("0"), "closed_issues": json.Number("0")}
)

const (
	closesIt     = "GitHub deletes no issues, so it is closed as not planned"
	staysNested  = "nesting is not taken back; give the issue its old parent and place by another change"
	staysRemoved = "what is added to a project again is a new item, without its values and its place"
	stillWaits   = "what an issue waits for is not taken back; change it again"
)
