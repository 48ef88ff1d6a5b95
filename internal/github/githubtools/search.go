package githubtools

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// searchInput holds the filters that only GitHub's search has.
type searchInput struct {
	Query       string       `json:"query,omitzero" jsonschema:"Words and qualifiers such as created:>=2026-11-20" limits:"maxlen=500"`
	In          string       `json:"in,omitzero" jsonschema:"Of the words" limits:"enum=title|body|comments"`
	Type        string       `json:"type,omitzero" jsonschema:"issue, pull_request, any or an issue type" limits:"maxlen=50 default=issue"`
	Mentions    string       `json:"mentions,omitzero" jsonschema:"Login or me" limits:"maxlen=40"`
	Involves    string       `json:"involves,omitzero" jsonschema:"Login or me" limits:"maxlen=40"`
	ReviewAsked string       `json:"review_asked,omitzero" jsonschema:"Login or me" limits:"maxlen=40"`
	Project     toolargs.Ref `json:"project,omitzero" jsonschema:""`
}

func (in searchInput) searches() bool {
	return in.Query != "" || in.In != "" || in.Type != "" && in.Type != "issue" || in.Mentions != "" || in.Involves != "" || in.ReviewAsked != "" || !in.Project.IsZero()
}

// pull is what an answer tells about a pull request in addition.
type pull struct {
	Draft   bool   `json:"draft"`
	Merged  bool   `json:"merged,omitempty"`
	Reviews string `json:"reviews,omitempty"` // such as approved
	Checks  string `json:"checks,omitempty"`  // such as success
}

// withPulls completes the pull requests of a list.
func (k *kit) withPulls(ctx context.Context, issues []github.Issue, v []issue) error {
	var of []int
	var ids []string
	for i := range issues {
		if issues[i].PullRequest {
			of, ids = append(of, i), append(ids, issues[i].ID)
		}
	}
	for n, one := range k.github.Pulls(ctx, ids) {
		if one.Err != nil {
			return one.Err
		}
		v[of[n]].PullRequest = viewPull(one.Value)
	}
	return nil
}

func viewPull(p github.Pull) *pull {
	return &pull{Draft: p.IsDraft, Merged: p.Merged, Reviews: strings.ToLower(p.ReviewDecision), Checks: strings.ToLower(p.Checks())}
}

// searchIssues lists what GitHub's search finds.
func (k *kit) searchIssues(ctx context.Context, repo github.Repo, filter github.IssueFilter, in listIssuesInput) (page[issue], error) {
	words, err := k.searchWords(ctx, repo, filter, in)
	if err != nil {
		return page[issue]{}, err
	}
	q := strings.Join(words, " ")
	var seen []github.Issue
	found, err := list[github.Issue, issue]{
		of: listing.Digest("search", q, in.Sort, in.Direction),
		read: func(next string) (github.Page[github.Issue], error) {
			return k.github.SearchIssues(ctx, q, in.Sort, in.Direction, next)
		},
		view: func(i github.Issue) (issue, bool) {
			seen = append(seen, i)
			return viewIssue(i), true
		},
		total: true,
	}.collect(in.pageInput)
	if err != nil {
		return found, k.unknownInSearch(ctx, filter, in, err)
	}
	found.Meant = understood(in, repo, filter)
	return found, k.withPulls(ctx, seen[:len(found.Items)], found.Items)
}

// scoped are qualifiers that keep a search from going through all of GitHub.
var scoped = lazyregexp.New(`(^| )-?(repo|org|user|author|assignee|involves|mentions|commenter|project|review-requested|reviewed-by|team):`)

// searchWords returns the words of a query in GitHub's form.
func (k *kit) searchWords(ctx context.Context, repo github.Repo, filter github.IssueFilter, in listIssuesInput) (words []string, err error) {
	with := func(name, value string) {
		if value != "" {
			words = append(words, name+":"+quoted(value))
		}
	}
	query := strings.TrimSpace(plaintext.Clean(in.Query))
	if query != "" {
		words = append(words, query)
	}
	if repo.Name != "" {
		with("repo", repo.String())
	}
	if in.State != "all" {
		with("state", in.State)
	}
	switch in.Type {
	case "issue":
		with("is", "issue")
	case "pull_request":
		with("is", "pr")
	case "any", "":
	default:
		kind, err := k.issueType(ctx, "type", repo, in.Type)
		if err != nil {
			return nil, err
		}
		with("type", kind)
	}
	for _, name := range filter.Labels {
		with("label", name)
	}
	with("in", in.In)
	with("author", filter.Creator)
	with("mentions", filter.Mentions)
	with("involves", filter.Involves)
	with("review-requested", filter.ReviewAsked)
	noneOr(&words, "assignee", filter.Assignee)
	noneOr(&words, "milestone", cmp.Or(filter.MilestoneTitle, filter.Milestone))
	if !filter.Since.IsZero() {
		words = append(words, "updated:>="+filter.Since.UTC().Format(time.RFC3339))
	}
	if !in.Project.IsZero() {
		p, err := k.project(ctx, in.Project, "", readProjects)
		if err != nil {
			return nil, err
		}
		words = append(words, "project:"+nameOf(p.Project))
	}
	if !scoped.MatchString(strings.Join(words, " ")) {
		return k.ownScope(ctx, words)
	}
	return words, nil
}

// noneOr adds a qualifier whose value can also be none, or * for any.
func noneOr(words *[]string, name, value string) {
	switch value {
	case "":
	case "none":
		*words = append(*words, "no:"+name)
	case "*":
		*words = append(*words, "-no:"+name)
	default:
		*words = append(*words, name+":"+quoted(value))
	}
}

// quoted returns a value of a qualifier.
func quoted(value string) string {
	if strings.ContainsAny(value, " :") {
		return `"` + strings.ReplaceAll(value, `"`, "") + `"`
	}
	return strings.ReplaceAll(value, `"`, "")
}

// ownScope restricts a search to what belongs to the user and the user's organizations.
func (k *kit) ownScope(ctx context.Context, words []string) ([]string, error) {
	all, me, _, err := k.github.Organizations(ctx)
	if err != nil {
		return nil, err
	}
	words = append(words, "user:"+me.Login)
	for _, o := range all {
		words = append(words, "org:"+o.Login)
	}
	return words, nil
}

// unknownInSearch returns an error that names the logins that GitHub does not have, if the search
// was refused for them; otherwise err.
func (k *kit) unknownInSearch(ctx context.Context, filter github.IssueFilter, in listIssuesInput, err error) error {
	if !fault.Is(err, fault.InvalidInput) || fault.From(err).Upstream == nil {
		return err
	}
	given := map[string]string{
		"assignee": filter.Assignee, "creator": filter.Creator, "mentions": filter.Mentions, "involves": filter.Involves, "review_asked": filter.ReviewAsked,
	}
	var arguments, logins []string
	for _, argument := range []string{"assignee", "creator", "mentions", "involves", "review_asked"} {
		if login := given[argument]; login != "" && login != "none" && login != "*" {
			arguments, logins = append(arguments, argument), append(logins, login)
		}
	}
	var problems []error
	var known []string
	for i, one := range k.github.Owners(ctx, logins) {
		if !fault.Is(one.Err, fault.NotFound) {
			continue
		}
		if known == nil {
			people, _ := k.findMembers(ctx, "person", "")
			known = []string{}
			for _, p := range people.Items {
				known = append(known, p.Ref)
			}
		}
		problems = append(problems, noUser(arguments[i], logins[i], known))
	}
	return cmp.Or(fault.All(problems...), err)
}

// issueType returns an issue type of the owner of a repository, or of the user's organizations, as
// GitHub writes it.
func (k *kit) issueType(ctx context.Context, argument string, repo github.Repo, name string) (string, error) {
	owners := []string{repo.Owner}
	if repo.Owner == "" {
		all, _, _, err := k.github.Organizations(ctx)
		if err != nil {
			return "", err
		}
		owners = nil
		for _, o := range all {
			owners = append(owners, o.Login)
		}
	}
	c := choice[string]{argument: argument, noun: "issue types", name: func(n string) string { return n }}
	for _, owner := range owners {
		types, _, err := k.github.IssueTypes(ctx, owner)
		if err != nil {
			return "", err
		}
		for _, one := range types {
			if !slices.Contains(c.items, one) {
				c.items = append(c.items, one)
			}
		}
	}
	if len(c.items) == 0 {
		return "", fault.Invalid(argument, "%s has no issue types here: only organizations have them, and not every GitHub Enterprise Server", cmp.Or(repo.Owner, "the user"))
	}
	return c.pick(name)
}

// understood returns what arguments were taken to mean, where that differs from what was given.
func understood(in listIssuesInput, repo github.Repo, filter github.IssueFilter) map[string]string {
	meant := map[string]string{}
	told := func(argument, given, meaning string) {
		if meaning != "" && given != "" && !strings.EqualFold(strings.TrimPrefix(given, "@"), meaning) {
			meant[argument] = plaintext.Clean(meaning)
		}
	}
	if !strings.Contains(in.Repo, "/") {
		told("repo", in.Repo, repo.String())
	}
	for i, name := range filter.Labels[:min(len(filter.Labels), len(in.Labels))] {
		told("labels["+strconv.Itoa(i)+"]", in.Labels[i], name)
	}
	told("creator", in.Creator, filter.Creator)
	told("mentions", in.Mentions, filter.Mentions)
	told("involves", in.Involves, filter.Involves)
	told("review_asked", in.ReviewAsked, filter.ReviewAsked)
	if filter.Assignee != "*" {
		told("assignee", in.Assignee, filter.Assignee)
	}
	told("milestone", in.Milestone.Name, filter.MilestoneTitle)
	if len(meant) == 0 {
		return nil
	}
	return meant
}
