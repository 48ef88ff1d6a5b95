package githubtools

import (
	"cmp"
	"context"
	"fmt"
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

// searchInput holds the filters that only GitHub's search has.
type searchInput struct {
	Query       string       `json:"query,omitzero" jsonschema:"Words and qualifiers such as created:>=2026-11-20" limits:"word maxlen=500"`
	In          string       `json:"in,omitzero" jsonschema:"Of the words" limits:"enum=title|body|comments"`
	Type        string       `json:"type,omitzero" jsonschema:"issue, pull_request, any or an issue type" limits:"maxlen=50 default=issue"`
	Mentions    string       `json:"mentions,omitzero" jsonschema:"Login or me" limits:"maxlen=40"`
	Involves    string       `json:"involves,omitzero" jsonschema:"Login or me" limits:"maxlen=40"`
	ReviewAsked string       `json:"review_asked,omitzero" jsonschema:"Login or me" limits:"maxlen=40"`
	Project     toolargs.Ref `json:"project,omitzero" jsonschema:"owner/5, URL or title"`
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
	for n, one := range k.GitHub.Pulls(ctx, ids) {
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

// searchIssues lists what GitHub's search finds. If that is nothing, it checks the names in the
// search.
func (k *kit) searchIssues(ctx context.Context, repo github.Repo, filter github.IssueFilter, in listIssuesInput) (parts.Page[issue], error) {
	found, s, err := k.searched(ctx, repo, filter, in)
	if now := k.renamed(ctx, repo, err); now != repo {
		return k.searchIssues(ctx, now, filter, in)
	}
	if err != nil {
		return found, k.unknownInSearch(ctx, s, filter, err)
	}
	if len(found.Items) > 0 || found.HasMore || in.Cursor != "" {
		return found, nil
	}
	meant, unchecked, err := k.checkNames(ctx, s, filter)
	if err != nil {
		return found, err
	}
	if meant.MilestoneTitle != filter.MilestoneTitle || !slices.Equal(meant.Labels, filter.Labels) {
		found, _, err = k.searched(ctx, repo, meant, in)
	}
	found.Unchecked = append(found.Unchecked, unchecked...)
	return found, err
}

// renamed returns the name that a repository has now, after GitHub's search refused the given one:
// it does not follow renames.
func (k *kit) renamed(ctx context.Context, repo github.Repo, err error) github.Repo {
	if !boards.IsRefused(err) || repo.Name == "" {
		return repo
	}
	now, err := k.GitHub.Repository(ctx, repo)
	if err != nil || strings.EqualFold(now.NameWithOwner, repo.String()) {
		return repo
	}
	return now.Repo()
}

// searched returns what GitHub's search finds, and the search.
func (k *kit) searched(ctx context.Context, repo github.Repo, filter github.IssueFilter, in listIssuesInput) (parts.Page[issue], search, error) {
	s, err := k.search(ctx, repo, filter, in)
	if err != nil {
		return parts.Page[issue]{}, s, err
	}
	var seen []github.Issue
	found, err := parts.List[github.Issue, issue]{
		Of: listing.Digest("search", s.asked, in.Sort, in.Direction),
		Read: func(next string) (github.Page[github.Issue], error) {
			return k.GitHub.SearchIssues(ctx, s.query, in.Sort, in.Direction, next)
		},
		View: func(i github.Issue) (issue, bool) {
			seen = append(seen, i)
			return listedIssue(i), true
		},
		Total: true,
	}.Collect(in.PageInput)
	if err != nil {
		return found, s, err
	}
	found.Meant = understood(in, repo, filter, s)
	if s.left != "" {
		found.Unchecked = []string{s.left}
	}
	return found, s, k.withPulls(ctx, seen[:len(found.Items)], found.Items)
}

// search is a query in GitHub's form. own says that it goes through what the user reaches, because
// the arguments name nothing else.
type search struct {
	query string
	asked string // without that
	own   bool
	kind  string // the issue type that the argument type names; empty for none
	pulls bool   // it looks for pull requests, because nothing else can be meant
	words string // the query of the caller, as it was taken
	left  string // what an own search does not go through; empty for nothing
}

// search returns the query for the arguments.
func (k *kit) search(ctx context.Context, repo github.Repo, filter github.IssueFilter, in listIssuesInput) (s search, err error) {
	var words []string
	with := func(name, value string) {
		if value != "" {
			words = append(words, name+":"+quoted(value))
		}
	}
	s.words = parts.NotPlanned.ReplaceAllString(strings.TrimSpace(plaintext.Clean(in.Query)), `$1"not planned"`)
	asked := parts.QualifiersIn(s.words)
	if err := parts.CheckQualifiers(asked); err != nil {
		return s, err
	}
	if s.words != "" {
		words = append(words, s.words)
	}
	if repo.Name != "" {
		with("repo", repo.String())
	}
	if in.State != "all" && (in.State != "open" || !parts.Says("state", asked)) {
		with("state", in.State)
	}
	if s.kind, err = k.kindSearched(ctx, strings.Join(words, " "), in.Type); err != nil {
		return s, err
	}
	with("type", s.kind)
	switch in.Type {
	case "issue":
		if s.pulls = !parts.Says("kind", asked) && (in.ReviewAsked != "" || parts.Says("pull", asked)); s.pulls {
			with("is", "pr")
		} else if !parts.Says("kind", asked) {
			with("is", "issue")
		}
	case "pull_request":
		with("is", "pr")
	}
	for _, name := range filter.Labels {
		with("label", name)
	}
	for _, q := range [][2]string{{"in", in.In}, {"author", filter.Creator}, {"mentions", filter.Mentions}, {"involves", filter.Involves}, {"review-requested", filter.ReviewAsked}} {
		with(q[0], q[1])
	}
	noneOr(&words, "assignee", filter.Assignee)
	noneOr(&words, "milestone", cmp.Or(filter.MilestoneTitle, filter.Milestone))
	if !filter.Since.IsZero() {
		words = append(words, "updated:>="+filter.Since.UTC().Format(time.RFC3339))
	}
	if !in.Project.IsZero() {
		p, err := k.Project(ctx, in.Project, "", boards.ReadProjects)
		if err != nil {
			return s, err
		}
		words = append(words, "project:"+parts.NameOf(p.Project))
	}
	s.asked = strings.Join(words, " ")
	if s.query = s.asked; parts.Says("scope", parts.QualifiersIn(s.query)) {
		return s, nil
	}
	scope, left, err := k.ownScope(ctx)
	s.query, s.own, s.left = strings.Join(append(words, scope...), " "), true, left
	return s, err
}

// kindSearched returns the issue type for a search with words: as it is called where they search,
// or as the caller calls it if nothing there has it. It returns "" for the words of the argument
// that name none.
func (k *kit) kindSearched(ctx context.Context, words, name string) (string, error) {
	if slices.Contains([]string{"issue", "pull_request", "any", ""}, name) {
		return "", nil
	}
	found, has, err := k.searchedType(ctx, "type", words, name)
	if err == nil && !has {
		found = plaintext.Clean(name)
	}
	return found, err
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

// ownScope returns what restricts a search to what the user reaches: what belongs to the user and
// the user's organizations, and repositories of others. left says which of these are too many.
func (k *kit) ownScope(ctx context.Context) (words []string, left string, err error) {
	reach, err := k.GitHub.Scope(ctx)
	if err != nil {
		return nil, "", err
	}
	owners := append(parts.Mapped(reach.Organizations, func(o github.Organization) string { return o.Login }), reach.Login)
	words = append(words, "user:"+reach.Login)
	for _, o := range reach.Organizations {
		words = append(words, "org:"+o.Login)
	}
	var others []string
	for _, r := range reach.Repositories {
		if !parts.HasName(owners, r.Repo().Owner) {
			others = append(others, r.NameWithOwner)
		}
	}
	most := min(len(others), mostSearched)
	if len(others) > most {
		left = "repo: was not searched: " + strings.Join(others[most:min(len(others), most+parts.MaxListed)], ", ")
		if more := len(others) - most - parts.MaxListed; more > 0 {
			left += fmt.Sprintf(" and %d more", more)
		}
	}
	slices.Sort(others[:most])
	for _, name := range others[:most] {
		words = append(words, "repo:"+name)
	}
	return words, left, nil
}

// issueType returns an issue type of the owner of a repository, as GitHub writes it.
func (k *kit) issueType(ctx context.Context, argument string, repo github.Repo, name string) (string, error) {
	found, has, err := k.typeOf(ctx, argument, []string{repo.Owner}, name)
	if err == nil && !has {
		return "", fault.Invalid(argument, "%s has no issue types here: only organizations have them, and not every GitHub Enterprise Server", repo.Owner)
	}
	return found, err
}

// typeOf returns an issue type of one of several owners, as GitHub writes it. has is false if none
// of them shows any to the user.
func (k *kit) typeOf(ctx context.Context, argument string, owners []string, name string) (found string, has bool, err error) {
	c := parts.Choice[string]{Argument: argument, Noun: "issue types", Name: func(n string) string { return n }}
	for _, owner := range owners {
		types, _, err := k.GitHub.IssueTypes(ctx, owner)
		if err != nil {
			return "", false, err
		}
		for _, one := range types {
			if !slices.Contains(c.Items, one) {
				c.Items = append(c.Items, one)
			}
		}
	}
	if len(c.Items) == 0 {
		return "", false, nil
	}
	found, err = c.Pick(name)
	return found, true, err
}

// understood returns what arguments were taken to mean, where that differs from what was given.
func understood(in listIssuesInput, repo github.Repo, filter github.IssueFilter, s search) map[string]string {
	meant := map[string]string{}
	told := func(argument, given, meaning string) {
		if meaning != "" && given != "" && !strings.EqualFold(strings.TrimPrefix(given, "@"), meaning) {
			meant[argument] = plaintext.Clean(meaning)
		}
	}
	if !strings.Contains(in.Repo, "/") || in.searches() && !strings.Contains(in.Repo, "://") {
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
	if s.words != strings.TrimSpace(plaintext.Clean(in.Query)) {
		told("query", in.Query, s.words)
	}
	if s.pulls {
		told("type", in.Type, "pull_request")
	}
	if len(meant) == 0 {
		return nil
	}
	return meant
}
