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
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// itemFilter reports whether a list has an item.
type itemFilter func(github.Item) bool

// fieldFilters returns filters for texts such as "Sprint: @current".
func (k *Kit) fieldFilters(p github.ProjectDetails, given []string) (all []itemFilter, err error) {
	return parts.Each("fields", given, func(argument, text string) (itemFilter, error) {
		name, value, ok := strings.Cut(text, ":")
		if value = strings.TrimSpace(value); !ok || value == "" {
			return nil, fault.Invalid(argument, `must be a field and its value, such as "Sprint: @current", got %s`, plaintext.Quote(text))
		}
		return k.fieldFilter(p, argument, strings.TrimSpace(name), value)
	})
}

// fieldFilter returns a filter by one field of a project: by a value, or by none or any.
func (k *Kit) fieldFilter(p github.ProjectDetails, argument, name, value string) (itemFilter, error) {
	f, err := fieldOf(p, argument, name)
	if err != nil {
		return nil, err
	}
	var is func(github.FieldValue) bool // nil: whether it has a value
	if !parts.IsAnyOrNone(value) || !slices.Contains(listed, f.DataType) || slices.ContainsFunc(f.Options, func(o github.Option) bool { return strings.EqualFold(o.Name, value) }) {
		is, err = k.valueFilter(f, argument, value)
	}
	return func(i github.Item) bool {
		at := slices.IndexFunc(i.Values, func(v github.FieldValue) bool { return v.Field.ID == f.ID && v.Value != nil })
		switch {
		case i.Type == github.RedactedItem:
			return false
		case is == nil:
			return parts.IsAny(value) == (at >= 0)
		}
		return at >= 0 && is(i.Values[at])
	}, err
}

// valueFilter returns a filter by a value of a field.
func (k *Kit) valueFilter(f github.Field, argument, value string) (is func(github.FieldValue) bool, err error) {
	switch f.DataType {
	case "SINGLE_SELECT":
		o, err := optionsOf(f, argument).Pick(value)
		return func(v github.FieldValue) bool { return v.OptionID == o.ID }, err
	case "ITERATION":
		to, err := k.iterationValue(f, value)
		if err != nil {
			return nil, parts.OfArgument(err, "value", argument)
		}
		return func(v github.FieldValue) bool { return v.Iteration != nil && v.Iteration.ID == to.Sent["iterationId"] }, nil
	case "NUMBER":
		within, err := ranged(value, func(text string) (float64, error) {
			n, err := numberValue(f, text)
			number, _ := n.Sent["number"].(float64)
			return number, parts.OfArgument(err, "value", argument)
		})
		return func(v github.FieldValue) bool {
			n, ok := v.Value.(float64)
			return ok && within(n)
		}, err
	case "DATE":
		within, err := ranged(value, func(text string) (float64, error) {
			day, err := k.Day(argument, strings.TrimPrefix(text, "@"), parts.DayForms)
			return dayNumber(day), err
		})
		return func(v github.FieldValue) bool {
			day, ok := v.Value.(string)
			return ok && within(dayNumber(day))
		}, err
	case "TEXT", "TITLE", "MILESTONE", "REPOSITORY":
		words := naming.Fold(plaintext.Clean(value))
		return func(v github.FieldValue) bool {
			text, ok := v.Value.(string)
			return ok && strings.Contains(naming.Fold(text), words)
		}, nil
	case "ASSIGNEES":
		return nil, fault.Invalid(argument, "use the argument assignee")
	}
	return nil, fault.Invalid(argument, "%s (%s) is not in the list; github_list_issues searches a project for issues with labels or in GitHub's words", plaintext.Quote(f.Name), strings.ToLower(f.DataType))
}

// listed are the types of fields whose values the items of a list have.
var listed = append([]string{"TITLE", "MILESTONE", "REPOSITORY"}, ofItems...)

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

// AddedItem is the answer for one item that was added.
type AddedItem struct {
	Item    itemHead    `json:"item"`
	Project projectHead `json:"project"`
	Added   bool        `json:"added"`
}

// addedItems is the answer for one item, or for several or with fields.
type addedItems struct {
	*AddedItem
	*listing.Applied[AddedEntry]
}

func (k *Kit) addProjectItem(ctx context.Context, in addProjectItemInput) (addedItems, error) {
	refs := in.Items
	err := parts.OneOf("item", !in.Item.IsZero(), len(in.Items) > 0)
	if len(refs) == 0 && err == nil {
		refs, err = toolargs.Refs{in.Item}, k.checkContent("item", in.Item)
	} else if err == nil {
		_, err = parts.Each("items", refs, func(path string, ref toolargs.Ref) (none struct{}, err error) { return none, k.checkContent(path, ref) })
	}
	if err != nil {
		return addedItems{}, err
	}
	p, err := k.Project(ctx, in.Project, in.Owner, WriteProjects)
	if err != nil {
		return addedItems{}, err
	}
	if len(in.Items) > 0 || len(in.Fields) > 0 {
		all, err := k.addItems(ctx, p, refs, GivenFields(in.Fields))
		return addedItems{nil, all}, err
	}
	v, err := k.addOneItem(ctx, p, in.Item)
	return addedItems{&v, nil}, err
}

// checkContent returns an error if a reference is not that of an issue or a pull request with its
// repository.
func (k *Kit) checkContent(path string, ref toolargs.Ref) error {
	named, err := k.ParseIssue(path, ref)
	if err == nil && (named.Number == 0 || named.Repo == (github.Repo{})) {
		err = fault.Invalid(path, "must be owner/repo#12 or the URL of an issue or pull request")
	}
	return err
}

func (k *Kit) addOneItem(ctx context.Context, p github.ProjectDetails, ref toolargs.Ref) (AddedItem, error) {
	named, err := k.IssueRef("item", ref, "")
	if err == nil {
		named, err = k.Complete(ctx, "item", named)
	}
	if err != nil {
		return AddedItem{}, err
	}
	content, _, err := k.GitHub.Content(ctx, named.Repo, named.Number, "")
	if err != nil {
		return AddedItem{}, err
	}
	one := k.PlaceAll(ctx, p, []github.Issue{content}, nil)[0]
	return AddedItem{one.Value.Item, projectHead{p.ID, p.Number, string(p.Owner), plaintext.Clean(p.Title)}, one.Value.Added}, one.Err
}

type removeProjectItemInput struct {
	getProjectInput
	Item    toolargs.Ref `json:"item" jsonschema:"owner/repo#12, URL, id or exact title"`
	Confirm string       `json:"confirm_title,omitzero" jsonschema:"For drafts: the exact title, after the user agreed" limits:"maxlen=1000"`
}

// RemovedItem is the answer for an item that was removed.
type RemovedItem struct {
	Removed bool `json:"removed"`
	itemHead
}

func (k *Kit) removeProjectItem(ctx context.Context, in removeProjectItemInput) (RemovedItem, error) {
	if err := k.checkItem(in.Item); err != nil {
		return RemovedItem{}, err
	}
	p, err := k.Project(ctx, in.Project, in.Owner, WriteProjects)
	if err != nil {
		return RemovedItem{}, err
	}
	found, err := k.placed(ctx, p, in.Item, github.Field{})
	if err != nil {
		return RemovedItem{}, err
	}
	head := found.itemHead
	if found.draft {
		lost := fmt.Sprintf("the draft %s on the project %s (%s)", plaintext.Quote(head.Title), plaintext.Quote(ViewProject(p.Project).Title), parts.NameOf(p.Project))
		if err := confirmed(ctx, in.Confirm, head.Title, lost); err != nil {
			return RemovedItem{}, err
		}
	}
	err = k.GitHub.RemoveItem(ctx, p.ID, head.ID)
	return RemovedItem{err == nil, head}, err
}
