package lookup

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

// ItemInput is part of every tool that takes an item of one of several kinds.
type ItemInput struct {
	Item    string       `json:"item" jsonschema:"URL, type:id (todo:123), or title" limits:"minlen=1 maxlen=2000"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
}

// Thing is an item of any kind that was resolved but not read.
type Thing struct {
	Kind
	ID   int64
	In   Place         // its project, according to the caller
	Link basecamp.Link // zero unless the caller gave a URL
	Said bool          // whether the kind comes from Basecamp, not from the caller

	Comment basecamp.Recording // the comment that stands for the item; zero if the caller names the item
}

// Thing resolves a reference to an item of the given kinds, or of any kind if there are none. A
// URL that scrolls to a comment resolves to the item that has the comment, and link.Comment is
// its id.
func (rs *Resolver) Thing(ctx context.Context, argument string, in ItemInput, kinds ...Kind) (Thing, error) {
	if len(kinds) == 0 {
		kinds = ItemKinds
	}
	given := URLs.ParseRef(strings.TrimSpace(in.Item))
	if given.URL != "" {
		return rs.thingByURL(ctx, argument, given.URL, in.Project, kinds)
	}
	word, name := CutType(given.Name)
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Kind == word })
	switch {
	case i >= 0:
		ref, err := untyped(argument, name)
		if err != nil {
			return Thing{}, err
		}
		return rs.thingNamed(ctx, kinds[i].WithArguments(argument, "project"), ref, in.Project)
	case word != "":
		return Thing{}, fault.Invalid(argument, "must be of type %s; %s names %s", TypesOf(kinds), plaintext.Quote(given.Name), whatIsTyped(word))
	case unknownType.MatchString(given.Name):
		return Thing{}, fault.Invalid(argument, "must be a Basecamp URL, a title or type:id, where type is %s; got %s", TypesOf(kinds), plaintext.Quote(given.Name))
	case given.Name != "":
		return rs.thingTitled(ctx, argument, given.Name, in.Project, kinds)
	case given.ID <= 0:
		return Thing{}, fault.Invalid(argument, "must be a Basecamp URL, type:id or a title, where type is %s; got %s", TypesOf(kinds), plaintext.Quote(in.Item))
	}
	return rs.thingByID(ctx, argument, given.ID, in.Project, kinds)
}

// unknownType matches type:id of a type that does not exist, and the path of a URL.
var unknownType = regexp.MustCompile(`^\w+:\d+$|^/?\w+/\d+(/|$)`)

func (rs *Resolver) thingNamed(ctx context.Context, k Kind, ref, inProject toolargs.Ref) (Thing, error) {
	if k.Kind == ProjectKind.Kind {
		id, err := rs.projectToChange(ctx, k, ref)
		return Thing{Kind: k, ID: id, In: Place{ID: id}}, err
	}
	id, in, err := rs.Item(ctx, k, ref, inProject)
	return Thing{Kind: k, ID: id, In: in}, err
}

// thingTitled finds an item of one of several kinds by its title.
func (rs *Resolver) thingTitled(ctx context.Context, argument, title string, inProject toolargs.Ref, kinds []Kind) (Thing, error) {
	wanted := titleWanted{argument: argument, title: title, kinds: Matching(kinds, func(k Kind) bool { return k.titled })}
	found, err := rs.titledIn(ctx, wanted, inProject, "project")
	return Thing{Kind: KindOf(found.Type).WithArguments(argument, "project"), ID: found.ID, In: Place{found.Bucket.ID}}, err
}

// thingByID finds the kind of the item with an id. Basecamp has no request that returns it, so
// thingByID asks for one kind after the other, the most common first.
func (rs *Resolver) thingByID(ctx context.Context, argument string, id int64, inProject toolargs.Ref, kinds []Kind) (Thing, error) {
	in, err := rs.place(ctx, "project", inProject)
	if err != nil {
		return Thing{}, err
	}
	for _, k := range byFrequency {
		if !slices.ContainsFunc(kinds, func(other Kind) bool { return other.Kind == k.Kind }) {
			continue
		}
		found, err := rs.whole(ctx, k, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return Thing{}, err
		}
		k = k.WithArguments(argument, "project")
		return Thing{Kind: k, ID: id, In: Place{found.Common().Bucket.ID}}, in.Holds(found.Common(), k)
	}
	e := fault.New(fault.NotFound, "%s: there is no item %d of type %s that you can see", argument, id, TypesOf(kinds))
	e.Resource = &fault.Resource{Type: "item", ID: Shorten(toolargs.Ref{ID: id}.String())}
	return Thing{}, unfound(ctx, e)
}

// byFrequency are the kinds that are read by an id without a type. A project is not among them: its
// type must be given. A chat line is read through its chat.
var byFrequency = []Kind{
	TodoKind, CardKind, MessageKind, CommentKind, DocumentKind, UploadKind, ListKind, SubtaskKind, EntryKind, AnswerKind, QuestionKind,
	FolderKind, ForwardKind,
}

func (rs *Resolver) thingByURL(ctx context.Context, argument, url string, inProject toolargs.Ref, kinds []Kind) (Thing, error) {
	link, err := rs.Link(ctx, argument, url)
	if err != nil {
		return Thing{}, err
	}
	i := slices.IndexFunc(kinds, func(k Kind) bool { return slices.Contains(k.Links, link.Type) })
	if i < 0 {
		return Thing{}, fault.Invalid(argument, "must be of type %s, not the URL of %s", TypesOf(kinds), WhatIs(link.Type))
	}
	t, err := rs.thingNamed(ctx, kinds[i].WithArguments(argument, "project"), toolargs.Ref{URL: url}, inProject)
	t.Link = link
	return t, err
}
