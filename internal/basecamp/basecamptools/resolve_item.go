package basecamptools

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// itemInput is part of every tool that takes an item of one of several kinds.
type itemInput struct {
	Item    string       `json:"item" jsonschema:"URL, type:id (todo:123), or title" limits:"minlen=1 maxlen=2000"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Its project"`
}

// thing is an item of any kind that was resolved but not read.
type thing struct {
	kind
	id   int64
	in   place         // its project, according to the caller
	link basecamp.Link // zero unless the caller gave a URL
	said bool          // whether the kind comes from Basecamp, not from the caller

	comment basecamp.Recording // the comment that stands for the item; zero if the caller names the item
}

// thing resolves a reference to an item of the given kinds, or of any kind if there are none. A
// URL that scrolls to a comment resolves to the item that has the comment, and link.Comment is
// its id.
func (rs *resolver) thing(ctx context.Context, argument string, in itemInput, kinds ...kind) (thing, error) {
	if len(kinds) == 0 {
		kinds = itemKinds
	}
	given := urls.ParseRef(strings.TrimSpace(in.Item))
	if given.URL != "" {
		return rs.thingByURL(ctx, argument, given.URL, in.Project, kinds)
	}
	word, name := cutType(given.Name)
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.kind == word })
	switch {
	case i >= 0:
		ref, err := untyped(argument, name)
		if err != nil {
			return thing{}, err
		}
		return rs.thingNamed(ctx, kinds[i].withArguments(argument, "project"), ref, in.Project)
	case word != "":
		return thing{}, fault.Invalid(argument, "must be of type %s; %s names %s", typesOf(kinds), plaintext.Quote(given.Name), whatIsTyped(word))
	case unknownType.MatchString(given.Name):
		return thing{}, fault.Invalid(argument, "must be a Basecamp URL, a title or type:id, where type is %s; got %s", typesOf(kinds), plaintext.Quote(given.Name))
	case given.Name != "":
		return rs.thingTitled(ctx, argument, given.Name, in.Project, kinds)
	case given.ID <= 0:
		return thing{}, fault.Invalid(argument, "must be a Basecamp URL, type:id or a title, where type is %s; got %s", typesOf(kinds), plaintext.Quote(in.Item))
	}
	return rs.thingByID(ctx, argument, given.ID, in.Project, kinds)
}

// unknownType matches type:id of a type that does not exist, and the path of a URL.
var unknownType = regexp.MustCompile(`^\w+:\d+$|^/?\w+/\d+(/|$)`)

func (rs *resolver) thingNamed(ctx context.Context, k kind, ref, inProject toolargs.Ref) (thing, error) {
	if k.kind == projectKind.kind {
		id, err := rs.projectToChange(ctx, k, ref)
		return thing{kind: k, id: id, in: place{id: id}}, err
	}
	id, in, err := rs.item(ctx, k, ref, inProject)
	return thing{kind: k, id: id, in: in}, err
}

// thingTitled finds an item of one of several kinds by its title.
func (rs *resolver) thingTitled(ctx context.Context, argument, title string, inProject toolargs.Ref, kinds []kind) (thing, error) {
	wanted := titleWanted{argument: argument, title: title, kinds: matching(kinds, func(k kind) bool { return k.titles != nil })}
	found, err := rs.titledIn(ctx, wanted, inProject, "project")
	return thing{kind: kindOf(found.Type).withArguments(argument, "project"), id: found.ID, in: place{found.Bucket.ID, found.read}}, err
}

// thingByID finds the kind of the item with an id. Basecamp has no request that returns it, so
// thingByID asks for one kind after the other, the most common first.
func (rs *resolver) thingByID(ctx context.Context, argument string, id int64, inProject toolargs.Ref, kinds []kind) (thing, error) {
	var in place
	var err error
	if !inProject.IsZero() {
		if in.id, err = rs.projectID(ctx, "project", inProject); err != nil {
			return thing{}, err
		}
	}
	for _, k := range byFrequency {
		if !slices.ContainsFunc(kinds, func(other kind) bool { return other.kind == k.kind }) {
			continue
		}
		found, err := rs.whole(ctx, k, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return thing{}, err
		}
		k = k.withArguments(argument, "project")
		return thing{kind: k, id: id, in: place{found.Common().Bucket.ID, found}}, in.holds(found.Common(), k)
	}
	e := fault.New(fault.NotFound, "%s: there is no item %d of type %s that you can see", argument, id, typesOf(kinds))
	e.Resource = &fault.Resource{Type: "item", ID: shorten(toolargs.Ref{ID: id}.String())}
	return thing{}, e
}

// byFrequency are the kinds that are read by an id without a type. A project is not among them: its
// type must be given. A chat line is read through its chat.
var byFrequency = []kind{
	todoKind, cardKind, messageKind, commentKind, documentKind, uploadKind, listKind, subtaskKind, entryKind, answerKind, questionKind,
	folderKind, forwardKind,
}

// projectToChange resolves a project that is referred to as an item. A call that changes it must
// give its whole name, and the name is looked up in lists that are read now.
func (rs *resolver) projectToChange(ctx context.Context, k kind, ref toolargs.Ref) (int64, error) {
	if ref.Name == "" || !mcptool.Changes(ctx) {
		return rs.projectID(ctx, k.argument, ref)
	}
	projects, err := rs.projectsSought(ctx, k)
	if err != nil {
		return 0, err
	}
	options := projectsFrom(ctx, k.argument, projects)
	if found := containing(projects, ref.Name, projectName); len(found) > 0 && len(exactly(projects, ref.Name, projectName)) == 0 {
		return 0, options.ambiguous(found, "%s is only part of a name; give the whole name, or project:id", plaintext.Quote(ref.Name))
	}
	project, err := options.byRef(ref)
	return project.ID, err
}

// projectsSought reads the projects with the statuses in which a kind is searched.
func (rs *resolver) projectsSought(ctx context.Context, k kind) (projects []basecamp.Project, err error) {
	for _, status := range k.sought() {
		some, _, err := rs.projectList(ctx, status, -1)
		if err != nil {
			return nil, err
		}
		projects = append(projects, some...)
	}
	return projects, nil
}

// projectsFrom returns projects as those from which a name chooses one.
func projectsFrom(ctx context.Context, argument string, projects []basecamp.Project) choice[basecamp.Project] {
	return choice[basecamp.Project]{
		argument: argument, noun: projectNoun, items: projects, name: projectName, id: projectID,
		look: looking(ctx), where: func(p basecamp.Project) string { return p.Status },
	}
}

func (rs *resolver) thingByURL(ctx context.Context, argument, url string, inProject toolargs.Ref, kinds []kind) (thing, error) {
	link, err := rs.link(ctx, argument, url)
	if err != nil {
		return thing{}, err
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return slices.Contains(k.links, link.Type) })
	if i < 0 {
		return thing{}, fault.Invalid(argument, "must be of type %s, not the URL of %s", typesOf(kinds), whatIs(link.Type))
	}
	k := kinds[i].withArguments(argument, "project")
	if k.kind == projectKind.kind {
		return thing{kind: k, id: link.ID, in: place{id: link.ID}, link: link}, nil
	}
	id, in, err := rs.item(ctx, k, toolargs.Ref{URL: url}, inProject)
	return thing{kind: k, id: id, in: in, link: link}, err
}
