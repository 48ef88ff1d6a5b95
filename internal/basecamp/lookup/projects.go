package lookup

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// projectFinder finds the projects that callers name, and their tools.
type projectFinder struct {
	BC         *basecamp.Client
	projects   cache[int64, basecamp.Project]
	lists      cache[string, []basecamp.Project] // by status
	confirmed  cache[int64, bool]                // projects whose names are as listed
	hasClients cache[int64, bool]                // by project; a write does not end it
}

// Project resolves a reference to a project and reads it. Argument is the name of the argument in
// the caller's input.
func (rs *projectFinder) Project(ctx context.Context, argument string, ref toolargs.Ref) (basecamp.Project, error) {
	ref, err := projectNoun.Bare(argument, ref)
	if err != nil {
		return basecamp.Project{}, err
	}
	if ref.Name != "" {
		return rs.projectByName(ctx, argument, ref.Name)
	}
	id, err := rs.ProjectID(ctx, argument, ref)
	if err != nil {
		return basecamp.Project{}, err
	}
	return rs.ProjectByID(ctx, id)
}

// ProjectID resolves a reference to a project's id. It reads the project only if the reference
// is a name. The URL of an item in a project refers to the project.
func (rs *projectFinder) ProjectID(ctx context.Context, argument string, ref toolargs.Ref) (int64, error) {
	ref, err := projectNoun.Bare(argument, ref)
	switch {
	case err != nil:
		return 0, err
	case ref.Name != "":
		project, err := rs.projectByName(ctx, argument, ref.Name)
		return project.ID, err
	case ref.URL != "":
		link, err := rs.Link(ctx, argument, ref.URL)
		if err == nil && link.Project == 0 {
			err = fault.Invalid(argument, "the URL does not say which project; give the project's id or name")
		}
		return link.Project, err
	}
	return ref.ID, nil
}

// ProjectByID returns a project, from the cache if it is there.
func (rs *projectFinder) ProjectByID(ctx context.Context, id int64) (basecamp.Project, error) {
	if project, _, ok := rs.projects.get(ctx, id); ok {
		return project, nil
	}
	return rs.readProject(ctx, id)
}

func (rs *projectFinder) readProject(ctx context.Context, id int64) (basecamp.Project, error) {
	project, err := basecamp.ProjectAt.Get(ctx, rs.BC, id)
	if err == nil {
		rs.LearnProject(ctx, project)
	}
	return project, err
}

// LearnProject caches a project that was just read. Lists of projects say which tools they have, as
// single projects do.
func (rs *projectFinder) LearnProject(ctx context.Context, project basecamp.Project) {
	rs.projects.put(ctx, project.ID, project)
	if project.ClientsEnabled != nil && !*project.ClientsEnabled {
		rs.hasClients.put(ctx, project.ID, false)
	}
	rs.confirmed.put(ctx, project.ID, true)
}

func (rs *projectFinder) projectByName(ctx context.Context, argument, name string) (basecamp.Project, error) {
	return findInAccounts(ctx, argument, name, func(ctx context.Context) (basecamp.Project, error) { return rs.projectHere(ctx, argument, name) })
}

// projectHere finds a project by name in the account of the call. If the name is not found, it
// searches once more in fresh lists, because the project may be new. After a write of the caller,
// it reads a project from the cache again before it trusts the name.
func (rs *projectFinder) projectHere(ctx context.Context, argument, name string) (basecamp.Project, error) {
	project, age, err := rs.projectNamed(ctx, argument, name, memo.Life)
	_, _, confirmed := rs.confirmed.get(ctx, project.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		project, _, err = rs.projectNamed(ctx, argument, name, justRead)
		return project, err
	case err != nil || age == 0 || confirmed:
		return project, err
	}
	now, err := rs.readProject(ctx, project.ID)
	if fault.Is(err, fault.NotFound) || err == nil && (now.Name != project.Name || now.Status != project.Status) {
		now, _, err = rs.projectNamed(ctx, argument, name, -1)
	}
	return now, err
}

// projectNamed finds a project by its exact name among the active ones, and then by its name or a
// part of it among active and archived ones. It also returns the age of the oldest list.
func (rs *projectFinder) projectNamed(ctx context.Context, argument, name string, maxAge time.Duration) (basecamp.Project, time.Duration, error) {
	current, age, err := rs.ProjectList(ctx, Active, maxAge)
	if err != nil {
		return basecamp.Project{}, 0, err
	}
	if exact := naming.Exactly(current, name, ProjectName); len(exact) == 1 {
		return exact[0], age, nil
	}
	past, pastAge, err := rs.ProjectList(ctx, Archived, maxAge)
	if err != nil {
		return basecamp.Project{}, 0, err
	}
	project, err := Pick(ProjectsFrom(ctx, argument, append(current, past...)), name)
	return project, max(age, pastAge), unfound(ctx, err)
}

// ProjectName returns the name of a project as answers show it.
func ProjectName(p basecamp.Project) string { return plaintext.Clean(p.Name) }

// ProjectID returns the id of a project.
func ProjectID(p basecamp.Project) int64 { return p.ID }

// ProjectList returns all projects of a status, and the age of the list. They come from the cache
// if they were read within maxAge; a list that was just read has age 0. The caller may change the
// slice.
func (rs *projectFinder) ProjectList(ctx context.Context, status string, maxAge time.Duration) ([]basecamp.Project, time.Duration, error) {
	if projects, age, ok := rs.lists.get(ctx, status); ok && age <= maxAge {
		return slices.Clone(projects), max(age, 1), nil
	}
	projects, err := listing.Everything(fence.Aside(ctx), rs.ProjectsOf(status))
	if err != nil {
		return nil, 0, err
	}
	rs.lists.put(ctx, status, projects)
	for _, project := range projects {
		rs.LearnProject(ctx, project)
	}
	return slices.Clone(projects), 0, nil
}

// ProjectsOf returns the source of the projects of a status.
func (rs *projectFinder) ProjectsOf(status string) listing.Source[basecamp.Project] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Project], error) {
		return basecamp.Projects.Where(basecamp.WithStatus(status)).Page(ctx, rs.BC, page)
	}
}

// ForgetProjects drops the caller's projects. It runs after a call that may have changed them.
func (rs *projectFinder) ForgetProjects(ctx context.Context) {
	rs.lists.forget(ctx)
	rs.projects.forget(ctx)
}

// projectToChange resolves a project that is referred to as an item. A call that changes it must
// give its whole name, and the name is looked up in lists that are read now.
func (rs *projectFinder) projectToChange(ctx context.Context, k Kind, ref toolargs.Ref) (int64, error) {
	if ref.Name == "" || !mcptool.Modifies(ctx) {
		return rs.ProjectID(ctx, k.Argument, ref)
	}
	return findInAccounts(ctx, k.Argument, ref.Name, func(ctx context.Context) (int64, error) { return rs.projectWholly(ctx, k, ref) })
}

// projectWholly finds a project by its whole name in the account of the call.
func (rs *projectFinder) projectWholly(ctx context.Context, k Kind, ref toolargs.Ref) (int64, error) {
	projects, err := rs.ProjectsSought(ctx, k)
	if err != nil {
		return 0, err
	}
	options := ProjectsFrom(ctx, k.Argument, projects)
	if found := naming.Containing(projects, ref.Name, ProjectName); len(found) > 0 && len(naming.Exactly(projects, ref.Name, ProjectName)) == 0 {
		return 0, options.Ambiguous(found, "%s is only part of a name; give the whole name, or project:id", plaintext.Quote(ref.Name))
	}
	project, err := options.ByRef(ref)
	return project.ID, err
}

// ProjectsSought reads the projects with the statuses in which a kind is searched.
func (rs *projectFinder) ProjectsSought(ctx context.Context, k Kind) (projects []basecamp.Project, err error) {
	for _, status := range k.sought() {
		some, _, err := rs.ProjectList(ctx, status, -1)
		if err != nil {
			return nil, err
		}
		projects = append(projects, some...)
	}
	return projects, nil
}

// ProjectsFrom returns projects as those from which a name chooses one.
func ProjectsFrom(ctx context.Context, argument string, projects []basecamp.Project) Choice[basecamp.Project] {
	return Choice[basecamp.Project]{
		Argument: argument, Noun: projectNoun, Items: projects, Name: ProjectName, ID: ProjectID,
		look: looking(ctx), Where: func(p basecamp.Project) string { return p.Status },
	}
}

// WithoutClients reports whether it is known that no clients are on a project.
func (rs *projectFinder) WithoutClients(ctx context.Context, project int64) bool {
	has, _, known := rs.hasClients.get(ctx, project)
	return known && !has
}
