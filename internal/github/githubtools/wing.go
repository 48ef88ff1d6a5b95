package githubtools

import (
	"cmp"
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// Wing is GitHub as the server's own tools see it. It is a side of the hub.
type Wing struct{ kit *kit }

var _ hub.Batch = (*Wing)(nil)

// New returns the wing of a client. If now is nil, its clock is time.Now. The tools ask links what
// is linked; it may be nil.
func New(client *github.Client, now func() time.Time, links *hub.Hub) *Wing {
	if now == nil {
		now = time.Now
	}
	return &Wing{&kit{&boards.Kit{Kit: &parts.Kit{GitHub: client, Now: now}}, links}}
}

// Side is the name of GitHub in references.
const Side = "github"

// Name returns the name of the side.
func (w *Wing) Name() string { return Side }

// Names reports whether a text is owner/repo#12, a URL of GitHub or an item of a project.
func (w *Wing) Names(text string) bool {
	ref := parts.Addresses.ParseRef(text)
	if ref.URL != "" {
		_, ok := w.kit.GitHub.Path(ref.URL)
		return ok
	}
	form := parts.IssueForm.FindStringSubmatch(ref.Name)
	return len(form) > 1 && form[1] != "" || parts.ItemID.MatchString(ref.Name)
}

// Find reads the issue or the pull request that a text names. An item of a project stands for its
// issue.
func (w *Wing) Find(ctx context.Context, argument, text string) (hub.Thing, error) {
	if !w.Names(text) {
		return hub.Thing{}, fault.Invalid(argument, "must be owner/repo#12 or a URL; GitHub's issues cannot be found by title")
	}
	ref := parts.Addresses.ParseRef(text)
	if parts.ItemID.MatchString(ref.Name) {
		item, _, err := w.kit.GitHub.Item(ctx, ref.Name, "")
		if err != nil {
			return hub.Thing{}, err
		}
		if item.Number == 0 {
			return hub.Thing{}, fault.Invalid(argument, "is a draft, which has no address; make an issue of it first")
		}
		ref.Name = parts.ItemRef(item.Repo, item.Number)
	}
	i, err := w.kit.ReadIssue(ctx, ref, "")
	if err != nil {
		return hub.Thing{}, err
	}
	thing := linkedThing(i)
	if i.Withheld {
		thing.Title = "" // nothing is to be made of the word that stands for it
	}
	return thing, nil
}

// Look reads issues and pull requests with one request. An issue may have moved to another
// repository, which only a read of that one says.
func (w *Wing) Look(ctx context.Context, refs []hub.Ref) ([]hub.Thing, error) {
	numbers := make([]github.Numbered, len(refs))
	for i, ref := range refs {
		named, err := w.kit.IssueRef("issue", parts.Addresses.ParseRef(ref.ID), "")
		if err != nil {
			return nil, err
		}
		numbers[i] = github.Numbered{Repo: named.Repo, Number: named.Number}
	}
	all, again := make([]hub.Thing, len(refs)), mostMoved
	for i, found := range w.kit.GitHub.Glances(ctx, numbers) {
		thing, err := linkedThing(found.Value), found.Err
		if fault.Is(err, fault.NotFound) && again > 0 {
			again--
			thing, err = w.Find(ctx, "", refs[i].ID)
		}
		if all[i] = thing; err != nil {
			all[i] = hub.Thing{State: hub.StateOf(err)}
		}
	}
	return all, nil
}

const mostMoved = 2 // issues that a call reads again

// linkRef returns the reference to an issue. GitHub does not tell capitals of names apart.
func linkRef(i github.Issue) hub.Ref {
	return hub.Ref{Side: Side, ID: strings.ToLower(parts.ItemRef(i.Repo, i.Number))}
}

func linkedThing(i github.Issue) hub.Thing {
	v := hub.Thing{Ref: linkRef(i), Title: plaintext.Clean(i.Title), URL: i.URL, State: hub.Open, ByHand: i.PullRequest}
	switch {
	case i.State == "closed" && i.PullRequest == i.Merged && (i.StateReason == "" || i.StateReason == "completed"):
		v.State = hub.Done
	case i.State == "closed":
		v.State = hub.Trashed
	}
	return v
}

// Complete closes an issue as completed, unless it is closed. It refuses a pull request.
func (w *Wing) Complete(ctx context.Context, id string) (hub.Completed, error) {
	if err := w.kit.GitHub.Require(ctx, writeIssues...); err != nil {
		return hub.Completed{}, err
	}
	i, err := w.kit.ReadIssue(ctx, parts.Addresses.ParseRef(id), "")
	if err != nil || i.State == "closed" {
		return hub.Completed{Thing: linkedThing(i)}, err
	}
	if i.PullRequest {
		return hub.Completed{Thing: linkedThing(i)}, fault.Invalid("", "%s is a pull request; the user merges or closes it on GitHub", parts.ItemRef(i.Repo, i.Number))
	}
	i, err = w.kit.GitHub.UpdateIssue(ctx, i.Repo, i.Number, github.Fields{"state": "closed", "state_reason": "completed"}, nil)
	return hub.Completed{Thing: linkedThing(i), Changed: true}, err
}

// CallToComplete returns the call that closes an issue.
func (w *Wing) CallToComplete(id string) hub.Call {
	return hub.Call{Tool: "github_update_issue", Arguments: map[string]any{"issue": id, "state": "closed"}}
}

// finished completes what is linked to an issue that the call has closed, if the call asks for
// that. It drops what the hub has read.
func (k *kit) finished(ctx context.Context, in updateIssueInput, v updatedIssue, i github.Issue) (_ updatedIssue, err error) {
	if k.links != nil {
		k.links.Forget(ctx)
	}
	if in.Everywhere && i.State == "closed" {
		v.Everywhere, err = k.links.Finish(ctx, linkRef(i))
	}
	return v, err
}

// DaySource returns what a day is read from, with one request: what is assigned to the caller,
// whose review is asked and, if the day is read since a time, what changed since then.
func (w *Wing) DaySource(d hub.DayOf) hub.Source {
	return hub.Source{Name: Side, Read: func(ctx context.Context) (map[string][]hub.Item, error) {
		login, err := w.kit.GitHub.Login(ctx)
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
		for i, found := range w.kit.GitHub.Searches(ctx, queries...) {
			section := []string{"github", "github", "since"}[i]
			for _, issue := range found.Value.Items {
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
func lacking(found github.Outcome[github.Page[github.Issue]]) error {
	v := found.Value
	switch {
	case found.Err != nil:
		return found.Err
	case found.Incomplete != nil && found.Incomplete.Reason == github.SSO:
		return fault.New(fault.PermissionDenied, "what organizations with single sign-on have is missing")
	case !v.Whole():
		return fault.New(fault.LimitReached, "the latest %d of %d are read", len(v.Items), v.Total)
	}
	return nil
}
