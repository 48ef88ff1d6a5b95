package github

import (
	"context"
	"maps"
	"reflect"

	"basecamp-mcp/internal/report/fault"
)

// Fields are the members of a body or an input: those that a thing gets, or that change in it. What
// is missing stays. A list replaces the whole list, and nil clears.
type Fields = map[string]any

type fields = Fields

// Given returns the fields without those that are empty.
func Given(all Fields) Fields {
	maps.DeleteFunc(all, func(_ string, value any) bool { return reflect.ValueOf(value).IsZero() })
	return all
}

// Node is a thing of which an answer has only the ID.
type Node struct{ ID string }

func (n Node) check() (hidden int, err error) { return identified(n.ID != "") }

// AddItems adds issues and pull requests to projects: each input has a projectId and a contentId.
// One that is there already comes back.
func (c *Client) AddItems(ctx context.Context, all []Fields) []Outcome[Node] {
	return batch[Node](ctx, c, "AddItems", fault.Resource{Type: "project"}, partsWith("input", all))
}

// SetValues sets fields of items: each input has a projectId, an itemId and a fieldId. It clears
// those without a value.
func (c *Client) SetValues(ctx context.Context, all []Fields) []Outcome[struct{}] {
	done := make([]Outcome[struct{}], len(all))
	for _, document := range []string{"SetValues", "ClearValues"} {
		var of []int
		var sent []Fields
		for i, v := range all {
			if (v["value"] == nil) == (document == "ClearValues") {
				of, sent = append(of, i), append(sent, v)
			}
		}
		for k, one := range batch[happened](ctx, c, document, fault.Resource{Type: "project_item"}, partsWith("input", sent)) {
			done[of[k]] = Outcome[struct{}]{Err: one.Err, Tried: one.Tried}
		}
	}
	return done
}

// What writes of several issues do. All IDs in their inputs are node IDs. What closes an issue
// needs its issueId and a stateReason, and of a duplicate the duplicateIssueId of the issue that
// stays.
const (
	CreateIssues = "CreateIssues"
	UpdateIssues = "UpdateIssues"
	CloseIssues  = "CloseIssues"
)

// WriteIssues creates, changes or closes issues.
func (c *Client) WriteIssues(ctx context.Context, does string, all []Fields) []Outcome[Issue] {
	about := fault.Resource{Type: "issue"}
	if does == CreateIssues {
		about.Type = "repository"
	}
	return batch[Issue](ctx, c, does, about, partsWith("input", all))
}

// AddComments adds comments to issues and pull requests: each input has a subjectId and a body.
func (c *Client) AddComments(ctx context.Context, all []Fields) []Outcome[Comment] {
	return batch[Comment](ctx, c, "AddComments", fault.Resource{Type: "issue"}, partsWith("input", all))
}
