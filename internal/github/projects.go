package github

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// Project is a board of Projects (the API calls it ProjectV2).
type Project struct {
	ID               string // GitHub's node ID
	Number           int    // among the projects of its owner
	Owner            Login
	Title            string
	ShortDescription string
	Closed           bool
	Public           bool
	URL              string
	CreatedAt        time.Time
	UpdatedAt        time.Time
	Items            struct{ TotalCount int }
}

func (p Project) valid() bool { return p.ID != "" && p.Number != 0 }

// Owner is a user or an organization.
type Owner struct {
	Type  string `json:"__typename"` // User or Organization
	ID    string // GitHub's node ID
	Login string
}

func (o Owner) check() error { return identified(o.ID != "" && o.Login != "") }

// Owner returns the user or organization with a login; the user of the link if it is empty.
func (c *Client) Owner(ctx context.Context, login string) (Owner, error) {
	if login == "" {
		o, _, err := ask[Owner](ctx, c, "Viewer", fault.Resource{Type: "user"}, nil)
		return o, err
	}
	o, _, err := ask[Owner](ctx, c, "Owner", fault.Resource{Type: "owner", ID: login}, map[string]any{"login": login})
	return o, err
}

// Repository is a repository as GraphQL knows it.
type Repository struct {
	ID            string // GitHub's node ID
	NameWithOwner string // as GitHub names it now
	Private       bool   `json:"isPrivate"`
	Archived      bool   `json:"isArchived"`
	HasIssues     bool   `json:"hasIssuesEnabled"`
}

// Repo returns the owner and the name of the repository.
func (r Repository) Repo() Repo { return parseRepo(r.NameWithOwner) }

func (r Repository) check() error { return Node{r.ID}.check() }

// Repository returns the node ID of a repository.
func (c *Client) Repository(ctx context.Context, repo Repo) (Repository, error) {
	r, _, err := ask[Repository](ctx, c, "Repository", repo.about("repository", 0), map[string]any{"owner": repo.Owner, "name": repo.Name})
	return r, err
}

// ownedProjects is an owner in an answer.
type ownedProjects struct {
	Owner
	ProjectsV2 *connection[Project]
}

func (o ownedProjects) check() error {
	if err := errors.Join(o.Owner.check(), o.ProjectsV2.check()); err != nil {
		return err
	}
	return identified(!slices.ContainsFunc(o.ProjectsV2.Entries(), func(p Project) bool { return !p.valid() }))
}

func (o ownedProjects) hidden() int { return o.ProjectsV2.hidden() }

// OwnerProjects lists one page of an owner's projects, the latest changed first. An empty login
// means the user of the link. query has GitHub's search terms, such as is:open. after is the Next
// of the page before; empty for the first page.
func (c *Client) OwnerProjects(ctx context.Context, login, query string, first int, after string) (Page[Project], error) {
	document, about := "ViewerProjects", fault.Resource{Type: "user"}
	variables := map[string]any{"query": nullable(query), "after": nullable(after)}
	if login != "" {
		document, about = "OwnerProjects", fault.Resource{Type: "owner", ID: login}
		variables["login"] = login
	}
	owned, missing, err := askPage[ownedProjects](ctx, c, document, about, variables, first)
	if err != nil {
		return Page[Project]{}, err
	}
	projects := owned.ProjectsV2
	return Page[Project]{Items: projects.Entries(), Next: projects.next(), Total: projects.TotalCount, Incomplete: missing}, nil
}

// reachable is a user with the organizations in an answer.
type reachable struct {
	ownedProjects
	Organizations *connection[ownedProjects]
}

func (r reachable) check() error {
	if err := errors.Join(r.ownedProjects.check(), r.Organizations.check()); err != nil {
		return err
	}
	for _, o := range r.Organizations.Entries() {
		if err := o.check(); err != nil {
			return err
		}
	}
	return nil
}

func (r reachable) hidden() int {
	hidden := r.ownedProjects.hidden() + r.Organizations.hidden()
	for _, o := range r.Organizations.Entries() {
		hidden += o.hidden()
	}
	return hidden
}

// ReachableProjects returns the first page of the projects of the user and of each of the user's
// first 20 organizations, and what GitHub left out.
func (c *Client) ReachableProjects(ctx context.Context, query string, first int) (projects []Project, missing *Incomplete, err error) {
	variables := map[string]any{"query": nullable(query)}
	all, missing, err := askPage[reachable](ctx, c, "ReachableProjects", fault.Resource{Type: "user"}, variables, first)
	if err != nil {
		return nil, nil, err
	}
	projects = all.ProjectsV2.Entries()
	for _, o := range all.Organizations.Entries() {
		projects = append(projects, o.ProjectsV2.Entries()...)
	}
	return projects, missing, nil
}

// CreateProject adds a project: it has an ownerId and a title, and the repositoryId of what is
// linked.
func (c *Client) CreateProject(ctx context.Context, project Fields) (Project, error) {
	made, err := mutate[projectPayload](ctx, c, "CreateProject", fault.Resource{Type: "project"}, project)
	return made.ProjectV2, err
}

// UpdateProject changes a project, and returns it as it is afterwards. GitHub may change a project
// without returning it; then UpdateProject reads it.
func (c *Client) UpdateProject(ctx context.Context, id string, change Fields) (Project, error) {
	input := maps.Clone(change)
	input["projectId"] = id
	made, err := mutate[updatedProject](ctx, c, "UpdateProject", fault.Resource{Type: "project", ID: id}, input)
	if p := made.ProjectV2; err != nil || p != nil && p.valid() {
		return *cmp.Or(p, &Project{}), err
	}
	read, err := c.Project(ctx, ProjectRef{ID: id})
	return read.Project, err
}

// updatedProject is a payload that counts even without its project.
type updatedProject struct {
	happened
	ProjectV2 *Project
}

// DeleteProject deletes a project permanently.
func (c *Client) DeleteProject(ctx context.Context, id string) error {
	_, err := mutate[happened](ctx, c, "DeleteProject", fault.Resource{Type: "project", ID: id}, Fields{"projectId": id})
	return explained(err, "the project is no longer on GitHub: the first attempt got no answer, but most likely deleted it")
}

// explained replaces the message of a deletion that found nothing after an attempt without an
// answer.
func explained(err error, message string) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.NotFound && f.MayHaveHappened {
		f.Message = message
	}
	return err
}

// projectPayload is the payload of a mutation that makes a project.
type projectPayload struct{ ProjectV2 Project }

func (p projectPayload) check() error { return identified(p.ProjectV2.valid()) }

// happened is a payload whose parts do not matter: that there is one says that the mutation was
// carried out.
type happened struct{}

func (happened) check() error { return nil }

// mutate sends a mutation with its input.
func mutate[T result](ctx context.Context, c *Client, name string, about fault.Resource, input Fields) (T, error) {
	made, _, err := ask[T](ctx, c, name, about, map[string]any{"input": input})
	return made, err
}

// ProjectRef names a project: by its ID, or by its number and the login of its owner. An empty
// Owner means the user of the link.
type ProjectRef struct {
	ID     string
	Owner  string
	Number int
}

func (r ProjectRef) about() fault.Resource {
	switch {
	case r.ID != "":
		return fault.Resource{Type: "project", ID: r.ID}
	case r.Owner == "":
		return fault.Resource{Type: "project", ID: strconv.Itoa(r.Number)}
	}
	return fault.Resource{Type: "project", ID: r.Owner + "/" + strconv.Itoa(r.Number)}
}

// ProjectDetails is a project with all its fields.
type ProjectDetails struct {
	Project
	Readme     string
	CanUpdate  bool
	Creator    Login
	Fields     []Field
	Incomplete *Incomplete // nil if the user sees all fields
}

// detailsWire is a project in an answer. A node of another type has no ID.
type detailsWire struct {
	Project
	Readme          string
	ViewerCanUpdate bool
	Creator         Login
	Fields          *connection[Field]
}

func (d detailsWire) check() error {
	return cmp.Or(present(d.ID), identified(d.valid()), checkFields(d.Fields))
}

func (d detailsWire) hidden() int { return d.Fields.hidden() }

// Project returns a project with its fields, however many pages they take.
func (c *Client) Project(ctx context.Context, ref ProjectRef) (ProjectDetails, error) {
	document, variables := "ViewerProject", map[string]any{"number": ref.Number}
	switch {
	case ref.ID != "":
		document, variables = "ProjectByID", map[string]any{"id": ref.ID}
	case ref.Owner != "":
		document, variables = "OwnerProject", map[string]any{"login": ref.Owner, "number": ref.Number}
	}
	wire, missing, err := ask[detailsWire](ctx, c, document, ref.about(), variables)
	if err != nil {
		return ProjectDetails{}, err
	}
	p := ProjectDetails{
		Project: wire.Project, Readme: wire.Readme, CanUpdate: wire.ViewerCanUpdate, Creator: wire.Creator,
		Fields: wire.Fields.Entries(), Incomplete: missing,
	}
	rest, missing, err := c.moreFields(ctx, p.ID, wire.Fields.next())
	p.Fields, p.Incomplete = append(p.Fields, rest...), p.Incomplete.And(missing)
	return p, err
}
