package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Milestone is a goal that groups issues of a repository.
type Milestone struct {
	ID           string `json:"node_id"`
	Number       int    `json:"number"`
	Title        string `json:"title"`
	Description  string `json:"description"`
	DueOn        string `json:"-"`     // a date; empty for none
	State        string `json:"state"` // open or closed
	OpenIssues   int    `json:"open_issues"`
	ClosedIssues int    `json:"closed_issues"`
	URL          string `json:"html_url"`
}

func (m Milestone) check() (hidden int, err error) { return identified(m.Number != 0) }

// UnmarshalJSON implements json.Unmarshaler.
func (m *Milestone) UnmarshalJSON(data []byte) error {
	type plain Milestone
	*m = Milestone{}
	wire := struct {
		*plain
		DueOn *time.Time `json:"due_on"`
	}{plain: (*plain)(m)}
	err := json.Unmarshal(data, &wire)
	if wire.DueOn != nil {
		m.DueOn = wire.DueOn.UTC().Format(time.DateOnly)
	}
	return err
}

// Milestones lists all milestones of a repository, open and closed.
func (c *Client) Milestones(ctx context.Context, repo Repo) ([]Milestone, error) {
	return all(func(next string) (Page[Milestone], error) {
		return listed[Milestone](ctx, c, c.requestBelow(repo, "milestones"), url.Values{"state": {"all"}}, next)
	})
}

// CreateMilestone adds a milestone to a repository. Its due_on is a date. A title that another
// milestone has is INVALID_INPUT with the code already_exists.
func (c *Client) CreateMilestone(ctx context.Context, repo Repo, milestone Fields) (Milestone, error) {
	// GitHub stores a time. Noon in UTC is the same date in most time zones.
	if due, has := milestone["due_on"].(string); has {
		milestone["due_on"] = due + "T12:00:00Z"
	}
	return send[Milestone](ctx, c, http.MethodPost, c.requestBelow(repo, "milestones"), milestone)
}
