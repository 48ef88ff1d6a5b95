package github

import (
	"context"

	"basecamp-mcp/internal/fault"
)

// Linked is a pull request that closes an issue, or an issue that a pull request closes.
type Linked struct {
	Number            int
	Title             string
	State             string // OPEN or CLOSED; of a pull request also MERGED
	AuthorAssociation string
	Repository        Repository
	Withheld          bool `json:"-"` // the title is withheld, because the author is an outsider
}

// Thread is what the page of an issue or a pull request shows around its body.
type Thread struct {
	Pull     *Pull    // of a pull request
	Linked   []Linked // the first 20 pull requests that close the issue, or issues that it closes
	Total    int      // how many these are
	Lacks    bool     // this GitHub does not say which pull requests close an issue
	Comments Page[Comment]
}

// threadDocument returns the query for a thread. An Enterprise Server may lack which pull requests
// close an issue.
func threadDocument(closing bool) document {
	links := ""
	if closing {
		links = "closedByPullRequestsReferences(first: 20, includeClosedPrs: true) { totalCount nodes { id number title state authorAssociation repository { nameWithOwner } } }"
	}
	return document{thing: []string{"node"}, newer: closing, inRepository: true, text: `
query Thread($id: ID!, $comments: Boolean!, $after: String) {
  node(id: $id) {
    __typename
    ... on Issue { id ` + links + ` comments(first: 100, after: $after) @include(if: $comments) { ...Said } }
    ... on PullRequest {
      ...Pull
      closingIssuesReferences(first: 20) { totalCount nodes { id number title state authorAssociation repository { nameWithOwner } } }
      comments(first: 100, after: $after) @include(if: $comments) { ...Said }
    }
  }
}
fragment Said on IssueCommentConnection {
  totalCount pageInfo { hasNextPage endCursor } nodes { id body url createdAt author { login } authorAssociation }
}` + pullFragment}
}

type threadWire struct {
	Pull
	ClosedBy *connection[Linked] `json:"closedByPullRequestsReferences"`
	Closes   *connection[Linked] `json:"closingIssuesReferences"`
	Comments *connection[MadeComment]
}

func (w threadWire) check() error {
	if w.ID == "" {
		return errAbsent
	}
	if w.Comments == nil {
		return nil
	}
	return w.Comments.check()
}

func (w threadWire) hidden() (n int) {
	if w.Comments != nil {
		n = w.Comments.hidden()
	}
	return n
}

// Thread returns what stands around the body of an issue or a pull request. With comments, it has a
// page of these, 100 at most, the oldest first. next is the Next of the page before.
func (c *Client) Thread(ctx context.Context, i Issue, comments bool, next string) (t Thread, err error) {
	about, variables := i.Repo.about("issue", i.Number), map[string]any{"id": i.ID, "comments": comments, "after": nullable(next)}
	t.Lacks = c.lacks.knows(lacksClosing)
	wire, missing, err := ask[threadWire](ctx, c, threadDocument(!t.Lacks), about, variables)
	if !t.Lacks && c.lacks.learns(lacksClosing, err) {
		t.Lacks = true
		wire, missing, err = ask[threadWire](ctx, c, threadDocument(false), about, variables)
	}
	if err == nil && comments && wire.Comments == nil {
		err = fault.New(fault.UpstreamError, "GitHub did not return the comments of %s", about.ID)
	}
	if err != nil {
		return Thread{}, err
	}
	if i.PullRequest {
		t.Pull, t.Lacks = &wire.Pull, false
	}
	for _, links := range []*connection[Linked]{wire.ClosedBy, wire.Closes} {
		if links != nil {
			t.Linked, t.Total = append(t.Linked, links.Entries()...), t.Total+links.TotalCount
		}
	}
	t.Comments.Incomplete = missing
	if wire.Comments != nil {
		for _, m := range wire.Comments.Entries() {
			t.Comments.Items = append(t.Comments.Items, m.Comment())
		}
		t.Comments.Next, t.Comments.Total = wire.Comments.next(), wire.Comments.TotalCount
	}
	return t, nil
}
