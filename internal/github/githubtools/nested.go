package githubtools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolargs"
)

// nestInput holds changes to where an issue stands.
type nestInput struct {
	Parent      toolargs.Change[toolargs.Ref]  `json:"parent,omitzero" jsonschema:"Issue; none clears" limits:"none"`
	AddSubs     toolargs.Refs                  `json:"add_sub_issues,omitzero" jsonschema:"Issues" limits:"maxitems=25"`
	RemoveSubs  toolargs.Refs                  `json:"remove_sub_issues,omitzero" jsonschema:"Issues" limits:"maxitems=25"`
	After       toolargs.Ref                   `json:"after,omitzero" jsonschema:"Sibling to follow"`
	BlockedBy   toolargs.Change[toolargs.Refs] `json:"blocked_by,omitzero" jsonschema:"Replaces all: issues" limits:"none maxitems=25"`
	DuplicateOf toolargs.Ref                   `json:"duplicate_of,omitzero" jsonschema:"Issue; closes"`
	Fields      []boards.FieldInput            `json:"issue_fields,omitzero" jsonschema:"Of the organization"`
}

func (in nestInput) nests() bool {
	return in.Parent.Given || len(in.AddSubs) > 0 || len(in.RemoveSubs) > 0 || !in.After.IsZero() || in.BlockedBy.Given || !in.DuplicateOf.IsZero()
}

// nestStep is one write to where an issue stands.
type nestStep struct {
	argument string
	to       github.Issue // that the argument names
	of       string       // what it names else
	changes  string       // the field of the answer
	was      any
	sets     map[string]any // issue fields, with their new values
	write    func() error
	// holds reports whether the write has happened, once its answer is lost. It may be nil.
	holds func() (bool, error)
}

const (
	maxSubIssues = 100 // of one issue
	maxNested    = 8   // levels
)

// plannedNesting reads and checks everything that the arguments name, before anything is written.
func (k *kit) plannedNesting(ctx context.Context, old github.Issue, in updateIssueInput) (steps []nestStep, err error) {
	if !in.nests() && len(in.Fields) == 0 {
		return nil, nil
	}
	if old.SubIssues == nil && (in.Parent.Given || len(in.AddSubs)+len(in.RemoveSubs) > 0 || !in.After.IsZero() || in.BlockedBy.Given) {
		return nil, fault.Invalid("issue", "this GitHub has no sub-issues and no dependencies: the server is older than they are")
	}
	for _, plan := range []func(context.Context, github.Issue, updateIssueInput) ([]nestStep, error){k.planDuplicate, k.planParent, k.planSubs, k.planBlockers, k.planFields} {
		more, err := plan(ctx, old, in)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// relative reads an issue that an argument names, which may be in the repository of another one.
func (k *kit) relative(ctx context.Context, argument string, of github.Issue, ref toolargs.Ref) (github.Issue, error) {
	named, err := k.IssueRef(argument, ref, "")
	if err != nil {
		if named, err = k.IssueRef(argument, ref, of.Repo.String()); err != nil {
			return github.Issue{}, err
		}
	}
	if named, err = k.Complete(ctx, argument, named); err != nil {
		return github.Issue{}, err
	}
	found, err := k.GitHub.Issue(ctx, named.Repo, named.Number)
	switch {
	case err != nil:
		return found, fault.Within(argument, err)
	case found.ID == of.ID:
		return found, fault.Invalid(argument, "must be another issue than %s itself", parts.ItemRef(of.Repo, of.Number))
	case found.PullRequest:
		return found, fault.Invalid(argument, "must be an issue; %s is a pull request", parts.ItemRef(found.Repo, found.Number))
	}
	return found, nil
}

func (k *kit) planDuplicate(ctx context.Context, old github.Issue, in updateIssueInput) ([]nestStep, error) {
	if in.DuplicateOf.IsZero() {
		return nil, nil
	}
	other, err := k.relative(ctx, "duplicate_of", old, in.DuplicateOf)
	return []nestStep{{argument: "duplicate_of", to: other, changes: "state", was: old.State, write: func() error {
		return k.GitHub.WriteIssues(ctx, github.CloseIssues, []github.Fields{{"issueId": old.ID, "stateReason": "DUPLICATE", "duplicateIssueId": other.ID}})[0].Err
	}}}, err
}

func (k *kit) planParent(ctx context.Context, old github.Issue, in updateIssueInput) (steps []nestStep, err error) {
	if !in.Parent.Given && in.After.IsZero() {
		return nil, nil
	}
	var had github.Issue
	var was any
	if old.Parent != "" {
		if had, err = k.GitHub.ParentOf(ctx, old.Repo, old.Number); err != nil {
			return nil, err
		}
		was = parts.ItemRef(had.Repo, had.Number)
	}
	parent := had
	if in.Parent.Given && in.Parent.To.IsZero() {
		parent = github.Issue{}
	} else if in.Parent.Given {
		if parent, err = k.relative(ctx, "parent", old, in.Parent.To); err == nil {
			err = k.mayHold(ctx, "parent", parent, []github.Issue{old})
		}
	}
	if err == nil && parent.ID != had.ID {
		within := parent
		if parent.ID == "" {
			within = had
		}
		steps = append(steps, k.nest(ctx, nestStep{argument: "parent", to: within, changes: "parent", was: was}, within, old, parent.ID != ""))
	}
	if err != nil || in.After.IsZero() {
		return steps, err
	}
	place, err := k.planPlace(ctx, parent, old, in.After)
	return append(steps, place), err
}

// planPlace puts an issue after a sibling.
func (k *kit) planPlace(ctx context.Context, parent, old github.Issue, after toolargs.Ref) (nestStep, error) {
	if parent.ID == "" {
		return nestStep{}, fault.Invalid("after", "needs a parent: %s is not a sub-issue", parts.ItemRef(old.Repo, old.Number))
	}
	next, err := k.relative(ctx, "after", old, after)
	if err != nil {
		return nestStep{}, err
	}
	siblings, err := k.GitHub.Related(ctx, parent.Repo, parent.Number, github.SubIssues)
	if err != nil {
		return nestStep{}, err
	}
	if !among(siblings, next) {
		return nestStep{}, fault.Invalid("after", "must be a sub-issue of %s", parts.ItemRef(parent.Repo, parent.Number))
	}
	var was any // nothing: it is the first, or has another parent
	if at := slices.IndexFunc(siblings, func(i github.Issue) bool { return i.ID == old.ID }); at > 0 {
		was = parts.ItemRef(siblings[at-1].Repo, siblings[at-1].Number)
	}
	return nestStep{argument: "after", to: next, changes: "after", was: was, write: func() error {
		return k.GitHub.MoveSubIssue(ctx, parent, old.DatabaseID, next.DatabaseID)
	}}, nil
}

func (k *kit) planSubs(ctx context.Context, old github.Issue, in updateIssueInput) (steps []nestStep, err error) {
	if len(in.AddSubs)+len(in.RemoveSubs) == 0 {
		return nil, nil
	}
	has, err := k.relatedTo(ctx, old, old.SubIssues.Total, github.SubIssues)
	if err != nil {
		return nil, err
	}
	added, badAdded := k.relatives(ctx, "add_sub_issues", old, in.AddSubs)
	removed, badRemoved := k.relatives(ctx, "remove_sub_issues", old, in.RemoveSubs)
	if err := fault.All(badAdded, badRemoved); err != nil {
		return nil, err
	}
	for i, one := range removed {
		if among(added, one) {
			return nil, fault.Invalid(parts.Entry("remove_sub_issues", i), "%s is in add_sub_issues too", parts.ItemRef(one.Repo, one.Number))
		}
	}
	added = slices.DeleteFunc(added, func(i github.Issue) bool { return among(has, i) })
	step := nestStep{argument: "add_sub_issues", changes: "sub_issues", was: refsTo(has)}
	for _, step.to = range added {
		steps = append(steps, k.nest(ctx, step, old, step.to, true))
	}
	step.argument = "remove_sub_issues"
	for _, step.to = range removed {
		if among(has, step.to) {
			steps = append(steps, k.nest(ctx, step, old, step.to, false))
		}
	}
	return steps, k.mayHold(ctx, "add_sub_issues", old, added)
}

func (k *kit) planBlockers(ctx context.Context, old github.Issue, in updateIssueInput) (steps []nestStep, err error) {
	if !in.BlockedBy.Given {
		return nil, nil
	}
	has, err := k.relatedTo(ctx, old, old.BlockedBy, github.BlockedBy)
	if err != nil {
		return nil, err
	}
	wanted, err := k.relatives(ctx, "blocked_by", old, in.BlockedBy.To)
	change := func(i github.Issue, blocks bool, write func(context.Context, github.Issue, int64) error) {
		steps = append(steps, nestStep{
			argument: "blocked_by", to: i, changes: "blocked_by", was: refsTo(has), write: func() error { return write(ctx, old, i.DatabaseID) },
			holds: func() (bool, error) {
				now, err := k.GitHub.Related(ctx, old.Repo, old.Number, github.BlockedBy)
				return among(now, i) == blocks, err
			},
		})
	}
	for _, i := range wanted {
		if !among(has, i) {
			change(i, true, k.GitHub.AddBlocker)
		}
	}
	for _, i := range has {
		if !among(wanted, i) {
			change(i, false, k.GitHub.RemoveBlocker)
		}
	}
	return steps, err
}

// relatedTo reads a relation of an issue, if the issue says that it has something there.
func (k *kit) relatedTo(ctx context.Context, i github.Issue, count int, of github.Relation) ([]github.Issue, error) {
	if count == 0 {
		return nil, nil
	}
	return k.GitHub.Related(ctx, i.Repo, i.Number, of)
}

func among(all []github.Issue, one github.Issue) bool {
	return slices.ContainsFunc(all, func(i github.Issue) bool { return i.ID == one.ID })
}

func refsTo(all []github.Issue) []string {
	return parts.Mapped(all, func(i github.Issue) string { return parts.ItemRef(i.Repo, i.Number) })
}

// relatives reads the issues that an argument lists.
func (k *kit) relatives(ctx context.Context, argument string, of github.Issue, refs toolargs.Refs) ([]github.Issue, error) {
	return parts.Each(argument, refs, func(path string, ref toolargs.Ref) (github.Issue, error) { return k.relative(ctx, path, of, ref) })
}

// mayHold returns an error if an issue cannot be the parent of others: of another owner, full, or
// nested in one of them.
func (k *kit) mayHold(ctx context.Context, argument string, parent github.Issue, subs []github.Issue) error {
	name := parts.ItemRef(parent.Repo, parent.Number)
	if parent.SubIssues == nil {
		return fault.Invalid(argument, "this GitHub has no sub-issues: the server is older than they are")
	}
	if parent.SubIssues.Total+len(subs) > maxSubIssues {
		return fault.Invalid(argument, "%s has %d sub-issues, and GitHub allows %d", name, parent.SubIssues.Total, maxSubIssues)
	}
	for _, sub := range subs {
		if !sameOwner(sub.Repo, parent.Repo) {
			return fault.Invalid(argument, "a sub-issue must be in a repository of the same owner: %s is not one of %s", parts.ItemRef(sub.Repo, sub.Number), parent.Repo.Owner)
		}
	}
	up := parent
	for level := 1; up.Parent != "" && len(subs) > 0; level++ {
		var err error
		if up, err = k.GitHub.ParentOf(ctx, up.Repo, up.Number); err != nil {
			return err
		}
		if slices.ContainsFunc(subs, func(sub github.Issue) bool { return sub.ID == up.ID }) {
			return fault.Invalid(argument, "%s is itself nested in %s", name, parts.ItemRef(up.Repo, up.Number))
		}
		if level+1 >= maxNested {
			return fault.Invalid(argument, "GitHub nests issues in at most %d levels", maxNested)
		}
	}
	return nil
}

// nest completes a step that makes an issue a sub-issue of another one, or takes it out.
func (k *kit) nest(ctx context.Context, s nestStep, parent, sub github.Issue, nests bool) nestStep {
	write := k.GitHub.RemoveSubIssue
	if nests {
		write = k.GitHub.AddSubIssue
	}
	s.write = func() error { return write(ctx, parent, sub.DatabaseID) }
	s.holds = func() (bool, error) {
		now, err := k.GitHub.ParentOf(ctx, sub.Repo, sub.Number)
		if fault.Is(err, fault.NotFound) {
			now, err = github.Issue{}, nil
		}
		return now.ID == parent.ID == nests, err
	}
	return s
}

// carryOut writes the steps. If an answer is lost, it reads what came of the write. The error is
// that of the first step that failed; done counts the steps before it.
func carryOut(steps []nestStep) (done int, err error) {
	for i, step := range steps {
		err := step.write()
		if err != nil && fault.From(err).MayHaveHappened && step.holds != nil {
			if held, unread := step.holds(); held && unread == nil {
				err = nil
			}
		}
		if err != nil {
			return i, err
		}
	}
	return len(steps), nil
}

func sameOwner(a, b github.Repo) bool { return strings.EqualFold(a.Owner, b.Owner) }
