package tools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github/githubtools"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

// linker links things, and notes who is who.
type linker struct {
	links    *hub.Hub
	basecamp *basecamptools.Wing
	github   *githubtools.Wing // nil: GitHub is not configured
}

type linkInput struct {
	A       string                `json:"a" jsonschema:"task:id, todo:1, owner/repo#2, URL or title; person:1 and @login" limits:"minlen=1 maxlen=2000"`
	B       string                `json:"b" jsonschema:"" limits:"minlen=1 maxlen=2000"`
	Follow  bool                  `json:"follow,omitzero" jsonschema:"A task is done when the other is" limits:"default=true"`
	Visible toolargs.Change[bool] `json:"visible,omitzero" jsonschema:"A line in both"`
	Remove  bool                  `json:"remove,omitzero" jsonschema:""`
}

// linkedThing is one of two things that are linked. What the caller cannot read has only ref and
// state.
type linkedThing struct {
	Ref   string    `json:"ref"`
	Title string    `json:"title,omitempty"`
	URL   string    `json:"url,omitempty"`
	State hub.State `json:"state,omitempty"` // a person has none
	// Pairs and Claimed are what its visible lines name: what counts as a link, and what does not.
	Pairs   []string `json:"pairs,omitempty"`
	Claimed []string `json:"claimed,omitempty"`
}

type linkAnswer struct {
	A          linkedThing `json:"a"`
	B          linkedThing `json:"b"`
	Linked     bool        `json:"linked"`
	Changed    bool        `json:"changed"`
	Lines      []hub.Shown `json:"lines,omitempty"`
	Learnt     string      `json:"learnt,omitempty"` // who is who
	Notified   []string    `json:"notified"`
	ClientsSee any         `json:"clients_see,omitempty" limits:"types=true|list"`
	Note       string      `json:"note,omitempty"`
}

func (l *linker) tool() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "link",
		Title:       "Link two things",
		Description: "Remembers that two things are the same: personal task, Basecamp item, GitHub issue. Only the caller sees it, unless visible.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in linkInput) (linkAnswer, error) {
		if isHuman(in.A) || isHuman(in.B) {
			return l.human(ctx, in)
		}
		a, badA := l.links.Find(ctx, "a", in.A, "")
		b, badB := l.links.Find(ctx, "b", in.B, "")
		if in.Remove {
			return l.unlink(ctx, in, a, b, badA, badB)
		}
		if err := fault.All(badA, badB); err != nil {
			return linkAnswer{}, err
		}
		if a.Ref == b.Ref {
			return linkAnswer{}, fault.Invalid("b", "is the same thing as a (%s); name two", a.Ref.ID)
		}
		return l.link(ctx, in, a, b)
	})
}

// link links two things, and writes the visible lines if there are to be any.
func (l *linker) link(ctx context.Context, in linkInput, a, b hub.Thing) (linkAnswer, error) {
	var visible *bool
	if in.Visible.Given {
		visible = &in.Visible.To
	}
	lines, err := l.links.PlanLines(ctx, a, b, visible)
	if err != nil {
		return linkAnswer{}, err
	}
	v := linkAnswer{A: l.view(ctx, a), B: l.view(ctx, b), Linked: true}
	if v.Changed, err = l.links.Link(ctx, a.Ref, b.Ref, !in.Follow, lines.Sides()); err != nil {
		return linkAnswer{}, err
	}
	if err := v.write(ctx, &lines); err != nil {
		return linkAnswer{}, err
	}
	l.links.Forget(ctx)
	if len(lines.Shown) > 0 || v.A.names(b.Ref) || v.B.names(a.Ref) {
		if who := l.links.Learn(ctx, a, b, func(id int64) string { return l.basecamp.NameOf(ctx, id) }); who != nil {
			v.Learnt = who.String()
		}
	}
	return v, nil
}

// write writes lines, and says whom that reached.
func (v *linkAnswer) write(ctx context.Context, lines *hub.Lines) error {
	told, err := lines.Write(ctx)
	v.Notified, v.ClientsSee, v.Note, v.Lines = told.Notified, told.ClientsSee, lines.Why, lines.Shown
	for _, shown := range lines.Shown {
		v.Changed = v.Changed || shown.Changed
	}
	return err
}

// view returns a thing with what its visible lines name.
func (l *linker) view(ctx context.Context, t hub.Thing) linkedThing {
	v := linkedThing{Ref: t.Ref.ID, Title: t.Title, URL: t.URL, State: t.State}
	said := l.links.Said(ctx, t)
	for _, pair := range said.Pairs {
		v.Pairs = append(v.Pairs, pair.Ref.ID)
	}
	for _, claim := range said.Claims {
		v.Claimed = append(v.Claimed, claim.ID)
	}
	return v
}

// names reports whether a pair that counts leads to a thing.
func (v linkedThing) names(ref hub.Ref) bool { return slices.Contains(v.Pairs, ref.ID) }

// unlink takes a link away, also one to something that is not there any more, if the caller names
// that by its reference.
func (l *linker) unlink(ctx context.Context, in linkInput, a, b hub.Thing, badA, badB error) (linkAnswer, error) {
	if badA != nil && badB == nil {
		a, badA = l.gone(ctx, b, in.A, badA)
	}
	if badB != nil && badA == nil {
		b, badB = l.gone(ctx, a, in.B, badB)
	}
	if err := fault.All(badA, badB); err != nil {
		return linkAnswer{}, err
	}
	lines, err := l.links.PlanRemoval(ctx, a, b)
	if err != nil {
		return linkAnswer{}, err
	}
	v := linkAnswer{A: l.view(ctx, a), B: l.view(ctx, b)}
	if err := v.write(ctx, &lines); err != nil {
		return linkAnswer{}, err
	}
	changed, err := l.links.Unlink(ctx, a.Ref, b.Ref)
	if v.Changed = v.Changed || changed; !v.Changed && v.Note == "" {
		v.Note = "they were not linked"
	}
	l.links.Forget(ctx)
	return v, err
}

// gone returns what a thing is linked to by a reference that cannot be read, or the reason.
func (l *linker) gone(ctx context.Context, to hub.Thing, text string, reason error) (hub.Thing, error) {
	linked, err := l.links.Linked(ctx, to.Ref)
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

// isHuman reports whether a text names a person: person:1 or @login.
func isHuman(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "@") || strings.HasPrefix(strings.ToLower(text), "person:")
}

// human notes that a person in Basecamp and a login on GitHub are one human, or takes that away.
func (l *linker) human(ctx context.Context, in linkInput) (linkAnswer, error) {
	person, login, names := in.A, in.B, [2]string{"a", "b"}
	if strings.HasPrefix(strings.TrimSpace(person), "@") {
		person, login, names = in.B, in.A, [2]string{"b", "a"}
	}
	switch {
	case !strings.HasPrefix(strings.TrimSpace(login), "@"):
		return linkAnswer{}, fault.Invalid("b", "a person is linked to a login: give person:1 and @login")
	case l.github == nil:
		return linkAnswer{}, fault.Invalid(names[1], "GitHub is not configured on this server")
	case in.Visible.Given:
		return linkAnswer{}, fault.Invalid("visible", "is for things; who is who is shown only to you")
	}
	who, badPerson := l.basecamp.Human(ctx, names[0], person)
	var badLogin error
	who.Login, badLogin = l.github.Account(ctx, names[1], login)
	if err := fault.All(badPerson, badLogin); err != nil {
		return linkAnswer{}, err
	}
	who.How = hub.ByCaller
	change := l.links.Introduce
	if in.Remove {
		change = l.links.Part
	}
	changed, err := change(ctx, who)
	v := linkAnswer{
		A: linkedThing{Ref: hub.PersonRef(who.Person), Title: who.Name}, B: linkedThing{Ref: "@" + who.Login},
		Linked: !in.Remove, Changed: changed, Notified: []string{},
	}
	if in.Remove && !changed {
		v.Note = "they were not linked"
	}
	return v, err
}

// self returns who the caller is in both systems, by the caller's own link to GitHub.
func (l *linker) self(ctx context.Context) (who hub.Human, known bool, err error) {
	if l.github == nil {
		return who, false, nil
	}
	login, err := l.github.Account(ctx, "", "me")
	switch {
	case fault.Is(err, fault.NotLinked), fault.Is(err, fault.TokenExpired):
		return who, false, nil
	case err != nil:
		return who, false, err
	}
	who, err = l.basecamp.Human(ctx, "", "me")
	who.Login = login
	return who, err == nil, err
}
