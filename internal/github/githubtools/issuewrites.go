package githubtools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// writeIssues are the scopes that allow to write issues and milestones. One of them is enough;
// public_repo is for public repositories.
var writeIssues = []string{"repo", "public_repo"}

// without returns the names of a list that another list lacks. Case does not count.
func without(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return hasName(other, n) })
}

func hasName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

type updateIssueInput struct {
	Issue  toolargs.Ref            `json:"issue,omitzero" jsonschema:"This or issues: owner/repo#12 or URL; with repo a number or exact title"`
	Issues toolargs.Refs           `json:"issues,omitzero" jsonschema:"Several, for state, labels, assignees, milestone, issue_fields" limits:"maxitems=25"`
	Repo   string                  `json:"repo,omitzero" jsonschema:"Name or owner/name" limits:"maxlen=1000"`
	Title  toolargs.Change[string] `json:"title,omitzero" jsonschema:"New title" limits:"minlen=1 maxlen=256"`
	editInput
	State           string                        `json:"state,omitzero" jsonschema:"State" limits:"enum=open|closed"`
	StateReason     string                        `json:"state_reason,omitzero" jsonschema:"Implies the state" limits:"enum=completed|not_planned|reopened"`
	Labels          toolargs.Change[[]string]     `json:"labels,omitzero" jsonschema:"Replaces all" limits:"word maxitems=100 none"`
	AddLabels       []string                      `json:"add_labels,omitzero" jsonschema:"Existing labels" limits:"word maxitems=100"`
	RemoveLabels    []string                      `json:"remove_labels,omitzero" jsonschema:"Labels" limits:"word maxitems=100"`
	Assignees       toolargs.Change[[]string]     `json:"assignees,omitzero" jsonschema:"Replaces all: logins or me" limits:"maxitems=10 none"`
	AddAssignees    []string                      `json:"add_assignees,omitzero" jsonschema:"Logins or me" limits:"maxitems=10"`
	RemoveAssignees []string                      `json:"remove_assignees,omitzero" jsonschema:"Logins or me" limits:"maxitems=10"`
	Milestone       toolargs.Change[toolargs.Ref] `json:"milestone,omitzero" jsonschema:"Number or title; none clears" limits:"none"`
	Type            toolargs.Change[string]       `json:"type,omitzero" jsonschema:"Issue type; none clears" limits:"none maxlen=50"`
	nestInput
	Everywhere bool `json:"everywhere,omitzero" jsonschema:"Also complete what is linked"`
}

// changesMany reports whether the arguments ask for something that several issues can have.
func (in updateIssueInput) changesMany() bool {
	return in.State != "" || in.StateReason != "" || in.changesLabels() || in.changesAssignees() || in.Milestone.Given || len(in.Fields) > 0
}

// changesMore reports whether the arguments ask for something besides labels and assignees, which
// are all that is changed in a pull request.
func (in updateIssueInput) changesMore() bool {
	return in.Title.Given || in.asked() || in.State+in.StateReason != "" || in.Milestone.Given || in.Type.Given || in.nests() || len(in.Fields) > 0
}

func (in updateIssueInput) changesLabels() bool {
	return in.Labels.Given || len(in.AddLabels) > 0 || len(in.RemoveLabels) > 0
}

func (in updateIssueInput) changesAssignees() bool {
	return in.Assignees.Given || len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0
}

// check returns an error if the arguments do not go together. It needs no request.
func (in updateIssueInput) check() error {
	if !in.changesMany() && !in.changesMore() {
		return fault.Invalid("arguments", "nothing to change; give title, body, append, find with replace, state, labels, assignees or milestone")
	}
	var title, reason, labels, assignees, which, everywhere error
	switch many := len(in.Issues) > 0; {
	case many == !in.Issue.IsZero():
		which = oneOf("issue", "issues", many)
	case many && (in.Title.Given || in.asked() || in.Type.Given || in.nests() || in.Everywhere):
		which = fault.Invalid("issues", "change only state, labels, assignees, milestone and issue_fields together; give one issue for the other arguments")
	case !in.DuplicateOf.IsZero() && in.State+in.StateReason != "":
		which = fault.Invalid("duplicate_of", "closes the issue; leave state and state_reason out")
	}
	if in.Title.Given {
		title = notBlank("title", in.Title.To)
	}
	if in.State != "" && in.StateReason != "" && (in.StateReason == "reopened") != (in.State == "open") {
		reason = fault.Invalid("state_reason", "must be reopened for the state open, and completed or not_planned for closed")
	}
	if in.Labels.Given && len(in.AddLabels)+len(in.RemoveLabels) > 0 {
		labels = fault.Invalid("labels", "replaces all labels; do not combine it with add_labels or remove_labels")
	}
	if in.Assignees.Given && len(in.AddAssignees)+len(in.RemoveAssignees) > 0 {
		assignees = fault.Invalid("assignees", "replaces all assignees; do not combine it with add_assignees or remove_assignees")
	}
	if in.Everywhere && in.StateReason != "completed" && (in.State != "closed" || in.StateReason != "") {
		everywhere = fault.Invalid("everywhere", "completes what is linked, too; it needs the state closed, and no other reason than completed")
	}
	return fault.All(in.editInput.check(), everywhere, which, title, reason, labels, assignees,
		logins("assignees", in.Assignees.To), logins("add_assignees", in.AddAssignees), logins("remove_assignees", in.RemoveAssignees))
}

// arguments returns the caller's arguments by the fields that they change, where the names differ.
func (in updateIssueInput) arguments() map[string]string {
	names := map[string]string{}
	if in.Append != "" {
		names["body"] = "append"
	}
	if in.Find != "" {
		names["body"] = "replace"
	}
	if !in.Labels.Given && len(in.AddLabels) > 0 {
		names["labels"] = "add_labels"
	}
	if !in.Assignees.Given && len(in.AddAssignees) > 0 {
		names["assignees"] = "add_assignees"
	}
	if in.State == "" {
		names["state"] = "state_reason"
	}
	return names
}

type updatedIssue struct {
	writtenIssue
	Changed   []string       `json:"changed"`
	Previous  map[string]any `json:"previous,omitempty"`     // of what changed
	OwnFields map[string]any `json:"issue_fields,omitempty"` // what they are now
	hub.Everywhere
}

// updatedIssues is the answer for one issue or for several.
type updatedIssues struct {
	*updatedIssue
	*listing.Applied[changedIssue]
}

func (k *kit) updateIssue() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_update_issue",
		Title:       "Change a GitHub issue",
		Description: "Edits, nests, closes or reopens GitHub issues. Of a pull request, it changes labels and assignees.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateIssueInput) (updatedIssues, error) {
		if err := in.check(); err != nil {
			return updatedIssues{}, err
		}
		if err := k.github.Require(ctx, writeIssues...); err != nil {
			return updatedIssues{}, err
		}
		if len(in.Issues) > 0 {
			all, err := k.updateIssues(ctx, in)
			return updatedIssues{nil, all}, err
		}
		one, err := k.updateOne(ctx, in)
		return updatedIssues{&one, nil}, err
	})
}

// updateOne changes one issue or pull request.
func (k *kit) updateOne(ctx context.Context, in updateIssueInput) (updatedIssue, error) {
	old, err := k.readIssue(ctx, in.Issue, in.Repo)
	if err != nil {
		return updatedIssue{}, err
	}
	if old.PullRequest && in.changesMore() {
		return updatedIssue{}, fault.Invalid("issue", "is a pull request; only its labels and assignees are changed here, and github_add_issue_comment comments on it; the user does the rest on GitHub")
	}
	change, set, err := issueChange(ctx, old, in, k.vocabulary(ctx, in))
	if err != nil {
		return updatedIssue{}, err
	}
	steps, err := k.plannedNesting(ctx, old, in)
	if err != nil {
		return updatedIssue{}, err
	}
	now, missing := old, []string{}
	if change != (github.IssueChange{}) {
		if now, err = k.github.UpdateIssue(ctx, old.Repo, old.Number, change); err != nil {
			return updatedIssue{}, in.doubted(github.Renamed(err, in.arguments()))
		}
		missing = set.missing(now)
	}
	v := updatedIssue{}
	v.Changed, v.Previous = changes(old, now)
	done, err := carryOut(steps)
	if err != nil && done == 0 && len(v.Changed) == 0 {
		return updatedIssue{}, fault.Within(steps[0].argument, err)
	}
	for i, step := range steps[done:] {
		why := "not tried"
		if i == 0 {
			why = fault.From(err).Message
		}
		missing = append(missing, step.argument+": "+cmp.Or(itemRef(step.to.Repo, step.to.Number), step.of, "all")+": "+why)
	}
	for _, step := range steps[:done] {
		if !slices.Contains(v.Changed, step.changes) {
			v.Changed, v.Previous[step.changes] = append(v.Changed, step.changes), step.was
		}
	}
	v.OwnFields = valuesSet(steps[:done])
	if done > 0 && !in.DuplicateOf.IsZero() {
		now.State, now.StateReason = "closed", "duplicate"
		if read, err := k.github.Issue(ctx, old.Repo, old.Number); err == nil {
			now = read
		}
	}
	v.writtenIssue = written(now, missing)
	return k.finished(ctx, in, v, now)
}

// vocabulary reads what changes of issues name in a repository.
type vocabulary struct {
	kind       func(github.Repo) (string, error) // the issue type
	labels     func(github.Repo) ([]github.Label, error)
	milestone  func(github.Repo) (github.Milestone, error)
	assignable func(repo github.Repo, argument string, names, assigned []string) ([]string, error)
}

func (k *kit) vocabulary(ctx context.Context, in updateIssueInput) vocabulary {
	return vocabulary{
		kind:      func(r github.Repo) (string, error) { return k.issueType(ctx, "type", r, in.Type.To) },
		labels:    func(r github.Repo) ([]github.Label, error) { return k.github.Labels(ctx, r) },
		milestone: func(r github.Repo) (github.Milestone, error) { return k.milestone(ctx, r, in.Milestone.To) },
		assignable: func(r github.Repo, argument string, names, assigned []string) ([]string, error) {
			return k.assignable(ctx, r, argument, names, assigned)
		},
	}
}

// issueChange returns the fields in which an issue differs from the caller's request.
func issueChange(ctx context.Context, old github.Issue, in updateIssueInput, read vocabulary) (github.IssueChange, wishes, error) {
	var change github.IssueChange
	set := wishes{exactly: true}
	if err := changeKind(&change, old, in, read); err != nil {
		return change, set, err
	}
	if title := in.Title.ValueOr(old.Title); title != old.Title {
		change.Title = &title
	}
	body := old.Body
	if old.Withheld && in.asked() && !in.Body.Given {
		return change, set, fault.Invalid("issue", "its body is withheld, because its author does not work on the repository; only a comment can be added")
	}
	if in.asked() {
		var err error
		if body, err = in.edited(old.Body); err != nil {
			return change, set, err
		}
	}
	if body != old.Body {
		change.Body = &body
	}
	changeState(&change, &set, old, in)
	if err := changeLists(ctx, &change, old, in, read); err != nil {
		return change, set, err
	}
	set.labels, set.assignees = change.Labels, change.Assignees
	if in.Milestone.Given {
		var to github.Milestone
		if !in.Milestone.To.IsZero() {
			var err error
			if to, err = read.milestone(old.Repo); err != nil {
				return change, set, err
			}
		}
		if to.Number != milestoneOf(old) {
			change.Milestone, set.milestone = &to.Number, &to
		}
	}
	return change, set, nil
}

// changeKind adds the issue type to a change.
func changeKind(change *github.IssueChange, old github.Issue, in updateIssueInput, read vocabulary) (err error) {
	if !in.Type.Given {
		return nil
	}
	if !old.HasKinds {
		return fault.Invalid("type", "this GitHub has no issue types: the server is older than they are")
	}
	kind := in.Type.To
	if kind != "" {
		kind, err = read.kind(old.Repo)
	}
	if err == nil && kind != old.Kind {
		change.Kind = &kind
	}
	return err
}

// changeState adds the state and its reason to a change. A reason implies its state.
func changeState(change *github.IssueChange, set *wishes, old github.Issue, in updateIssueInput) {
	state := in.State
	switch in.StateReason {
	case "reopened":
		state = "open"
	case "completed", "not_planned":
		state = "closed"
	}
	if state != "" && state != old.State {
		change.State, set.state = &state, state
	}
	reopened := in.StateReason == "reopened" && old.State == "open" // and so has nothing to say
	if in.StateReason != "" && in.StateReason != old.StateReason && !reopened {
		change.State, change.StateReason = &state, &in.StateReason
	}
}

// changeLists adds the labels and the assignees to a change.
func changeLists(ctx context.Context, change *github.IssueChange, old github.Issue, in updateIssueInput, read vocabulary) error {
	if in.changesLabels() {
		all, err := read.labels(old.Repo)
		if err != nil {
			return err
		}
		if change.Labels, err = in.labelsNow(ctx, all, old.Labels); err != nil {
			return err
		}
	}
	if !in.changesAssignees() {
		return nil
	}
	all, badAll := read.assignable(old.Repo, "assignees", in.Assignees.To, old.Assignees)
	added, badAdded := read.assignable(old.Repo, "add_assignees", in.AddAssignees, old.Assignees)
	removed, badRemoved := read.assignable(old.Repo, "remove_assignees", in.RemoveAssignees, old.Assignees)
	if err := fault.All(badAll, badAdded, badRemoved); err != nil {
		return err
	}
	var err error
	change.Assignees, err = listNow("assignees", old.Assignees, in.Assignees.Given, all, added, removed)
	return err
}

// labelsNow returns the labels that an issue gets, of all that its repository has; nil if they
// stay.
func (in updateIssueInput) labelsNow(ctx context.Context, all []github.Label, old []string) (*[]string, error) {
	named, badLabels := labelsOf(ctx, all, "labels", in.Labels.To)
	added, badAdded := labelsOf(ctx, all, "add_labels", in.AddLabels)
	removed, badRemoved := labelsOf(ctx, all, "remove_labels", in.RemoveLabels)
	if err := fault.All(badLabels, badAdded, badRemoved); err != nil {
		return nil, err
	}
	return listNow("labels", old, in.Labels.Given, named, added, removed)
}

// listNow returns a list after it was replaced, or names were added and removed; nil if it has the
// same names. A name that is added and removed is an error about the list.
func listNow(list string, old []string, replaced bool, all, added, removed []string) (*[]string, error) {
	for _, name := range removed {
		if hasName(added, name) {
			return nil, fault.Invalid("remove_"+list, "%s is in add_%s too", plaintext.Quote(name), list)
		}
	}
	if !replaced {
		all = without(slices.Concat(old, without(added, old)), removed)
	}
	if sameNames(all, old) {
		return nil, nil
	}
	return &all, nil
}

func sameNames(a, b []string) bool { return len(without(a, b)) == 0 && len(without(b, a)) == 0 }

// changes returns the arguments whose fields differ between two states of an issue, and what they
// were.
func changes(old, now github.Issue) (changed []string, previous map[string]any) {
	was, body := viewIssue(old), shown(old.Body)
	listing.Excerpt(&body, maxWritten, new(bool))
	changed, previous = []string{}, map[string]any{}
	for _, f := range []struct {
		name      string
		different bool
		was       any
	}{
		{"title", old.Title != now.Title, was.Title},
		{"body", old.Body != now.Body, body},
		{"state", old.State != now.State, old.State},
		{"state_reason", old.StateReason != now.StateReason, was.StateReason},
		{"labels", !sameNames(old.Labels, now.Labels), was.Labels},
		{"assignees", !sameNames(old.Assignees, now.Assignees), was.Assignees},
		{"milestone", milestoneOf(old) != milestoneOf(now), was.Milestone},
		{"type", old.Kind != now.Kind, plaintext.Clean(old.Kind)},
	} {
		if f.different {
			changed, previous[f.name] = append(changed, f.name), f.was
		}
	}
	return changed, previous
}

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
	read := k.vocabulary(ctx, in)
	read.labels, read.milestone = byRepo(read.labels), byRepo(read.milestone)
	read.assignable = func(_ github.Repo, _ string, names, _ []string) ([]string, error) { return k.people(ctx, names) }
	settings := byRepo(func(r github.Repo) ([]setting, error) { return k.issueSettings(ctx, r, in.Fields) })
	changes, problems := make([]batchChange, len(found)), make([]error, len(found))
	for i, s := range found {
		if changes[i], err = k.batchChange(ctx, s, in, read, people, settings); err != nil && !fault.OfArguments(err) {
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

func (k *kit) batchChange(
	ctx context.Context, s github.Subject, in updateIssueInput, read vocabulary, people directory, settings func(github.Repo) ([]setting, error),
) (batchChange, error) {
	old, repo := s.Issue(), s.Repo()
	b := batchChange{of: s, input: github.IssueInput{ID: s.ID}, result: changedIssue{Ref: refOf(s), Title: plaintext.Clean(s.Title), State: old.State}}
	if s.Type != "Issue" {
		return b, fault.Invalid("", "%s is a pull request; change pull requests one at a time, with issue", b.result.Ref)
	}
	change, set, err := issueChange(ctx, old, in, read)
	if err != nil {
		return b, err
	}
	now := old
	if change.Labels != nil {
		all, _ := read.labels(repo) // which the change has read
		now.Labels, b.input.LabelIDs = *change.Labels, nodesOf(all, *change.Labels)
	}
	if change.Assignees != nil {
		ids := people.of(*change.Assignees, s.Assignees.Entries())
		now.Assignees, b.input.AssigneeIDs = *change.Assignees, &ids
	}
	if now.Milestone = cmp.Or(set.milestone, old.Milestone); set.milestone != nil {
		b.input.MilestoneID = set.milestone.ID
		if set.milestone.Number == 0 {
			b.input.MilestoneID = github.None{}
		}
	}
	if change.State != nil {
		now.State = *change.State
		now.StateReason = cmp.Or(*cmp.Or(change.StateReason, new("")), map[string]string{"open": "reopened", "closed": "completed"}[now.State])
		if b.input.State = "OPEN"; now.State == "closed" {
			b.input.State, b.closes = "", strings.ToUpper(now.StateReason)
		}
	}
	b.result.Changed, b.result.Previous = changes(old, now)
	if len(in.Fields) == 0 {
		return b, nil
	}
	wanted, err := settings(repo)
	if err == nil { // GitHub tells the values of issue fields only in REST
		old, err = k.github.Issue(ctx, repo, s.Number)
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
func nodesOf(all []github.Label, names []string) *[]string {
	ids := []string{}
	for _, l := range all {
		if hasName(names, l.Name) {
			ids = append(ids, l.NodeID)
		}
	}
	return &ids
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
