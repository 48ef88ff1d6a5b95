package githubtools

import (
	"cmp"
	"context"
	"slices"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// writeIssues are the scopes that allow to write issues and milestones. One of them is enough;
// public_repo is for public repositories.
var writeIssues = []string{"repo", "public_repo"}

type updateIssueInput struct {
	Issue  toolargs.Ref            `json:"issue,omitzero" jsonschema:"This or issues: owner/repo#12 or URL; with repo a number or exact title"`
	Issues toolargs.Refs           `json:"issues,omitzero" jsonschema:"Several, for state, labels, assignees, milestone, issue_fields" limits:"maxitems=25"`
	Repo   string                  `json:"repo,omitzero" jsonschema:"Name or owner/name" limits:"maxlen=1000"`
	Title  toolargs.Change[string] `json:"title,omitzero" jsonschema:"New title" limits:"minlen=1 maxlen=256"`
	parts.EditInput
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
	return in.State != "" || in.StateReason != "" || slices.ContainsFunc(in.lists(), listChange.asked) || in.Milestone.Given || len(in.Fields) > 0
}

// changesMore reports whether the arguments ask for something besides labels and assignees, which
// are all that is changed in a pull request.
func (in updateIssueInput) changesMore() bool {
	return in.Title.Given || in.Asked() || in.State+in.StateReason != "" || in.Milestone.Given || in.Type.Given || in.nests() || len(in.Fields) > 0
}

// listChange is a change to a list of an issue.
type listChange struct {
	name        string // of the list, and of the argument that replaces it
	to          toolargs.Change[[]string]
	add, remove []string
}

func (l listChange) asked() bool { return l.to.Given || len(l.add)+len(l.remove) > 0 }

func (in updateIssueInput) lists() []listChange {
	return []listChange{{"labels", in.Labels, in.AddLabels, in.RemoveLabels}, {"assignees", in.Assignees, in.AddAssignees, in.RemoveAssignees}}
}

// check returns an error if the arguments do not go together. It needs no request.
func (in updateIssueInput) check() error {
	if !in.changesMany() && !in.changesMore() {
		return fault.Invalid("arguments", "nothing to change; give title, body, append, find with replace, state, labels, assignees or milestone")
	}
	var title, reason, everywhere error
	many := len(in.Issues) > 0
	which := parts.OneOf("issue", !in.Issue.IsZero(), many)
	switch {
	case which != nil:
	case many && (in.Title.Given || in.Asked() || in.Type.Given || in.nests() || in.Everywhere):
		which = fault.Invalid("issues", "change only state, labels, assignees, milestone and issue_fields together; give one issue for the other arguments")
	case !in.DuplicateOf.IsZero() && in.State+in.StateReason != "":
		which = fault.Invalid("duplicate_of", "closes the issue; leave state and state_reason out")
	}
	if in.Title.Given {
		title = parts.NotBlank("title", in.Title.To)
	}
	if in.State != "" && in.StateReason != "" && (in.StateReason == "reopened") != (in.State == "open") {
		reason = fault.Invalid("state_reason", "must be reopened for the state open, and completed or not_planned for closed")
	}
	if in.Everywhere && in.StateReason != "completed" && (in.State != "closed" || in.StateReason != "") {
		everywhere = fault.Invalid("everywhere", "completes what is linked, too; it needs the state closed, and no other reason than completed")
	}
	problems := []error{in.Check(), everywhere, which, title, reason}
	for _, l := range in.lists() {
		if l.to.Given && len(l.add)+len(l.remove) > 0 {
			problems = append(problems, fault.Invalid(l.name, "replaces all %s; do not combine it with add_%s or remove_%s", l.name, l.name, l.name))
		}
	}
	return fault.All(append(problems,
		parts.Logins("assignees", in.Assignees.To), parts.Logins("add_assignees", in.AddAssignees), parts.Logins("remove_assignees", in.RemoveAssignees))...)
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
	for _, l := range in.lists() {
		if !l.to.Given && len(l.add) > 0 {
			names[l.name] = "add_" + l.name
		}
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

func (k *kit) updateIssue(ctx context.Context, in updateIssueInput) (updatedIssues, error) {
	if err := in.check(); err != nil {
		return updatedIssues{}, err
	}
	if err := k.GitHub.Require(ctx, writeIssues...); err != nil {
		return updatedIssues{}, err
	}
	if len(in.Issues) > 0 {
		all, err := k.updateIssues(ctx, in)
		return updatedIssues{nil, all}, err
	}
	one, err := k.updateOne(ctx, in)
	return updatedIssues{&one, nil}, err
}

// updateOne changes one issue or pull request.
func (k *kit) updateOne(ctx context.Context, in updateIssueInput) (updatedIssue, error) {
	old, err := k.ReadIssue(ctx, in.Issue, in.Repo)
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
	if len(change) > 0 {
		if now, err = k.GitHub.UpdateIssue(ctx, old.Repo, old.Number, change, in.arguments()); err != nil {
			return updatedIssue{}, in.Doubted(err)
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
		missing = append(missing, step.argument+": "+cmp.Or(parts.ItemRef(step.to.Repo, step.to.Number), step.of, "all")+": "+why)
	}
	for _, step := range steps[:done] {
		if !slices.Contains(v.Changed, step.changes) {
			v.Changed, v.Previous[step.changes] = append(v.Changed, step.changes), step.was
		}
	}
	v.OwnFields = valuesSet(steps[:done])
	if done > 0 && !in.DuplicateOf.IsZero() {
		now.State, now.StateReason = "closed", "duplicate"
		if read, err := k.GitHub.Issue(ctx, old.Repo, old.Number); err == nil {
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
		labels:    byRepo(func(r github.Repo) ([]github.Label, error) { return k.GitHub.Labels(ctx, r) }),
		milestone: byRepo(func(r github.Repo) (github.Milestone, error) { return k.milestone(ctx, r, in.Milestone.To) }),
		assignable: func(r github.Repo, argument string, names, assigned []string) ([]string, error) {
			return k.Assignable(ctx, r, argument, names, assigned)
		},
	}
}

// issueChange returns the fields in which an issue differs from the caller's request.
func issueChange(ctx context.Context, old github.Issue, in updateIssueInput, read vocabulary) (github.Fields, wishes, error) {
	change, set := github.Fields{}, wishes{exactly: true}
	if err := changeKind(change, old, in, read); err != nil {
		return change, set, err
	}
	if title := in.Title.ValueOr(old.Title); title != old.Title {
		change["title"] = title
	}
	body := old.Body
	if old.Withheld && in.Asked() && !in.Body.Given {
		return change, set, fault.Invalid("issue", "its body is withheld, because its author does not work on the repository; only a comment can be added")
	}
	if in.Asked() {
		var err error
		if body, err = in.Edited(old.Body); err != nil {
			return change, set, err
		}
	}
	if body != old.Body {
		change["body"] = body
	}
	changeState(change, &set, old, in)
	if err := changeLists(ctx, change, &set, old, in, read); err != nil {
		return change, set, err
	}
	if in.Milestone.Given {
		var to github.Milestone
		if !in.Milestone.To.IsZero() {
			var err error
			if to, err = read.milestone(old.Repo); err != nil {
				return change, set, err
			}
		}
		if to.Number != milestoneOf(old) {
			if change["milestone"], set.milestone = nil, &to; to.Number > 0 {
				change["milestone"] = to.Number
			}
		}
	}
	return change, set, nil
}

// changeKind adds the issue type to a change.
func changeKind(change github.Fields, old github.Issue, in updateIssueInput, read vocabulary) (err error) {
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
		if change["type"] = nil; kind != "" {
			change["type"] = kind
		}
	}
	return err
}

// changeState adds the state and its reason to a change. A reason implies its state.
func changeState(change github.Fields, set *wishes, old github.Issue, in updateIssueInput) {
	state := in.State
	switch in.StateReason {
	case "reopened":
		state = "open"
	case "completed", "not_planned":
		state = "closed"
	}
	if state != "" && state != old.State {
		change["state"], set.state = state, state
	}
	reopened := in.StateReason == "reopened" && old.State == "open" // and so has nothing to say
	if in.StateReason != "" && in.StateReason != old.StateReason && !reopened {
		change["state"], change["state_reason"] = state, in.StateReason
	}
}

// changeLists adds the labels and the assignees to a change.
func changeLists(ctx context.Context, change github.Fields, set *wishes, old github.Issue, in updateIssueInput, from vocabulary) error {
	for _, l := range in.lists() {
		if !l.asked() {
			continue
		}
		has, to := old.Assignees, &set.assignees
		read := func(argument string, names []string) ([]string, error) {
			return from.assignable(old.Repo, argument, names, has)
		}
		if l.name == "labels" {
			labels, err := from.labels(old.Repo)
			if err != nil {
				return err
			}
			has, to = old.Labels, &set.labels
			read = func(argument string, names []string) ([]string, error) { return labelsOf(ctx, labels, argument, names) }
		}
		all, badAll := read(l.name, l.to.To)
		added, badAdded := read("add_"+l.name, l.add)
		removed, badRemoved := read("remove_"+l.name, l.remove)
		err := fault.All(badAll, badAdded, badRemoved)
		if err == nil {
			*to, err = listNow(l.name, has, l.to.Given, all, added, removed)
		}
		if err != nil {
			return err
		}
		if *to != nil {
			change[l.name] = *to
		}
	}
	return nil
}

// listNow returns a list after it was replaced, or names were added and removed; nil if it has the
// same names. A name that is added and removed is an error about the list.
func listNow(list string, old []string, replaced bool, all, added, removed []string) ([]string, error) {
	for _, name := range removed {
		if parts.HasName(added, name) {
			return nil, fault.Invalid("remove_"+list, "%s is in add_%s too", plaintext.Quote(name), list)
		}
	}
	if !replaced {
		all = parts.Without(slices.Concat(old, parts.Without(added, old)), removed)
	}
	if sameNames(all, old) {
		return nil, nil
	}
	return append([]string{}, all...), nil
}

func sameNames(a, b []string) bool {
	return len(parts.Without(a, b)) == 0 && len(parts.Without(b, a)) == 0
}

// changes returns the arguments whose fields differ between two states of an issue, and what they
// were.
func changes(old, now github.Issue) (changed []string, previous map[string]any) {
	was, body := viewIssue(old), parts.Shown(old.Body)
	listing.Excerpt(&body, parts.MaxWritten, new(bool))
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
