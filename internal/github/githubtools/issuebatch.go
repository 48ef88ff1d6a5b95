package githubtools

import (
	"cmp"
	"context"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
)

// changedIssue is an issue of a batch after its change.
type changedIssue struct {
	Ref       string         `json:"ref"`
	Title     string         `json:"title"`
	State     string         `json:"state"`
	Changed   []string       `json:"changed,omitempty"`
	Previous  map[string]any `json:"previous,omitempty"`
	OwnFields map[string]any `json:"issue_fields,omitempty"` // what they are now
}

// updateIssues changes several issues in the same way. Everything is checked before anything is
// written.
func (k *kit) updateIssues(ctx context.Context, in updateIssueInput) (*listing.Applied[changedIssue], error) {
	found, err := k.Subjects(ctx, "issues", in.Issues, in.Repo, false)
	if err != nil {
		return nil, err
	}
	argument, named := "add_assignees", in.AddAssignees
	if in.Assignees.Given {
		argument, named = "assignees", in.Assignees.To
	}
	people, err := k.Directory(ctx, found[0].Repo, argument, named)
	if err != nil {
		return nil, err
	}
	read := k.vocabulary(ctx, in)
	read.assignable = func(_ github.Repo, _ string, names, _ []string) ([]string, error) { return k.People(ctx, names) }
	settings := byRepo(func(r github.Repo) ([]boards.Setting, error) { return k.issueSettings(ctx, r, in.Fields) })
	changes, problems := make([]batchChange, len(found)), make([]error, len(found))
	for i, s := range found {
		if changes[i], err = k.batchChange(ctx, s, in, read, people, settings); err != nil && !fault.OfArguments(err) {
			return nil, err
		}
		problems[i] = err
		if err != nil {
			problems[i] = fault.Within(parts.Entry("issues", i), err)
		}
	}
	if err := fault.All(problems...); err != nil {
		return nil, listing.Unwritten(len(found), err)
	}
	return parts.Applied("issues", parts.Mapped(found, parts.RefOf), k.writeChanges(ctx, changes))
}

// byRepo returns a function that reads something of each repository once.
func byRepo[T any](read func(github.Repo) (T, error)) func(github.Repo) (T, error) {
	type result struct {
		value T
		err   error
	}
	known := map[github.Repo]result{}
	return func(r github.Repo) (T, error) {
		had, ok := known[r]
		if !ok {
			had.value, had.err = read(r)
			known[r] = had
		}
		return had.value, had.err
	}
}

// batchChange is what changes in one issue of a batch.
type batchChange struct {
	of     github.Issue
	input  github.Fields // its ID, and what changes
	closes string        // the reason
	steps  []nestStep    // that set issue fields
	result changedIssue
}

func (k *kit) batchChange(
	ctx context.Context, s github.Issue, in updateIssueInput, read vocabulary, people parts.Directory, settings func(github.Repo) ([]boards.Setting, error),
) (batchChange, error) {
	old, repo := s, s.Repo
	b := batchChange{of: s, input: github.Fields{"id": s.ID}, result: changedIssue{Ref: parts.RefOf(s), Title: plaintext.Clean(s.Title), State: old.State}}
	if s.PullRequest {
		return b, fault.Invalid("", "%s is a pull request; change pull requests one at a time, with issue", b.result.Ref)
	}
	change, set, err := issueChange(ctx, old, in, read)
	if err != nil {
		return b, err
	}
	now := old
	if set.labels != nil {
		all, _ := read.labels(repo) // which the change has read
		now.Labels, b.input["labelIds"] = set.labels, nodesOf(all, set.labels)
	}
	if set.assignees != nil {
		now.Assignees, b.input["assigneeIds"] = set.assignees, people.Of(set.assignees, s)
	}
	if now.Milestone = cmp.Or(set.milestone, old.Milestone); set.milestone != nil {
		if b.input["milestoneId"] = nil; set.milestone.Number > 0 {
			b.input["milestoneId"] = set.milestone.ID
		}
	}
	if state, changes := change["state"].(string); changes {
		reason, _ := change["state_reason"].(string)
		now.State, now.StateReason = state, cmp.Or(reason, map[string]string{"open": "reopened", "closed": "completed"}[state])
		if state == "closed" {
			b.closes = strings.ToUpper(now.StateReason)
		} else {
			b.input["state"] = "OPEN"
		}
	}
	b.result.Changed, b.result.Previous = changes(old, now)
	if len(in.Fields) == 0 {
		return b, nil
	}
	wanted, err := settings(repo)
	if err == nil { // GitHub tells the values of issue fields only in REST
		old, err = k.GitHub.Issue(ctx, repo, s.Number)
	}
	if err != nil {
		return b, err
	}
	if b.steps = k.fieldSteps(ctx, old, wanted); len(b.steps) > 0 {
		b.result.Changed, b.result.Previous[b.steps[0].changes] = append(b.result.Changed, b.steps[0].changes), b.steps[0].was
	}
	return b, nil
}

// nodesOf returns the node IDs of the labels with names.
func nodesOf(all []github.Label, names []string) []string {
	ids := []string{}
	for _, l := range all {
		if parts.HasName(names, l.Name) {
			ids = append(ids, l.NodeID)
		}
	}
	return ids
}

// writeChanges carries out the changes: first all but the closings, then these.
func (k *kit) writeChanges(ctx context.Context, changes []batchChange) []github.Outcome[changedIssue] {
	done := make([]github.Outcome[changedIssue], len(changes))
	var edits, closings []github.Fields
	var edited, closed []int
	for i, b := range changes {
		done[i] = github.Outcome[changedIssue]{Value: b.result, Tried: true}
		if len(b.input) > 1 {
			edited, edits = append(edited, i), append(edits, b.input)
		}
	}
	changed := map[int]bool{}
	note := func(of []int, outcomes []github.Outcome[github.Issue], missed string) {
		for n, one := range outcomes {
			i := of[n]
			if one.Err == nil {
				done[i].Value.State, changed[i] = one.Value.State, true
			} else if changed[i] || one.Part {
				one.Err, one.Tried, done[i].Part = boards.Noting(one.Err, "the rest is changed, but "+missed+": "), true, true
			}
			done[i].Err, done[i].Tried = one.Err, one.Tried
		}
	}
	note(edited, k.GitHub.WriteIssues(ctx, github.UpdateIssues, edits), "")
	for i, b := range changes {
		if len(b.steps) > 0 && done[i].Err == nil {
			note([]int{i}, []github.Outcome[github.Issue]{setFieldsOf(b, done[i].Value.State)}, "its issue fields are not all set")
			done[i].Value.OwnFields = valuesSet(b.steps)
		}
	}
	for i, b := range changes {
		if b.closes != "" && done[i].Err == nil {
			closed, closings = append(closed, i), append(closings, github.Fields{"issueId": b.of.ID, "stateReason": b.closes})
		}
	}
	note(closed, k.GitHub.WriteIssues(ctx, github.CloseIssues, closings), "it is not closed")
	return done
}

// setFieldsOf sets the issue fields of an issue, which has a state.
func setFieldsOf(b batchChange, state string) github.Outcome[github.Issue] {
	done, err := carryOut(b.steps)
	if err != nil {
		err = fault.Within(b.steps[done].argument, err)
	}
	return github.Outcome[github.Issue]{Value: github.Issue{State: state}, Err: err, Tried: done > 0 || !fault.Is(err, fault.RateLimited), Part: done > 0}
}
