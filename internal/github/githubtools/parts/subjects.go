package parts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// Subjects reads the issues and pull requests that an argument lists. The error names the problems
// of all.
func (k *Kit) Subjects(ctx context.Context, argument string, refs toolargs.Refs, repo string, places bool) ([]github.Issue, error) {
	named, err := Each(argument, refs, func(path string, ref toolargs.Ref) (IssueRef, error) {
		one, err := k.IssueRef(path, ref, repo)
		if err == nil {
			one, err = k.Complete(ctx, path, one)
		}
		return one, err
	})
	if err != nil {
		return nil, listing.Unwritten(len(refs), err)
	}
	numbers := Mapped(named, func(n IssueRef) github.Numbered { return github.Numbered{Repo: n.Repo, Number: n.Number} })
	found, problems := make([]github.Issue, len(refs)), make([]error, len(refs))
	looked := false
	for i, one := range k.GitHub.Subjects(ctx, numbers, places) {
		if found[i] = one.Value; one.Err == nil {
			continue
		}
		if !looked && fault.Is(one.Err, fault.NotFound) {
			one.Err, looked = k.elsewhere(ctx, named[i], one.Err), true
		}
		problems[i] = OfArgument(fault.Within(Entry(argument, i), one.Err), "arguments", Entry(argument, i))
	}
	if err := fault.All(problems...); err != nil {
		return nil, listing.Unwritten(len(refs), err)
	}
	return found, listing.Once(argument, found, RefOf)
}

// elsewhere returns the error for an issue that GraphQL does not find: REST knows where a
// transferred one is now.
func (k *Kit) elsewhere(ctx context.Context, named IssueRef, missing error) error {
	now, err := k.GitHub.Issue(ctx, named.Repo, named.Number)
	switch {
	case err != nil && github.IsGone(fault.From(err)):
		return err
	case err != nil:
		return k.Nearby(ctx, missing)
	case strings.EqualFold(ItemRef(now.Repo, now.Number), ItemRef(named.Repo, named.Number)):
		return fault.New(fault.UpstreamError, "GitHub found the issue in one of two ways only; try again in a moment")
	}
	return fault.Invalid("", "was transferred: it is %s now; name it so", ItemRef(now.Repo, now.Number))
}

// RefOf returns an issue as arguments take it.
func RefOf(i github.Issue) string { return ItemRef(i.Repo, i.Number) }

// ReadIssue reads an issue or a pull request that the caller names.
func (k *Kit) ReadIssue(ctx context.Context, ref toolargs.Ref, repo string) (github.Issue, error) {
	named, err := k.Located(ctx, ref, repo)
	if err != nil {
		return github.Issue{}, err
	}
	return k.GitHub.Issue(ctx, named.Repo, named.Number)
}

// Located returns the repository and the number of an issue that the caller names. It reads a list
// only for a title.
func (k *Kit) Located(ctx context.Context, ref toolargs.Ref, repo string) (IssueRef, error) {
	named, err := k.IssueRef("issue", ref, repo)
	if err != nil {
		return named, err
	}
	return k.Complete(ctx, "issue", named)
}

// Complete returns a reference to an issue with the owner of its repository and its number.
func (k *Kit) Complete(ctx context.Context, argument string, named IssueRef) (IssueRef, error) {
	var err error
	if named.Repo, err = k.Found(ctx, named.Repo); err != nil || named.Title == "" {
		return named, err
	}
	open, err := github.Pages(MaxPages, func(next string) (github.Page[github.Issue], error) {
		return k.GitHub.Issues(ctx, named.Repo, github.IssueFilter{State: "open"}, next)
	})
	if err != nil {
		return named, err
	}
	c := Choice[github.Issue]{
		Argument: argument, Noun: "open issues", Items: slices.DeleteFunc(open.Items, func(i github.Issue) bool { return i.PullRequest }), Look: Looking(ctx),
		Name:  func(i github.Issue) string { return i.Title },
		Ref:   func(i github.Issue) string { return ItemRef(i.Repo, i.Number) },
		Where: func(i github.Issue) string { return cmp.Or(i.Author, i.State) },
	}
	found, known, err := c.Find(named.Title)
	if err == nil && !known {
		return named, c.Missing("issue", named.Title, "found no open issue with the title %s in %s; list them with github_list_issues, or give the number",
			plaintext.Quote(named.Title), named.Repo)
	}
	return IssueRef{Repo: named.Repo, Number: found.Number}, err
}
