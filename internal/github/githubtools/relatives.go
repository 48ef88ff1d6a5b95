package githubtools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/plaintext"
)

// relative is an issue that has to do with another one.
type relative struct {
	Ref      string `json:"ref"`
	Title    string `json:"title"`
	State    string `json:"state"`
	Withheld bool   `json:"withheld,omitempty"`
}

// linked is what closes an issue, or what a pull request closes.
type linked struct {
	Closing []relative `json:"closed_by_pull_requests,omitempty"` // open, closed or merged
	Closes  []relative `json:"closes,omitempty"`
	More    int        `json:"more_linked,omitempty"` // how many others there are
	Unknown string     `json:"unavailable,omitempty"`
}

const (
	maxLinks  = 8000 // bytes that what is linked may take in an answer
	noClosing = "this GitHub does not say which pull requests close an issue: the server is older than that"
)

func viewLinked(i github.Issue, t github.Thread) (v linked) {
	all := mapped(t.Linked, func(l github.Linked) relative {
		return relative{itemRef(l.Repository.Repo(), l.Number), plaintext.Clean(l.Title), strings.ToLower(l.State), l.Withheld}
	})
	if v.Closing = all; i.PullRequest {
		v.Closing, v.Closes = nil, all
	}
	v.More = max(0, t.Total-len(all))
	if t.Lacks {
		v.Unknown = noClosing
	}
	return v
}

// parentAndSubs returns the issues above and below an issue.
func (n nested) parentAndSubs() (all []relative) {
	if n.Parent != nil {
		all = append(all, *n.Parent)
	}
	if n.SubIssues != nil {
		all = append(all, n.SubIssues.Items...)
	}
	return all
}

// nested is where an issue stands among others.
type nested struct {
	IssueType string     `json:"issue_type,omitempty"`
	Parent    *relative  `json:"parent,omitempty"`
	SubIssues *subIssues `json:"sub_issues,omitempty"`
	BlockedBy []relative `json:"blocked_by,omitempty"`
	Blocking  []relative `json:"blocking,omitempty"`
}

// subIssues are the sub-issues in their order, with how many of them are closed.
type subIssues struct {
	Total     int        `json:"total"`
	Completed int        `json:"completed"`
	Items     []relative `json:"items"`
}

func viewRelative(i github.Issue) relative {
	return relative{itemRef(i.Repo, i.Number), plaintext.Clean(i.Title), i.State, i.Withheld}
}

func viewRelatives(issues []github.Issue) []relative {
	var all []relative
	for _, i := range issues {
		all = append(all, viewRelative(i))
	}
	return all
}

// nested reads where an issue stands. It asks only for what the issue says it has.
func (k *kit) nested(ctx context.Context, i github.Issue) (v nested, err error) {
	v.IssueType = plaintext.Clean(i.Kind)
	if i.Parent != "" {
		parent, err := k.github.ParentOf(ctx, i.Repo, i.Number)
		if err != nil && !fault.Is(err, fault.NotFound) { // the user may not see it
			return v, err
		} else if err == nil {
			one := viewRelative(parent)
			v.Parent = &one
		}
	}
	read := func(count int, of github.Relation) (all []relative) {
		if count == 0 || err != nil {
			return nil
		}
		var issues []github.Issue
		issues, err = k.github.Related(ctx, i.Repo, i.Number, of)
		return viewRelatives(issues)
	}
	if i.SubIssues != nil && i.SubIssues.Total > 0 {
		v.SubIssues = &subIssues{i.SubIssues.Total, i.SubIssues.Completed, read(i.SubIssues.Total, github.SubIssues)}
	}
	v.BlockedBy, v.Blocking = read(i.BlockedBy, github.BlockedBy), read(i.Blocking, github.Blocking)
	return v, err
}
