package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// thingOrProject resolves an item as thing does. A title without a type and a project may also be
// the whole name of a project.
func (rs *resolver) thingOrProject(ctx context.Context, argument string, in lookup.ItemInput, kinds []lookup.Kind) (lookup.Thing, error) {
	given := lookup.URLs.ParseRef(strings.TrimSpace(in.Item))
	if word, _ := lookup.CutType(given.Name); given.Name == "" || word != "" || !in.Project.IsZero() {
		return rs.Thing(ctx, argument, in, kinds...)
	}
	i := slices.IndexFunc(kinds, func(k lookup.Kind) bool { return k.Kind == lookup.ProjectKind.Kind })
	projects, err := rs.projectsNamed(ctx, kinds[i], given.Name)
	if err != nil || len(projects) == 0 {
		t, wrong := rs.Thing(ctx, argument, in, kinds...)
		if err != nil {
			wrong = err
		}
		return t, wrong
	}
	found := lookup.ProjectsFrom(ctx, argument, projects)
	t, err := rs.Thing(ctx, argument, in, kinds...)
	if err != nil && !fault.OfArguments(err) {
		return lookup.Thing{}, err
	}
	if items := namesakes(given.Name, t, err); len(items) > 0 {
		e := found.Ambiguous(projects, "%s is the name of a project and the title of an item; give project:id, or type:id", plaintext.Quote(given.Name))
		e.Candidates = append(e.Candidates, items...)
		return lookup.Thing{}, e
	}
	project, err := found.ByRef(toolargs.Ref{Name: given.Name})
	return lookup.Thing{Kind: kinds[i].WithArguments(argument, "project"), ID: project.ID, In: lookup.Place{ID: project.ID}}, err
}

// namesakes returns the items that have a whole title: the one that was found or, if err is
// AMBIGUOUS, some of those that it names.
func namesakes(title string, found lookup.Thing, err error) []fault.Candidate {
	if err == nil {
		return []fault.Candidate{{ID: found.ID, Type: found.Kind.Kind, Name: lookup.ShortName(title)}}
	}
	return lookup.Matching(fault.From(err).Candidates, func(c fault.Candidate) bool { return lookup.Fold(c.Name) == lookup.Fold(title) })
}

// projectsNamed returns the projects with a whole name and one of the statuses in which the kind is
// searched, from lists that are read now.
func (rs *resolver) projectsNamed(ctx context.Context, k lookup.Kind, name string) ([]basecamp.Project, error) {
	projects, err := rs.ProjectsSought(ctx, k)
	return lookup.Exactly(projects, name, lookup.ProjectName), err
}

// confirmedAway returns an error if a call puts a project away without its name as confirmation, or
// several. The error tells what else would disappear.
func (rs *resolver) confirmedAway(ctx context.Context, targets []statusItem, in setItemStatusInput) error {
	away := lookup.Matching(targets, func(t statusItem) bool {
		return t.Type == lookup.ProjectKind.Kind && in.Status != lookup.Active && t.Status != in.Status
	})
	unconfirmed := lookup.Matching(away, func(t statusItem) bool { return in.Confirm != t.Title })
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
	verb := map[string]string{lookup.Archived: "archive", lookup.Trashed: "trash"}[in.Status]
	one := ""
	if in.Confirm != "" || len(away) > 1 {
		one = "; one call confirms one project"
	}
	return fault.Invalid("confirm_title", "to %s the whole project %s%s, send its name as confirm_title: %s%s",
		verb, plaintext.Quote(target.Title), took, plaintext.Quote(target.Title), one)
}

// counted are the kinds of items that are counted before a project is put away.
var counted = []lookup.Kind{lookup.TodoKind, lookup.MessageKind, lookup.CardKind, lookup.DocumentKind, lookup.UploadKind, lookup.EntryKind}

// takenAlong returns how many active items a project has, in words. What cannot be read is left
// out.
func (rs *resolver) takenAlong(ctx context.Context, project int64) (string, error) {
	totals := make([]string, len(counted))
	parts := make([]lookup.Extra, len(counted))
	for i, k := range counted {
		parts[i] = lookup.Extra{Name: k.Many, Read: func(ctx context.Context) error {
			page, err := rs.BC.Recordings(ctx, k.Upstream, project, lookup.Active, 1)
			switch {
			case page.Total == 1:
				totals[i] = "1 " + k.One
			case page.Total > 1:
				totals[i] = fmt.Sprintf("%d %s", page.Total, k.Many)
			}
			return err
		}}
	}
	_, err := lookup.Extras(ctx, parts...)
	totals = slices.DeleteFunc(totals, func(t string) bool { return t == "" })
	if len(totals) == 0 {
		return "", err
	}
	return " with " + strings.Join(totals, ", "), err
}
