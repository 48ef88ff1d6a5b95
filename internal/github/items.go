package github

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
)

// The types of an item. A redacted item is one that the user may not see.
const (
	IssueItem       = "ISSUE"
	PullRequestItem = "PULL_REQUEST"
	DraftItem       = "DRAFT_ISSUE"
	RedactedItem    = "REDACTED"
)

// Item is an item of a project. A redacted item may have no ID.
type Item struct {
	ID        string // GitHub's node ID
	Type      string // one of the constants
	Archived  bool
	CreatedAt time.Time
	UpdatedAt time.Time
	On        Placed // empty in a page of Items
	Cursor    string // continues a list after this item; empty outside a list

	Withheld  bool   // the title is withheld, because the author is an outsider
	ContentID string // node ID of the issue, pull request or draft
	Number    int    // 0 for a draft
	Repo      Repo   // empty for a draft
	Title     string
	State     string // OPEN, CLOSED or MERGED; empty for a draft
	URL       string
	Assignees []string // at most 10 logins
	Values    []FieldValue
}

// itemWire is an item in an answer.
type itemWire struct {
	ID         string
	Type       string
	IsArchived bool
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Project    placeWire
	Content    *struct {
		ID                string
		Title             string
		AuthorAssociation string
		Number            int
		State             string
		PRState           string
		URL               string
		Repository        struct{ NameWithOwner string }
		Assignees         connection[struct{ Login string }]
	}
	FieldValues      *connection[FieldValue]
	FieldValueByName *FieldValue
	Withheld         bool `json:"-"`
}

func (w itemWire) check() error {
	switch {
	case w.ID == "":
		return errAbsent
	case w.Type == "":
		return errNotAnItem
	}
	return w.FieldValues.check()
}

func (w itemWire) hidden() int { return w.FieldValues.hidden() }

// item returns the item of the wire. Content that is missing is redacted, whatever the type says.
func (w itemWire) item() Item {
	item := Item{ID: w.ID, Type: w.Type, Archived: w.IsArchived, CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt}
	item.Withheld = w.Withheld
	item.On = w.Project.placed(w.ID, w.FieldValueByName)
	content := w.Content
	if content == nil || w.Type == RedactedItem {
		item.Type = RedactedItem
		return item
	}
	item.ContentID, item.Title, item.Number, item.URL = content.ID, content.Title, content.Number, content.URL
	item.State = content.State + content.PRState // one of them is empty
	item.Repo = parseRepo(content.Repository.NameWithOwner)
	for _, a := range content.Assignees.Entries() {
		item.Assignees = append(item.Assignees, a.Login)
	}
	for _, v := range w.FieldValues.Entries() {
		if v.Field.ID != "" { // kinds that the document does not know have no field
			item.Values = append(item.Values, v)
		}
	}
	return item
}

// itemsWire is a page of items in an answer.
type itemsWire struct {
	ID    string
	Items *struct {
		connection[itemWire]
		Edges []struct {
			Cursor string
			Node   *itemWire
		}
	}
}

func (w itemsWire) check() error {
	switch {
	case w.ID == "":
		return errAbsent
	case w.Items == nil || w.Items.Edges == nil:
		return errList
	case w.Items.PageInfo.HasNextPage && w.Items.PageInfo.EndCursor == "":
		return errors.New("a page without its cursor")
	}
	for _, edge := range w.Items.Edges {
		if edge.Node != nil && edge.Node.check() != nil {
			return errNotAnItem
		}
	}
	return nil
}

func (w itemsWire) hidden() int {
	hidden := 0
	for _, edge := range w.Items.Edges {
		if edge.Node == nil {
			hidden++
		}
	}
	return hidden
}

// Items lists one page of a project's items, archived ones too. after is the Next of the page
// before, or the Cursor of the last item that was used; empty for the first page. Items that the
// user may not see are redacted.
func (c *Client) Items(ctx context.Context, project string, first int, after string) (Page[Item], error) {
	variables := map[string]any{"id": project, "after": nullable(after)}
	wire, missing, err := askPage[itemsWire](ctx, c, "Items", fault.Resource{Type: "project", ID: project}, variables, first)
	if err != nil {
		return Page[Item]{}, err
	}
	page := Page[Item]{Items: []Item{}, Next: wire.Items.next(), Total: wire.Items.TotalCount, Incomplete: missing}
	for _, edge := range wire.Items.Edges {
		item := Item{Type: RedactedItem}
		if edge.Node != nil {
			item = edge.Node.item()
		}
		item.Cursor = edge.Cursor
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// Content is an issue or a pull request, with the projects that it is in.
type Content struct {
	Type       string // Issue or PullRequest
	ID         string // GitHub's node ID
	Number     int
	Title      string
	URL        string
	Repo       Repo        // as GitHub names it now
	Items      []Placed    // at most 100
	Incomplete *Incomplete // nil if the user may see all projects of the content
}

// On returns where the content is on a project; without an item if it is not on it.
func (c Content) On(project ProjectRef) (at Placed) {
	for _, one := range c.Items {
		if one.In(project) {
			return one
		}
	}
	return at
}

// Placed is an item of a project with a field that was asked for. Field is nil if the project has
// none of that name, and Value if it is not set.
type Placed struct {
	Item, ProjectID, Owner string
	Number                 int // of the project
	Field                  *Field
	Value                  *FieldValue
}

// In reports whether the item is on a project. The reference needs its owner.
func (p Placed) In(project ProjectRef) bool {
	if project.ID != "" {
		return p.ProjectID == project.ID
	}
	return p.Number == project.Number && strings.EqualFold(p.Owner, project.Owner) && p.Item != ""
}

// placeWire is the project of an item in an answer.
type placeWire struct {
	ID     string
	Number int
	Owner  Login
	Field  *Field
}

func (w placeWire) placed(item string, value *FieldValue) Placed {
	return Placed{item, w.ID, string(w.Owner), w.Number, w.Field, value}
}

type contentWire struct {
	Type              string `json:"__typename"`
	ID                string
	Number            int
	Title             string
	AuthorAssociation string
	URL               string
	Repository        struct{ NameWithOwner string }
	ProjectItems      *connection[struct {
		ID               string
		Project          placeWire
		FieldValueByName *FieldValue
	}]
}

func (w contentWire) check() error {
	if w.ID == "" || w.Number <= 0 {
		return errNotAnItem
	}
	return w.ProjectItems.check()
}

func (w contentWire) hidden() int { return w.ProjectItems.hidden() }

// Content returns the issue or pull request with a number. If a field is named, it has that field
// of the projects and its values. Those that are lists are left out, because they would cost points
// for each project.
func (c *Client) Content(ctx context.Context, repo Repo, number int, field string) (Content, error) {
	variables := map[string]any{"owner": repo.Owner, "name": repo.Name, "number": number, "field": field, "asked": field != ""}
	wire, missing, err := ask[contentWire](ctx, c, "Content", repo.about("issue", number), variables)
	if err != nil {
		return Content{}, err
	}
	content := Content{
		Type: wire.Type, ID: wire.ID, Number: wire.Number, Title: wire.Title, URL: wire.URL,
		Repo: parseRepo(wire.Repository.NameWithOwner), Incomplete: missing,
	}
	for _, item := range wire.ProjectItems.Entries() {
		content.Items = append(content.Items, item.Project.placed(item.ID, item.FieldValueByName))
	}
	return content, nil
}

// Item returns an item by its ID. If a field is named, it has that field and its value, also one
// that is a list.
func (c *Client) Item(ctx context.Context, id, field string) (Item, *Incomplete, error) {
	variables := map[string]any{"id": id, "name": field, "asked": field != ""}
	wire, missing, err := ask[itemWire](ctx, c, "Item", fault.Resource{Type: "project_item", ID: id}, variables)
	if err != nil {
		return Item{}, nil, err
	}
	return wire.item(), missing, nil
}

// RemoveItem removes an item from a project. It deletes a draft permanently.
func (c *Client) RemoveItem(ctx context.Context, project, item string) error {
	_, err := mutate[happened](ctx, c, "DeleteItem", fault.Resource{Type: "project_item", ID: item}, map[string]string{"projectId": project, "itemId": item})
	return explained(err, "the item is no longer on the project: the first attempt got no answer, but most likely removed it")
}

// FieldValue is the value of a field of an item.
type FieldValue struct {
	Field struct {
		ID       string
		Name     string
		DataType string // such as TEXT or SINGLE_SELECT
	}
	// Value is a string, a float64, a []string or nil. Dates, options, iterations, milestones and
	// repositories are strings; users, labels, pull requests and reviewers are lists.
	Value     any        `json:"-"`
	OptionID  string     // of a single-select field
	Iteration *Iteration `json:"-"` // of an iteration field
	Truncated bool       `json:"-"` // the list has more entries
	UpdatedAt time.Time  // of options and iterations; zero for others
}

// valueWire is a value of any kind in an answer.
type valueWire struct {
	Text         *string
	Number       *float64
	Date         *string
	Name         *string
	Title        *string
	IterationID  string
	StartDate    string
	Duration     int
	Milestone    *struct{ Title string }
	Repository   *struct{ NameWithOwner string }
	Users        *connection[nameWire]
	Labels       *connection[nameWire]
	Reviewers    *connection[nameWire]
	PullRequests *connection[nameWire]
}

// nameWire is a user, a label, a team or a pull request.
type nameWire struct {
	Login        string
	Name         string
	CombinedSlug string
	Number       int
	Repository   struct{ NameWithOwner string }
}

func (n nameWire) name() string {
	if n.Number > 0 {
		return n.Repository.NameWithOwner + "#" + strconv.Itoa(n.Number)
	}
	return n.Login + n.Name + n.CombinedSlug // only one of them was asked for
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *FieldValue) UnmarshalJSON(data []byte) error {
	type fields FieldValue
	if err := json.Unmarshal(data, (*fields)(v)); err != nil {
		return err
	}
	var wire valueWire
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	v.Value, v.Truncated = wire.value()
	if wire.IterationID != "" && wire.Title != nil {
		v.Iteration = &Iteration{ID: wire.IterationID, Title: *wire.Title, StartDate: wire.StartDate, Duration: wire.Duration}
	}
	return nil
}

// value returns the value, and whether it is a list that has more entries.
func (w valueWire) value() (value any, truncated bool) {
	for _, text := range []*string{w.Text, w.Date, w.Name, w.Title} {
		if text != nil {
			return *text, false
		}
	}
	for _, names := range []*connection[nameWire]{w.Users, w.Labels, w.Reviewers, w.PullRequests} {
		if names != nil {
			return namesOf(names), names.TotalCount > len(names.Nodes)
		}
	}
	switch {
	case w.Number != nil:
		return *w.Number, false
	case w.Milestone != nil:
		return w.Milestone.Title, false
	case w.Repository != nil:
		return w.Repository.NameWithOwner, false
	}
	return nil, false
}

func namesOf(from *connection[nameWire]) []string {
	names := []string{}
	for _, n := range from.Entries() {
		names = append(names, n.name())
	}
	return names
}
