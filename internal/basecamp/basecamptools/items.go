package basecamptools

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// place is the project that a call says an item is in; zero if it names none.
type place struct {
	id   int64
	read recorded // the item, if finding it has read it; otherwise nil
}

// holds returns an error if an item is of another kind or in another project. Basecamp's routes
// without a project return such items too.
func (p place) holds(item basecamp.Recording, k kind) error {
	if other := kindOf(item.Type); other.kind != "" && other.kind != k.kind && k.upstream != "" {
		return fault.Invalid(k.argument, "%d is a %s, not a %s; give it as %s:%d", item.ID, other.one, k.one, other.kind, item.ID)
	}
	if p.id == 0 || p.id == item.Bucket.ID {
		return nil
	}
	return p.lacks(k, item.ID)
}

// lacks returns NOT_FOUND for an item that is not in the project.
func (p place) lacks(k kind, id int64) *fault.Error {
	e := fault.New(fault.NotFound, "%s: there is no %s %d in project %d", k.argument, k.one, id, p.id)
	e.Resource = &fault.Resource{Type: k.kind, ID: fmt.Sprint(id)}
	return e
}

// recorded is any Basecamp item.
type recorded interface{ Common() basecamp.Recording }

// readIn reads an item, unless finding it has read it, and checks that it is of the kind and in the
// project that the call names.
func readIn[T recorded](ctx context.Context, in place, k kind, id int64, read func(context.Context, int64) (T, error)) (T, error) {
	found, known := in.read.(T)
	var err error
	if !known || found.Common().ID != id {
		found, err = read(ctx, id)
	}
	if err == nil {
		err = in.holds(found.Common(), k)
	}
	return found, err
}

// whole reads an item of a kind, as the tools that change it do.
func (rs *resolver) whole(ctx context.Context, k kind, id int64) (recorded, error) {
	switch k.kind {
	case todoKind.kind:
		return rs.bc.Todo(ctx, id)
	case cardKind.kind:
		return rs.bc.Card(ctx, id)
	case subtaskKind.kind:
		return rs.bc.Subtask(ctx, id)
	case messageKind.kind:
		return rs.bc.Message(ctx, id)
	case commentKind.kind:
		return rs.bc.Comment(ctx, id)
	case documentKind.kind:
		return rs.bc.Document(ctx, id)
	case listKind.kind:
		return rs.bc.Todolist(ctx, id)
	case entryKind.kind:
		return rs.bc.ScheduleEntry(ctx, id)
	case questionKind.kind:
		return rs.bc.Question(ctx, id)
	}
	return rs.bc.Item(ctx, k.kind, id)
}

// verified reads the item and checks its kind. The routes of comments, subscriptions and histories
// accept the id of any recording.
func (rs *resolver) verified(ctx context.Context, t thing) (basecamp.Recording, error) {
	if t.in.read != nil && t.in.read.Common().ID == t.id {
		return t.in.read.Common(), t.in.holds(t.in.read.Common(), t.kind)
	}
	return readIn(ctx, t.in, t.kind, t.id, func(ctx context.Context, id int64) (basecamp.Recording, error) {
		if t.kind.kind == lineKind.kind {
			t, err := rs.inItsChat(ctx, t)
			if err != nil {
				return basecamp.Recording{}, err
			}
			line, err := rs.bc.ChatLine(ctx, t.link.Within, id)
			return line.Recording, err
		}
		item, err := rs.bc.Item(ctx, t.kind.kind, id)
		return item.Recording, err
	})
}

// readItem resolves a reference to an item and reads it.
func readItem[T recorded](ctx context.Context, rs *resolver, k kind, ref, inProject toolargs.Ref, read func(context.Context, int64) (T, error)) (T, error) {
	id, in, err := rs.item(ctx, k, ref, inProject)
	if err != nil {
		var none T
		return none, err
	}
	return readIn(ctx, in, k, id, read)
}

// readToChange does what readItem does, and refuses an item that is archived or trashed.
func readToChange[T recorded](ctx context.Context, rs *resolver, k kind, ref, inProject toolargs.Ref, read func(context.Context, int64) (T, error)) (T, error) {
	found, err := readItem(ctx, rs, k, ref, inProject, read)
	if err == nil {
		err = notPutAway(k.argument, found.Common())
	}
	return found, err
}

// item resolves a reference to an item and to its project, if the call or the URL names one. A
// title is looked up in that project or, without one, in every project of the user.
func (rs *resolver) item(ctx context.Context, k kind, ref, inProject toolargs.Ref) (int64, place, error) {
	var in place
	var err error
	if !inProject.IsZero() {
		if in.id, err = rs.projectID(ctx, k.inProject, inProject); err != nil {
			return 0, place{}, err
		}
	}
	if ref, err = k.bare(k.argument, ref); err != nil {
		return 0, place{}, err
	}
	switch {
	case ref.URL != "":
		return rs.itemByURL(ctx, k, ref.URL, in)
	case ref.Name != "" && k.titles == nil:
		return 0, place{}, fault.Invalid(k.argument, "must be an id or a Basecamp URL; a %s cannot be found by title", k.one)
	case ref.Name != "":
		found, err := rs.titledIn(ctx, titleWanted{argument: k.argument, title: ref.Name, kinds: []kind{k}}, inProject, k.inProject)
		return found.ID, place{cmp.Or(found.Bucket.ID, in.id), found.read}, err
	}
	return ref.ID, in, nil
}

// sharedProject checks the project that the entries of a batch share, so that an error names it
// once. It returns the reference itself, because an entry then ends the memory of a name that
// changed, or a zero reference with the error.
func (rs *resolver) sharedProject(ctx context.Context, named toolargs.Ref) (toolargs.Ref, error) {
	if named.IsZero() {
		return named, nil
	}
	if _, err := rs.projectID(ctx, "project", named); err != nil {
		return toolargs.Ref{}, err
	}
	return named, nil
}

// itemByURL resolves the URL of an item, and checks its kind and project.
func (rs *resolver) itemByURL(ctx context.Context, k kind, url string, in place) (int64, place, error) {
	link, err := rs.link(ctx, k.argument, url)
	if err != nil {
		return 0, place{}, err
	}
	if !slices.Contains(k.links, link.Type) {
		return 0, place{}, fault.Invalid(k.argument, "must be the URL of a %s; this is the URL of %s", k.one, whatIs(link.Type))
	}
	if in.id != 0 && link.Project != 0 && in.id != link.Project {
		return 0, place{}, in.lacks(k, link.ID)
	}
	return link.ID, place{id: max(in.id, link.Project)}, nil
}

// shorten returns a short excerpt of a text, for messages.
func shorten(text string) string {
	short, _ := plaintext.Excerpt(text, 60)
	return short
}
