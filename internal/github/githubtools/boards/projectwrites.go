package boards

import (
	"context"
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type createProjectInput struct {
	Title string `json:"title" jsonschema:"Name" limits:"minlen=1 maxlen=256"`
	Owner string `json:"owner,omitzero" jsonschema:"User or organization; default you" limits:"maxlen=40"`
	Repo  string `json:"repo,omitzero" jsonschema:"owner/name to link" limits:"maxlen=1000"`
}

func (k *Kit) createProject(ctx context.Context, in createProjectInput) (Project, error) {
	login, err := parts.Owner(in.Owner)
	var repo github.Repo
	var inRepo error
	if in.Repo != "" {
		repo, inRepo = k.Repo("repo", in.Repo)
	}
	if err := fault.All(parts.NotBlank("title", in.Title), err, inRepo); err != nil {
		return Project{}, err
	}
	if err := k.GitHub.Require(ctx, WriteProjects); err != nil {
		return Project{}, err
	}
	draft := github.Fields{"title": in.Title}
	if in.Repo != "" {
		if repo, err = k.Found(ctx, repo); err != nil {
			return Project{}, err
		}
		linked, err := k.GitHub.Repository(ctx, repo)
		if err != nil {
			return Project{}, err
		}
		draft["repositoryId"] = linked.ID
	}
	of, err := k.GitHub.Owner(ctx, login)
	if fault.Is(err, fault.NotFound) {
		if login, err = k.OwnerLike(ctx, login, err); err == nil {
			of, err = k.GitHub.Owner(ctx, login)
		}
	}
	if err != nil {
		return Project{}, err
	}
	draft["ownerId"] = of.ID
	made, err := k.GitHub.CreateProject(ctx, draft)
	return ViewProject(made), parts.Unconfirmed(err, "created this project", "look for it with github_list_projects before you retry")
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

// ChangedProject is the answer for a project that was changed.
type ChangedProject struct {
	Project
	Changed  []string       `json:"changed"`
	Previous map[string]any `json:"previous,omitempty"` // of what changed
	Status   *statusUpdate  `json:"status_update,omitempty"`
}

func (k *Kit) updateProject(ctx context.Context, in updateProjectInput) (ChangedProject, error) {
	if !in.changes() && in.Status == (statusInput{}) {
		return ChangedProject{}, fault.Invalid("arguments", "nothing to change; give title, short_description, readme, public, closed or status_update")
	}
	var badTitle error
	if in.Title.Given {
		badTitle = parts.NotBlank("title", in.Title.To)
	}
	status, err := k.newStatus(in.Status)
	if err := fault.All(badTitle, err); err != nil {
		return ChangedProject{}, err
	}
	old, err := k.Project(ctx, in.Project, in.Owner, WriteProjects)
	if err != nil {
		return ChangedProject{}, err
	}
	change, changed, previous := projectChange(old, in)
	v := ChangedProject{Project: ViewProject(old.Project), Changed: changed, Previous: previous}
	if len(changed) > 0 {
		now, err := k.GitHub.UpdateProject(ctx, old.ID, change)
		if v.Project = ViewProject(now); err != nil {
			return v, err
		}
	}
	if in.Status != (statusInput{}) {
		if v.Status, err = k.postStatus(ctx, old.ID, status); err != nil && len(changed) > 0 {
			err = Noting(err, "the project is changed, but the status update is not posted: ")
		}
	}
	return v, err
}

// projectChange returns the fields in which a project differs from the caller's request, their
// arguments, and what they were.
func projectChange(old github.ProjectDetails, in updateProjectInput) (change github.Fields, changed []string, previous map[string]any) {
	was, text := ViewProject(old.Project), parts.Shown(old.Readme)
	listing.Excerpt(&text, parts.MaxWritten, new(bool))
	change, changed, previous = github.Fields{}, []string{}, map[string]any{}
	for _, f := range []struct {
		argument, field string
		given           bool
		old, to, was    any
	}{
		{"title", "title", in.Title.Given, old.Title, in.Title.To, was.Title},
		{"short_description", "shortDescription", in.ShortDescription.Given, old.ShortDescription, parts.Sent(in.ShortDescription.To), was.ShortDescription},
		{"readme", "readme", in.Readme.Given, old.Readme, parts.WithBreaksOf(old.Readme, parts.Sent(in.Readme.To)), text},
		{"public", "public", in.Public.Given, old.Public, in.Public.To, old.Public},
		{"closed", "closed", in.Closed.Given, old.Closed, in.Closed.To, old.Closed},
	} {
		if f.given && f.old != f.to {
			change[f.field], previous[f.argument], changed = f.to, f.was, append(changed, f.argument)
		}
	}
	return change, changed, previous
}

type deleteProjectInput struct {
	getProjectInput
	Confirm string `json:"confirm_title,omitzero" jsonschema:"Its exact title, after the user agreed" limits:"maxlen=1000"`
}

// DeletedProject is the answer for a project that was deleted.
type DeletedProject struct {
	Deleted    bool   `json:"deleted"`
	ID         string `json:"id"`
	Number     int    `json:"number"`
	Owner      string `json:"owner"`
	Title      string `json:"title"`
	ItemsCount int    `json:"items_count"`
}

func (k *Kit) deleteProject(ctx context.Context, in deleteProjectInput) (DeletedProject, error) {
	p, err := k.Project(ctx, in.Project, in.Owner, WriteProjects)
	if err != nil {
		return DeletedProject{}, err
	}
	lost := fmt.Sprintf("the project %s (%s) with %d items", plaintext.Quote(p.Title), parts.NameOf(p.Project), p.Items.TotalCount)
	if err := confirmed(ctx, in.Confirm, p.Title, lost); err != nil {
		return DeletedProject{}, err
	}
	if err := k.GitHub.DeleteProject(ctx, p.ID); err != nil {
		return DeletedProject{}, err
	}
	return DeletedProject{true, p.ID, p.Number, string(p.Owner), plaintext.Clean(p.Title), p.Items.TotalCount}, nil
}

// confirmed returns an error unless the user has confirmed the loss of what has the title. Users
// see the title without hidden characters.
func confirmed(ctx context.Context, given, title, lost string) error {
	return mcptool.Confirm(ctx, "confirm_title", given, lost, title, plaintext.Clean(title))
}

// NoStatus says that an Enterprise Server has no status updates.
const NoStatus = "this GitHub has no status updates of projects: the server is older than they are"

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
		ID: u.ID, Status: strings.ToLower(u.Status), Body: parts.Shown(u.Body), StartDate: u.StartDate, TargetDate: u.TargetDate,
		Author: string(u.Creator), CreatedAt: u.CreatedAt,
	}
	listing.Excerpt(&v.Body, parts.MaxWritten, &v.Truncated)
	return v
}

// newStatus reads a status update. It needs no request.
func (k *Kit) newStatus(in statusInput) (github.Fields, error) {
	if in == (statusInput{}) {
		return nil, nil
	}
	start, badStart := k.DayOrNone("status_update.start_date", in.StartDate)
	target, badTarget := k.DayOrNone("status_update.target_date", in.TargetDate)
	var empty, order error
	if in.Status == "" && in.Body == "" {
		empty = fault.Invalid("status_update", "needs a status or a body")
	}
	if badStart == nil && badTarget == nil && start != "" && target != "" && target < start {
		order = fault.Invalid("status_update.target_date", "must not be before start_date")
	}
	status := github.Fields{"status": strings.ToUpper(in.Status), "body": parts.Sent(in.Body), "startDate": start, "targetDate": target}
	return github.Given(status), fault.All(badStart, badTarget, empty, order)
}

func (k *Kit) postStatus(ctx context.Context, project string, status github.Fields) (*statusUpdate, error) {
	made, has, err := k.GitHub.CreateStatus(ctx, project, status)
	switch {
	case err != nil:
		return nil, parts.Unconfirmed(err, "posted this status update", "look for it with github_get_project before you retry")
	case !has:
		return nil, fault.Invalid("status_update", "%s", NoStatus)
	}
	return viewStatus(made), nil
}
