package githubtools

import (
	"context"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/hub"
)

// DaySources returns what a day is read from: what is assigned to the caller, whose review is asked
// and, if the day is read since a time, what changed since then.
func (w *Wing) DaySources(d hub.DayOf) []hub.Source {
	return []hub.Source{
		w.searches("github", "", w.mine("is:open assignee:")),
		w.searches("github", "your review is asked", w.mine("is:open is:pr review-requested:")),
		w.searches("since", "changed", func(ctx context.Context) (string, error) {
			since, err := d.Since(ctx)
			if err != nil || since.IsZero() {
				return "", err
			}
			return w.mine("updated:>=" + since.UTC().Format(time.RFC3339) + " involves:")(ctx)
		}),
	}
}

// mine returns a query that ends with the caller's login.
func (w *Wing) mine(query string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		login, err := w.kit.github.Login(ctx)
		return query + login, err
	}
}

// searches returns a source that asks GitHub's search. An empty query asks nothing.
func (w *Wing) searches(section, says string, query func(context.Context) (string, error)) hub.Source {
	return hub.Source{Name: Side, Read: func(ctx context.Context) (map[string][]hub.Item, error) {
		asked, err := query(ctx)
		if err != nil || asked == "" {
			return nil, err
		}
		found, err := w.kit.github.SearchIssues(ctx, asked, "updated", "desc", "")
		items := make([]hub.Item, len(found.Items))
		for i, issue := range found.Items {
			items[i] = dayItem(issue, says)
		}
		return map[string][]hub.Item{section: items}, err
	}}
}

func dayItem(i github.Issue, says string) hub.Item {
	t := linkedThing(i)
	item := hub.Item{Ref: t.Ref.ID, Key: t.Ref, Whole: t, Title: t.Title, Says: says}
	if says == "changed" {
		item.At, item.By = i.UpdatedAt.UTC().Format(time.RFC3339), i.Author
	}
	return item
}
