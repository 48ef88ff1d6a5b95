package github

import (
	"context"
	"maps"
	"reflect"

	"basecamp-mcp/internal/fault"
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

func (n Node) check() error {
	if n.ID == "" {
		return errNotAnItem
	}
	return nil
}

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

// CreateIssues adds issues to repositories.
func (c *Client) CreateIssues(ctx context.Context, all []Fields) []Outcome[Subject] {
	return batch[Subject](ctx, c, "CreateIssues", fault.Resource{Type: "repository"}, partsWith("input", all))
}

// UpdateIssues changes issues. All IDs in the inputs are node IDs.
func (c *Client) UpdateIssues(ctx context.Context, all []Fields) []Outcome[Subject] {
	return batch[Subject](ctx, c, "UpdateIssues", fault.Resource{Type: "issue"}, partsWith("input", all))
}

// CloseIssues closes issues: each input has an issueId and a stateReason, and the duplicateIssueId
// of the issue that stays.
func (c *Client) CloseIssues(ctx context.Context, all []Fields) []Outcome[Subject] {
	return batch[Subject](ctx, c, "CloseIssues", fault.Resource{Type: "issue"}, partsWith("input", all))
}

// AddComments adds comments to issues and pull requests: each input has a subjectId and a body.
func (c *Client) AddComments(ctx context.Context, all []Fields) []Outcome[Comment] {
	return batch[Comment](ctx, c, "AddComments", fault.Resource{Type: "issue"}, partsWith("input", all))
}
