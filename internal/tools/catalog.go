// Package tools holds the tools, one file an area. A tool answers in the reader's terms, Markdown and names, and resolves
// what it is given, so that a model never has to ask for an id it was not shown.
package tools

import (
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/mcptool"
)

// Basecamp is the toolset that reads and writes Basecamp itself.
const Basecamp = "basecamp"

// Toolsets names the toolsets of the catalogue, without making them.
func Toolsets() []string { return []string{Basecamp} }

// Catalog is every toolset there is, in the order they are named to people.
func Catalog(client *basecamp.Client, now func() time.Time) []mcptool.Toolset {
	ws := newWorkspace(client, now)
	return []mcptool.Toolset{
		{Name: Basecamp, Tools: []mcptool.Tool{
			listProjects(ws), getProjectTools(ws), getMe(ws),
			listMessages(ws), getMessage(ws),
			listTodolists(ws), listTodos(ws), getTodo(ws),
			listDocuments(ws), getDocument(ws), listAttachments(ws),
			listCampfireLines(ws),
		}},
	}
}
