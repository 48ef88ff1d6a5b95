package githubtools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// terms returns the qualifiers of a query, without those that exclude.
func terms(query string) (all []parts.Term) {
	for _, q := range parts.QualifiersIn(query) {
		for value := range strings.SplitSeq(q.Value, ",") {
			if value != "" && value != "*" && !q.Excludes {
				all = append(all, parts.Term{Argument: "query", Name: q.Name, Value: value})
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
func termsOf(s search, filter github.IssueFilter) []parts.Term {
	given := map[string]string{
		"author": filter.Creator, "assignee": filter.Assignee, "mentions": filter.Mentions, "involves": filter.Involves,
		"review-requested": filter.ReviewAsked, "milestone": cmp.Or(filter.MilestoneTitle, filter.Milestone),
	}
	all := terms(s.asked)
	for i, t := range all {
		same := func(name string) bool { return strings.EqualFold(strings.ReplaceAll(name, `"`, ""), t.Value) }
		at := slices.IndexFunc(filter.Labels, same)
		switch {
		case t.Name == "label" && at >= 0:
			all[i].Argument = parts.Entry("labels", at)
		case t.Name == "type" && same(s.kind):
			all[i].Argument = "type"
		case same(given[t.Name]):
			all[i].Argument = cmp.Or(people[t.Name], t.Name)
		}
	}
	return all
}

// unknownInSearch returns an error that names the logins and the repositories that GitHub does not
// have, if it refused a search for them; otherwise err.
func (k *kit) unknownInSearch(ctx context.Context, s search, filter github.IssueFilter, err error) error {
	if !boards.IsRefused(err) {
		return err
	}
	all := termsOf(s, filter)
	_, _, missing := k.vocabularies(ctx, s, all)
	return cmp.Or(fault.All(k.unknownLoginsIn(ctx, all), missing), err)
}

// unknownLoginsIn returns an error that names the logins in a search that GitHub does not have.
func (k *kit) unknownLoginsIn(ctx context.Context, all []parts.Term) error {
	of := slices.DeleteFunc(slices.Clone(all), func(t parts.Term) bool {
		_, ok := people[t.Name]
		return !ok || strings.ContainsAny(t.Value, "@/[") // @me, apps
	})
	_, err := k.Accounts(ctx, of, func() ([]string, error) {
		members, _ := k.findMembers(ctx, "person", "")
		return parts.Mapped(members.Items, func(f found) string { return f.Ref }), nil
	})
	return err
}

// searchedType returns an issue type as GitHub writes it: one of the owners that a query names, or
// of the user's organizations. has is false if none of them shows any to the user.
func (k *kit) searchedType(ctx context.Context, argument, query, name string) (found string, has bool, err error) {
	var owners []string
	for _, t := range terms(query) {
		if owner, _, _ := strings.Cut(t.Value, "/"); slices.Contains([]string{"repo", "org", "user"}, t.Name) && !parts.HasName(owners, owner) {
			owners = append(owners, owner)
		}
	}
	if owners == nil {
		all, _, _, err := k.GitHub.Organizations(ctx)
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
		if form := parts.ProjectForm.FindStringSubmatch(t.Value); t.Name == "project" && form != nil {
			number, _ := strconv.Atoi(form[2])
			if _, err := k.ProjectAt(ctx, github.ProjectRef{Owner: form[1], Number: number}, "", ""); err != nil {
				return meant, nil, err
			}
		}
		if t.Name != "type" || t.Value == "issue" || t.Value == "pr" {
			continue
		}
		_, has, err := k.searchedType(ctx, t.Argument, s.query, t.Value)
		if err != nil {
			return meant, nil, err
		}
		if !has {
			unchecked = append(unchecked, fmt.Sprintf("%s: the issue type %s was not checked, because no organization in the search shows its types", t.Argument, plaintext.Quote(t.Value)))
		}
	}
	named := slices.DeleteFunc(slices.Clone(all), func(t parts.Term) bool { return t.Name != "label" && t.Name != "milestone" })
	if len(named) == 0 && !slices.ContainsFunc(all, func(t parts.Term) bool { return t.Name == "repo" }) {
		return meant, unchecked, nil
	}
	words, whole, err := k.vocabularies(ctx, s, all)
	if err != nil {
		return meant, nil, err
	}
	var problems []error
	for _, t := range named {
		c := parts.Choice[string]{Argument: t.Argument, Noun: t.Name + "s of what was searched", Items: words[t.Name], Partly: t.Argument != "query", Name: func(n string) string { return n }, Look: parts.Looking(ctx)}
		is, known, err := c.Find(t.Value)
		switch {
		case err != nil:
			problems = append(problems, err)
		case !known && whole, known && t.Argument == "query" && !strings.EqualFold(is, t.Value):
			problems = append(problems, c.Unknown(t.Value))
		case !known:
			unchecked = append(unchecked, fmt.Sprintf("%s: no %s %s in the latest repositories; others that the search goes through were not checked", t.Argument, t.Name, plaintext.Quote(t.Value)))
		case t.Name == "milestone":
			meant.MilestoneTitle = is
		case t.Argument != "query":
			meant.Labels[slices.IndexFunc(filter.Labels, func(l string) bool { return strings.EqualFold(strings.ReplaceAll(l, `"`, ""), t.Value) })] = is
		}
	}
	return meant, unchecked, fault.All(problems...)
}

// vocabularies returns the labels and the milestones of the repositories that a search goes
// through, by the names of the qualifiers, and whether these are all. The error names a repository
// that does not exist.
func (k *kit) vocabularies(ctx context.Context, s search, all []parts.Term) (words map[string][]string, whole bool, err error) {
	repos, whole, err := k.searchedRepos(ctx, s, all)
	if err != nil {
		return nil, false, err
	}
	words = map[string][]string{}
	for _, one := range k.GitHub.Vocabularies(ctx, repos[:min(len(repos), github.MaxVocabularies)]) {
		if fault.Is(one.Err, fault.NotFound) {
			return nil, false, k.Nearby(ctx, one.Err)
		}
		if one.Err == nil && !one.Value.HasIssues && len(repos) == 1 && slices.Contains(all, parts.Term{Argument: "query", Name: "is", Value: "issue"}) {
			return nil, false, fault.New(fault.NotFound, "the repository %s has its issues switched off; an owner can switch them on", one.Value.NameWithOwner)
		}
		whole = whole && one.Err == nil && one.Value.Labels.Whole() && one.Value.Milestones.Whole()
		labels := parts.Mapped(one.Value.Labels.Items, func(l github.Named) string { return l.Name })
		milestones := parts.Mapped(one.Value.Milestones.Items, func(m github.Milestone) string { return m.Title })
		words["label"] = append(words["label"], parts.Without(labels, words["label"])...)
		words["milestone"] = append(words["milestone"], parts.Without(milestones, words["milestone"])...)
	}
	return words, whole && len(repos) <= github.MaxVocabularies, nil
}

// searchedRepos returns the repositories that a search goes through, and whether these are all:
// those that it names, those of the owners that it names, or those that the user reaches.
func (k *kit) searchedRepos(ctx context.Context, s search, all []parts.Term) (repos []github.Repo, whole bool, err error) {
	var owners []string
	for _, t := range all {
		owner, name, _ := strings.Cut(t.Value, "/")
		switch {
		case t.Name == "repo" && name != "":
			repos = append(repos, github.Repo{Owner: owner, Name: name})
		case t.Name == "org" || t.Name == "user":
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
		found, err := k.GitHub.Repositories(ctx, owner)
		if err != nil {
			return nil, false, err
		}
		whole = whole && found.Next == "" && found.Incomplete == nil
		for _, r := range found.Items {
			repos = append(repos, r.Repo())
		}
	}
	return repos, whole, nil
}
