package boards

import (
	"cmp"
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

// Item is an item in an answer.
type Item struct {
	ID        string         `json:"id,omitempty"`
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Ref       string         `json:"ref,omitempty"`
	State     string         `json:"state,omitempty"`
	URL       string         `json:"url,omitempty"`
	Assignees []string       `json:"assignees"`
	Archived  bool           `json:"archived"`
	Fields    []FieldValue   `json:"fields"`
	Values    map[string]any `json:"values,omitempty"` // in a compact row: what the fields have
	UpdatedAt *time.Time     `json:"updated_at"`
	Withheld  bool           `json:"withheld,omitempty"`
}

// FieldValue is the value of a field in an answer.
type FieldValue struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Value     any    `json:"value" limits:"types=string|number|list|null"`
	Truncated bool   `json:"truncated,omitempty"`
}

// IsWithheld reports whether its title is withheld.
func (i Item) IsWithheld() bool { return i.Withheld }

// maxValue limits a text field in a list, in characters.
const maxValue = 500

func viewItem(i github.Item) Item {
	v := Item{
		ID: i.ID, Type: strings.ToLower(i.Type), Title: plaintext.Clean(i.Title), Ref: parts.ItemRef(i.Repo, i.Number),
		State: strings.ToLower(i.State), URL: i.URL, Assignees: i.Assignees, Archived: i.Archived, Fields: []FieldValue{}, Withheld: i.Withheld,
	}
	if !i.UpdatedAt.IsZero() {
		v.UpdatedAt = &i.UpdatedAt
	}
	for _, f := range i.Values {
		if f.Field.DataType == "TITLE" {
			continue
		}
		value, cut := ViewValue(f.Value), false
		if text, ok := value.(string); ok {
			value, cut = plaintext.Excerpt(text, maxValue)
		}
		v.Fields = append(v.Fields, FieldValue{plaintext.Clean(f.Field.Name), strings.ToLower(f.Field.DataType), value, cut})
	}
	return v
}

// ViewValue returns a value without text that only a model would see. A value is plain, as a title
// is: it mentions no one.
func ViewValue(value any) any {
	switch v := value.(type) {
	case string:
		return parts.Uncovered(parts.Cleaned(v))
	case []string:
		return parts.Mapped(v, plaintext.Clean)
	}
	return value
}

type listProjectItemsInput struct {
	getProjectInput
	Status   string   `json:"status,omitzero" jsonschema:"Status option, none or any" limits:"maxlen=100"`
	Fields   []string `json:"fields,omitzero" jsonschema:"Such as Sprint: @current, Estimate: >3" limits:"maxitems=10"`
	Assignee string   `json:"assignee,omitzero" jsonschema:"Login, me, none or any" limits:"maxlen=40"`
	Type     string   `json:"type,omitzero" jsonschema:"Kind" limits:"enum=issue|pull_request|draft_issue"`
	Archived bool     `json:"archived,omitzero" jsonschema:"Include archived" limits:"default=false"`
	Detail   string   `json:"detail,omitzero" jsonschema:"How much" limits:"enum=full|compact default=full"`
	parts.PageInput
}

// Compact reports whether the caller asks for compact rows.
func (in listProjectItemsInput) Compact() bool { return in.Detail == "compact" }

// compact returns an item as a short row.
func (i Item) compact() Item {
	row := Item{Type: i.Type, Title: i.Title, Ref: i.Ref, Assignees: i.Assignees, Archived: i.Archived, Withheld: i.Withheld, Values: map[string]any{}}
	if i.Ref == "" {
		row.ID = i.ID
	}
	if i.State != "open" {
		row.State = i.State
	}
	for _, f := range i.Fields {
		row.Values[f.Name] = f.Value
	}
	return row
}

func (k *Kit) listProjectItems(ctx context.Context, in listProjectItemsInput) (parts.Page[Item], error) {
	assignee, err := parts.Login("assignee", in.Assignee)
	if err != nil {
		return parts.Page[Item]{}, err
	}
	p, err := k.Project(ctx, in.Project, in.Owner, ReadProjects)
	if err != nil {
		return parts.Page[Item]{}, err
	}
	if assignee, err = k.Person(ctx, assignee); err != nil {
		return parts.Page[Item]{}, err
	}
	filters, err := k.fieldFilters(p, in.Fields)
	if in.Status != "" {
		status, badStatus := k.fieldFilter(p, "status", "Status", in.Status)
		filters, err = append(filters, status), fault.All(badStatus, err)
	}
	if err != nil {
		return parts.Page[Item]{}, err
	}
	size := cmp.Or(in.Limit, listing.DefaultLimit)
	filtered := len(filters) > 0 || assignee != "" || in.Type != ""
	if filtered {
		size = parts.PageSize
	}
	assigned := assignedTo(assignee)
	var seen []string
	found, err := parts.List[github.Item, Item]{
		Of: listing.Digest("items", p.ID, in.Status, in.Fields, assignee, in.Type, in.Archived),
		Read: func(next string) (github.Page[github.Item], error) {
			return k.GitHub.Items(ctx, p.ID, size, next)
		},
		View: func(i github.Item) (Item, bool) {
			seen = append(seen, i.Assignees...)
			v, no := viewItem(i), func(has itemFilter) bool { return !has(i) }
			if in.Compact() {
				v = v.compact()
			}
			return v, (in.Archived || !i.Archived) && (in.Type == "" || strings.EqualFold(i.Type, in.Type)) && assigned(i) && !slices.ContainsFunc(filters, no)
		},
		After: func(i github.Item) string { return i.Cursor },
		Total: in.Archived && !filtered,
	}.Collect(in.PageInput)
	if err == nil && len(found.Items) == 0 && !parts.IsAnyOrNone(assignee) {
		err = k.UserExists(ctx, "assignee", assignee, seen)
	}
	return found, err
}

// assignedTo returns a filter of items by a login, or by none or any.
func assignedTo(login string) func(github.Item) bool {
	return func(i github.Item) bool {
		switch {
		case login == "":
			return true
		case i.Type == github.RedactedItem:
			return false
		case parts.IsNone(login):
			return len(i.Assignees) == 0
		case parts.IsAny(login):
			return len(i.Assignees) > 0
		}
		return parts.HasName(i.Assignees, login)
	}
}

// itemHead names an item in an answer.
type itemHead struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Ref   string `json:"ref,omitempty"`
}

// name returns an item as arguments take it.
func (h itemHead) name() string { return cmp.Or(h.Ref, h.ID) }

func headOf(i github.Item) itemHead {
	return itemHead{i.ID, plaintext.Clean(i.Title), parts.ItemRef(i.Repo, i.Number)}
}

// placedItem is an item of a project on a fresh read. It has the value of a field that was asked
// for.
type placedItem struct {
	itemHead
	draft   bool
	value   *github.FieldValue
	missing *github.Incomplete
}

// placed finds an item of a project, with the value of a field unless that is the zero value. It
// needs one request for an item's ID, and for an issue if the field is of the item, not of the
// issue.
func (k *Kit) placed(ctx context.Context, p github.ProjectDetails, ref toolargs.Ref, f github.Field) (v placedItem, err error) {
	id := ref.Name
	if !parts.ItemID.MatchString(id) {
		named, err := k.namedItem(ref)
		if err != nil {
			return v, err
		}
		done := f.Name == ""
		if named.Title != "" {
			one, err := k.titledItem(ctx, p, named.Title)
			if v.itemHead, v.draft = headOf(one), one.Type == github.DraftItem; err != nil {
				return v, err
			}
		} else {
			if named.Repo, err = k.Found(ctx, named.Repo); err != nil {
				return v, err
			}
			field := f.Name
			if done = done || slices.Contains(ofItems, f.DataType); !done {
				field = "" // a list would cost points for each project
			}
			content, missing, err := k.GitHub.Content(ctx, named.Repo, named.Number, field)
			if err != nil {
				return v, err
			}
			on, _ := content.On(github.ProjectRef{ID: p.ID})
			v.value, v.missing, v.itemHead = on.On.Value, missing, itemHead{on.ID, plaintext.Clean(content.Title), parts.RefOf(content)}
			if on.ID == "" {
				return v, notThere(p, v.Ref)
			}
		}
		if id = v.ID; done {
			return v, nil
		}
	}
	found, missing, err := k.GitHub.Item(ctx, id, f.Name)
	if err == nil {
		err = within(p, found)
	}
	return placedItem{headOf(found), found.Type == github.DraftItem, found.On.Value, missing}, err
}

func (k *Kit) titledItem(ctx context.Context, p github.ProjectDetails, title string) (github.Item, error) {
	items, more, err := k.firstItems(ctx, p)
	if err != nil {
		return github.Item{}, err
	}
	return pickItem(ctx, p, "item", title, items, more)
}

// namedItem reads a reference to an item that is not its ID: an issue or a pull request with its
// repository, or a title.
func (k *Kit) namedItem(ref toolargs.Ref) (parts.IssueRef, error) {
	named, err := k.ParseIssue("item", ref)
	if err == nil && named.Title == "" && named.Repo == (github.Repo{}) {
		err = fault.Invalid("item", "a number needs its repository: give owner/repo#12, the URL of the issue or pull request, the item's id or its exact title")
	}
	return named, err
}

// checkItem returns an error if a reference to an item is malformed, before GitHub is asked.
func (k *Kit) checkItem(ref toolargs.Ref) error {
	if parts.ItemID.MatchString(ref.Name) {
		return nil
	}
	_, err := k.namedItem(ref)
	return err
}

// within returns an error if an item belongs to another project.
func within(p github.ProjectDetails, i github.Item) error {
	if i.On.ProjectID != p.ID {
		return notThere(p, i.ID)
	}
	return nil
}

func notThere(p github.ProjectDetails, name string) error {
	e := fault.New(fault.NotFound, "item: %s is not on the project %s; list its items with github_list_project_items", plaintext.Word(name), parts.NameOf(p.Project))
	e.Resource = &fault.Resource{Type: "project_item", ID: parts.Short(name)}
	return e
}

// firstItems returns the first 500 items of a project that the user may see, and whether there are
// more.
func (k *Kit) firstItems(ctx context.Context, p github.ProjectDetails) (items []github.Item, more bool, err error) {
	list, err := github.Pages(parts.MaxPages, func(next string) (github.Page[github.Item], error) {
		return k.GitHub.Items(ctx, p.ID, parts.PageSize, next)
	})
	return slices.DeleteFunc(list.Items, func(i github.Item) bool { return i.Type == github.RedactedItem }), list.Next != "", err
}

// pickItem finds an item by its exact title among those that were read.
func pickItem(ctx context.Context, p github.ProjectDetails, argument, title string, items []github.Item, more bool) (github.Item, error) {
	c := parts.Choice[github.Item]{
		Argument: argument, Noun: "items", Items: items, Look: parts.Looking(ctx),
		Name:  func(i github.Item) string { return i.Title },
		Ref:   func(i github.Item) string { return cmp.Or(parts.ItemRef(i.Repo, i.Number), i.ID) },
		Where: func(i github.Item) string { return strings.ToLower(i.Type) },
	}
	found, known, err := c.Find(title)
	if err == nil && !known {
		among := "is not on"
		if more {
			among = fmt.Sprintf("is not the title of one of the first %d items on", parts.MaxPages*parts.PageSize)
		}
		return found, c.Missing("project_item", title, "%s %s the project %s; list its items with github_list_project_items", plaintext.Quote(title), among, parts.NameOf(p.Project))
	}
	return found, err
}
