package githubtools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// searchIssues lists what GitHub's search finds. If that is nothing, it checks the names in the
// search.
func (k *kit) searchIssues(ctx context.Context, repo github.Repo, filter github.IssueFilter, in listIssuesInput) (page[issue], error) {
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
	if !isRefused(err) || repo.Name == "" {
		return repo
	}
	now, err := k.github.Repository(ctx, repo)
	if err != nil || strings.EqualFold(now.NameWithOwner, repo.String()) {
		return repo
	}
	return now.Repo()
}

// searched returns what GitHub's search finds, and the search.
func (k *kit) searched(ctx context.Context, repo github.Repo, filter github.IssueFilter, in listIssuesInput) (page[issue], search, error) {
	s, err := k.search(ctx, repo, filter, in)
	if err != nil {
		return page[issue]{}, s, err
	}
	var seen []github.Issue
	found, err := list[github.Issue, issue]{
		of: listing.Digest("search", s.asked, in.Sort, in.Direction),
		read: func(next string) (github.Page[github.Issue], error) {
			return k.github.SearchIssues(ctx, s.query, in.Sort, in.Direction, next)
		},
		view: func(i github.Issue) (issue, bool) {
			seen = append(seen, i)
			return listedIssue(i), true
		},
		total: true,
	}.collect(in.pageInput)
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
	s.words = notPlanned.ReplaceAllString(strings.TrimSpace(plaintext.Clean(in.Query)), `$1"not planned"`)
	asked := qualifiersIn(s.words)
	if err := checkQualifiers(asked); err != nil {
		return s, err
	}
	if s.words != "" {
		words = append(words, s.words)
	}
	if repo.Name != "" {
		with("repo", repo.String())
	}
	if in.State != "all" && (in.State != "open" || !saysState(asked)) {
		with("state", in.State)
	}
	if s.kind, err = k.kindSearched(ctx, strings.Join(words, " "), in.Type); err != nil {
		return s, err
	}
	with("type", s.kind)
	switch in.Type {
	case "issue":
		if s.pulls = !saysKind(asked) && (in.ReviewAsked != "" || saysPull(asked)); s.pulls {
			with("is", "pr")
		} else if !saysKind(asked) {
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
		p, err := k.project(ctx, in.Project, "", readProjects)
		if err != nil {
			return s, err
		}
		words = append(words, "project:"+nameOf(p.Project))
	}
	s.asked = strings.Join(words, " ")
	if s.query = s.asked; hasScope(qualifiersIn(s.query)) {
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
	reach, err := k.github.Scope(ctx)
	if err != nil {
		return nil, "", err
	}
	owners := append(mapped(reach.Organizations, func(o github.Organization) string { return o.Login }), reach.Login)
	words = append(words, "user:"+reach.Login)
	for _, o := range reach.Organizations {
		words = append(words, "org:"+o.Login)
	}
	var others []string
	for _, r := range reach.Repositories {
		if !hasName(owners, r.Repo().Owner) {
			others = append(others, r.NameWithOwner)
		}
	}
	most := min(len(others), mostSearched)
	if len(others) > most {
		left = "repo: was not searched: " + strings.Join(others[most:min(len(others), most+maxListed)], ", ")
		if more := len(others) - most - maxListed; more > 0 {
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
	c := choice[string]{argument: argument, noun: "issue types", name: func(n string) string { return n }}
	for _, owner := range owners {
		types, _, err := k.github.IssueTypes(ctx, owner)
		if err != nil {
			return "", false, err
		}
		for _, one := range types {
			if !slices.Contains(c.items, one) {
				c.items = append(c.items, one)
			}
		}
	}
	if len(c.items) == 0 {
		return "", false, nil
	}
	found, err = c.pick(name)
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

// term is a qualifier in a search. Argument is the one that gave it.
type term struct{ argument, name, value string }

// terms returns the qualifiers of a query, without those that exclude.
func terms(query string) (all []term) {
	for _, q := range qualifiersIn(query) {
		for value := range strings.SplitSeq(q.value, ",") {
			if value != "" && value != "*" && !q.excludes {
				all = append(all, term{"query", q.name, value})
			}
		}
	}
	return all
}

// people are the qualifiers whose values are logins, and the arguments that give them.
var people = map[string]string{
	"author": "creator", "assignee": "assignee", "mentions": "mentions", "involves": "involves", "review-requested": "review_asked", "commenter": "", "reviewed-by": "", "user-review-requested": "",
}

// termsOf returns the qualifiers of a search with the arguments that gave them.
func termsOf(s search, filter github.IssueFilter) []term {
	given := map[string]string{
		"author": filter.Creator, "assignee": filter.Assignee, "mentions": filter.Mentions, "involves": filter.Involves,
		"review-requested": filter.ReviewAsked, "milestone": cmp.Or(filter.MilestoneTitle, filter.Milestone),
	}
	all := terms(s.asked)
	for i, t := range all {
		same := func(name string) bool { return strings.EqualFold(strings.ReplaceAll(name, `"`, ""), t.value) }
		at := slices.IndexFunc(filter.Labels, same)
		switch {
		case t.name == "label" && at >= 0:
			all[i].argument = entry("labels", at)
		case t.name == "type" && same(s.kind):
			all[i].argument = "type"
		case same(given[t.name]):
			all[i].argument = cmp.Or(people[t.name], t.name)
		}
	}
	return all
}

// unknownInSearch returns an error that names the logins and the repositories that GitHub does not
// have, if it refused a search for them; otherwise err.
func (k *kit) unknownInSearch(ctx context.Context, s search, filter github.IssueFilter, err error) error {
	if !isRefused(err) {
		return err
	}
	all := termsOf(s, filter)
	_, _, missing := k.vocabularies(ctx, s, all)
	return cmp.Or(fault.All(k.unknownLoginsIn(ctx, all), missing), err)
}

// unknownLoginsIn returns an error that names the logins in a search that GitHub does not have.
func (k *kit) unknownLoginsIn(ctx context.Context, all []term) error {
	of := slices.DeleteFunc(slices.Clone(all), func(t term) bool {
		_, ok := people[t.name]
		return !ok || strings.ContainsAny(t.value, "@/[") // @me, apps
	})
	_, err := k.accounts(ctx, of, func() ([]string, error) {
		members, _ := k.findMembers(ctx, "person", "")
		return mapped(members.Items, func(f found) string { return f.Ref }), nil
	})
	return err
}

// searchedType returns an issue type as GitHub writes it: one of the owners that a query names, or
// of the user's organizations. has is false if none of them shows any to the user.
func (k *kit) searchedType(ctx context.Context, argument, query, name string) (found string, has bool, err error) {
	var owners []string
	for _, t := range terms(query) {
		if owner, _, _ := strings.Cut(t.value, "/"); slices.Contains([]string{"repo", "org", "user"}, t.name) && !hasName(owners, owner) {
			owners = append(owners, owner)
		}
	}
	if owners == nil {
		all, _, _, err := k.github.Organizations(ctx)
		if err != nil {
			return "", false, err
		}
		for _, o := range all {
			owners = append(owners, o.Login)
		}
	}
	return k.typeOf(ctx, argument, owners[:min(len(owners), maxOwners)], name)
}

// maxOwners limits the owners that one search is checked with.
const maxOwners = 5

// checkNames looks for the names in a search that found nothing. GitHub finds nothing for a label,
// a milestone or an issue type that does not exist, and does not say so. It returns the filter with
// the names that were meant, and what may not exist.
func (k *kit) checkNames(ctx context.Context, s search, filter github.IssueFilter) (meant github.IssueFilter, unchecked []string, err error) {
	all := termsOf(s, filter)
	meant = filter
	meant.Labels = slices.Clone(filter.Labels)
	if err := k.unknownLoginsIn(ctx, all); err != nil {
		return meant, nil, err
	}
	for _, t := range all {
		if form := projectForm.FindStringSubmatch(t.value); t.name == "project" && form != nil {
			number, _ := strconv.Atoi(form[2])
			if _, err := k.projectAt(ctx, github.ProjectRef{Owner: form[1], Number: number}, "", ""); err != nil {
				return meant, nil, err
			}
		}
		if t.name != "type" || t.value == "issue" || t.value == "pr" {
			continue
		}
		_, has, err := k.searchedType(ctx, t.argument, s.query, t.value)
		if err != nil {
			return meant, nil, err
		}
		if !has {
			unchecked = append(unchecked, fmt.Sprintf("%s: the issue type %s was not checked, because no organization in the search shows its types", t.argument, plaintext.Quote(t.value)))
		}
	}
	named := slices.DeleteFunc(slices.Clone(all), func(t term) bool { return t.name != "label" && t.name != "milestone" })
	if len(named) == 0 && !slices.ContainsFunc(all, func(t term) bool { return t.name == "repo" }) {
		return meant, unchecked, nil
	}
	words, whole, err := k.vocabularies(ctx, s, all)
	if err != nil {
		return meant, nil, err
	}
	var problems []error
	for _, t := range named {
		c := choice[string]{argument: t.argument, noun: t.name + "s of what was searched", items: words[t.name], partly: t.argument != "query", name: func(n string) string { return n }, look: looking(ctx)}
		is, known, err := c.find(t.value)
		switch {
		case err != nil:
			problems = append(problems, err)
		case !known && whole, known && t.argument == "query" && !strings.EqualFold(is, t.value):
			problems = append(problems, c.unknown(t.value))
		case !known:
			unchecked = append(unchecked, fmt.Sprintf("%s: no %s %s in the latest repositories; others that the search goes through were not checked", t.argument, t.name, plaintext.Quote(t.value)))
		case t.name == "milestone":
			meant.MilestoneTitle = is
		case t.argument != "query":
			meant.Labels[slices.IndexFunc(filter.Labels, func(l string) bool { return strings.EqualFold(strings.ReplaceAll(l, `"`, ""), t.value) })] = is
		}
	}
	return meant, unchecked, fault.All(problems...)
}

// vocabularies returns the labels and the milestones of the repositories that a search goes
// through, by the names of the qualifiers, and whether these are all. The error names a repository
// that does not exist.
func (k *kit) vocabularies(ctx context.Context, s search, all []term) (words map[string][]string, whole bool, err error) {
	repos, whole, err := k.searchedRepos(ctx, s, all)
	if err != nil {
		return nil, false, err
	}
	words = map[string][]string{}
	for _, one := range k.github.Vocabularies(ctx, repos[:min(len(repos), github.MaxVocabularies)]) {
		if fault.Is(one.Err, fault.NotFound) {
			return nil, false, k.nearby(ctx, one.Err)
		}
		if one.Err == nil && !one.Value.HasIssues && len(repos) == 1 && slices.Contains(all, term{"query", "is", "issue"}) {
			return nil, false, fault.New(fault.NotFound, "the repository %s has its issues switched off; an owner can switch them on", one.Value.NameWithOwner)
		}
		whole = whole && one.Err == nil && one.Value.Whole()
		labels := mapped(one.Value.Labels.Entries(), func(l github.Named) string { return l.Name })
		milestones := mapped(one.Value.Milestones.Entries(), func(m github.Milestone) string { return m.Title })
		words["label"] = append(words["label"], without(labels, words["label"])...)
		words["milestone"] = append(words["milestone"], without(milestones, words["milestone"])...)
	}
	return words, whole && len(repos) <= github.MaxVocabularies, nil
}

// searchedRepos returns the repositories that a search goes through, and whether these are all:
// those that it names, those of the owners that it names, or those that the user reaches.
func (k *kit) searchedRepos(ctx context.Context, s search, all []term) (repos []github.Repo, whole bool, err error) {
	var owners []string
	for _, t := range all {
		owner, name, _ := strings.Cut(t.value, "/")
		switch {
		case t.name == "repo" && name != "":
			repos = append(repos, github.Repo{Owner: owner, Name: name})
		case t.name == "org" || t.name == "user":
			owners = append(owners, owner)
		}
	}
	if len(repos) > 0 && len(owners) == 0 {
		return repos, true, nil
	}
	whole = (s.own || len(owners) > 0) && len(owners) <= maxOwners
	if len(owners) == 0 {
		owners = []string{""}
	}
	for _, owner := range owners[:min(len(owners), maxOwners)] {
		found, more, missing, err := k.github.Repositories(ctx, owner)
		if err != nil {
			return nil, false, err
		}
		whole = whole && !more && missing == nil
		for _, r := range found {
			repos = append(repos, r.Repo())
		}
	}
	return repos, whole, nil
}

// qualifiers has those that GitHub documents for issues and pull requests, with the values that
// they take; nil stands for any (GitHub Docs, "Searching issues and pull requests" and "Filtering
// and searching issues and pull requests"). Of every other, GitHub makes a word, and finds nothing
// without saying so.
var qualifiers = map[string][]string{
	"archived": {"true", "false"}, "assignee": nil, "author": nil, "base": nil, "blocked-by": nil, "blocking": nil, "closed": nil,
	"commenter": nil, "comments": nil, "created": nil, "draft": {"true", "false"}, "has": missable, "head": nil,
	"in": {"title", "body", "comments"}, "interactions": nil, "involves": nil,
	"is": {
		"issue", "pr", "open", "closed", "merged", "unmerged", "queued", "draft", "public", "internal", "private", "locked", "unlocked", "blocked", "blocking",
	},
	"label": nil, "language": nil, "linked": {"pr", "issue"}, "mentions": nil, "merged": nil, "milestone": nil, "no": missable, "org": nil,
	"parent-issue": nil, "project": nil, "reactions": nil, "reason": {"completed", "not planned", "duplicate", "reopened"}, "repo": nil,
	"review": {"none", "required", "approved", "changes_requested"}, "review-requested": nil, "reviewed-by": nil, "state": {"open", "closed"},
	"status": {"pending", "success", "failure"}, "team": nil, "team-review-requested": nil, "type": nil, "updated": nil, "user": nil,
	"user-review-requested": nil,
}

// missable is what an issue can lack.
var missable = []string{"label", "milestone", "assignee", "project", "type", "parent-issue", "sub-issue"}

// ofArguments has the arguments that do what people ask of a qualifier which is not passed on.
var ofArguments = map[string]string{
	"sort": "sort and direction", "order": "direction", "direction": "direction", "since": "since", "creator": "creator", "labels": "labels",
	"limit": "limit", "page": "cursor", "per_page": "limit", "review_asked": "review_asked",
	"title": "in", "body": "in", "priority": inFields, "sprint": inFields, "iteration": inFields, "estimate": inFields,
}

const inFields = "fields of github_list_project_items"

// qualified is a qualifier in a query. A value of several, with commas, is one.
type qualified struct {
	name, value string // the name in lower case, the value without quotes
	excludes    bool
}

// qualifierForm finds qualifiers and, so that none is found in them, phrases in quotes.
var qualifierForm = lazyregexp.New(`(?:^|[\s(])(?:(-?)([A-Za-z][\w.-]+(?:"[^"]*")?):((?:"[^"]*"|[^\s"()])*)|"[^"]*")`)

// qualifiersIn returns the qualifiers of a query. It leaves out URLs, and words that end with a
// colon and are not names of qualifiers.
func qualifiersIn(query string) (all []qualified) {
	for _, found := range qualifierForm.FindAllStringSubmatch(query, -1) {
		name, value := strings.ToLower(found[2]), strings.ReplaceAll(found[3], `"`, "")
		_, known := qualifiers[name]
		if name != "" && (known || value != "" && !strings.HasPrefix(value, "//") && value[0] != ':') {
			all = append(all, qualified{name, value, found[1] == "-"})
		}
	}
	return all
}

// checkQualifiers returns an error for a qualifier that GitHub does not have, or that is not passed
// on. It names the argument that does it.
func checkQualifiers(all []qualified) error {
	problems := make([]error, len(all))
	for i, q := range all {
		values, known := qualifiers[q.name]
		argument := ofArguments[q.name]
		switch {
		case argument != "":
			problems[i] = fault.Invalid("query", "%s: is not passed on to GitHub; use %s", q.name, argument)
		case strings.HasPrefix(q.name, "field."):
			problems[i] = fault.Invalid("query", "%s: GitHub's search does not find issues by their fields; use %s", plaintext.Word(q.name), inFields)
		case !known:
			similar := "; for a field of a project, use " + inFields
			if near := nearestQualifiers(q.name); len(near) > 0 {
				similar = "; similar: " + plaintext.QuoteAll(near)
			}
			problems[i] = fault.Invalid("query", "%s: is no qualifier of GitHub's; in quotes, it is looked for as words%s", plaintext.Word(q.name), similar)
		case q.value == "":
			problems[i] = fault.Invalid("query", "%s: needs a value without a blank before it, such as %s:x; to look for it as a word, put it in quotes", q.name, q.name)
		case values != nil && unlisted(q.value, values):
			also := ""
			if q.name == "status" {
				also = "; these are of commits, and for a status on a project use status of github_list_project_items"
			}
			problems[i] = fault.Invalid("query", "%s: must be one of %s, got %s%s", q.name, plaintext.QuoteAll(values), plaintext.Quote(q.value), also)
		}
	}
	return fault.All(problems...)
}

// nearestQualifiers returns those whose names differ in at most two characters.
func nearestQualifiers(name string) (near []string) {
	for _, one := range slices.Sorted(maps.Keys(qualifiers)) {
		if toolargs.Distance(name, one) <= 2 && len(name) > 2 {
			near = append(near, one)
		}
	}
	return near
}

// unlisted reports whether one of the values that commas separate is not in a list.
func unlisted(value string, values []string) bool {
	return slices.ContainsFunc(strings.Split(value, ","), func(one string) bool { return !hasName(values, one) })
}

// plainQuery returns an error for a query of names that has a qualifier.
func plainQuery(query string, arguments map[string]string) error {
	for _, q := range qualifiersIn(query) {
		if argument := arguments[q.name]; argument != "" {
			return fault.Invalid("query", "%s: the query is a part of a name; use %s", q.name, argument)
		}
	}
	return nil
}

// notPlanned is a reason as people write it; GitHub knows it with a blank.
var notPlanned = lazyregexp.New(`(?i)((?:^|[\s(])-?reason:)"?not[ _-]planned"?`)

// qualifies reports whether a query has one of the qualifiers, each a name or with its value.
func qualifies(all []qualified, names ...string) bool {
	return slices.ContainsFunc(all, func(q qualified) bool {
		return !q.excludes && (slices.Contains(names, q.name) || slices.Contains(names, q.name+":"+strings.ToLower(q.value)))
	})
}

// saysState reports whether a query says the state, so that it has no default: GitHub finds nothing
// that is both.
func saysState(all []qualified) bool {
	return qualifies(all, "state", "closed", "merged", "reason", "is:open", "is:closed", "is:merged", "is:unmerged")
}

// saysKind reports whether a query says whether it is about issues or pull requests.
func saysKind(all []qualified) bool { return qualifies(all, "type", "is:issue", "is:pr") }

// saysPull reports whether a query asks for what only pull requests have.
func saysPull(all []qualified) bool {
	return qualifies(all, "base", "draft", "head", "merged", "review", "review-requested", "reviewed-by", "status", "team-review-requested", "user-review-requested",
		"is:draft", "is:merged", "is:unmerged", "is:queued", "linked:issue")
}

// hasScope reports whether a query does not go through all of GitHub.
func hasScope(all []qualified) bool {
	return qualifies(all, "repo", "org", "user", "author", "assignee", "involves", "mentions", "commenter", "project", "review-requested", "user-review-requested",
		"reviewed-by", "team", "team-review-requested", "parent-issue", "blocked-by", "blocking")
}
