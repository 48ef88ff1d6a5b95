package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

// place is the project an item was said to be in; zero when nothing was said.
type place struct {
	id int64
}

// holds reports, as an error, an item that is of another kind, or in another project: flat routes find it all the same (W-17).
func (p place) holds(item basecamp.Recording, k kind) error {
	if other := kindOf(item.Type); other.kind != "" && other.kind != k.kind && k.upstream != "" {
		return fault.Invalid(k.argument, "%d is a %s, not a %s; give it as %s:%d", item.ID, other.one, k.one, other.kind, item.ID)
	}
	if p.id == 0 || p.id == item.Bucket.ID {
		return nil
	}
	return p.lacks(k, item.ID)
}

func (p place) lacks(k kind, id int64) *fault.Error {
	e := fault.New(fault.NotFound, "%s: there is no %s %d in project %d", k.argument, k.one, id, p.id)
	e.Resource = &fault.Resource{Type: k.kind, ID: fmt.Sprint(id)}
	return e
}

// recorded is what all of Basecamp's items are.
type recorded interface{ Common() basecamp.Recording }

// readIn reads an item, which must be where it was said to be.
func readIn[T recorded](ctx context.Context, in place, k kind, id int64, read func(context.Context, int64) (T, error)) (T, error) {
	found, err := read(ctx, id)
	if err == nil {
		err = in.holds(found.Common(), k)
	}
	return found, err
}

// verified reads the item meant, which must be of the kind it was given as: the routes of comments, subscriptions and histories take
// the id of any.
func (ws *workspace) verified(ctx context.Context, t thing) (basecamp.Recording, error) {
	return readIn(ctx, t.in, t.kind, t.id, func(ctx context.Context, id int64) (basecamp.Recording, error) {
		if t.kind.kind == lineKind.kind {
			line, err := ws.bc.ChatLine(ctx, t.link.Within, id)
			return line.Recording, err
		}
		return ws.bc.Item(ctx, t.kind.kind, id)
	})
}

// readItem resolves a reference to an item and reads it.
func readItem[T recorded](ctx context.Context, ws *workspace, k kind, ref, inProject mcptool.Ref, read func(context.Context, int64) (T, error)) (T, error) {
	id, in, err := ws.item(ctx, k, ref, inProject)
	if err != nil {
		var none T
		return none, err
	}
	return readIn(ctx, in, k, id, read)
}

// item resolves a reference to an item, and the project it was said to be in, by itself or by its URL. A title is looked
// up in that project.
func (ws *workspace) item(ctx context.Context, k kind, ref, inProject mcptool.Ref) (int64, place, error) {
	var in place
	var err error
	if !inProject.IsZero() {
		if in.id, err = ws.projectID(ctx, k.inProject, inProject); err != nil {
			return 0, place{}, err
		}
	}
	if ref, err = k.bare(ref); err != nil {
		return 0, place{}, err
	}
	switch {
	case ref.URL != "":
		return ws.itemByURL(ctx, k, ref.URL, in)
	case ref.Name != "" && in.id == 0:
		return 0, place{}, fault.Invalid(k.argument, "must be a positive integer or a Basecamp URL, got %q; a title works together with %s", shorten(ref.Name), k.inProject)
	case ref.Name != "" && k.titles == nil:
		return 0, place{}, fault.Invalid(k.argument, "must be an id or a Basecamp URL: a %s has no title to be found by", k.one)
	case ref.Name != "":
		id, err := ws.byTitle(ctx, k, ref.Name, in.id)
		return id, in, err
	}
	return ref.ID, in, nil
}

// bare is a reference without the type it may be given with.
func (k kind) bare(ref mcptool.Ref) (mcptool.Ref, error) {
	typed, ok := strings.CutPrefix(ref.Name, k.kind+":")
	if !ok {
		return ref, nil
	}
	return untyped(k.argument, typed)
}

// untyped reads what stands behind a type: the id, the title or the URL.
func untyped(argument, text string) (mcptool.Ref, error) {
	ref := mcptool.ParseRef(strings.TrimSpace(text))
	if ref.Name == "" && ref.URL == "" && ref.ID <= 0 {
		return ref, fault.Invalid(argument, "must have a positive integer, a title or a URL behind its type, got %q", shorten(text))
	}
	return ref, nil
}

func (ws *workspace) itemByURL(ctx context.Context, k kind, url string, in place) (int64, place, error) {
	link, err := ws.link(ctx, k.argument, url)
	if err != nil {
		return 0, place{}, err
	}
	if !slices.Contains(k.links, link.Type) {
		return 0, place{}, fault.Invalid(k.argument, "is not the URL of a %s but of %s", k.one, whatIs(link.Type))
	}
	if in.id != 0 && link.Project != 0 && in.id != link.Project {
		return 0, place{}, in.lacks(k, link.ID)
	}
	return link.ID, place{max(in.id, link.Project)}, nil
}

func shorten(text string) string {
	short, _ := plaintext.Excerpt(text, 60)
	return short
}
