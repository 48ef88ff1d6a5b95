package github

import (
	"context"
	"strings"

	"basecamp-mcp/internal/report/fault"
)

// Named is a label or a user by its node ID.
type Named struct {
	ID    string
	Name  string
	Login string
}

// Numbered names an issue or a pull request.
type Numbered struct {
	Repo   Repo
	Number int
}

// Subjects returns issues and pull requests, each with an outcome of its own. With places, they
// have the items of the projects that hold them.
func (c *Client) Subjects(ctx context.Context, refs []Numbered, places bool) []Outcome[Issue] {
	if places {
		return c.numbered(ctx, "Places", refs)
	}
	return c.numbered(ctx, "Contents", refs)
}

// Glances returns what a line about each issue or pull request says, each with an outcome of its
// own.
func (c *Client) Glances(ctx context.Context, refs []Numbered) []Outcome[Issue] {
	return c.numbered(ctx, "Glances", refs)
}

func (c *Client) numbered(ctx context.Context, document string, refs []Numbered) []Outcome[Issue] {
	parts := make([]map[string]any, len(refs))
	for i, ref := range refs {
		parts[i] = map[string]any{"o": ref.Repo.Owner, "n": ref.Repo.Name, "i": ref.Number}
	}
	return inRepositories[Issue](ctx, c, document, "issue", parts)
}

// inRepositories reads repositories or what is in them: each part has the owner and the name of
// one, and the number of an issue.
func inRepositories[T result](ctx context.Context, c *Client, document, kind string, parts []map[string]any) []Outcome[T] {
	found := batch[T](ctx, c, document, fault.Resource{Type: kind}, parts)
	for i, part := range parts {
		repo := Repo{part["o"].(string), part["n"].(string)}
		number, _ := part["i"].(int)
		found[i].Err = about(found[i].Err, repo.about(kind, number))
	}
	return found
}

// about returns the NOT_FOUND of a part of a document as one about a thing of the part's kind.
func about(err error, thing fault.Resource) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	told := *fault.From(err)
	told.Resource = &thing
	told.Message = strings.Replace(told.Message, "GitHub has no "+thing.Type+",", "GitHub has no "+thing.Type+" "+thing.ID+",", 1)
	return &told
}

// Vocabulary has the first 100 labels and the first 100 milestones of a repository.
type Vocabulary struct {
	Repository
	Labels     Page[Named]
	Milestones Page[Milestone]
}

// MaxVocabularies is how many repositories one request reads the labels of.
const MaxVocabularies = maxLookups

// Vocabularies returns the labels and milestones of repositories, each with an outcome of its own.
func (c *Client) Vocabularies(ctx context.Context, repos []Repo) []Outcome[Vocabulary] {
	parts := make([]map[string]any, len(repos))
	for i, repo := range repos {
		parts[i] = map[string]any{"o": repo.Owner, "n": repo.Name}
	}
	return inRepositories[Vocabulary](ctx, c, "Vocabulary", "repository", parts)
}

// Owners returns the users and organizations with logins, each with an outcome of its own.
func (c *Client) Owners(ctx context.Context, logins []string) []Outcome[Owner] {
	return batch[Owner](ctx, c, "Owners", fault.Resource{Type: "user"}, partsWith("l", logins))
}

// Pull is what a pull request says about its way into the code.
type Pull struct {
	ID             string
	IsDraft        bool
	Merged         bool
	ReviewDecision string // such as APPROVED; empty if no review is required
	Commits        Page[struct {
		Commit struct{ StatusCheckRollup *struct{ State string } }
	}]
}

func (p Pull) check() (hidden int, err error) { return identified(p.ID != "") }

// Checks returns the state of the checks of the last commit, such as SUCCESS; empty without checks.
func (p Pull) Checks() string {
	for _, c := range p.Commits.Items {
		if c.Commit.StatusCheckRollup != nil {
			return c.Commit.StatusCheckRollup.State
		}
	}
	return ""
}

// Pulls returns pull requests by node ID, each with an outcome of its own.
func (c *Client) Pulls(ctx context.Context, ids []string) []Outcome[Pull] {
	return batch[Pull](ctx, c, "Pulls", fault.Resource{Type: "pull_request"}, partsWith("id", ids))
}

// Thread is what the page of an issue or a pull request shows around its body.
type Thread struct {
	Pull
	ClosedBy     Page[Issue] `json:"closedByPullRequestsReferences"` // the first 20 pull requests
	Closes       Page[Issue] `json:"closingIssuesReferences"`        // the first 20 issues
	LacksClosing bool        `json:"-"`                              // this GitHub does not say what closes an issue
	Comments     *Page[Comment]
}

func (t Thread) check() (hidden int, err error) {
	if t.Comments == nil {
		return there(t.ID).check()
	}
	return together(there(t.ID), t.Comments)
}

// Thread returns what stands around the body of an issue or a pull request. With comments, it has a
// page of these, 100 at most, the oldest first. next is the Next of the page before.
func (c *Client) Thread(ctx context.Context, i Issue, comments bool, next string) (Thread, error) {
	about, variables := i.Repo.about("issue", i.Number), map[string]any{"id": i.ID, "comments": comments, "after": nullable(next)}
	lacks := c.lacks.closing.Load()
	t, missing, err := ask[Thread](ctx, c, map[bool]string{false: "Thread", true: "ThreadOfOld"}[lacks], about, variables)
	if !lacks && learns(&c.lacks.closing, err) {
		lacks = true
		t, missing, err = ask[Thread](ctx, c, "ThreadOfOld", about, variables)
	}
	if err == nil && comments && t.Comments == nil {
		err = fault.New(fault.UpstreamError, "GitHub did not return the comments of %s", about.ID)
	}
	if err != nil {
		return Thread{}, err
	}
	if t.LacksClosing = lacks && !i.PullRequest; t.Comments != nil {
		t.Comments.Incomplete = missing
	}
	return t, nil
}
