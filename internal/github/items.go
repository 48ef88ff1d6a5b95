package github

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// The types of an item that are not an issue or a pull request. A redacted item is one that the
// user may not see.
const (
	DraftItem    = "DRAFT_ISSUE"
	RedactedItem = "REDACTED"
)

// Item is an item of a project. A redacted item may have no ID.
type Item struct {
	ID        string // GitHub's node ID
	Type      string // ISSUE, PULL_REQUEST or one of the constants
	Archived  bool   `json:"isArchived"`
	CreatedAt time.Time
	UpdatedAt time.Time
	On        Placed `json:"project"` // empty in a page of Items
	Cursor    string `json:"-"`       // continues a list after this item; empty outside a list

	Withheld    bool         `json:"-"` // the title is withheld, because the author is an outsider
	Association string       `json:"-"` // of the author with the repository; empty for a draft
	ContentID   string       `json:"-"` // node ID of the issue, pull request or draft
	Number      int          `json:"-"` // 0 for a draft
	Repo        Repo         `json:"-"` // empty for a draft
	Title       string       `json:"-"`
	State       string       `json:"-"` // open, closed or merged; empty for a draft
	URL         string       `json:"-"`
	Assignees   []string     `json:"-"` // at most 10 logins
	Values      []FieldValue `json:"-"`

	read Page[FieldValue] // the values, as they were answered
}

// UnmarshalJSON implements json.Unmarshaler. An item without its content is redacted, whatever its
// type says, unless neither was asked for.
func (i *Item) UnmarshalJSON(data []byte) error {
	type plain Item
	*i = Item{}
	wire := struct {
		*plain
		Content          *Issue
		FieldValues      Page[FieldValue]
		FieldValueByName *FieldValue
	}{plain: (*plain)(i)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	i.On.Value, i.read = wire.FieldValueByName, wire.FieldValues
	if i.Type != "" && (wire.Content == nil || i.Type == RedactedItem) {
		i.Type = RedactedItem
		return nil
	}
	if of := wire.Content; of != nil {
		i.ContentID, i.Title, i.Number, i.URL, i.Association = of.ID, of.Title, of.Number, of.URL, of.Association
		i.State, i.Repo, i.Assignees = of.Stands(), of.Repo, of.Assignees
	}
	for _, v := range i.read.Items {
		if v.Field.ID != "" { // kinds that the document does not know have no field
			i.Values = append(i.Values, v)
		}
	}
	return nil
}

func (i Item) check() (hidden int, err error) {
	if i.Type == RedactedItem && i.ID == "" {
		return 0, nil
	}
	return together(there(i.ID), there(i.Type), i.read)
}

// at says where in a list the item is, and whether the list has it.
func (i *Item) at(cursor string, there bool) {
	if i.Cursor = cursor; !there {
		i.Type = RedactedItem
	}
}

// itemsWire is a page of items in an answer.
type itemsWire struct {
	ID    string
	Items Page[Item]
}

func (w itemsWire) check() (hidden int, err error) { return together(there(w.ID), w.Items) }

// Items lists one page of a project's items, archived ones too. after is the Next of the page
// before, or the Cursor of the last item that was used; empty for the first page. Items that the
// user may not see are redacted.
func (c *Client) Items(ctx context.Context, project string, first int, after string) (Page[Item], error) {
	variables := map[string]any{"id": project, "after": nullable(after)}
	wire, missing, err := askPage[itemsWire](ctx, c, "Items", fault.Resource{Type: "project", ID: project}, variables, first)
	wire.Items.Incomplete = missing
	return wire.Items, err
}

// Placed is the project of an item, with a field that was asked for. Field is nil if the project
// has none of that name, and Value if it is not set.
type Placed struct {
	ProjectID string `json:"id"`
	Owner     Login
	Number    int // of the project
	Field     *Field
	Value     *FieldValue `json:"-"`
}

// In reports whether the item is on a project. The reference needs its owner.
func (p Placed) In(project ProjectRef) bool {
	if project.ID != "" {
		return p.ProjectID == project.ID
	}
	return p.Number == project.Number && strings.EqualFold(string(p.Owner), project.Owner)
}

// content is an issue or a pull request that has the projects that it is in.
type content struct{ Issue }

func (w content) check() (hidden int, err error) {
	if w.Items == nil {
		return 0, errList
	}
	hidden, err = w.Issue.check()
	return hidden, cmp.Or(err, w.Items.flaw)
}

// Content returns the issue or pull request with a number, and at most 100 projects that it is in.
// If a field is named, it has that field of the projects and its values. Those that are lists are
// left out, because they would cost points for each project.
func (c *Client) Content(ctx context.Context, repo Repo, number int, field string) (Issue, *Incomplete, error) {
	variables := map[string]any{"owner": repo.Owner, "name": repo.Name, "number": number, "field": field, "asked": field != ""}
	wire, missing, err := ask[content](ctx, c, "Content", repo.about("issue", number), variables)
	return wire.Issue, missing, err
}

// Item returns an item by its ID. If a field is named, it has that field and its value, also one
// that is a list.
func (c *Client) Item(ctx context.Context, id, field string) (Item, *Incomplete, error) {
	return ask[Item](ctx, c, "Item", fault.Resource{Type: "project_item", ID: id}, map[string]any{"id": id, "name": field, "asked": field != ""})
}

// RemoveItem removes an item from a project. It deletes a draft permanently.
func (c *Client) RemoveItem(ctx context.Context, project, item string) error {
	_, err := mutate[happened](ctx, c, "DeleteItem", fault.Resource{Type: "project_item", ID: item}, Fields{"projectId": project, "itemId": item})
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
	Users        *Page[nameWire]
	Labels       *Page[nameWire]
	Reviewers    *Page[nameWire]
	PullRequests *Page[nameWire]
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
	for _, names := range []*Page[nameWire]{w.Users, w.Labels, w.Reviewers, w.PullRequests} {
		if names != nil {
			all := []string{}
			for _, n := range names.Items {
				all = append(all, n.name())
			}
			return all, !names.Whole()
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
