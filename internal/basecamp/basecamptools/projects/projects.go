// Package projects holds the tools of projects and people.
package projects

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}

type listProjectsInput struct {
	Status string `json:"status,omitzero" jsonschema:"all: active and archived" limits:"enum=active|archived|trashed|all default=active"`
	Query  string `json:"query,omitzero" jsonschema:"Part of the name" limits:"word maxlen=200"`
	listing.PageInput
	parts.AccountInput
}

// ProjectItem is a project as lists show it.
type ProjectItem struct {
	ID          int64     `json:"id"`
	Type        string    `json:"type"`
	Name        string    `json:"name"`
	Description string    `json:"description" compact:"keep"`
	Truncated   bool      `json:"truncated,omitempty"`
	Status      string    `json:"status" compact:"keep"`
	Tools       []string  `json:"tools" compact:"keep"`
	URL         string    `json:"url"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at" compact:"keep"`
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (p *ProjectItem) Trim(characters int) { listing.Excerpt(&p.Description, characters, &p.Truncated) }

// ListProjects returns the tool list_projects.
func ListProjects(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_projects",
		Title:       "List projects",
		Description: "Lists the caller's Basecamp projects: id, name, description, status, tools. Other tools accept a project's name.",
	}, func(ctx context.Context, in listProjectsInput) (listing.Page[ProjectItem], error) {
		l := &listing.List[basecamp.Project]{Of: listing.Digest("projects", in.Status, in.Query), ID: lookup.ProjectID}
		statuses := []string{in.Status}
		if in.Status == "all" {
			statuses = []string{lookup.Active, lookup.Archived}
		}
		for _, status := range statuses {
			l.Sources = append(l.Sources, rs.ProjectsOf(status))
		}
		if in.Query != "" {
			l.Keep = func(p basecamp.Project) bool { return strings.Contains(naming.Fold(p.Name), naming.Fold(in.Query)) }
		}
		found, err := l.Collect(ctx, in.PageInput)
		if err != nil {
			return listing.Page[ProjectItem]{}, err
		}
		for _, project := range found.Items {
			rs.LearnProject(ctx, project)
		}
		return listing.Answer(l, found, viewProject), nil
	})
}

func viewProject(p basecamp.Project) ProjectItem {
	return ProjectItem{
		ID:          p.ID,
		Type:        "project",
		Name:        plaintext.Clean(p.Name),
		Description: plaintext.Clean(p.Description),
		Status:      p.Status,
		Tools:       enabledTools(p.Dock),
		URL:         p.AppURL,
		CreatedAt:   p.CreatedAt.UTC(),
		UpdatedAt:   p.UpdatedAt.UTC(),
	}
}

// enabledTools returns the kinds of the enabled tools, each once, in the order of the dock.
func enabledTools(dock []basecamp.DockItem) []string {
	names := []string{}
	for _, item := range dock {
		if item.Enabled && !slices.Contains(names, item.Name) {
			names = append(names, item.Name)
		}
	}
	return names
}

type projectInput struct {
	Project toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
}

type dockTool struct {
	ID      int64  `json:"id"`
	Title   string `json:"title"`
	Enabled bool   `json:"enabled"`
	URL     string `json:"url"`
}

// ProjectTools is a project with its tools.
type ProjectTools struct {
	Project        int64          `json:"project_id"`
	Name           string         `json:"project_name"`
	Description    string         `json:"description"`
	Status         string         `json:"status"`
	Purpose        string         `json:"purpose,omitempty"`
	URL            string         `json:"url"`
	CreatedAt      time.Time      `json:"created_at"`
	UpdatedAt      time.Time      `json:"updated_at"`
	PeopleCount    *int           `json:"people_count"`
	MessageBoardID *int64         `json:"message_board_id"`
	TodosetID      *int64         `json:"todoset_id"`
	VaultID        *int64         `json:"vault_id"`
	ChatID         *int64         `json:"chat_id"`
	Tools          map[string]any `json:"tools"`
	listing.Gaps
}

// GetProjectTools returns the tool get_project_tools.
func GetProjectTools(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_project_tools",
		Title:       "Show a project",
		Description: "Shows one Basecamp project: details, people_count, and its tools by dock name with id, title, enabled and url.",
	}, func(ctx context.Context, in projectInput) (ProjectTools, error) {
		id, err := rs.ProjectID(ctx, "project_id", in.Project)
		if err != nil {
			return ProjectTools{}, err
		}
		return rs.ShowProject(ctx, id)
	})
}

// ShowProject reads a project with its tools.
func (rs *Resolver) ShowProject(ctx context.Context, id int64) (ProjectTools, error) {
	var people *int
	project, left, err := listing.Beside(ctx,
		func(ctx context.Context) (basecamp.Project, error) { return basecamp.ProjectAt.Get(ctx, rs.BC, id) },
		listing.Into("people_count", &people, func(ctx context.Context) (*int, error) { return rs.countPeople(ctx, id) }),
	)
	if err != nil {
		return ProjectTools{}, err
	}
	return ProjectTools{
		Project:        project.ID,
		Name:           plaintext.Clean(project.Name),
		Description:    plaintext.Clean(project.Description),
		Status:         project.Status,
		Purpose:        project.Purpose,
		URL:            project.AppURL,
		CreatedAt:      project.CreatedAt.UTC(),
		UpdatedAt:      project.UpdatedAt.UTC(),
		PeopleCount:    people,
		MessageBoardID: firstEnabled(project.Dock, lookup.MessageBoard),
		TodosetID:      firstEnabled(project.Dock, lookup.Todoset),
		VaultID:        firstEnabled(project.Dock, lookup.Vault),
		ChatID:         firstEnabled(project.Dock, lookup.Chat),
		Tools:          dockByName(project.Dock),
		Gaps:           left,
	}, nil
}

// countPeople reads one page and returns Basecamp's total. If the page has no total, it counts
// all.
func (rs *Resolver) countPeople(ctx context.Context, project int64) (*int, error) {
	first, err := basecamp.PeopleIn.Page(ctx, rs.BC, 1, project)
	if err == nil && first.Total < 0 {
		all, wrong := listing.Everything(ctx, rs.PeopleOf(project))
		first.Total, err = len(all), wrong
	}
	if err != nil {
		return nil, err
	}
	return &first.Total, nil
}

// dockByName returns the project's tools by dock name: a single tool as an object, several as a
// list.
func dockByName(dock []basecamp.DockItem) map[string]any {
	several := map[string][]dockTool{}
	for _, item := range dock {
		several[item.Name] = append(several[item.Name], dockTool{
			ID: item.ID, Title: plaintext.Clean(item.Title), Enabled: item.Enabled, URL: item.AppURL,
		})
	}
	tools := map[string]any{}
	for name, items := range several {
		tools[name] = items
		if len(items) == 1 {
			tools[name] = items[0]
		}
	}
	return tools
}

// firstEnabled returns the id of the tool that the list tools use, nil if the project has no
// enabled tool of that kind.
func firstEnabled(dock []basecamp.DockItem, t lookup.Tool) *int64 {
	for _, item := range dock {
		if item.Name == t.Kind && item.Enabled {
			return &item.ID
		}
	}
	return nil
}
