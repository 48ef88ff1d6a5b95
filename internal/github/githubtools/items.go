package githubtools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type item struct {
	ID        string         `json:"id,omitempty"`
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Ref       string         `json:"ref,omitempty"`
	State     string         `json:"state,omitempty"`
	URL       string         `json:"url,omitempty"`
	Assignees []string       `json:"assignees"`
	Archived  bool           `json:"archived"`
	Fields    []fieldValue   `json:"fields"`
	Values    map[string]any `json:"values,omitempty"` // in a compact row: what the fields have
	UpdatedAt *time.Time     `json:"updated_at"`
	Withheld  bool           `json:"withheld,omitempty"`
}

type fieldValue struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Value     any    `json:"value" limits:"types=string|number|list|null"`
	Truncated bool   `json:"truncated,omitempty"`
}

func (i item) withheld() bool { return i.Withheld }

// maxValue limits a text field in a list, in characters.
const maxValue = 500

func viewItem(i github.Item) item {
	v := item{
		ID: i.ID, Type: strings.ToLower(i.Type), Title: plaintext.Clean(i.Title), Ref: itemRef(i.Repo, i.Number),
		State: strings.ToLower(i.State), URL: i.URL, Assignees: i.Assignees, Archived: i.Archived, Fields: []fieldValue{}, Withheld: i.Withheld,
	}
	if !i.UpdatedAt.IsZero() {
		v.UpdatedAt = &i.UpdatedAt
	}
	for _, f := range i.Values {
		if f.Field.DataType == "TITLE" {
			continue
		}
		value, cut := viewValue(f.Value), false
		if text, ok := value.(string); ok {
			value, cut = plaintext.Excerpt(text, maxValue)
		}
		v.Fields = append(v.Fields, fieldValue{plaintext.Clean(f.Field.Name), strings.ToLower(f.Field.DataType), value, cut})
	}
	return v
}

// viewValue returns a value without text that only a model would see. A value is plain, as a title
// is: it mentions no one.
func viewValue(value any) any {
	switch v := value.(type) {
	case string:
		return uncovered(cleaned(v))
	case []string:
		return mapped(v, plaintext.Clean)
	}
	return value
}

func itemRef(repo github.Repo, number int) string {
	if number == 0 {
		return ""
	}
	return repo.String() + "#" + strconv.Itoa(number)
}

type listProjectItemsInput struct {
	getProjectInput
	Status   string   `json:"status,omitzero" jsonschema:"Status option, none or any" limits:"maxlen=100"`
	Fields   []string `json:"fields,omitzero" jsonschema:"Such as Sprint: @current, Estimate: >3" limits:"maxitems=10"`
	Assignee string   `json:"assignee,omitzero" jsonschema:"Login, me, none or any" limits:"maxlen=40"`
	Type     string   `json:"type,omitzero" jsonschema:"Kind" limits:"enum=issue|pull_request|draft_issue"`
	Archived bool     `json:"archived,omitzero" jsonschema:"Include archived" limits:"default=false"`
	Detail   string   `json:"detail,omitzero" jsonschema:"How much" limits:"enum=full|compact default=full"`
	pageInput
}

// Compact reports whether the caller asks for compact rows.
func (in listProjectItemsInput) Compact() bool { return in.Detail == "compact" }

// compact returns an item as a short row.
func (i item) compact() item {
	row := item{Type: i.Type, Title: i.Title, Ref: i.Ref, Assignees: i.Assignees, Archived: i.Archived, Withheld: i.Withheld, Values: map[string]any{}}
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

func (k *kit) listProjectItems() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_list_project_items",
		Title:       "List items of a GitHub project",
		Description: "Lists issues, pull requests and drafts on a GitHub project with their field values. redacted: you may not see it.",
	}, func(ctx context.Context, in listProjectItemsInput) (page[item], error) {
		assignee, err := login("assignee", in.Assignee)
		if err != nil {
			return page[item]{}, err
		}
		p, err := k.project(ctx, in.Project, in.Owner, readProjects)
		if err != nil {
			return page[item]{}, err
		}
		if assignee, err = k.person(ctx, assignee); err != nil {
			return page[item]{}, err
		}
		filters, err := k.fieldFilters(p, in.Fields)
		if in.Status != "" {
			status, badStatus := k.fieldFilter(p, "status", "Status", in.Status)
			filters, err = append(filters, status), fault.All(badStatus, err)
		}
		if err != nil {
			return page[item]{}, err
		}
		size := cmp.Or(in.Limit, listing.DefaultLimit)
		filtered := len(filters) > 0 || assignee != "" || in.Type != ""
		if filtered {
			size = pageSize
		}
		assigned := assignedTo(assignee)
		var seen []string
		found, err := list[github.Item, item]{
			of: listing.Digest("items", p.ID, in.Status, in.Fields, assignee, in.Type, in.Archived),
			read: func(next string) (github.Page[github.Item], error) {
				return k.github.Items(ctx, p.ID, size, next)
			},
			view: func(i github.Item) (item, bool) {
				seen = append(seen, i.Assignees...)
				v, no := viewItem(i), func(has itemFilter) bool { return !has(i) }
				if in.Compact() {
					v = v.compact()
				}
				return v, (in.Archived || !i.Archived) && (in.Type == "" || strings.EqualFold(i.Type, in.Type)) && assigned(i) && !slices.ContainsFunc(filters, no)
			},
			after: func(i github.Item) string { return i.Cursor },
			total: in.Archived && !filtered,
		}.collect(in.pageInput)
		if err == nil && len(found.Items) == 0 && !isAnyOrNone(assignee) {
			err = k.userExists(ctx, "assignee", assignee, seen)
		}
		return found, err
	})
}

// assignedTo returns a filter of items by a login, or by none or any.
func assignedTo(login string) func(github.Item) bool {
	return func(i github.Item) bool {
		switch {
		case login == "":
			return true
		case i.Type == github.RedactedItem:
			return false
		case isNone(login):
			return len(i.Assignees) == 0
		case isAny(login):
			return len(i.Assignees) > 0
		}
		return hasName(i.Assignees, login)
	}
}

// itemHead names an item in an answer.
type itemHead struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Ref   string `json:"ref,omitempty"`
}

func headOf(i github.Item) itemHead {
	return itemHead{i.ID, plaintext.Clean(i.Title), itemRef(i.Repo, i.Number)}
}

// placedItem is an item of a project on a fresh read, with the value of a field if one was asked for.
type placedItem struct {
	itemHead
	draft   bool
	value   *github.FieldValue
	missing *github.Incomplete
}

// placed finds an item of a project, with the value of a field unless that is the zero value. It
// needs one request for an item's ID, and for an issue if the field is of the item, not of the issue.
func (k *kit) placed(ctx context.Context, p github.ProjectDetails, ref toolargs.Ref, f github.Field) (v placedItem, err error) {
	id := ref.Name
	if !itemID.MatchString(id) {
		named, err := k.namedItem(ref)
		if err != nil {
			return v, err
		}
		done := f.Name == ""
		if named.title != "" {
			var items []github.Item
			var more bool
			if items, more, err = k.firstItems(ctx, p); err != nil {
				return v, err
			}
			one, err := pickItem(ctx, p, "item", named.title, items, more)
			if v.itemHead, v.draft = headOf(one), one.Type == github.DraftItem; err != nil {
				return v, err
			}
		} else {
			if named.repo, err = k.found(ctx, named.repo); err != nil {
				return v, err
			}
			field := f.Name
			if done = done || slices.Contains(ofItems, f.DataType); !done {
				field = "" // a list would cost points for each project
			}
			content, err := k.github.Content(ctx, named.repo, named.number, field)
			if err != nil {
				return v, err
			}
			v.value, v.missing = content.On(github.ProjectRef{ID: p.ID}).Value, content.Incomplete
			if v.itemHead, err = placeOf(p, content); err != nil {
				return v, err
			}
		}
		if id = v.ID; done {
			return v, nil
		}
	}
	found, missing, err := k.github.Item(ctx, id, f.Name)
	if err == nil {
		err = within(p, found)
	}
	return placedItem{headOf(found), found.Type == github.DraftItem, found.On.Value, missing}, err
}

// namedItem reads a reference to an item that is not its ID: an issue or a pull request with its
// repository, or a title.
func (k *kit) namedItem(ref toolargs.Ref) (issueRef, error) {
	named, err := k.parseIssue("item", ref)
	if err == nil && named.title == "" && named.repo == (github.Repo{}) {
		err = fault.Invalid("item", "a number needs its repository: give owner/repo#12, the URL of the issue or pull request, the item's id or its exact title")
	}
	return named, err
}

// checkItem returns an error if a reference to an item is malformed, before GitHub is asked.
func (k *kit) checkItem(ref toolargs.Ref) error {
	if itemID.MatchString(ref.Name) {
		return nil
	}
	_, err := k.namedItem(ref)
	return err
}

// placeOf returns the item of a project that holds an issue or a pull request.
func placeOf(p github.ProjectDetails, content github.Content) (itemHead, error) {
	ref := itemRef(content.Repo, content.Number)
	id := content.On(github.ProjectRef{ID: p.ID}).Item
	if id == "" {
		return itemHead{}, notThere(p, ref)
	}
	return itemHead{id, plaintext.Clean(content.Title), ref}, nil
}

// within returns an error if an item belongs to another project.
func within(p github.ProjectDetails, i github.Item) error {
	if i.On.ProjectID != p.ID {
		return notThere(p, i.ID)
	}
	return nil
}

func notThere(p github.ProjectDetails, name string) error {
	e := fault.New(fault.NotFound, "item: %s is not on the project %s; list its items with github_list_project_items", plaintext.Word(name), nameOf(p.Project))
	e.Resource = &fault.Resource{Type: "project_item", ID: short(name)}
	return e
}

// firstItems returns the first 500 items of a project that the user may see, and whether there are
// more.
func (k *kit) firstItems(ctx context.Context, p github.ProjectDetails) (items []github.Item, more bool, err error) {
	items, more, _, err = firstPages(func(next string) (github.Page[github.Item], error) { return k.github.Items(ctx, p.ID, pageSize, next) })
	return slices.DeleteFunc(items, func(i github.Item) bool { return i.Type == github.RedactedItem }), more, err
}

// pickItem finds an item by its exact title among those that were read.
func pickItem(ctx context.Context, p github.ProjectDetails, argument, title string, items []github.Item, more bool) (github.Item, error) {
	c := choice[github.Item]{
		argument: argument, noun: "items", items: items, look: looking(ctx),
		name:  func(i github.Item) string { return i.Title },
		ref:   func(i github.Item) string { return cmp.Or(itemRef(i.Repo, i.Number), i.ID) },
		where: func(i github.Item) string { return strings.ToLower(i.Type) },
	}
	found, known, err := c.find(title)
	if err == nil && !known {
		among := "is not on"
		if more {
			among = fmt.Sprintf("is not the title of one of the first %d items on", maxPages*pageSize)
		}
		return found, c.missing("project_item", title, "%s %s the project %s; list its items with github_list_project_items", plaintext.Quote(title), among, nameOf(p.Project))
	}
	return found, err
}

// itemFilter reports whether a list has an item.
type itemFilter func(github.Item) bool

// fieldFilters returns filters for texts such as "Sprint: @current".
func (k *kit) fieldFilters(p github.ProjectDetails, given []string) (all []itemFilter, err error) {
	problems := make([]error, len(given))
	for i, text := range given {
		argument := entry("fields", i)
		name, value, ok := strings.Cut(text, ":")
		if value = strings.TrimSpace(value); !ok || value == "" {
			problems[i] = fault.Invalid(argument, `must be a field and its value, such as "Sprint: @current", got %s`, plaintext.Quote(text))
			continue
		}
		one, err := k.fieldFilter(p, argument, strings.TrimSpace(name), value)
		all, problems[i] = append(all, one), err
	}
	return all, fault.All(problems...)
}

// fieldFilter returns a filter by one field of a project: by a value, or by none or any.
func (k *kit) fieldFilter(p github.ProjectDetails, argument, name, value string) (itemFilter, error) {
	f, err := fieldOf(p, argument, name)
	if err != nil {
		return nil, err
	}
	var is func(github.FieldValue) bool // nil: whether it has a value
	if !isAnyOrNone(value) || !isListed(f) || slices.ContainsFunc(f.Options, func(o github.Option) bool { return strings.EqualFold(o.Name, value) }) {
		is, err = k.valueFilter(f, argument, value)
	}
	return func(i github.Item) bool {
		at := slices.IndexFunc(i.Values, func(v github.FieldValue) bool { return v.Field.ID == f.ID && v.Value != nil })
		switch {
		case i.Type == github.RedactedItem:
			return false
		case is == nil:
			return isAny(value) == (at >= 0)
		}
		return at >= 0 && is(i.Values[at])
	}, err
}

// valueFilter returns a filter by a value of a field.
func (k *kit) valueFilter(f github.Field, argument, value string) (is func(github.FieldValue) bool, err error) {
	switch f.DataType {
	case "SINGLE_SELECT":
		o, err := optionsOf(f, argument).pick(value)
		return func(v github.FieldValue) bool { return v.OptionID == o.ID }, err
	case "ITERATION":
		to, err := k.iterationValue(f, value)
		if err != nil {
			return nil, ofArgument(err, "value", argument)
		}
		return func(v github.FieldValue) bool { return v.Iteration != nil && v.Iteration.ID == *to.sent.IterationID }, nil
	case "NUMBER":
		within, err := ranged(value, func(text string) (float64, error) {
			n, err := numberValue(f, text)
			return n.number(), ofArgument(err, "value", argument)
		})
		return func(v github.FieldValue) bool {
			n, ok := v.Value.(float64)
			return ok && within(n)
		}, err
	case "DATE":
		within, err := ranged(value, func(text string) (float64, error) {
			day, err := k.day(argument, strings.TrimPrefix(text, "@"), dayForms)
			return dayNumber(day), err
		})
		return func(v github.FieldValue) bool {
			day, ok := v.Value.(string)
			return ok && within(dayNumber(day))
		}, err
	case "TEXT", "TITLE", "MILESTONE", "REPOSITORY":
		words := fold(plaintext.Clean(value))
		return func(v github.FieldValue) bool {
			text, ok := v.Value.(string)
			return ok && strings.Contains(fold(text), words)
		}, nil
	case "ASSIGNEES":
		return nil, fault.Invalid(argument, "use the argument assignee")
	}
	return nil, fault.Invalid(argument, "%s (%s) is not in the list; github_list_issues searches a project for issues with labels or in GitHub's words", plaintext.Quote(f.Name), strings.ToLower(f.DataType))
}

// isListed reports whether items of a list have the values of a field.
func isListed(f github.Field) bool {
	return slices.Contains(ofItems, f.DataType) || slices.Contains([]string{"TITLE", "MILESTONE", "REPOSITORY"}, f.DataType)
}

// ranged reads what a number or a date is compared with: x, >x, >=x, <x, <=x or x..y.
func ranged(text string, read func(string) (float64, error)) (within func(n float64) bool, err error) {
	if first, last, is := strings.Cut(text, ".."); is {
		low, badLow := read(first)
		high, badHigh := read(last)
		return func(n float64) bool { return low <= n && n <= high }, cmp.Or(badLow, badHigh)
	}
	bound := strings.TrimLeft(text, "<>= ")
	at, err := read(bound)
	sign := strings.TrimSpace(strings.TrimSuffix(text, bound))
	return func(n float64) bool {
		switch sign {
		case ">":
			return n > at
		case ">=":
			return n >= at
		case "<":
			return n < at
		case "<=":
			return n <= at
		}
		return n == at
	}, err
}

// dayNumber returns a date as a number that is larger for later ones.
func dayNumber(date string) float64 {
	day, _ := time.Parse(time.DateOnly, date)
	return float64(day.Unix())
}

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
	content, err := k.github.Content(ctx, named.repo, named.number, "")
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
		found, err := k.placed(ctx, p, in.Item, github.Field{})
		if err != nil {
			return removedItem{}, err
		}
		head := found.itemHead
		if found.draft {
			lost := fmt.Sprintf("the draft %s on the project %s (%s)", plaintext.Quote(head.Title), plaintext.Quote(viewProject(p.Project).Title), nameOf(p.Project))
			if err := confirmed(ctx, in.Confirm, head.Title, lost); err != nil {
				return removedItem{}, err
			}
		}
		err = k.github.RemoveItem(ctx, p.ID, head.ID)
		return removedItem{err == nil, head}, err
	})
}
