// Package boards holds the tools that work on GitHub's projects: the projects themselves, their
// items, and the fields of these.
package boards

import (
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/tool/mcptool"
)

// Kit is what the tools of boards share.
type Kit struct{ *parts.Kit }

// Tools returns the tools of boards.
func (k *Kit) Tools() []mcptool.Tool {
	return []mcptool.Tool{
		mcptool.Define(mcptool.Spec{Name: "github_list_projects", Title: "List GitHub projects", Description: "Lists the GitHub projects (boards) of one owner, the latest changed first; without owner, only your own."}, k.listProjects),
		mcptool.Define(mcptool.Spec{Name: "github_get_project", Title: "Read a GitHub project", Description: "Opens a GitHub project with its readme, latest status update, and all its fields, options and iterations."}, k.getProject),
		mcptool.Define(mcptool.Spec{Name: "github_create_project", Title: "Create a GitHub project", Effect: mcptool.Creates, Description: "Creates a GitHub project (a board), not a Basecamp project."}, k.createProject),
		mcptool.Define(mcptool.Spec{Name: "github_update_project", Title: "Change a GitHub project", Effect: mcptool.Updates, Description: "Renames, describes, publishes, closes or reopens a GitHub project, or posts a status update."}, k.updateProject),
		mcptool.Define(mcptool.Spec{Name: "github_delete_project", Title: "Delete a GitHub project", Effect: mcptool.Deletes, Description: "Deletes a GitHub project permanently, with its drafts and field values; issues stay. Consider closing it with github_update_project."}, k.deleteProject),
		mcptool.Define(mcptool.Spec{Name: "github_list_project_items", Title: "List items of a GitHub project", Description: "Lists issues, pull requests and drafts on a GitHub project with their field values. redacted: you may not see it."}, k.listProjectItems),
		mcptool.Define(mcptool.Spec{Name: "github_add_project_item", Title: "Add to a GitHub project", Effect: mcptool.Updates, Description: "Adds issues or pull requests to a GitHub project."}, k.addProjectItem),
		mcptool.Define(mcptool.Spec{Name: "github_remove_project_item", Title: "Remove from a GitHub project", Effect: mcptool.Deletes, Description: "Takes an issue or a pull request off a GitHub project; it stays in its repository. Deletes a draft permanently."}, k.removeProjectItem),
		mcptool.Define(mcptool.Spec{Name: "github_get_field_value", Title: "Read a field of a GitHub project item", Description: "Reads one field of an item of a GitHub project, also lists such as reviewers. value is null if unset."}, k.getFieldValue),
		mcptool.Define(mcptool.Spec{Name: "github_set_field_value", Title: "Set a field of a GitHub project item", Effect: mcptool.Updates, Description: "Sets fields of items on a GitHub project, for example Status to move them."}, k.setFieldValue),
	}
}
