// Package views has the pages that clients can show in the chat beside an answer (MCP Apps, the
// extension io.modelcontextprotocol/ui of 2026-01-26). A page loads nothing from anywhere. It
// speaks only with the client that frames it, which calls the tools. The text of an answer is
// complete without its page.
package views

import (
	"embed"
	"html"
	"strings"
	"sync"

	"basecamp-mcp/internal/text/lazyregexp"
)

// Page is a page of a view.
type Page struct {
	URI, Name, Title, Description string
	Tools                         []string // whose answers it shows
	Calls                         []string // the tools that it calls
	HTML                          func() string
}

//go:embed pages
var files embed.FS

// Pages returns all pages.
func Pages() []Page {
	pages := []Page{
		{
			Name: "day", Title: "My day", Description: "The day of my_day, where work is completed with a tick",
			Tools: []string{"my_day"}, Calls: []string{"update_work", "complete_task", "undo"},
		},
		{
			Name: "checklist", Title: "Checklist", Description: "The session's checklist, with a tick for each item",
			Tools: []string{"todolist__get", "todolist__set"}, Calls: []string{"todolist__get", "todolist__set"},
		},
		{
			Name: "board", Title: "Board", Description: "A board of Basecamp or GitHub, whose cards are moved by dragging or with the keyboard",
			Tools: []string{"get_board", "github_list_project_items"},
			Calls: []string{"get_board", "update_work", "github_list_project_items", "github_get_project", "github_set_field_value", "undo"},
		},
	}
	for i, p := range pages {
		pages[i].URI = "ui://basecamp-mcp/" + p.Name
		pages[i].HTML = sync.OnceValue(func() string { return document(p.Name, p.Title) })
	}
	return pages
}

// document puts a page together: the styles and the script that all share, and its own script.
func document(name, title string) string {
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + html.EscapeString(title) + `</title>
<style>` + read("view.css") + read(name+".css") + `</style></head><body>
<main></main>
<footer><p role="status"></p><button id="undo" hidden>Undo</button></footer>
<script>` + read("view.js") + read(name+".js") + `</script></body></html>
`
}

// code matches strings of a script, and what may lose the spaces around it. No template of the
// pages has another template in it.
var code = lazyregexp.New("'(?:[^'\\\\\n]|\\\\.)*'|`[^`]*`|[ \t]*[=?:&|,;{}()<>][ \t]*")

// read returns a file of the pages without its comments, margins and spaces.
func read(name string) string {
	text, err := files.ReadFile("pages/" + name)
	if err != nil {
		panic(err) // the files are part of the program
	}
	var small strings.Builder
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			small.WriteString(line + "\n")
		}
	}
	text = []byte(code.ReplaceAllStringFunc(small.String(), func(part string) string {
		if strings.ContainsAny(part[:1], "'`") {
			return part
		}
		return strings.TrimSpace(part)
	}))
	return strings.ReplaceAll(string(text), "</script", `<\/script`)
}
