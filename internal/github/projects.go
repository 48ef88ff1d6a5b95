package github

import (
	"cmp"
	"context"
	"errors"
	"maps"
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

func (p Project) check() (hidden int, err error) { return identified(p.ID != "" && p.Number != 0) }

// Owner is a user or an organization.
type Owner struct {
	Type  string `json:"__typename"` // User or Organization
	ID    string // GitHub's node ID
	Login string
}

func (o Owner) check() (hidden int, err error) { return identified(o.ID != "" && o.Login != "") }

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

func (r Repository) check() (hidden int, err error) { return identified(r.ID != "") }

// Repository returns the node ID of a repository.
func (c *Client) Repository(ctx context.Context, repo Repo) (Repository, error) {
	r, _, err := ask[Repository](ctx, c, "Repository", repo.about("repository", 0), map[string]any{"owner": repo.Owner, "name": repo.Name})
	return r, err
}

// ownedProjects is an owner in an answer.
type ownedProjects struct {
	Owner
	ProjectsV2 Page[Project]
}

func (o ownedProjects) check() (hidden int, err error) { return together(o.Owner, o.ProjectsV2) }

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
	owned.ProjectsV2.Incomplete = missing
	return owned.ProjectsV2, err
}

// reachable is a user with the organizations in an answer.
type reachable struct {
	ownedProjects
	Organizations Page[ownedProjects]
}

func (r reachable) check() (hidden int, err error) {
	hidden, err = together(r.ownedProjects, r.Organizations)
	for _, o := range r.Organizations.Items {
		hidden += o.ProjectsV2.null
	}
	return hidden, err
}

// ReachableProjects returns the first page of the projects of the user and of each of the user's
// first 20 organizations.
func (c *Client) ReachableProjects(ctx context.Context, query string, first int) (Page[Project], error) {
	variables := map[string]any{"query": nullable(query)}
	all, missing, err := askPage[reachable](ctx, c, "ReachableProjects", fault.Resource{Type: "user"}, variables, first)
	for _, o := range all.Organizations.Items {
		all.ProjectsV2.Items = append(all.ProjectsV2.Items, o.ProjectsV2.Items...)
	}
	all.ProjectsV2.Incomplete = missing
	return all.ProjectsV2, err
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
	if p := made.ProjectV2; err != nil || p != nil && p.ID != "" {
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

func (p projectPayload) check() (hidden int, err error) { return p.ProjectV2.check() }

// happened is a payload whose parts do not matter: that there is one says that the mutation was
// carried out.
type happened struct{}

func (happened) check() (hidden int, err error) { return 0, nil }

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
	CanUpdate  bool `json:"viewerCanUpdate"`
	Creator    Login
	Fields     Page[Field]
	Incomplete *Incomplete `json:"-"` // nil if the user sees all fields
}

// check accepts a further page of fields, which has no more of the project than its ID.
func (d ProjectDetails) check() (hidden int, err error) { return together(there(d.ID), d.Fields) }

// maxFieldPages limits the pages of a project's fields.
const maxFieldPages = 10

// Project returns a project with its fields, however many pages they take.
func (c *Client) Project(ctx context.Context, ref ProjectRef) (ProjectDetails, error) {
	document, variables := "ViewerProject", map[string]any{"number": ref.Number}
	switch {
	case ref.ID != "":
		document, variables = "ProjectByID", map[string]any{"id": ref.ID}
	case ref.Owner != "":
		document, variables = "OwnerProject", map[string]any{"login": ref.Owner, "number": ref.Number}
	}
	p, missing, err := ask[ProjectDetails](ctx, c, document, ref.about(), variables)
	p.Incomplete = missing
	for page := 1; err == nil && p.Fields.Next != "" && page < maxFieldPages; page++ {
		var more ProjectDetails
		variables := map[string]any{"id": p.ID, "after": p.Fields.Next}
		more, missing, err = ask[ProjectDetails](ctx, c, "MoreFields", fault.Resource{Type: "project", ID: p.ID}, variables)
		p.Fields.Items, p.Fields.Next = append(p.Fields.Items, more.Fields.Items...), more.Fields.Next
		p.Incomplete = p.Incomplete.And(missing)
	}
	return p, err
}
