package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// thingOrProject resolves an item as thing does. A title without a type and a project may also be
// the whole name of a project.
func (rs *resolver) thingOrProject(ctx context.Context, argument string, in itemInput, kinds []kind) (thing, error) {
	given := urls.ParseRef(strings.TrimSpace(in.Item))
	if word, _ := cutType(given.Name); given.Name == "" || word != "" || !in.Project.IsZero() {
		return rs.thing(ctx, argument, in, kinds...)
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.kind == projectKind.kind })
	projects, err := rs.projectsNamed(ctx, kinds[i], given.Name)
	if err != nil || len(projects) == 0 {
		t, wrong := rs.thing(ctx, argument, in, kinds...)
		if err != nil {
			wrong = err
		}
		return t, wrong
	}
	found := projectsFrom(ctx, argument, projects)
	t, err := rs.thing(ctx, argument, in, kinds...)
	if err != nil && !fault.OfArguments(err) {
		return thing{}, err
	}
	if items := namesakes(given.Name, t, err); len(items) > 0 {
		e := found.ambiguous(projects, "%s is the name of a project and the title of an item; give project:id, or type:id", plaintext.Quote(given.Name))
		e.Candidates = append(e.Candidates, items...)
		return thing{}, e
	}
	project, err := found.byRef(toolargs.Ref{Name: given.Name})
	return thing{kind: kinds[i].withArguments(argument, "project"), id: project.ID, in: place{id: project.ID}}, err
}

// namesakes returns the items that have a whole title: the one that was found or, if err is
// AMBIGUOUS, some of those that it names.
func namesakes(title string, found thing, err error) []fault.Candidate {
	if err == nil {
		return []fault.Candidate{{ID: found.id, Type: found.kind.kind, Name: shortName(title)}}
	}
	return matching(fault.From(err).Candidates, func(c fault.Candidate) bool { return fold(c.Name) == fold(title) })
}

// projectsNamed returns the projects with a whole name and one of the statuses in which the kind is
// searched, from lists that are read now.
func (rs *resolver) projectsNamed(ctx context.Context, k kind, name string) ([]basecamp.Project, error) {
	projects, err := rs.projectsSought(ctx, k)
	return exactly(projects, name, projectName), err
}

// confirmedAway returns an error if a call puts a project away without its name as confirmation, or
// several. The error tells what else would disappear.
func (rs *resolver) confirmedAway(ctx context.Context, targets []statusItem, in setItemStatusInput) error {
	away := matching(targets, func(t statusItem) bool {
		return t.Type == projectKind.kind && in.Status != active && t.Status != in.Status
	})
	unconfirmed := matching(away, func(t statusItem) bool { return in.Confirm != t.Title })
	if len(away) > 1 {
		unconfirmed = away // projects can have the same name
	}
	if len(unconfirmed) == 0 {
		return nil
	}
	target := unconfirmed[0]
	took, err := rs.takenAlong(ctx, target.ID)
	if err != nil {
		return err
	}
	verb := map[string]string{archived: "archive", trashed: "trash"}[in.Status]
	one := ""
	if in.Confirm != "" || len(away) > 1 {
		one = "; one call confirms one project"
	}
	return fault.Invalid("confirm_title", "to %s the whole project %s%s, send its name as confirm_title: %s%s",
		verb, plaintext.Quote(target.Title), took, plaintext.Quote(target.Title), one)
}

// counted are the kinds of items that are counted before a project is put away.
var counted = []kind{todoKind, messageKind, cardKind, documentKind, uploadKind, entryKind}

// takenAlong returns how many active items a project has, in words. What cannot be read is left
// out.
func (rs *resolver) takenAlong(ctx context.Context, project int64) (string, error) {
	totals := make([]string, len(counted))
	parts := make([]extra, len(counted))
	for i, k := range counted {
		parts[i] = extra{k.many, func(ctx context.Context) error {
			page, err := rs.bc.Recordings(ctx, k.upstream, project, active, 1)
			switch {
			case page.Total == 1:
				totals[i] = "1 " + k.one
			case page.Total > 1:
				totals[i] = fmt.Sprintf("%d %s", page.Total, k.many)
			}
			return err
		}}
	}
	_, err := extras(ctx, parts...)
	totals = slices.DeleteFunc(totals, func(t string) bool { return t == "" })
	if len(totals) == 0 {
		return "", err
	}
	return " with " + strings.Join(totals, ", "), err
}
