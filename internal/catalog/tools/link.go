package tools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
)

type linkInput struct {
	A      string `json:"a" jsonschema:"task:id, todo:1, owner/repo#2, URL or title" limits:"minlen=1 maxlen=2000"`
	B      string `json:"b" jsonschema:"The other" limits:"minlen=1 maxlen=2000"`
	Follow bool   `json:"follow,omitzero" jsonschema:"A task is done when the other is" limits:"default=true"`
	Remove bool   `json:"remove,omitzero" jsonschema:"Unlink"`
}

// linkedThing is one of two things that are linked. What the caller cannot read has only ref and
// state.
type linkedThing struct {
	Ref   string    `json:"ref"`
	Title string    `json:"title,omitempty"`
	URL   string    `json:"url,omitempty"`
	State hub.State `json:"state"`
}

type linkAnswer struct {
	A       linkedThing `json:"a"`
	B       linkedThing `json:"b"`
	Linked  bool        `json:"linked"`
	Changed bool        `json:"changed"`
	Note    string      `json:"note,omitempty"`
}

func link(links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "link",
		Title:       "Link two things",
		Description: "Remembers that two things are the same: personal task, Basecamp item, GitHub issue. Only the caller sees it.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in linkInput) (v linkAnswer, err error) {
		a, badA := links.Find(ctx, "a", in.A, "")
		b, badB := links.Find(ctx, "b", in.B, "")
		switch {
		case in.Remove && badA != nil && badB == nil:
			a, badA = goneThing(ctx, links, b, in.A, badA)
		case in.Remove && badB != nil && badA == nil:
			b, badB = goneThing(ctx, links, a, in.B, badB)
		}
		if err := fault.All(badA, badB); err != nil {
			return linkAnswer{}, err
		}
		if a.Ref == b.Ref {
			return linkAnswer{}, fault.Invalid("b", "is the same thing as a (%s); name two", a.Ref.ID)
		}
		v = linkAnswer{A: viewLinked(a), B: viewLinked(b), Linked: !in.Remove}
		if in.Remove {
			v.Changed, err = links.Unlink(ctx, a.Ref, b.Ref)
		} else {
			v.Changed, err = links.Link(ctx, a.Ref, b.Ref, !in.Follow)
		}
		if in.Remove && !v.Changed {
			v.Note = "they were not linked"
		}
		links.Forget(ctx)
		return v, err
	})
}

func viewLinked(t hub.Thing) linkedThing {
	return linkedThing{Ref: t.Ref.ID, Title: t.Title, URL: t.URL, State: t.State}
}

// goneThing returns what a thing is linked to by a reference that cannot be read, or the reason.
func goneThing(ctx context.Context, links *hub.Hub, to hub.Thing, text string, reason error) (hub.Thing, error) {
	linked, err := links.Linked(ctx, to.Ref)
	if err != nil {
		return hub.Thing{}, err
	}
	for _, link := range linked {
		if strings.EqualFold(link.To.ID, strings.TrimSpace(text)) {
			return hub.Thing{Ref: link.To, State: hub.StateOf(reason)}, nil
		}
	}
	return hub.Thing{}, reason
}
