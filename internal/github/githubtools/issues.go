package githubtools

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

type issue struct {
	Ref           string     `json:"ref"`
	Number        int        `json:"number"`
	Repo          string     `json:"repo"`
	Title         string     `json:"title"`
	State         string     `json:"state"`
	StateReason   *string    `json:"state_reason"`
	Author        string     `json:"author"`
	Assignees     []string   `json:"assignees"`
	Labels        []string   `json:"labels"`
	Milestone     *string    `json:"milestone"`
	CommentsCount int        `json:"comments_count"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
	ClosedAt      *time.Time `json:"closed_at"`
	URL           string     `json:"url"`
	Outsider      bool       `json:"outsider,omitempty"`
	Withheld      bool       `json:"withheld,omitempty"`
	PullRequest   *pull      `json:"pull_request,omitempty"`
	OpenBlockers  int        `json:"blocked_by_count,omitempty"` // open issues; only in lists
	OpenBlocked   int        `json:"blocking_count,omitempty"`
}

// IsWithheld reports whether its texts are withheld.
func (i issue) IsWithheld() bool { return i.Withheld }

func viewIssue(i github.Issue) issue {
	v := issue{
		Ref: parts.ItemRef(i.Repo, i.Number), Number: i.Number, Repo: i.Repo.String(), Title: plaintext.Clean(i.Title), State: i.State,
		Author: i.Author, Assignees: i.Assignees, Labels: parts.Mapped(i.Labels, plaintext.Clean), CommentsCount: i.Comments,
		CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, ClosedAt: i.ClosedAt, URL: i.URL,
		Outsider: github.Outsider(i.Association), Withheld: i.Withheld,
	}
	if i.PullRequest {
		v.PullRequest = &pull{Draft: i.Draft}
	}
	if i.StateReason != "" {
		v.StateReason = &i.StateReason
	}
	if i.Milestone != nil {
		title := plaintext.Clean(i.Milestone.Title)
		v.Milestone = &title
	}
	return v
}

// listedIssue returns an issue of a list, with how many open ones it waits for and blocks.
func listedIssue(i github.Issue) issue {
	v := viewIssue(i)
	v.OpenBlockers, v.OpenBlocked = i.OpenBlocks.By, i.OpenBlocks.Other
	return v
}

type listIssuesInput struct {
	Repo       string   `json:"repo,omitzero" jsonschema:"Name or owner/name; default all" limits:"maxlen=1000"`
	State      string   `json:"state,omitzero" jsonschema:"State" limits:"enum=open|closed|all default=open"`
	Labels     []string `json:"labels,omitzero" jsonschema:"With all of these" limits:"word maxitems=100"`
	Assignee   string   `json:"assignee,omitzero" jsonschema:"Login, me, none or any" limits:"maxlen=40"`
	Creator    string   `json:"creator,omitzero" jsonschema:"Login or me" limits:"maxlen=40"`
	alsoAuthor `limits:"unlisted"`
	Milestone  toolargs.Ref `json:"milestone,omitzero" jsonschema:"Number, title, none or any"`
	Since      string       `json:"since,omitzero" jsonschema:"Updated since: date or time" limits:"maxlen=40"`
	Sort       string       `json:"sort,omitzero" jsonschema:"Order" limits:"enum=created|updated|comments default=created"`
	Direction  string       `json:"direction,omitzero" jsonschema:"Order" limits:"enum=desc|asc default=desc"`
	searchInput
	parts.PageInput
}

// alsoAuthor is another name for the creator.
type alsoAuthor struct {
	Author string `json:"author,omitzero" jsonschema:"Login" limits:"maxlen=40"`
}

func (k *kit) listIssues(ctx context.Context, in listIssuesInput) (parts.Page[issue], error) {
	in.Creator = cmp.Or(in.Creator, in.Author)
	repo, err := k.InRepo(ctx, in.Repo, nil)
	if err != nil {
		return parts.Page[issue]{}, err
	}
	filter, err := k.issueFilter(ctx, repo, in)
	if err != nil {
		return parts.Page[issue]{}, err
	}
	if in.Repo == "" || in.searches() {
		return k.searchIssues(ctx, repo, filter, in)
	}
	issues := parts.List[github.Issue, issue]{
		Of:   issueQuestion(repo, filter, in.Since),
		Read: func(next string) (github.Page[github.Issue], error) { return k.GitHub.Issues(ctx, repo, filter, next) },
		View: func(i github.Issue) (issue, bool) { return listedIssue(i), !i.PullRequest },
	}
	found, err := issues.Collect(in.PageInput)
	found.Meant = understood(in, repo, filter, search{})
	meant, err := k.meantFilter(ctx, repo, filter, in.Milestone, found, err)
	if err != nil || meant.Milestone == filter.Milestone && slices.Equal(meant.Labels, filter.Labels) {
		return found, err
	}
	filter = meant
	found, err = issues.Collect(in.PageInput)
	found.Meant = understood(in, repo, filter, search{})
	return found, err
}

// issueQuestion returns a digest of the arguments that select a list of issues. Words such as
// last_7_days are the same on each page of a list, but the time that they mean is not.
func issueQuestion(repo github.Repo, filter github.IssueFilter, since string) string {
	filter.Since = time.Time{}
	return listing.Digest("issues", strings.ToLower(repo.String()), filter, since)
}

// meantFilter returns the filter that the caller means, after GitHub refused the given one with
// err, or found nothing. To save requests, the number of a milestone, the labels and the creator
// are checked only then: GitHub finds nothing for a label or a creator that does not exist.
func (k *kit) meantFilter(
	ctx context.Context, repo github.Repo, given github.IssueFilter, milestone toolargs.Ref, found parts.Page[issue], err error,
) (github.IssueFilter, error) {
	meant := given
	switch {
	case boards.IsRefused(err):
		if unknown := k.unknownLogins(ctx, repo, given, fault.From(err).Validation); unknown != nil || milestone.ID <= 0 {
			return meant, cmp.Or(unknown, err)
		}
		one, unknown := k.milestone(ctx, repo, milestone)
		meant.Milestone = strconv.Itoa(one.Number)
		if unknown != nil || meant.Milestone != given.Milestone {
			err = unknown
		}
	case err == nil && len(found.Items) == 0 && !found.HasMore:
		if err = k.unknownCreator(ctx, repo, given); err == nil && len(given.Labels) > 0 {
			meant.Labels, err = k.labels(ctx, repo, "labels", given.Labels)
		}
	}
	return meant, err
}

// unknownCreator returns an error if GitHub does not have the creator that a filter names.
func (k *kit) unknownCreator(ctx context.Context, repo github.Repo, given github.IssueFilter) error {
	if given.Creator == "" {
		return nil
	}
	me, err := k.GitHub.Login(ctx)
	if err != nil || strings.EqualFold(me, given.Creator) {
		return err
	}
	_, err = k.Accounts(ctx, []parts.Term{{Argument: "creator", Value: given.Creator}}, k.LatestLogins(ctx, repo))
	return err
}

// unknownLogins returns an error for the logins of a filter that GitHub does not have. It lists
// similar logins of those whom the repository's latest issues name.
func (k *kit) unknownLogins(ctx context.Context, repo github.Repo, given github.IssueFilter, refused []fault.Violation) error {
	var problems []error
	var known []string
	for _, v := range refused {
		login := map[string]string{"assignee": given.Assignee, "creator": given.Creator}[v.Path]
		if login == "" {
			continue
		}
		if known == nil {
			var err error
			if known, err = k.LatestLogins(ctx, repo)(); err != nil {
				return err
			}
		}
		problems = append(problems, parts.NoUser(v.Path, login, known))
	}
	return fault.All(problems...)
}

// issueFilter returns GitHub's filter for the arguments.
func (k *kit) issueFilter(ctx context.Context, repo github.Repo, in listIssuesInput) (github.IssueFilter, error) {
	f := github.IssueFilter{State: in.State, Labels: in.Labels, Sort: in.Sort, Direction: in.Direction}
	logins := []struct {
		argument, given, always string
		to                      *string
	}{
		{"assignee", in.Assignee, "", &f.Assignee}, {"creator", in.Creator, ": every issue has a creator; leave creator out for all", &f.Creator},
		{"mentions", in.Mentions, "", &f.Mentions}, {"involves", in.Involves, "", &f.Involves}, {"review_asked", in.ReviewAsked, "", &f.ReviewAsked},
	}
	var problems []error
	for _, l := range logins {
		login, err := parts.Login(l.argument, l.given)
		if err == nil && l.argument != "assignee" && parts.IsAnyOrNone(login) {
			err = fault.Invalid(l.argument, "must be a login or me, got %s%s", plaintext.Quote(login), l.always)
		}
		*l.to, problems = login, append(problems, err)
	}
	var err, badLabels error
	f.Since, err = k.Since("since", in.Since)
	if slices.ContainsFunc(in.Labels, parts.IsAnyOrNone) {
		badLabels = fault.Invalid("labels", "must be names of labels: GitHub cannot list issues with any label or with none; leave labels out, and read the labels of each issue")
	}
	if slices.ContainsFunc(in.Labels, func(l string) bool { return strings.TrimSpace(l) == "" || len([]rune(l)) > parts.MaxName }) {
		badLabels = fault.Invalid("labels", "must be names of at most %d characters", parts.MaxName)
	}
	if err := fault.All(slices.Insert(problems, 2, err, badLabels)...); err != nil {
		return f, err
	}
	for _, l := range logins {
		if *l.to, err = k.Person(ctx, *l.to); err != nil {
			return f, err
		}
	}
	if strings.EqualFold(f.Assignee, "any") {
		f.Assignee = "*"
	}
	err = k.filterMilestone(ctx, repo, in, &f)
	return f, err
}

// filterMilestone adds the milestone to a filter.
func (k *kit) filterMilestone(ctx context.Context, repo github.Repo, in listIssuesInput, f *github.IssueFilter) error {
	switch {
	case in.Milestone.IsZero():
	case parts.IsNone(in.Milestone.Name):
		f.Milestone = "none"
	case strings.EqualFold(in.Milestone.Name, "any"):
		f.Milestone = "*"
	case in.Milestone.ID > 0 && repo.Name == "":
		return fault.Invalid("milestone", "needs repo if it is a number; give its title to search in all repositories")
	case in.Milestone.ID > 0 && !in.searches():
		f.Milestone = strconv.FormatInt(in.Milestone.ID, 10)
	case repo.Name == "":
		f.Milestone = in.Milestone.Name
	default:
		found, err := k.milestone(ctx, repo, in.Milestone)
		f.Milestone, f.MilestoneTitle = strconv.Itoa(found.Number), found.Title
		return err
	}
	return nil
}
