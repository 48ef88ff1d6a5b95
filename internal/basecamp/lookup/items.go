package lookup

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

// Place is the project that a call says an item is in; zero if it names none.
type Place struct{ ID int64 }

// Holds returns an error if an item is of another kind or in another project. Basecamp's routes
// without a project return such items too.
func (p Place) Holds(item basecamp.Recording, k Kind) error {
	if other := KindOf(item.Type); other.Kind != "" && other.Kind != k.Kind && k.Upstream != "" {
		return fault.Invalid(k.Argument, "%d is a %s, not a %s; give it as %s:%d", item.ID, other.One, k.One, other.Kind, item.ID)
	}
	if p.ID == 0 || p.ID == item.Bucket.ID {
		return nil
	}
	return p.Lacks(k, item.ID)
}

// Lacks returns NOT_FOUND for an item that is not in the project.
func (p Place) Lacks(k Kind, id int64) *fault.Error {
	e := fault.New(fault.NotFound, "%s: there is no %s %d in project %d", k.Argument, k.One, id, p.ID)
	e.Resource = &fault.Resource{Type: k.Kind, ID: fmt.Sprint(id)}
	return e
}

type recorded interface{ Common() basecamp.Recording }

// ReadIn reads an item, and checks that it is of the kind and in the project that the call names.
func ReadIn[T recorded](ctx context.Context, in Place, k Kind, id int64, read func(context.Context, int64) (T, error)) (T, error) {
	found, err := read(ctx, id)
	if err == nil {
		err = in.Holds(found.Common(), k)
	}
	return found, err
}

// whole reads an item of a kind, as the tools that change it do. It is a switch and not a column of
// the kinds, because a function that only names kinds would contain every reader.
func (rs *Resolver) whole(ctx context.Context, k Kind, id int64) (recorded, error) {
	switch k.Kind {
	case TodoKind.Kind:
		return basecamp.TodoAt.Get(ctx, rs.BC, id)
	case CardKind.Kind:
		return basecamp.CardAt.Get(ctx, rs.BC, id)
	case SubtaskKind.Kind:
		return basecamp.SubtaskAt.Get(ctx, rs.BC, id)
	case MessageKind.Kind:
		return basecamp.MessageAt.Get(ctx, rs.BC, id)
	case CommentKind.Kind:
		return basecamp.CommentAt.Get(ctx, rs.BC, id)
	case DocumentKind.Kind:
		return basecamp.DocumentAt.Get(ctx, rs.BC, id)
	case UploadKind.Kind:
		return basecamp.UploadAt.Get(ctx, rs.BC, id)
	case ListKind.Kind:
		return basecamp.TodolistAt.Get(ctx, rs.BC, id)
	case EntryKind.Kind:
		return basecamp.EntryAt.Get(ctx, rs.BC, id)
	case QuestionKind.Kind:
		return basecamp.QuestionAt.Get(ctx, rs.BC, id)
	case FolderKind.Kind:
		return basecamp.FolderAt.Get(ctx, rs.BC, id)
	}
	return basecamp.ItemAt[basecamp.Listed](k.Kind).Get(ctx, rs.BC, id)
}

// Whole reads an item with all of its fields, and whether it is completed.
func (rs *Resolver) Whole(ctx context.Context, t Thing) (item interface{ Common() basecamp.Recording }, completed bool, err error) {
	item, err = ReadIn(ctx, t.In, t.Kind, t.ID, func(ctx context.Context, id int64) (recorded, error) { return rs.whole(ctx, t.Kind, id) })
	if found, ok := item.(completable); ok {
		completed = found.State().Completed
	}
	return item, completed, err
}

// completable is an item that can be completed.
type completable interface{ State() basecamp.Completable }

// ReadItem resolves a reference to an item and reads it.
func ReadItem[T recorded](ctx context.Context, rs *Resolver, k Kind, ref, inProject toolargs.Ref, read func(context.Context, int64) (T, error)) (T, error) {
	id, in, err := rs.Item(ctx, k, ref, inProject)
	if err != nil {
		var none T
		return none, err
	}
	return ReadIn(ctx, in, k, id, read)
}

// ReadToChange does what readItem does, and refuses an item that is archived or trashed.
func ReadToChange[T recorded](ctx context.Context, rs *Resolver, k Kind, ref, inProject toolargs.Ref, read func(context.Context, int64) (T, error)) (T, error) {
	found, err := ReadItem(ctx, rs, k, ref, inProject, read)
	if err == nil {
		err = NotPutAway(k.Argument, found.Common())
	}
	return found, err
}

// place resolves the reference to a project that a call gives besides an item, if any.
func (rs *Resolver) place(ctx context.Context, argument string, inProject toolargs.Ref) (in Place, err error) {
	if !inProject.IsZero() {
		in.ID, err = rs.ProjectID(ctx, argument, inProject)
	}
	return in, err
}

// Item resolves a reference to an item and to its project, if the call or the URL names one. A
// title is looked up in that project or, without one, in every project of the user.
func (rs *Resolver) Item(ctx context.Context, k Kind, ref, inProject toolargs.Ref) (int64, Place, error) {
	in, err := rs.place(ctx, k.InProject, inProject)
	if err != nil {
		return 0, Place{}, err
	}
	if ref, err = k.Bare(k.Argument, ref); err != nil {
		return 0, Place{}, err
	}
	switch {
	case ref.URL != "":
		return rs.itemByURL(ctx, k, ref.URL, in)
	case ref.Name != "" && !k.titled:
		return 0, Place{}, fault.Invalid(k.Argument, "must be an id or a Basecamp URL; a %s cannot be found by title; %s shows ids", k.One, k.Reader)
	case ref.Name != "":
		found, err := rs.titledIn(ctx, titleWanted{argument: k.Argument, title: ref.Name, kinds: []Kind{k}}, inProject, k.InProject)
		return found.ID, Place{cmp.Or(found.Bucket.ID, in.ID)}, err
	}
	return ref.ID, in, nil
}

// SharedProject checks the project that the entries of a batch share, so that an error names it
// once. It returns the reference itself, because an entry then ends the memory of a name that
// changed, or a zero reference with the error.
func (rs *Resolver) SharedProject(ctx context.Context, named toolargs.Ref) (toolargs.Ref, error) {
	if _, err := rs.place(ctx, "project", named); err != nil {
		return toolargs.Ref{}, err
	}
	return named, nil
}

// itemByURL resolves the URL of an item, and checks its kind and project.
func (rs *Resolver) itemByURL(ctx context.Context, k Kind, url string, in Place) (int64, Place, error) {
	link, err := rs.Link(ctx, k.Argument, url)
	if err != nil {
		return 0, Place{}, err
	}
	if !slices.Contains(k.Links, link.Type) {
		return 0, Place{}, fault.Invalid(k.Argument, "must be the URL of a %s; this is the URL of %s", k.One, WhatIs(link.Type))
	}
	if in.ID != 0 && link.Project != 0 && in.ID != link.Project {
		return 0, Place{}, in.Lacks(k, link.ID)
	}
	return link.ID, Place{ID: max(in.ID, link.Project)}, nil
}

// Shorten returns a short excerpt of a text, for messages.
func Shorten(text string) string {
	short, _ := plaintext.Excerpt(text, 60)
	return short
}

// NotPutAway returns an error if the target of a write is archived or trashed, where users would
// not see the result.
func NotPutAway(argument string, into basecamp.Recording) error {
	if into.Status != Archived && into.Status != Trashed {
		return nil
	}
	return fault.Invalid(argument, "%s is %s; restore it first with set_item_status, or name another one", plaintext.Quote(into.Title), into.Status)
}
