package githubtools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/toolargs"
)

// nestInput holds changes to where an issue stands.
type nestInput struct {
	Parent      toolargs.Change[toolargs.Ref]  `json:"parent,omitzero" jsonschema:"Issue; none clears" limits:"none empty"`
	AddSubs     toolargs.Refs                  `json:"add_sub_issues,omitzero" jsonschema:"Issues" limits:"maxitems=25"`
	RemoveSubs  toolargs.Refs                  `json:"remove_sub_issues,omitzero" jsonschema:"Issues" limits:"maxitems=25"`
	After       toolargs.Ref                   `json:"after,omitzero" jsonschema:"Sibling to follow"`
	BlockedBy   toolargs.Change[toolargs.Refs] `json:"blocked_by,omitzero" jsonschema:"Replaces all: issues" limits:"none maxitems=25"`
	DuplicateOf toolargs.Ref                   `json:"duplicate_of,omitzero" jsonschema:"Issue; closes"`
	Fields      []fieldInput                   `json:"issue_fields,omitzero" jsonschema:"Of the organization"`
}

func (in nestInput) nests() bool {
	return in.Parent.Given || len(in.AddSubs) > 0 || len(in.RemoveSubs) > 0 || !in.After.IsZero() || in.BlockedBy.Given || !in.DuplicateOf.IsZero() || len(in.Fields) > 0
}

// nestStep is one write to where an issue stands.
type nestStep struct {
	argument string
	of       string // the other issue; empty for none
	write    func() error
	// holds reports whether the write has happened, once its answer is lost.
	holds func() (bool, error)
	name  string // of what it changes
}

// nesting is what an update does to where an issue stands.
type nesting struct {
	steps    []nestStep
	changed  []string
	previous map[string]any
}

func (n *nesting) add(argument string, was any, steps ...nestStep) {
	if !slices.Contains(n.changed, argument) {
		n.changed, n.previous[argument] = append(n.changed, argument), was
	}
	for _, step := range steps {
		step.name = argument
		n.steps = append(n.steps, step)
	}
}

// changedBy returns what the first steps changed.
func (n nesting) changedBy(done int) []string {
	return slices.DeleteFunc(slices.Clone(n.changed), func(name string) bool {
		return !slices.ContainsFunc(n.steps[:done], func(step nestStep) bool { return step.name == name })
	})
}

// undone says what was not done, because a step failed.
func (n nesting) undone(done int, err error) (missing []string) {
	if err == nil {
		return nil
	}
	for i, step := range n.steps[done:] {
		text := step.argument + ": "
		if step.of != "" {
			text += step.of + ": "
		}
		if i > 0 {
			missing = append(missing, text+"not attempted")
			continue
		}
		missing = append(missing, text+fault.From(err).Message)
	}
	return missing
}

const (
	maxSubIssues = 100 // of one issue
	maxNested    = 8   // levels
)

// plannedNesting reads and checks everything that the arguments name, before anything is written.
func (k *kit) plannedNesting(ctx context.Context, old github.Issue, in updateIssueInput) (nesting, error) {
	n := nesting{previous: map[string]any{}}
	if !in.nests() {
		return n, nil
	}
	if old.PullRequest {
		return n, fault.Invalid("issue", "is a pull request; only issues are nested, blocked and duplicates, and have issue fields")
	}
	if old.SubIssues == nil && (in.Parent.Given || len(in.AddSubs)+len(in.RemoveSubs) > 0 || !in.After.IsZero() || in.BlockedBy.Given) {
		return n, fault.Invalid("issue", "this GitHub has no sub-issues and no dependencies: the server is older than they are")
	}
	for _, plan := range []func(context.Context, github.Issue, updateIssueInput, *nesting) error{k.planDuplicate, k.planParent, k.planSubs, k.planBlockers, k.planFields} {
		if err := plan(ctx, old, in, &n); err != nil {
			return n, err
		}
	}
	return n, nil
}

// relative reads an issue that an argument names, which may be in the repository of another one.
func (k *kit) relative(ctx context.Context, argument string, of github.Issue, ref toolargs.Ref) (github.Issue, error) {
	named, err := k.issueRef(argument, ref, "")
	if err != nil {
		if named, err = k.issueRef(argument, ref, of.Repo.String()); err != nil {
			return github.Issue{}, err
		}
	}
	if named, err = k.complete(ctx, argument, named); err != nil {
		return github.Issue{}, err
	}
	found, err := k.github.Issue(ctx, named.repo, named.number)
	switch {
	case err != nil:
		return found, fault.Within(argument, err)
	case found.ID == of.ID:
		return found, fault.Invalid(argument, "must be another issue than %s itself", itemRef(of.Repo, of.Number))
	case found.PullRequest:
		return found, fault.Invalid(argument, "must be an issue; %s is a pull request", itemRef(found.Repo, found.Number))
	}
	return found, nil
}

func (k *kit) planDuplicate(ctx context.Context, old github.Issue, in updateIssueInput, n *nesting) error {
	if in.DuplicateOf.IsZero() {
		return nil
	}
	other, err := k.relative(ctx, "duplicate_of", old, in.DuplicateOf)
	if err != nil {
		return err
	}
	n.add("state", old.State, nestStep{argument: "duplicate_of", of: itemRef(other.Repo, other.Number), write: func() error {
		return k.github.CloseIssues(ctx, []github.Closing{{ID: old.ID, Reason: "DUPLICATE", DuplicateOf: other.ID}})[0].Err
	}})
	return nil
}

func (k *kit) planParent(ctx context.Context, old github.Issue, in updateIssueInput, n *nesting) error {
	if !in.Parent.Given && in.After.IsZero() {
		return nil
	}
	var had, parent github.Issue
	var err error
	if old.Parent != "" {
		if had, err = k.github.ParentOf(ctx, old.Repo, old.Number); err != nil {
			return err
		}
	}
	if parent = had; in.Parent.Given {
		parent = github.Issue{}
	}
	if in.Parent.Given && !in.Parent.To.IsZero() {
		if parent, err = k.relative(ctx, "parent", old, in.Parent.To); err == nil {
			err = k.mayHold(ctx, "parent", parent, []github.Issue{old})
		}
		if err != nil {
			return err
		}
	}
	var was any
	if had.ID != "" {
		was = itemRef(had.Repo, had.Number)
	}
	switch parent.ID {
	case had.ID:
	case "":
		n.add("parent", was, k.unnest(ctx, "parent", had, old))
	default:
		n.add("parent", was, k.nest(ctx, "parent", parent, old))
	}
	if in.After.IsZero() {
		return nil
	}
	if parent.ID == "" {
		return fault.Invalid("after", "needs a parent: %s is not a sub-issue", itemRef(old.Repo, old.Number))
	}
	next, err := k.relative(ctx, "after", old, in.After)
	if err != nil {
		return err
	}
	siblings, err := k.github.Related(ctx, parent.Repo, parent.Number, github.SubIssues)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(siblings, func(i github.Issue) bool { return i.ID == next.ID })
	if at < 0 {
		return fault.Invalid("after", "must be a sub-issue of %s", itemRef(parent.Repo, parent.Number))
	}
	n.add("after", nil, nestStep{argument: "after", of: itemRef(next.Repo, next.Number), write: func() error { return k.github.MoveSubIssue(ctx, parent, old.DatabaseID, next.DatabaseID) }})
	return nil
}

func (k *kit) planSubs(ctx context.Context, old github.Issue, in updateIssueInput, n *nesting) error {
	if len(in.AddSubs)+len(in.RemoveSubs) == 0 {
		return nil
	}
	var has []github.Issue
	var err error
	if old.SubIssues.Total > 0 {
		if has, err = k.github.Related(ctx, old.Repo, old.Number, github.SubIssues); err != nil {
			return err
		}
	}
	was := []string{}
	for _, i := range has {
		was = append(was, itemRef(i.Repo, i.Number))
	}
	added, badAdded := k.relatives(ctx, "add_sub_issues", old, in.AddSubs)
	removed, badRemoved := k.relatives(ctx, "remove_sub_issues", old, in.RemoveSubs)
	if err := fault.All(badAdded, badRemoved); err != nil {
		return err
	}
	isOne := func(i github.Issue) bool {
		return slices.ContainsFunc(has, func(h github.Issue) bool { return h.ID == i.ID })
	}
	added = slices.DeleteFunc(added, isOne)
	if err := k.mayHold(ctx, "add_sub_issues", old, added); err != nil {
		return err
	}
	for _, i := range added {
		n.add("sub_issues", was, k.nest(ctx, "add_sub_issues", old, i))
	}
	for _, i := range removed {
		if isOne(i) {
			n.add("sub_issues", was, k.unnest(ctx, "remove_sub_issues", old, i))
		}
	}
	return nil
}

func (k *kit) planBlockers(ctx context.Context, old github.Issue, in updateIssueInput, n *nesting) error {
	if !in.BlockedBy.Given {
		return nil
	}
	var has []github.Issue
	var err error
	if old.BlockedBy > 0 {
		if has, err = k.github.Related(ctx, old.Repo, old.Number, github.BlockedBy); err != nil {
			return err
		}
	}
	wanted, err := k.relatives(ctx, "blocked_by", old, in.BlockedBy.To)
	if err != nil {
		return err
	}
	was := []string{}
	for _, i := range has {
		was = append(was, itemRef(i.Repo, i.Number))
	}
	blocks := func(id string) func() (bool, error) {
		return func() (bool, error) {
			now, err := k.github.Related(ctx, old.Repo, old.Number, github.BlockedBy)
			return slices.ContainsFunc(now, func(i github.Issue) bool { return i.ID == id }), err
		}
	}
	for _, i := range wanted {
		if !slices.ContainsFunc(has, func(h github.Issue) bool { return h.ID == i.ID }) {
			n.add("blocked_by", was, nestStep{argument: "blocked_by", of: itemRef(i.Repo, i.Number), write: func() error { return k.github.AddBlocker(ctx, old, i.DatabaseID) }, holds: blocks(i.ID)})
		}
	}
	for _, h := range has {
		if !slices.ContainsFunc(wanted, func(i github.Issue) bool { return h.ID == i.ID }) {
			n.add("blocked_by", was, nestStep{argument: "blocked_by", of: itemRef(h.Repo, h.Number), write: func() error { return k.github.RemoveBlocker(ctx, old, h.DatabaseID) }, holds: not(blocks(h.ID))})
		}
	}
	return nil
}

// relatives reads the issues that an argument lists.
func (k *kit) relatives(ctx context.Context, argument string, of github.Issue, refs toolargs.Refs) ([]github.Issue, error) {
	found, problems := make([]github.Issue, len(refs)), make([]error, len(refs))
	for i, ref := range refs {
		found[i], problems[i] = k.relative(ctx, entry(argument, i), of, ref)
	}
	return found, fault.All(problems...)
}

// mayHold returns an error if an issue cannot be the parent of others: of another owner, full, or
// nested in one of them.
func (k *kit) mayHold(ctx context.Context, argument string, parent github.Issue, subs []github.Issue) error {
	name := itemRef(parent.Repo, parent.Number)
	if parent.SubIssues == nil {
		return fault.Invalid(argument, "this GitHub has no sub-issues: the server is older than they are")
	}
	if parent.SubIssues.Total+len(subs) > maxSubIssues {
		return fault.Invalid(argument, "%s has %d sub-issues, and GitHub allows %d", name, parent.SubIssues.Total, maxSubIssues)
	}
	for _, sub := range subs {
		if !sameOwner(sub.Repo, parent.Repo) {
			return fault.Invalid(argument, "a sub-issue must be in a repository of the same owner: %s is not one of %s", itemRef(sub.Repo, sub.Number), parent.Repo.Owner)
		}
	}
	up := parent
	for level := 1; up.Parent != "" && len(subs) > 0; level++ {
		var err error
		if up, err = k.github.ParentOf(ctx, up.Repo, up.Number); err != nil {
			return err
		}
		if slices.ContainsFunc(subs, func(sub github.Issue) bool { return sub.ID == up.ID }) {
			return fault.Invalid(argument, "%s is itself nested in %s", name, itemRef(up.Repo, up.Number))
		}
		if level+1 >= maxNested {
			return fault.Invalid(argument, "GitHub nests issues in at most %d levels", maxNested)
		}
	}
	return nil
}

func (k *kit) nest(ctx context.Context, argument string, parent, sub github.Issue) nestStep {
	return nestStep{argument: argument, of: nestedRef(argument, parent, sub), write: func() error { return k.github.AddSubIssue(ctx, parent, sub.DatabaseID) }, holds: k.isParent(ctx, parent, sub)}
}

func (k *kit) unnest(ctx context.Context, argument string, parent, sub github.Issue) nestStep {
	return nestStep{argument: argument, of: nestedRef(argument, parent, sub), write: func() error { return k.github.RemoveSubIssue(ctx, parent, sub.DatabaseID) }, holds: not(k.isParent(ctx, parent, sub))}
}

// nestedRef returns the issue that an argument names: the parent or the sub-issue.
func nestedRef(argument string, parent, sub github.Issue) string {
	if argument == "parent" {
		return itemRef(parent.Repo, parent.Number)
	}
	return itemRef(sub.Repo, sub.Number)
}

func (k *kit) isParent(ctx context.Context, parent, sub github.Issue) func() (bool, error) {
	return func() (bool, error) {
		now, err := k.github.ParentOf(ctx, sub.Repo, sub.Number)
		if fault.Is(err, fault.NotFound) {
			return false, nil
		}
		return now.ID == parent.ID, err
	}
}

func not(holds func() (bool, error)) func() (bool, error) {
	return func() (bool, error) {
		held, err := holds()
		return !held, err
	}
}

// carryOut writes the steps. If an answer is lost, it reads what came of the write. The error is
// that of the first step that failed; done counts the steps before it.
func (n nesting) carryOut() (done int, err error) {
	for i, step := range n.steps {
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
	return len(n.steps), nil
}
