package githubtools

import (
	"cmp"
	"context"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
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

// subjects reads the issues and pull requests that an argument lists. The error names the problems
// of all.
func (k *kit) subjects(ctx context.Context, argument string, refs toolargs.Refs, repo string, places bool) ([]github.Subject, error) {
	named, problems := make([]issueRef, len(refs)), make([]error, len(refs))
	for i, ref := range refs {
		if named[i], problems[i] = k.issueRef(entry(argument, i), ref, repo); problems[i] == nil {
			named[i], problems[i] = k.complete(ctx, entry(argument, i), named[i])
		}
	}
	if err := fault.All(problems...); err != nil {
		return nil, listing.Unwritten(len(refs), err)
	}
	numbers := mapped(named, func(n issueRef) github.Numbered { return github.Numbered{Repo: n.repo, Number: n.number} })
	found := make([]github.Subject, len(refs))
	looked := false
	for i, one := range k.github.Subjects(ctx, numbers, places) {
		if found[i] = one.Value; one.Err == nil {
			continue
		}
		if !looked && fault.Is(one.Err, fault.NotFound) {
			one.Err, looked = k.elsewhere(ctx, named[i], one.Err), true
		}
		problems[i] = ofArgument(fault.Within(entry(argument, i), one.Err), "arguments", entry(argument, i))
	}
	if err := fault.All(problems...); err != nil {
		return nil, listing.Unwritten(len(refs), err)
	}
	return found, listing.Once(argument, found, refOf)
}

// elsewhere returns the error for an issue that GraphQL does not find: REST knows where a
// transferred one is now.
func (k *kit) elsewhere(ctx context.Context, named issueRef, missing error) error {
	now, err := k.github.Issue(ctx, named.repo, named.number)
	switch {
	case err != nil && github.IsGone(fault.From(err)):
		return err
	case err != nil:
		return k.nearby(ctx, missing)
	case strings.EqualFold(itemRef(now.Repo, now.Number), itemRef(named.repo, named.number)):
		return fault.New(fault.UpstreamError, "GitHub found the issue in one of two ways only; try again in a moment")
	}
	return fault.Invalid("", "was transferred: it is %s now; name it so", itemRef(now.Repo, now.Number))
}

func refOf(s github.Subject) string { return itemRef(s.Repo(), s.Number) }

// updateIssues changes several issues in the same way. Everything is checked before anything is
// written.
func (k *kit) updateIssues(ctx context.Context, in updateIssueInput) (*listing.Applied[changedIssue], error) {
	found, err := k.subjects(ctx, "issues", in.Issues, in.Repo, false)
	if err != nil {
		return nil, err
	}
	argument, named := "add_assignees", in.AddAssignees
	if in.Assignees.Given {
		argument, named = "assignees", in.Assignees.To
	}
	people, err := k.directory(ctx, found[0].Repo(), argument, named)
	if err != nil {
		return nil, err
	}
	read := batchReads{
		people:    people,
		labels:    byRepo(func(r github.Repo) ([]github.Label, error) { return k.github.Labels(ctx, r) }),
		milestone: byRepo(func(r github.Repo) (github.Milestone, error) { return k.milestone(ctx, r, in.Milestone.To) }),
		settings:  byRepo(func(r github.Repo) ([]setting, error) { return k.issueSettings(ctx, r, in.Fields) }),
	}
	changes, problems := make([]batchChange, len(found)), make([]error, len(found))
	for i, s := range found {
		if changes[i], err = k.batchChange(ctx, s, in, read); err != nil && !fault.OfArguments(err) {
			return nil, err
		}
		problems[i] = err
		if err != nil {
			problems[i] = fault.Within(entry("issues", i), err)
		}
	}
	if err := fault.All(problems...); err != nil {
		return nil, listing.Unwritten(len(found), err)
	}
	return applied("issues", mapped(found, refOf), k.writeChanges(ctx, changes))
}

// batchReads is what the changes of a batch need, each read once.
type batchReads struct {
	people    directory
	labels    func(github.Repo) ([]github.Label, error)
	milestone func(github.Repo) (github.Milestone, error)
	settings  func(github.Repo) ([]setting, error)
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
	of     github.Subject
	input  github.IssueInput
	closes string     // the reason
	steps  []nestStep // that set issue fields
	result changedIssue
}

func (b *batchChange) differs(name string, was any) {
	b.result.Changed, b.result.Previous[name] = append(b.result.Changed, name), was
}

func (k *kit) batchChange(ctx context.Context, s github.Subject, in updateIssueInput, read batchReads) (batchChange, error) {
	b := batchChange{of: s, input: github.IssueInput{ID: s.ID}, result: changedIssue{
		Ref: refOf(s), Title: plaintext.Clean(s.Title), State: strings.ToLower(s.State), Previous: map[string]any{},
	}}
	if s.Type != "Issue" {
		return b, fault.Invalid("", "%s is a pull request; change pull requests one at a time, with issue", b.result.Ref)
	}
	labels, err := labelIDs(ctx, s, in, read.labels)
	if err != nil {
		return b, err
	}
	if labels != nil {
		b.input.LabelIDs = labels
		b.differs("labels", mapped(s.Labels.Entries(), func(n github.Named) string { return plaintext.Clean(n.Name) }))
	}
	assignees, err := k.assigneeIDs(ctx, s, in, read.people)
	if err != nil {
		return b, err
	}
	if assignees != nil {
		b.input.AssigneeIDs = assignees
		b.differs("assignees", mapped(s.Assignees.Entries(), func(n github.Named) string { return n.Login }))
	}
	if err := k.batchMilestone(&b, in, read.milestone); err != nil {
		return b, err
	}
	b.state(in)
	err = k.batchFields(ctx, &b, in, read)
	return b, err
}

// batchFields adds the issue fields to a change. GitHub tells their values only in REST.
func (k *kit) batchFields(ctx context.Context, b *batchChange, in updateIssueInput, read batchReads) error {
	if len(in.Fields) == 0 {
		return nil
	}
	settings, err := read.settings(b.of.Repo())
	if err != nil {
		return err
	}
	old, err := k.github.Issue(ctx, b.of.Repo(), b.of.Number)
	if err != nil {
		return err
	}
	if b.steps = k.fieldSteps(ctx, old, settings); len(b.steps) > 0 {
		b.differs(b.steps[0].changes, b.steps[0].was)
	}
	return nil
}

// state adds the state and its reason to a change.
func (b *batchChange) state(in updateIssueInput) {
	state, reason := strings.ToUpper(in.State), strings.ToUpper(in.StateReason)
	switch {
	case state == "OPEN" || reason == "REOPENED":
		if b.of.State == "OPEN" {
			return
		}
		b.input.State, state, reason = "OPEN", "OPEN", "REOPENED"
	case reason != "" && (b.of.State != "CLOSED" || b.of.StateReason != reason), state == "CLOSED" && b.of.State != "CLOSED":
		state, reason = "CLOSED", cmp.Or(reason, "COMPLETED")
		b.closes = reason
	default:
		return
	}
	if state != b.of.State {
		b.differs("state", strings.ToLower(b.of.State))
	}
	if reason == b.of.StateReason {
		return
	}
	var was any // it had none
	if b.of.StateReason != "" {
		was = strings.ToLower(b.of.StateReason)
	}
	b.differs("state_reason", was)
}

// labelIDs returns the node IDs of the labels that an issue gets; nil if they stay.
func labelIDs(ctx context.Context, s github.Subject, in updateIssueInput, of func(github.Repo) ([]github.Label, error)) (*[]string, error) {
	if !in.changesLabels() {
		return nil, nil
	}
	all, err := of(s.Repo())
	if err != nil {
		return nil, err
	}
	now, err := in.labelsNow(ctx, all, mapped(s.Labels.Entries(), func(n github.Named) string { return n.Name }))
	if err != nil || now == nil {
		return nil, err
	}
	return nodesOf(all, *now), nil
}

// nodesOf returns the node IDs of the labels with names.
func nodesOf(all []github.Label, names []string) *[]string {
	ids := []string{}
	for _, l := range all {
		if hasName(names, l.Name) {
			ids = append(ids, l.NodeID)
		}
	}
	return &ids
}

// assigneeIDs returns the node IDs of the assignees that an issue gets; nil if they stay.
func (k *kit) assigneeIDs(ctx context.Context, s github.Subject, in updateIssueInput, people directory) (*[]string, error) {
	if !in.changesAssignees() {
		return nil, nil
	}
	old := mapped(s.Assignees.Entries(), func(n github.Named) string { return n.Login })
	all, badAll := k.people(ctx, in.Assignees.To)
	added, badAdded := k.people(ctx, in.AddAssignees)
	removed, badRemoved := k.people(ctx, in.RemoveAssignees)
	if err := fault.All(badAll, badAdded, badRemoved); err != nil {
		return nil, err
	}
	now, err := listNow("assignees", old, in.Assignees.Given, all, added, removed)
	if err != nil || now == nil {
		return nil, err
	}
	ids := people.of(*now, s.Assignees.Entries())
	return &ids, nil
}

func (k *kit) batchMilestone(b *batchChange, in updateIssueInput, of func(github.Repo) (github.Milestone, error)) error {
	if !in.Milestone.Given {
		return nil
	}
	var was any
	if b.of.Milestone != nil {
		was = plaintext.Clean(b.of.Milestone.Title)
	}
	if in.Milestone.To.IsZero() {
		if was != nil {
			b.input.MilestoneID = github.None{}
			b.differs("milestone", was)
		}
		return nil
	}
	to, err := of(b.of.Repo())
	if err == nil && (b.of.Milestone == nil || b.of.Milestone.ID != to.ID) {
		b.input.MilestoneID = to.ID
		b.differs("milestone", was)
	}
	return err
}

// writeChanges carries out the changes: first all but the closings, then these.
func (k *kit) writeChanges(ctx context.Context, changes []batchChange) []github.Outcome[changedIssue] {
	done := make([]github.Outcome[changedIssue], len(changes))
	var edits []github.IssueInput
	var edited, closed []int
	for i, b := range changes {
		done[i] = github.Outcome[changedIssue]{Value: b.result, Tried: true}
		if b.input != (github.IssueInput{ID: b.of.ID}) {
			edited, edits = append(edited, i), append(edits, b.input)
		}
	}
	changed := map[int]bool{}
	note := func(of []int, outcomes []github.Outcome[github.Subject], missed string) {
		for n, one := range outcomes {
			i := of[n]
			if one.Err == nil {
				done[i].Value.State, changed[i] = strings.ToLower(one.Value.State), true
			} else if changed[i] || one.Part {
				one.Err, one.Tried, done[i].Part = noting(one.Err, "the rest is changed, but "+missed+": "), true, true
			}
			done[i].Err, done[i].Tried = one.Err, one.Tried
		}
	}
	note(edited, k.github.UpdateIssues(ctx, edits), "")
	for i, b := range changes {
		if len(b.steps) > 0 && done[i].Err == nil {
			note([]int{i}, []github.Outcome[github.Subject]{setFieldsOf(b, done[i].Value.State)}, "its issue fields are not all set")
			done[i].Value.OwnFields = valuesSet(b.steps)
		}
	}
	var closings []github.Closing
	for i, b := range changes {
		if b.closes != "" && done[i].Err == nil {
			closed, closings = append(closed, i), append(closings, github.Closing{ID: b.of.ID, Reason: b.closes})
		}
	}
	note(closed, k.github.CloseIssues(ctx, closings), "it is not closed")
	return done
}

// setFieldsOf sets the issue fields of an issue, which has a state.
func setFieldsOf(b batchChange, state string) github.Outcome[github.Subject] {
	done, err := carryOut(b.steps)
	if err != nil {
		err = fault.Within(b.steps[done].argument, err)
	}
	return github.Outcome[github.Subject]{Value: github.Subject{State: state}, Err: err, Tried: done > 0 || !fault.Is(err, fault.RateLimited), Part: done > 0}
}
