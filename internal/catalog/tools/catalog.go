// Package tools is the catalogue: the toolsets of every provider, and the toolsets of the server's
// own: the session checklist, the personal tasks and the account. Only this package and app know
// all providers.
package tools

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/tool/mcptool"
)

// The names of the server's own toolsets.
const (
	Todolist = "todolist"  // the checklist of a session
	Tasks    = "tasks"     // the personal tasks of a user
	Hub      = hub.Toolset // what the systems have in common
	Account  = "account"   // the connections of a user
)

// Toolsets returns the names of the toolsets in the catalogue. It does not build the tools.
func Toolsets() []string {
	return []string{basecamptools.Basecamp, basecamptools.BasecampAdmin, githubtools.Name, Todolist, Tasks, Hub, Account}
}

// Sources are what the tools read and write.
type Sources struct {
	Basecamp *basecamp.Client
	GitHub   *github.Client // nil: without GitHub's toolset
	Lists    *checklist.Lists
	Tasks    *task.Tasks
	Links    *hub.Hub
	Now      func() time.Time // nil: time.Now
	// Connections returns the connections of the caller in ctx.
	Connections func(context.Context) (Connections, error)
}

// Restorers returns what undoes the writes of each source.
func (s Sources) Restorers() map[string]undo.Restorer {
	all := map[string]undo.Restorer{
		basecamp.ProviderID: {Restore: s.Basecamp.Restore, Title: s.Basecamp.ItemTitle},
		task.Provider:       {Restore: undo.Each(s.Tasks.Restore), Title: s.Tasks.ItemTitle},
		checklist.Provider:  {Restore: undo.Each(s.Lists.Restore)},
		hub.Provider:        {Restore: undo.Each(s.Links.Restore)},
	}
	if s.GitHub != nil {
		all[github.ProviderID] = undo.Restorer{Restore: s.GitHub.Restore, Title: s.GitHub.ItemTitle}
	}
	return all
}

// Catalog returns every toolset, in the order in which users see their names.
func Catalog(s Sources) []mcptool.Toolset {
	wing := basecamptools.New(s.Basecamp, s.Now, s.Links)
	all := wing.Toolsets()
	day := &dayReader{links: s.Links, tasks: s.Tasks, lists: s.Lists, basecamp: wing}
	promotes := &promoter{links: s.Links, tasks: s.Tasks, lists: s.Lists, basecamp: wing}
	sides := []hub.Side{taskSide{s.Tasks}, wing}
	if s.GitHub != nil {
		onGitHub := githubtools.New(s.GitHub, s.Now, s.Links)
		all = append(all, onGitHub.Toolset())
		sides = append(sides, onGitHub)
		promotes.github, day.github = onGitHub, onGitHub.DaySource
		wing.Beside(s.linking(onGitHub.Changes))
	}
	if s.Links != nil {
		s.Links.Join(sides...)
	}
	return append(all, checklists(s.Lists, s.Links), personalTasks(s.Tasks, wing.Date, s.Links), hubTools(s.Links, promotes, day), account(s.Connections))
}
