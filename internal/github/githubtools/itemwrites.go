package githubtools

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type addProjectItemInput struct {
	getProjectInput
	Item toolargs.Ref `json:"item" jsonschema:"Issue or pull request: owner/repo#12 or URL"`
}

// projectHead names a project in an answer.
type projectHead struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
	Owner  string `json:"owner"`
	Title  string `json:"title"`
}

type addedItem struct {
	Item    itemHead    `json:"item"`
	Project projectHead `json:"project"`
	Added   bool        `json:"added"`
}

func (k *kit) addProjectItem() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_add_project_item",
		Title:       "Add to a GitHub project",
		Description: "Adds an issue or a pull request to a GitHub project.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in addProjectItemInput) (addedItem, error) {
		named, err := k.parseIssue("item", in.Item)
		if err != nil {
			return addedItem{}, err
		}
		if named.number == 0 || named.repo == (github.Repo{}) {
			return addedItem{}, fault.Invalid("item", "must be owner/repo#12 or the URL of an issue or pull request")
		}
		p, err := k.project(ctx, in.Project, in.Owner, writeProjects)
		if err != nil {
			return addedItem{}, err
		}
		content, err := k.github.Content(ctx, named.repo, named.number)
		if err != nil {
			return addedItem{}, err
		}
		shownProject := viewProject(p.Project)
		v := addedItem{Project: projectHead{p.ID, p.Number, shownProject.Owner, shownProject.Title}}
		if head, err := placeOf(p, content); err == nil {
			v.Item = head
			return v, nil
		}
		added, err := k.github.AddItem(ctx, p.ID, content.ID)
		v.Item, v.Added = headOf(added), true
		return v, err
	})
}

type removeProjectItemInput struct {
	getProjectInput
	Item    toolargs.Ref `json:"item" jsonschema:"owner/repo#12, URL, id or exact title"`
	Confirm string       `json:"confirm_title,omitzero" jsonschema:"For drafts: the exact title, after the user agreed" limits:"maxlen=1000"`
}

type removedItem struct {
	Removed bool `json:"removed"`
	itemHead
}

func (k *kit) removeProjectItem() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_remove_project_item",
		Title:       "Remove from a GitHub project",
		Description: "Takes an issue or a pull request off a GitHub project; it stays in its repository. Deletes a draft permanently.",
		Effect:      mcptool.Deletes,
	}, func(ctx context.Context, in removeProjectItemInput) (removedItem, error) {
		if err := k.checkItem(in.Item); err != nil {
			return removedItem{}, err
		}
		p, err := k.project(ctx, in.Project, in.Owner, writeProjects)
		if err != nil {
			return removedItem{}, err
		}
		i, err := k.placed(ctx, p, in.Item)
		if err != nil {
			return removedItem{}, err
		}
		if i.draft {
			lost := fmt.Sprintf("the draft %s on the project %s (%s)", plaintext.Quote(i.head.Title), plaintext.Quote(viewProject(p.Project).Title), nameOf(p.Project))
			if err := confirmed(ctx, in.Confirm, i.head.Title, lost); err != nil {
				return removedItem{}, err
			}
		}
		err = k.github.RemoveItem(ctx, p.ID, i.id)
		return removedItem{err == nil, i.head}, err
	})
}
