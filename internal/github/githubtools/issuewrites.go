package githubtools

import (
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

type createIssueInput struct {
	Repo      string       `json:"repo" jsonschema:"owner/name or URL" limits:"minlen=1 maxlen=1000"`
	Title     string       `json:"title" jsonschema:"Title" limits:"minlen=1 maxlen=256"`
	Body      string       `json:"body,omitzero" jsonschema:"Markdown" limits:"maxlen=65536"`
	Labels    []string     `json:"labels,omitzero" jsonschema:"Existing labels" limits:"maxitems=100"`
	Assignees []string     `json:"assignees,omitzero" jsonschema:"Logins or me" limits:"maxitems=10"`
	Milestone toolargs.Ref `json:"milestone,omitzero" jsonschema:"Number or title"`
}

// writtenIssue is an issue after a write. NotApplied lists what GitHub dropped without an error.
type writtenIssue struct {
	issue
	Body       string   `json:"body"`
	Truncated  bool     `json:"truncated,omitempty"`
	NotApplied []string `json:"not_applied"`
}

func written(i github.Issue, notApplied []string) writtenIssue {
	v := writtenIssue{issue: viewIssue(i), Body: shown(i.Body), NotApplied: notApplied}
	listing.Excerpt(&v.Body, maxWritten, &v.Truncated)
	return v
}

func (k *kit) createIssue() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_create_issue",
		Title:       "Create a GitHub issue",
		Description: "Creates an issue in a GitHub repository.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createIssueInput) (writtenIssue, error) {
		repo, err := k.repo("repo", in.Repo)
		if err := fault.All(err, notBlank("title", in.Title), logins("assignees", in.Assignees)); err != nil {
			return writtenIssue{}, err
		}
		if err := k.github.Require(ctx, writeIssues...); err != nil {
			return writtenIssue{}, err
		}
		draft := github.NewIssue{Title: in.Title, Body: sent(in.Body)}
		var set wishes
		if draft.Labels, err = k.labels(ctx, repo, "labels", in.Labels); err != nil {
			return writtenIssue{}, err
		}
		if draft.Assignees, err = k.assignable(ctx, repo, "assignees", in.Assignees, nil); err != nil {
			return writtenIssue{}, err
		}
		set.labels, set.assignees = &draft.Labels, &draft.Assignees
		if !in.Milestone.IsZero() && !isNone(in.Milestone.Name) {
			found, err := k.milestone(ctx, repo, in.Milestone)
			if err != nil {
				return writtenIssue{}, err
			}
			draft.Milestone, set.milestone = found.Number, &found
		}
		made, err := k.github.CreateIssue(ctx, repo, draft)
		if err != nil {
			return writtenIssue{}, unconfirmed(err, "created this issue", "look for it with github_list_issues before you retry")
		}
		return written(made, set.missing(made)), nil
	})
}

// wishes are the parts of an issue that GitHub drops without an error if the user may not set them.
// nil stays as it is.
type wishes struct {
	labels, assignees *[]string
	milestone         *github.Milestone // with the number 0 for none
	state             string
	exactly           bool // the lists have no other entries; a new issue may get some from GitHub
}

// missing returns the wishes that an issue does not meet.
func (w wishes) missing(i github.Issue) []string {
	missing := []string{}
	compare := func(name string, wanted *[]string, has []string) {
		if wanted == nil {
			return
		}
		for _, one := range without(*wanted, has) {
			missing = append(missing, name+": "+plaintext.Word(one))
		}
		if !w.exactly {
			return
		}
		for _, one := range without(has, *wanted) {
			missing = append(missing, name+": "+plaintext.Word(one)+" (not removed)")
		}
	}
	compare("labels", w.labels, i.Labels)
	compare("assignees", w.assignees, i.Assignees)
	switch {
	case w.milestone == nil || w.milestone.Number == milestoneOf(i):
	case w.milestone.Number == 0:
		missing = append(missing, "milestone: "+plaintext.Word(i.Milestone.Title)+" (not removed)")
	default:
		missing = append(missing, "milestone: "+plaintext.Word(w.milestone.Title))
	}
	if w.state != "" && w.state != i.State {
		missing = append(missing, "state: "+w.state)
	}
	return missing
}

func milestoneOf(i github.Issue) int {
	if i.Milestone == nil {
		return 0
	}
	return i.Milestone.Number
}

// without returns the names of a list that another list lacks. Case does not count.
func without(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return hasName(other, n) })
}

func hasName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

type updateIssueInput struct {
	Issue toolargs.Ref            `json:"issue" jsonschema:"owner/repo#12 or URL; with repo a number or exact title"`
	Repo  string                  `json:"repo,omitzero" jsonschema:"owner/name or URL" limits:"maxlen=1000"`
	Title toolargs.Change[string] `json:"title,omitzero" jsonschema:"New title" limits:"minlen=1 maxlen=256"`
	editInput
	State           string                        `json:"state,omitzero" jsonschema:"State" limits:"enum=open|closed"`
	StateReason     string                        `json:"state_reason,omitzero" jsonschema:"Implies the state" limits:"enum=completed|not_planned|reopened"`
	Labels          toolargs.Change[[]string]     `json:"labels,omitzero" jsonschema:"Replaces all" limits:"maxitems=100 none"`
	AddLabels       []string                      `json:"add_labels,omitzero" jsonschema:"Existing labels" limits:"maxitems=100"`
	RemoveLabels    []string                      `json:"remove_labels,omitzero" jsonschema:"Labels" limits:"maxitems=100"`
	Assignees       toolargs.Change[[]string]     `json:"assignees,omitzero" jsonschema:"Replaces all: logins or me" limits:"maxitems=10 none"`
	AddAssignees    []string                      `json:"add_assignees,omitzero" jsonschema:"Logins or me" limits:"maxitems=10"`
	RemoveAssignees []string                      `json:"remove_assignees,omitzero" jsonschema:"Logins or me" limits:"maxitems=10"`
	Milestone       toolargs.Change[toolargs.Ref] `json:"milestone,omitzero" jsonschema:"Number or title; none clears" limits:"none empty"`
	Everywhere      bool                          `json:"everywhere,omitzero" jsonschema:"Also complete what is linked"`
}

func (in updateIssueInput) changesLabels() bool {
	return in.Labels.Given || len(in.AddLabels) > 0 || len(in.RemoveLabels) > 0
}

func (in updateIssueInput) changesAssignees() bool {
	return in.Assignees.Given || len(in.AddAssignees) > 0 || len(in.RemoveAssignees) > 0
}

// check returns an error if the arguments do not go together. It needs no request.
func (in updateIssueInput) check() error {
	if !in.Title.Given && !in.asked() && in.State == "" && in.StateReason == "" && !in.changesLabels() && !in.changesAssignees() && !in.Milestone.Given {
		return fault.Invalid("arguments", "nothing to change; give title, body, append, find with replace, state, labels, assignees or milestone")
	}
	var title, reason, labels, assignees, everywhere error
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
	return fault.All(in.editInput.check(), everywhere, title, reason, labels, assignees,
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
	Changed    []string       `json:"changed"`
	Everywhere []hub.Finished `json:"everywhere,omitempty"`
}

func (k *kit) updateIssue() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "github_update_issue",
		Title: "Change a GitHub issue",
		Description: "Edits a GitHub issue or pull request: title, body (replace, append, or fix one passage), labels, assignees, milestone; " +
			"closes or reopens it.",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in updateIssueInput) (updatedIssue, error) {
		if err := in.check(); err != nil {
			return updatedIssue{}, err
		}
		if err := k.github.Require(ctx, writeIssues...); err != nil {
			return updatedIssue{}, err
		}
		old, err := k.readIssue(ctx, in.Issue, in.Repo)
		if err != nil {
			return updatedIssue{}, err
		}
		change, set, err := k.issueChange(ctx, old, in)
		if err != nil {
			return updatedIssue{}, err
		}
		if change == (github.IssueChange{}) {
			return k.finished(ctx, in, updatedIssue{writtenIssue: written(old, nil)}, old)
		}
		now, err := k.github.UpdateIssue(ctx, old.Repo, old.Number, change)
		if err != nil {
			return updatedIssue{}, in.doubted(github.Renamed(err, in.arguments()))
		}
		return k.finished(ctx, in, updatedIssue{writtenIssue: written(now, set.missing(now)), Changed: changes(old, now)}, now)
	})
}

// issueChange returns the fields in which an issue differs from the caller's request.
func (k *kit) issueChange(ctx context.Context, old github.Issue, in updateIssueInput) (github.IssueChange, wishes, error) {
	var change github.IssueChange
	set := wishes{exactly: true}
	if title := in.Title.ValueOr(old.Title); title != old.Title {
		change.Title = &title
	}
	body := old.Body
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
	if err := k.changeLists(ctx, &change, old, in); err != nil {
		return change, set, err
	}
	set.labels, set.assignees = change.Labels, change.Assignees
	if in.Milestone.Given {
		var to github.Milestone
		if !in.Milestone.To.IsZero() {
			var err error
			if to, err = k.milestone(ctx, old.Repo, in.Milestone.To); err != nil {
				return change, set, err
			}
		}
		if to.Number != milestoneOf(old) {
			change.Milestone, set.milestone = &to.Number, &to
		}
	}
	return change, set, nil
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
func (k *kit) changeLists(ctx context.Context, change *github.IssueChange, old github.Issue, in updateIssueInput) error {
	if in.changesLabels() {
		all, err := k.github.Labels(ctx, old.Repo)
		if err != nil {
			return err
		}
		named, badLabels := labelsOf(ctx, all, "labels", in.Labels.To)
		added, badAdded := labelsOf(ctx, all, "add_labels", in.AddLabels)
		removed, badRemoved := labelsOf(ctx, all, "remove_labels", in.RemoveLabels)
		if err := fault.All(badLabels, badAdded, badRemoved); err != nil {
			return err
		}
		if now := listNow(old.Labels, in.Labels.Given, named, added, removed); !sameNames(now, old.Labels) {
			change.Labels = &now
		}
	}
	if !in.changesAssignees() {
		return nil
	}
	all, badAll := k.assignable(ctx, old.Repo, "assignees", in.Assignees.To, old.Assignees)
	added, badAdded := k.assignable(ctx, old.Repo, "add_assignees", in.AddAssignees, old.Assignees)
	removed, badRemoved := k.assignable(ctx, old.Repo, "remove_assignees", in.RemoveAssignees, old.Assignees)
	if err := fault.All(badAll, badAdded, badRemoved); err != nil {
		return err
	}
	if now := listNow(old.Assignees, in.Assignees.Given, all, added, removed); !sameNames(now, old.Assignees) {
		change.Assignees = &now
	}
	return nil
}

// listNow returns a list after it was replaced, or names were added and removed.
func listNow(old []string, replaced bool, all, added, removed []string) []string {
	if replaced {
		return all
	}
	return without(slices.Concat(old, without(added, old)), removed)
}

func sameNames(a, b []string) bool { return len(without(a, b)) == 0 && len(without(b, a)) == 0 }

// changes returns the arguments whose fields differ between two states of an issue.
func changes(old, now github.Issue) []string {
	changed := []string{}
	for _, f := range []struct {
		name      string
		different bool
	}{
		{"title", old.Title != now.Title},
		{"body", old.Body != now.Body},
		{"state", old.State != now.State},
		{"state_reason", old.StateReason != now.StateReason},
		{"labels", !sameNames(old.Labels, now.Labels)},
		{"assignees", !sameNames(old.Assignees, now.Assignees)},
		{"milestone", milestoneOf(old) != milestoneOf(now)},
	} {
		if f.different {
			changed = append(changed, f.name)
		}
	}
	return changed
}
