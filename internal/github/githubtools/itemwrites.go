package githubtools

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type addProjectItemInput struct {
	getProjectInput
	Item   toolargs.Ref  `json:"item,omitzero" jsonschema:"This or items: issue or pull request, owner/repo#12 or URL"`
	Items  toolargs.Refs `json:"items,omitzero" jsonschema:"Several" limits:"maxitems=25"`
	Fields []FieldInput  `json:"fields,omitzero" jsonschema:"To set"`
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

// addedItems is the answer for one item, or for several or with fields.
type addedItems struct {
	*addedItem
	*listing.Applied[addedEntry]
}

func (k *kit) addProjectItem() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_add_project_item",
		Title:       "Add to a GitHub project",
		Description: "Adds issues or pull requests to a GitHub project.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in addProjectItemInput) (addedItems, error) {
		refs, argument := in.Items, "items"
		switch {
		case len(in.Items) > 0 == !in.Item.IsZero():
			return addedItems{}, oneOf("item", "items", len(in.Items) > 0)
		case len(in.Items) == 0:
			refs, argument = toolargs.Refs{in.Item}, "item"
		}
		if err := k.checkContents(argument, refs); err != nil {
			return addedItems{}, err
		}
		p, err := k.project(ctx, in.Project, in.Owner, writeProjects)
		if err != nil {
			return addedItems{}, err
		}
		if len(in.Items) > 0 || len(in.Fields) > 0 {
			all, err := k.addItems(ctx, p, refs, givenFields(in.Fields))
			return addedItems{nil, all}, err
		}
		v, err := k.addOneItem(ctx, p, in.Item)
		return addedItems{&v, nil}, err
	})
}

// checkContents returns an error if references are not those of issues or pull requests with their
// repositories.
func (k *kit) checkContents(argument string, refs toolargs.Refs) error {
	problems := make([]error, len(refs))
	for i, ref := range refs {
		path := argument
		if argument == "items" {
			path = entry(argument, i)
		}
		named, err := k.parseIssue(path, ref)
		if err == nil && (named.number == 0 || named.repo == (github.Repo{})) {
			err = fault.Invalid(path, "must be owner/repo#12 or the URL of an issue or pull request")
		}
		problems[i] = err
	}
	return fault.All(problems...)
}

func (k *kit) addOneItem(ctx context.Context, p github.ProjectDetails, ref toolargs.Ref) (addedItem, error) {
	named, err := k.issueRef("item", ref, "")
	if err == nil {
		named, err = k.complete(ctx, "item", named)
	}
	if err != nil {
		return addedItem{}, err
	}
	content, err := k.github.Content(ctx, named.repo, named.number)
	if err != nil {
		return addedItem{}, err
	}
	v := addedItem{Project: projectHead{p.ID, p.Number, string(p.Owner), plaintext.Clean(p.Title)}}
	if head, err := placeOf(p, content); err == nil {
		v.Item = head
		return v, nil
	}
	added := k.github.AddItems(ctx, []github.Placement{{ProjectID: p.ID, ContentID: content.ID}})[0]
	v.Item, v.Added = itemHead{added.Value.ID, plaintext.Clean(content.Title), itemRef(content.Repo, content.Number)}, true
	return v, added.Err
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
		head, isDraft, err := k.placed(ctx, p, in.Item)
		if err != nil {
			return removedItem{}, err
		}
		if isDraft {
			lost := fmt.Sprintf("the draft %s on the project %s (%s)", plaintext.Quote(head.Title), plaintext.Quote(viewProject(p.Project).Title), nameOf(p.Project))
			if err := confirmed(ctx, in.Confirm, head.Title, lost); err != nil {
				return removedItem{}, err
			}
		}
		err = k.github.RemoveItem(ctx, p.ID, head.ID)
		return removedItem{err == nil, head}, err
	})
}
