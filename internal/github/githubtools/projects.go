package githubtools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type project struct {
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

func viewProject(p github.Project) project {
	state := "open"
	if p.Closed {
		state = "closed"
	}
	return project{
		ID: p.ID, Number: p.Number, Owner: string(p.Owner), Title: plaintext.Clean(p.Title),
		ShortDescription: shown(p.ShortDescription), State: state, Public: p.Public, ItemsCount: p.Items.TotalCount,
		URL: p.URL, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}

const (
	readProjects  = "read:project"
	writeProjects = "project"
)

type listProjectsInput struct {
	Owner string `json:"owner,omitzero" jsonschema:"User or organization; default you" limits:"maxlen=40"`
	Query string `json:"query,omitzero" jsonschema:"Part of the title" limits:"word maxlen=100"`
	State string `json:"state,omitzero" jsonschema:"State" limits:"enum=open|closed|all default=open"`
	pageInput
}

func (k *kit) listProjects() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_list_projects",
		Title:       "List GitHub projects",
		Description: "Lists the GitHub projects (boards) of one owner, the latest changed first; without owner, only your own.",
	}, func(ctx context.Context, in listProjectsInput) (page[project], error) {
		login, err := owner(in.Owner)
		if err := fault.All(err, plainQuery(in.Query, map[string]string{"is": "state", "state": "state", "owner": "owner", "org": "owner", "user": "owner"})); err != nil {
			return page[project]{}, err
		}
		if err := k.github.Require(ctx, readProjects); err != nil {
			return page[project]{}, err
		}
		query := searchWords(in.Query)
		if in.State != "all" {
			query = strings.TrimSpace(query + " is:" + in.State)
		}
		return list[github.Project, project]{
			of: listing.Digest("projects", login, query),
			read: func(next string) (github.Page[github.Project], error) {
				owned, err := k.github.OwnerProjects(ctx, login, query, pageSize, next)
				if fault.Is(err, fault.NotFound) && next == "" {
					if login, err = k.ownerLike(ctx, login, err); err == nil {
						owned, err = k.github.OwnerProjects(ctx, login, query, pageSize, next)
					}
				}
				return owned.Projects, err
			},
			view:  func(p github.Project) (project, bool) { return viewProject(p), true },
			total: true,
		}.collect(in.pageInput)
	})
}

// searchWords returns text as words without a meaning of their own in GitHub's search.
func searchWords(text string) string {
	return strings.Join(strings.FieldsFunc(plaintext.Clean(text), func(r rune) bool { return strings.ContainsRune(" \t\n:\"'@-", r) }), " ")
}

type getProjectInput struct {
	Project toolargs.Ref `json:"project" jsonschema:"owner/5, URL or title"`
	Owner   string       `json:"owner,omitzero" jsonschema:"Its owner; default you" limits:"maxlen=40"`
}

type projectDetails struct {
	project
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
	Iterations []iteration `json:"iterations,omitempty"`
}

type option struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type iteration struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	StartDate    string `json:"start_date"`
	DurationDays int    `json:"duration_days"`
	Completed    bool   `json:"completed" compact:"keep"`
}

// viewIteration returns an iteration of a field as answers show it.
func viewIteration(f github.Field, i github.Iteration) iteration {
	_, completed := f.Iterations()
	return iteration{
		ID: i.ID, Title: plaintext.Clean(i.Title), StartDate: i.StartDate, DurationDays: i.Duration,
		Completed: slices.ContainsFunc(completed, func(c github.Iteration) bool { return c.ID == i.ID }),
	}
}

func viewField(f github.Field) field {
	open, completed := f.Iterations()
	return field{
		ID: f.ID, Name: plaintext.Clean(f.Name), Type: strings.ToLower(f.DataType),
		Options:    mapped(f.Options, func(o github.Option) option { return option{o.ID, plaintext.Clean(o.Name)} }),
		Iterations: mapped(slices.Concat(open, completed), func(i github.Iteration) iteration { return viewIteration(f, i) }),
	}
}

func (k *kit) getProject() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_get_project",
		Title:       "Read a GitHub project",
		Description: "Opens a GitHub project with its readme, latest status update, and all its fields, options and iterations.",
	}, func(ctx context.Context, in getProjectInput) (projectDetails, error) {
		p, err := k.project(ctx, in.Project, in.Owner, readProjects)
		if err != nil {
			return projectDetails{}, err
		}
		v := projectDetails{
			project: viewProject(p.Project), Readme: shown(p.Readme), Creator: string(p.Creator), CanUpdate: p.CanUpdate,
			Fields: mapped(p.Fields, viewField), Incomplete: p.Incomplete,
		}
		listing.Excerpt(&v.Readme, maxWritten, &v.Truncated)
		latest, has, err := k.github.LatestStatus(ctx, p.ID)
		switch {
		case err != nil && !fault.Is(err, fault.NotFound):
			return v, err
		case !has:
			v.Lacks = noStatus
		case latest != nil:
			v.Status = viewStatus(*latest)
		}
		return v, nil
	})
}

// project reads a project that the caller names, with its fields. scope is what the tool needs.
func (k *kit) project(ctx context.Context, ref toolargs.Ref, of, scope string) (github.ProjectDetails, error) {
	login, err := owner(of)
	if err != nil {
		return github.ProjectDetails{}, err
	}
	named, title, err := k.projectRef(ref, login)
	if err != nil {
		return github.ProjectDetails{}, err
	}
	if err := k.github.Require(ctx, scope); err != nil {
		return github.ProjectDetails{}, err
	}
	p, err := k.projectAt(ctx, named, title, login)
	if login != "" && fault.Is(err, fault.NotFound) {
		var like string
		if like, err = k.ownerLike(ctx, login, err); err == nil {
			if named.Owner != "" {
				named.Owner = like
			}
			p, err = k.projectAt(ctx, named, title, like)
		}
	}
	return p, err
}

// projectAt reads a project by its reference or, if it has a title, by that.
func (k *kit) projectAt(ctx context.Context, ref github.ProjectRef, title, owner string) (github.ProjectDetails, error) {
	if title != "" {
		var err error
		if ref, err = k.projectByTitle(ctx, title, owner); err != nil {
			return github.ProjectDetails{}, err
		}
	}
	p, err := k.github.Project(ctx, ref)
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
func (k *kit) projectByTitle(ctx context.Context, title, login string) (github.ProjectRef, error) {
	projects, incomplete, err := k.reachable(ctx, login)
	if err != nil {
		return github.ProjectRef{}, err
	}
	c := choice[github.Project]{
		argument: "project", noun: "projects", items: projects, partly: true, look: looking(ctx),
		name:  func(p github.Project) string { return p.Title },
		ref:   nameOf,
		where: func(p github.Project) string { return string(p.Owner) },
	}
	found, known, err := c.find(title)
	if err == nil && !known {
		left := ""
		if incomplete != nil && incomplete.Reason == github.SSO {
			left = ", but some organizations show their projects only after single sign-on"
		}
		return github.ProjectRef{}, github.Unfound(ctx, c.missing("project", title, "found no project with the title %s%s; list them with github_list_projects, or name it as owner/5", plaintext.Quote(title), left))
	}
	return github.ProjectRef{ID: found.ID}, err
}

// reachable returns the projects of an owner or, without one, of the caller and of the caller's
// organizations, and what GitHub left out.
func (k *kit) reachable(ctx context.Context, login string) (projects []github.Project, missing *github.Incomplete, err error) {
	if login == "" {
		owners, missing, err := k.github.ReachableProjects(ctx, "", pageSize)
		for _, o := range owners {
			projects = append(projects, o.Projects.Items...)
		}
		return projects, missing, err
	}
	projects, _, missing, err = firstPages(func(next string) (github.Page[github.Project], error) {
		owned, err := k.github.OwnerProjects(ctx, login, "", pageSize, next)
		return owned.Projects, err
	})
	return projects, missing, err
}

type createProjectInput struct {
	Title string `json:"title" jsonschema:"Name" limits:"minlen=1 maxlen=256"`
	Owner string `json:"owner,omitzero" jsonschema:"User or organization; default you" limits:"maxlen=40"`
	Repo  string `json:"repo,omitzero" jsonschema:"owner/name to link" limits:"maxlen=1000"`
}

func (k *kit) createProject() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_create_project",
		Title:       "Create a GitHub project",
		Description: "Creates a GitHub project (a board), not a Basecamp project.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createProjectInput) (project, error) {
		draft, err := k.newProject(ctx, in)
		if err != nil {
			return project{}, err
		}
		made, err := k.github.CreateProject(ctx, draft)
		return viewProject(made), unconfirmed(err, "created this project", "look for it with github_list_projects before you retry")
	})
}

func (k *kit) newProject(ctx context.Context, in createProjectInput) (github.NewProject, error) {
	login, err := owner(in.Owner)
	var repo github.Repo
	var inRepo error
	if in.Repo != "" {
		repo, inRepo = k.repo("repo", in.Repo)
	}
	if err := fault.All(notBlank("title", in.Title), err, inRepo); err != nil {
		return github.NewProject{}, err
	}
	if err := k.github.Require(ctx, writeProjects); err != nil {
		return github.NewProject{}, err
	}
	draft := github.NewProject{Title: in.Title}
	if in.Repo != "" {
		if repo, err = k.found(ctx, repo); err != nil {
			return draft, err
		}
		linked, err := k.github.Repository(ctx, repo)
		if err != nil {
			return draft, err
		}
		draft.RepositoryID = linked.ID
	}
	of, err := k.github.Owner(ctx, login)
	if fault.Is(err, fault.NotFound) {
		if login, err = k.ownerLike(ctx, login, err); err == nil {
			of, err = k.github.Owner(ctx, login)
		}
	}
	draft.OwnerID = of.ID
	return draft, err
}

type updateProjectInput struct {
	getProjectInput
	Title            toolargs.Change[string] `json:"title,omitzero" jsonschema:"New title" limits:"minlen=1 maxlen=256"`
	ShortDescription toolargs.Change[string] `json:"short_description,omitzero" jsonschema:"One line, or empty" limits:"maxlen=65536"`
	Readme           toolargs.Change[string] `json:"readme,omitzero" jsonschema:"Markdown, or empty" limits:"maxlen=65536"`
	Public           toolargs.Change[bool]   `json:"public,omitzero" jsonschema:"true lets all users read it"`
	Closed           toolargs.Change[bool]   `json:"closed,omitzero" jsonschema:"false reopens"`
	Status           statusInput             `json:"status_update,omitzero" jsonschema:"Post one"`
}

func (in updateProjectInput) changes() bool {
	return in.Title.Given || in.ShortDescription.Given || in.Readme.Given || in.Public.Given || in.Closed.Given
}

type changedProject struct {
	project
	Changed  []string       `json:"changed"`
	Previous map[string]any `json:"previous,omitempty"` // of what changed
	Status   *statusUpdate  `json:"status_update,omitempty"`
}

func (k *kit) updateProject() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_update_project",
		Title:       "Change a GitHub project",
		Description: "Renames, describes, publishes, closes or reopens a GitHub project, or posts a status update.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateProjectInput) (changedProject, error) {
		if !in.changes() && in.Status == (statusInput{}) {
			return changedProject{}, fault.Invalid("arguments", "nothing to change; give title, short_description, readme, public, closed or status_update")
		}
		var badTitle error
		if in.Title.Given {
			badTitle = notBlank("title", in.Title.To)
		}
		status, err := k.newStatus(in.Status)
		if err := fault.All(badTitle, err); err != nil {
			return changedProject{}, err
		}
		old, err := k.project(ctx, in.Project, in.Owner, writeProjects)
		if err != nil {
			return changedProject{}, err
		}
		change, changed, previous := projectChange(old, in)
		v := changedProject{project: viewProject(old.Project), Changed: changed, Previous: previous}
		if len(changed) > 0 {
			now, _, err := k.github.UpdateProject(ctx, old.ID, change)
			if v.project = viewProject(now); err != nil {
				return v, err
			}
		}
		if in.Status != (statusInput{}) {
			if v.Status, err = k.postStatus(ctx, old.ID, status); err != nil && len(changed) > 0 {
				err = noting(err, "the project is changed, but the status update is not posted: ")
			}
		}
		return v, err
	})
}

// projectChange returns the fields in which a project differs from the caller's request, their
// arguments, and what they were.
func projectChange(old github.ProjectDetails, in updateProjectInput) (change github.ProjectChange, changed []string, previous map[string]any) {
	was, text := viewProject(old.Project), shown(old.Readme)
	listing.Excerpt(&text, maxWritten, new(bool))
	changed, previous = []string{}, map[string]any{}
	differs := func(name string, different bool, was any) bool {
		if different {
			changed, previous[name] = append(changed, name), was
		}
		return different
	}
	if differs("title", in.Title.ValueOr(old.Title) != old.Title, was.Title) {
		change.Title = &in.Title.To
	}
	description := sent(in.ShortDescription.To)
	if differs("short_description", in.ShortDescription.Given && description != old.ShortDescription, was.ShortDescription) {
		change.ShortDescription = &description
	}
	readme := withBreaksOf(old.Readme, sent(in.Readme.To))
	if differs("readme", in.Readme.Given && readme != old.Readme, text) {
		change.Readme = &readme
	}
	if differs("public", in.Public.ValueOr(old.Public) != old.Public, old.Public) {
		change.Public = &in.Public.To
	}
	if differs("closed", in.Closed.ValueOr(old.Closed) != old.Closed, old.Closed) {
		change.Closed = &in.Closed.To
	}
	return change, changed, previous
}

type deleteProjectInput struct {
	getProjectInput
	Confirm string `json:"confirm_title,omitzero" jsonschema:"Its exact title, after the user agreed" limits:"maxlen=1000"`
}

type deletedProject struct {
	Deleted    bool   `json:"deleted"`
	ID         string `json:"id"`
	Number     int    `json:"number"`
	Owner      string `json:"owner"`
	Title      string `json:"title"`
	ItemsCount int    `json:"items_count"`
}

func (k *kit) deleteProject() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_delete_project",
		Title:       "Delete a GitHub project",
		Description: "Deletes a GitHub project permanently, with its drafts and field values; issues stay. Consider closing it with github_update_project.",
		Effect:      mcptool.Deletes,
	}, func(ctx context.Context, in deleteProjectInput) (deletedProject, error) {
		p, err := k.project(ctx, in.Project, in.Owner, writeProjects)
		if err != nil {
			return deletedProject{}, err
		}
		lost := fmt.Sprintf("the project %s (%s) with %d items", plaintext.Quote(p.Title), nameOf(p.Project), p.Items.TotalCount)
		if err := confirmed(ctx, in.Confirm, p.Title, lost); err != nil {
			return deletedProject{}, err
		}
		if err := k.github.DeleteProject(ctx, p.ID); err != nil {
			return deletedProject{}, err
		}
		return deletedProject{true, p.ID, p.Number, string(p.Owner), plaintext.Clean(p.Title), p.Items.TotalCount}, nil
	})
}

// confirmed returns an error unless the user has confirmed the loss of what has the title. Users
// see the title without hidden characters.
func confirmed(ctx context.Context, given, title, lost string) error {
	return mcptool.Confirm(ctx, "confirm_title", given, lost, title, plaintext.Clean(title))
}

// nameOf returns a project as its argument takes it.
func nameOf(p github.Project) string { return string(p.Owner) + "/" + strconv.Itoa(p.Number) }

const noStatus = "this GitHub has no status updates of projects: the server is older than they are"

// statusInput is a new status update.
type statusInput struct {
	Status     string `json:"status,omitzero" jsonschema:"State" limits:"enum=on_track|at_risk|off_track|complete|inactive"`
	Body       string `json:"body,omitzero" jsonschema:"Markdown" limits:"maxlen=65536"`
	StartDate  string `json:"start_date,omitzero" jsonschema:"Date" limits:"maxlen=40"`
	TargetDate string `json:"target_date,omitzero" jsonschema:"Date" limits:"maxlen=40"`
}

// statusUpdate says where a project stands.
type statusUpdate struct {
	ID         string    `json:"id"`
	Status     string    `json:"status,omitempty"`
	Body       string    `json:"body,omitempty"`
	Truncated  bool      `json:"truncated,omitempty"`
	StartDate  string    `json:"start_date,omitempty"`
	TargetDate string    `json:"target_date,omitempty"`
	Author     string    `json:"author"`
	CreatedAt  time.Time `json:"created_at"`
}

func viewStatus(u github.StatusUpdate) *statusUpdate {
	v := &statusUpdate{
		ID: u.ID, Status: strings.ToLower(u.Status), Body: shown(u.Body), StartDate: u.StartDate, TargetDate: u.TargetDate,
		Author: string(u.Creator), CreatedAt: u.CreatedAt,
	}
	listing.Excerpt(&v.Body, maxWritten, &v.Truncated)
	return v
}

// newStatus reads a status update. It needs no request.
func (k *kit) newStatus(in statusInput) (github.NewStatus, error) {
	if in == (statusInput{}) {
		return github.NewStatus{}, nil
	}
	start, badStart := k.dayOrNone("status_update.start_date", in.StartDate)
	target, badTarget := k.dayOrNone("status_update.target_date", in.TargetDate)
	var empty, order error
	if in.Status == "" && in.Body == "" {
		empty = fault.Invalid("status_update", "needs a status or a body")
	}
	if badStart == nil && badTarget == nil && start != "" && target != "" && target < start {
		order = fault.Invalid("status_update.target_date", "must not be before start_date")
	}
	return github.NewStatus{Status: in.Status, Body: sent(in.Body), StartDate: start, TargetDate: target}, fault.All(badStart, badTarget, empty, order)
}

func (k *kit) postStatus(ctx context.Context, project string, status github.NewStatus) (*statusUpdate, error) {
	status.ProjectID = project
	made, has, err := k.github.CreateStatus(ctx, status)
	switch {
	case err != nil:
		return nil, unconfirmed(err, "posted this status update", "look for it with github_get_project before you retry")
	case !has:
		return nil, fault.Invalid("status_update", "%s", noStatus)
	}
	return viewStatus(made), nil
}
