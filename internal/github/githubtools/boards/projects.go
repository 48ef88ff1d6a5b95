package boards

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// Project is a project in an answer.
type Project struct {
	ID               string    `json:"id"`
	Number           int       `json:"number"`
	Owner            string    `json:"owner"`
	Title            string    `json:"title"`
	ShortDescription string    `json:"short_description"`
	State            string    `json:"state"`
	Public           bool      `json:"public"`
	ItemsCount       int       `json:"items_count"`
	URL              string    `json:"url"`
	CreatedAt        time.Time `json:"created_at"`
	UpdatedAt        time.Time `json:"updated_at"`
}

// ViewProject returns a project as answers show it.
func ViewProject(p github.Project) Project {
	state := "open"
	if p.Closed {
		state = "closed"
	}
	return Project{
		ID: p.ID, Number: p.Number, Owner: string(p.Owner), Title: plaintext.Clean(p.Title),
		ShortDescription: parts.Shown(p.ShortDescription), State: state, Public: p.Public, ItemsCount: p.Items.TotalCount,
		URL: p.URL, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}

// The scopes that the tools of projects need.
const (
	ReadProjects  = "read:project"
	WriteProjects = "project"
)

type listProjectsInput struct {
	Owner string `json:"owner,omitzero" jsonschema:"User or organization; default you" limits:"maxlen=40"`
	Query string `json:"query,omitzero" jsonschema:"Part of the title" limits:"word maxlen=100"`
	State string `json:"state,omitzero" jsonschema:"State" limits:"enum=open|closed|all default=open"`
	parts.PageInput
}

func (k *Kit) listProjects(ctx context.Context, in listProjectsInput) (parts.Page[Project], error) {
	login, err := parts.Owner(in.Owner)
	if err := fault.All(err, parts.PlainQuery(in.Query, map[string]string{"is": "state", "state": "state", "owner": "owner", "org": "owner", "user": "owner"})); err != nil {
		return parts.Page[Project]{}, err
	}
	if err := k.GitHub.Require(ctx, ReadProjects); err != nil {
		return parts.Page[Project]{}, err
	}
	query := searchWords(in.Query)
	if in.State != "all" {
		query = strings.TrimSpace(query + " is:" + in.State)
	}
	return parts.List[github.Project, Project]{
		Of: listing.Digest("projects", login, query),
		Read: func(next string) (github.Page[github.Project], error) {
			found, err := k.GitHub.OwnerProjects(ctx, login, query, parts.PageSize, next)
			if fault.Is(err, fault.NotFound) && next == "" {
				if login, err = k.OwnerLike(ctx, login, err); err == nil {
					found, err = k.GitHub.OwnerProjects(ctx, login, query, parts.PageSize, next)
				}
			}
			return found, err
		},
		View:  func(p github.Project) (Project, bool) { return ViewProject(p), true },
		Total: true,
	}.Collect(in.PageInput)
}

// searchWords returns text as words without a meaning of their own in GitHub's search.
func searchWords(text string) string {
	return strings.Join(strings.FieldsFunc(plaintext.Clean(text), func(r rune) bool { return strings.ContainsRune(" \t\n:\"'@-", r) }), " ")
}

type getProjectInput struct {
	Project toolargs.Ref `json:"project" jsonschema:"owner/5, URL or title"`
	Owner   string       `json:"owner,omitzero" jsonschema:"Its owner; default you" limits:"maxlen=40"`
}

// ProjectDetails is a project with its fields in an answer.
type ProjectDetails struct {
	Project
	Readme     string             `json:"readme"`
	Truncated  bool               `json:"truncated,omitempty"`
	Creator    string             `json:"creator"`
	CanUpdate  bool               `json:"can_update"`
	Fields     []field            `json:"fields"`
	Incomplete *github.Incomplete `json:"incomplete,omitempty"`
	Status     *statusUpdate      `json:"status_update,omitempty"` // the latest
	Lacks      string             `json:"unavailable,omitempty"`   // what this GitHub does not have
}

type field struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Type       string      `json:"type"`
	Options    []option    `json:"options,omitempty"`
	Iterations []Iteration `json:"iterations,omitempty"`
}

type option struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Iteration is an iteration of a field in an answer.
type Iteration struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	StartDate    string `json:"start_date"`
	DurationDays int    `json:"duration_days"`
	Completed    bool   `json:"completed" compact:"keep"`
}

// viewIteration returns an iteration of a field as answers show it.
func viewIteration(f github.Field, i github.Iteration) Iteration {
	_, completed := f.Iterations()
	return Iteration{
		ID: i.ID, Title: plaintext.Clean(i.Title), StartDate: i.StartDate, DurationDays: i.Duration,
		Completed: slices.ContainsFunc(completed, func(c github.Iteration) bool { return c.ID == i.ID }),
	}
}

func viewField(f github.Field) field {
	open, completed := f.Iterations()
	return field{
		ID: f.ID, Name: plaintext.Clean(f.Name), Type: strings.ToLower(f.DataType),
		Options:    parts.Mapped(f.Options, func(o github.Option) option { return option{o.ID, plaintext.Clean(o.Name)} }),
		Iterations: parts.Mapped(slices.Concat(open, completed), func(i github.Iteration) Iteration { return viewIteration(f, i) }),
	}
}

func (k *Kit) getProject(ctx context.Context, in getProjectInput) (ProjectDetails, error) {
	p, err := k.Project(ctx, in.Project, in.Owner, ReadProjects)
	if err != nil {
		return ProjectDetails{}, err
	}
	v := ProjectDetails{
		Project: ViewProject(p.Project), Readme: parts.Shown(p.Readme), Creator: string(p.Creator), CanUpdate: p.CanUpdate,
		Fields: parts.Mapped(p.Fields.Items, viewField), Incomplete: p.Incomplete,
	}
	listing.Excerpt(&v.Readme, parts.MaxWritten, &v.Truncated)
	latest, has, err := k.GitHub.LatestStatus(ctx, p.ID)
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return v, err
	case !has:
		v.Lacks = NoStatus
	case latest != nil:
		v.Status = viewStatus(*latest)
	}
	return v, nil
}

// Project reads a project that the caller names, with its fields. scope is what the tool needs.
func (k *Kit) Project(ctx context.Context, ref toolargs.Ref, of, scope string) (github.ProjectDetails, error) {
	login, err := parts.Owner(of)
	if err != nil {
		return github.ProjectDetails{}, err
	}
	named, title, err := k.ProjectRef(ref, login)
	if err != nil {
		return github.ProjectDetails{}, err
	}
	if err := k.GitHub.Require(ctx, scope); err != nil {
		return github.ProjectDetails{}, err
	}
	p, err := k.ProjectAt(ctx, named, title, login)
	if login != "" && fault.Is(err, fault.NotFound) {
		var like string
		if like, err = k.OwnerLike(ctx, login, err); err == nil {
			if named.Owner != "" {
				named.Owner = like
			}
			p, err = k.ProjectAt(ctx, named, title, like)
		}
	}
	return p, err
}

// ProjectAt reads a project by its reference or, if it has a title, by that.
func (k *Kit) ProjectAt(ctx context.Context, ref github.ProjectRef, title, owner string) (github.ProjectDetails, error) {
	if title != "" {
		var err error
		if ref, err = k.projectByTitle(ctx, title, owner); err != nil {
			return github.ProjectDetails{}, err
		}
	}
	p, err := k.GitHub.Project(ctx, ref)
	if fault.Is(err, fault.NotFound) {
		advice := "list an owner's projects with github_list_projects"
		if ref.ID == "" && ref.Owner == "" {
			advice = fmt.Sprintf("a number alone means one of the user's own projects; name an organization's as owner/%d", ref.Number)
		}
		err = withAdvice(err, advice)
	}
	return p, err
}

// withAdvice adds what to do next to the message of a fault.
func withAdvice(err error, advice string) error {
	f := *fault.From(err)
	f.Message += "; " + advice
	return &f
}

// projectByTitle finds a project among those of an owner or, without one, among those of the caller
// and of the caller's organizations.
func (k *Kit) projectByTitle(ctx context.Context, title, login string) (github.ProjectRef, error) {
	projects, err := k.Reachable(ctx, login)
	if err != nil {
		return github.ProjectRef{}, err
	}
	c := parts.Choice[github.Project]{
		Argument: "project", Noun: "projects", Items: projects.Items, Partly: true, Look: parts.Looking(ctx),
		Name:  func(p github.Project) string { return p.Title },
		Ref:   parts.NameOf,
		Where: func(p github.Project) string { return string(p.Owner) },
	}
	found, known, err := c.Find(title)
	if err == nil && !known {
		left := ""
		if projects.Incomplete != nil && projects.Incomplete.Reason == github.SSO {
			left = ", but some organizations show their projects only after single sign-on"
		}
		return github.ProjectRef{}, github.Unfound(ctx, c.Missing("project", title, "found no project with the title %s%s; list them with github_list_projects, or name it as owner/5", plaintext.Quote(title), left))
	}
	return github.ProjectRef{ID: found.ID}, err
}
