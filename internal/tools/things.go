package tools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

// itemInput is part of every tool that takes an item of one of several kinds.
type itemInput struct {
	Item    string      `json:"item" jsonschema:"URL, type:id (todo:1069479351), or type:title with project" limits:"minlen=1 maxlen=2000"`
	Project mcptool.Ref `json:"project,omitzero" jsonschema:"Its project, for a title"`
}

// thing is an item of any kind, found but not read.
type thing struct {
	kind
	id   int64
	in   place         // the project it is said to be in
	link basecamp.Link // zero when it was not given as a URL
}

// thing resolves an item of one of some kinds, of any when none is named. A URL that scrolls to a comment is of what the
// comment is on; link.Comment says which.
func (ws *workspace) thing(ctx context.Context, argument string, in itemInput, kinds ...kind) (thing, error) {
	if len(kinds) == 0 {
		kinds = itemKinds
	}
	ref := mcptool.ParseRef(strings.TrimSpace(in.Item))
	if ref.URL != "" {
		return ws.thingByURL(ctx, argument, ref.URL, in.Project, kinds)
	}
	word, name, _ := strings.Cut(ref.Name, ":")
	i := slices.IndexFunc(kinds, func(k kind) bool { return strings.EqualFold(k.kind, strings.TrimSpace(word)) })
	if i < 0 || strings.TrimSpace(name) == "" {
		return thing{}, fault.Invalid(argument, "must be a Basecamp URL or type:id, the type being %s; got %q", typesOf(kinds), shorten(in.Item))
	}
	return ws.thingNamed(ctx, kinds[i].as(argument, "project"), mcptool.ParseRef(strings.TrimSpace(name)), in.Project)
}

func (ws *workspace) thingNamed(ctx context.Context, k kind, ref, inProject mcptool.Ref) (thing, error) {
	if k.kind == projectKind.kind {
		id, err := ws.projectID(ctx, k.argument, ref)
		return thing{kind: k, id: id, in: place{id}}, err
	}
	id, in, err := ws.item(ctx, k, ref, inProject)
	return thing{kind: k, id: id, in: in}, err
}

func (ws *workspace) thingByURL(ctx context.Context, argument, url string, inProject mcptool.Ref, kinds []kind) (thing, error) {
	link, err := ws.link(ctx, argument, url)
	if err != nil {
		return thing{}, err
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return slices.Contains(k.links, link.Type) })
	if i < 0 {
		return thing{}, fault.Invalid(argument, "must be %s, not the URL of %s", typesOf(kinds), whatIs(link.Type))
	}
	k := kinds[i].as(argument, "project")
	if k.kind == projectKind.kind {
		return thing{kind: k, id: link.ID, in: place{link.ID}, link: link}, nil
	}
	id, in, err := ws.item(ctx, k, mcptool.Ref{URL: url}, inProject)
	return thing{kind: k, id: id, in: in, link: link}, err
}

// typesOf lists the types that kinds go by: "todo, subtask or card".
func typesOf(kinds []kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.kind
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
