package githubtools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

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
