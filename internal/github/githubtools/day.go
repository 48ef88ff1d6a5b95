package githubtools

import (
	"cmp"
	"context"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/plaintext"
)

// DaySource returns what a day is read from, with one request: what is assigned to the caller,
// whose review is asked and, if the day is read since a time, what changed since then.
func (w *Wing) DaySource(d hub.DayOf) hub.Source {
	return hub.Source{Name: Side, Read: func(ctx context.Context) (map[string][]hub.Item, error) {
		login, err := w.kit.github.Login(ctx)
		if err != nil {
			return nil, err
		}
		begins, _ := d.Begins(ctx) // without the caller's time zone, times are in UTC
		since, err := d.Since(ctx)
		if err != nil {
			return nil, err
		}
		queries := []string{"is:open assignee:" + login, "is:open is:pr review-requested:" + login}
		if !since.IsZero() {
			queries = append(queries, "updated:>="+since.UTC().Format(time.RFC3339)+" involves:"+login)
		}
		for i := range queries {
			queries[i] += " sort:updated-desc"
		}
		items, problems := map[string][]hub.Item{}, make([]error, len(queries))
		for i, found := range w.kit.github.Searches(ctx, queries...) {
			section := []string{"github", "github", "since"}[i]
			for _, issue := range found.Value.Issues() {
				ref := linkRef(issue)
				item := hub.Item{Key: ref, Ref: ref.ID, Title: plaintext.Clean(issue.Title)}
				switch i {
				case 1:
					item.Says = "your review is asked"
				case 2:
					item.Says, item.At = sinceThen(issue, since), issue.UpdatedAt.In(begins.Location()).Format(hub.Minute)
				}
				items[section] = append(items[section], item)
			}
			problems[i] = lacking(found)
		}
		return items, cmp.Or(problems...)
	}}
}

// sinceThen returns what became of an issue since a time.
func sinceThen(i github.Issue, since time.Time) string {
	switch {
	case i.ClosedAt != nil && !i.ClosedAt.Before(since):
		return "closed"
	case !i.CreatedAt.Before(since):
		return "opened by @" + i.Author
	}
	return "changed"
}

// lacking returns an error if a search failed, or did not return all that it found.
func lacking(found github.Outcome[github.Found]) error {
	v := found.Value
	switch {
	case found.Err != nil:
		return found.Err
	case found.Incomplete != nil && found.Incomplete.Reason == github.SSO:
		return fault.New(fault.PermissionDenied, "what organizations with single sign-on have is missing")
	case v.IssueCount > len(v.Nodes):
		return fault.New(fault.LimitReached, "the latest %d of %d are read", len(v.Nodes), v.IssueCount)
	}
	return nil
}
