package boards

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

type setFieldValueInput struct {
	getProjectInput
	Item   toolargs.Ref         `json:"item,omitzero" jsonschema:"This or items: owner/repo#12, URL, id or exact title"`
	Items  toolargs.Refs        `json:"items,omitzero" jsonschema:"Several" limits:"maxitems=25"`
	Field  string               `json:"field,omitzero" jsonschema:"This or fields: its name" limits:"maxlen=100"`
	Value  toolargs.Change[any] `json:"value,omitzero" jsonschema:"Text, number, date, option, or iteration (title, @current, @next, @previous, date in it); null clears" limits:"null types=string|number|null"`
	Fields []FieldInput         `json:"fields,omitzero" jsonschema:"Several"`
}

// FieldInput is a field and what it is set to.
type FieldInput struct {
	Field string `json:"field" jsonschema:"Name"`
	Value string `json:"value" jsonschema:"As text" limits:"word"`
}

// GivenField is a field and what it is set to: a text, a number or nil.
type GivenField struct {
	name  string
	value any
}

// GivenFields returns fields that were given as texts.
func GivenFields(in []FieldInput) []GivenField {
	return parts.Mapped(in, func(f FieldInput) GivenField { return GivenField{f.Field, f.Value} })
}

// settings returns the fields and their values, however they are given.
func (in setFieldValueInput) settings() ([]GivenField, error) {
	err := parts.OneOf("item", !in.Item.IsZero(), len(in.Items) > 0)
	if err == nil {
		err = parts.OneOf("field", in.Field != "", len(in.Fields) > 0)
	}
	switch {
	case err != nil:
		return nil, err
	case len(in.Fields) > 0:
		return GivenFields(in.Fields), nil
	case !in.Value.Given:
		return nil, fault.Invalid("value", "is required")
	}
	return []GivenField{{in.Field, in.Value.To}}, nil
}

// setValues is the answer for one field of an item, or for several.
type setValues struct {
	*SetValue
	*listing.Applied[SetFields]
}

// SetValue is the answer for one field of an item that was set.
type SetValue struct {
	Item     itemHead `json:"item"`
	Field    string   `json:"field"`
	Type     string   `json:"type"`
	Value    any      `json:"value" limits:"types=string|number|null"`
	Previous any      `json:"previous" limits:"types=string|number|null"`
	Changed  bool     `json:"changed"`
}

func (k *Kit) setFieldValue(ctx context.Context, in setFieldValueInput) (setValues, error) {
	settings, err := in.settings()
	if err != nil {
		return setValues{}, err
	}
	if in.Field != "" && len(in.Items) == 0 {
		v, err := k.setOne(ctx, in)
		return setValues{&v, nil}, err
	}
	refs := in.Items
	if len(refs) == 0 {
		refs = toolargs.Refs{in.Item}
	}
	p, err := k.Project(ctx, in.Project, in.Owner, WriteProjects)
	if err != nil {
		return setValues{}, err
	}
	all, err := k.setFields(ctx, p, refs, settings)
	return setValues{nil, all}, err
}

// setOne sets one field of one item. If the arguments name all of them exactly, one query reads the
// field and the item with its value.
func (k *Kit) setOne(ctx context.Context, in setFieldValueInput) (SetValue, error) {
	if err := k.checkItem(in.Item); err != nil {
		return SetValue{}, err
	}
	of, at, err := k.placedAt(ctx, in)
	if err != nil {
		return SetValue{}, err
	}
	if at.Field == nil {
		if of, at, err = k.looked(ctx, in); err != nil {
			return SetValue{}, err
		}
	}
	to, err := k.NewValue(*at.Field, in.Value.To)
	if err != nil {
		return SetValue{}, err
	}
	v := SetValue{Item: of, Field: plaintext.Clean(at.Field.Name), Type: strings.ToLower(at.Field.DataType), Value: to.Shown, Changed: !to.is(at.Value)}
	if at.Value != nil {
		v.Previous = ViewValue(at.Value.Value)
	}
	if !v.Changed {
		return v, nil
	}
	return v, k.GitHub.SetValues(ctx, []github.Fields{to.input(at.ProjectID, of.ID, at.Field.ID)})[0].Err
}

// placedAt reads an item with a field and its value. The field is nil unless GitHub knows the
// project, the item and the field by what the arguments name them.
func (k *Kit) placedAt(ctx context.Context, in setFieldValueInput) (of itemHead, at github.Placed, err error) {
	login, err := parts.Owner(in.Owner)
	if err != nil {
		return of, at, err
	}
	project, title, err := k.ProjectRef(in.Project, login)
	if err == nil {
		err = k.GitHub.Require(ctx, WriteProjects)
	}
	if err == nil && project.ID+project.Owner == "" {
		project.Owner, err = k.GitHub.Login(ctx)
	}
	if err != nil || title != "" {
		return of, at, err
	}
	if parts.ItemID.MatchString(in.Item.Name) {
		found, _, err := k.GitHub.Item(ctx, in.Item.Name, in.Field)
		if err != nil || !found.On.In(project) {
			return of, at, err
		}
		return headOf(found), found.On, nil
	}
	named, err := k.namedItem(in.Item)
	if err != nil || named.Title != "" {
		return of, at, err
	}
	if named.Repo, err = k.Found(ctx, named.Repo); err != nil {
		return of, at, err
	}
	content, _, err := k.GitHub.Content(ctx, named.Repo, named.Number, in.Field)
	on, _ := content.On(project)
	return itemHead{on.ID, plaintext.Clean(content.Title), parts.RefOf(content)}, on.On, err
}

// looked does what placedAt does with a read of the project, which knows names that are not exact,
// and says what there is.
func (k *Kit) looked(ctx context.Context, in setFieldValueInput) (of itemHead, at github.Placed, err error) {
	p, err := k.Project(ctx, in.Project, in.Owner, WriteProjects)
	if err != nil {
		return of, at, err
	}
	f, err := fieldOf(p, "field", in.Field)
	if err == nil {
		_, err = k.NewValue(f, in.Value.To)
	}
	if err != nil {
		return of, at, err
	}
	found, err := k.placed(ctx, p, in.Item, f)
	return found.itemHead, github.Placed{ProjectID: p.ID, Field: &f, Value: found.value}, err
}

// IsRefused reports whether GitHub did not accept what it was sent.
func IsRefused(err error) bool {
	return fault.Is(err, fault.InvalidInput) && fault.From(err).Upstream != nil
}

// ofItems are the types of fields that belong to an item. All can be set.
var ofItems = []string{"TEXT", "NUMBER", "DATE", "SINGLE_SELECT", "ITERATION"}

// NewValue is what a field is set to.
type NewValue struct {
	Sent   github.Fields // the value under its kind
	Shown  any
	Clears bool
}

// is reports whether a field has this value already.
func (n NewValue) is(had *github.FieldValue) bool {
	switch {
	case had == nil || had.Value == nil:
		return n.Clears
	case n.Clears:
		return false
	case n.Sent["singleSelectOptionId"] != nil:
		return n.Sent["singleSelectOptionId"] == had.OptionID
	case n.Sent["iterationId"] != nil:
		return had.Iteration != nil && n.Sent["iterationId"] == had.Iteration.ID
	case n.Sent["text"] != nil:
		return had.Value == n.Sent["text"]
	}
	return had.Value == n.Shown
}

// input returns what sets the field of an item, or clears it.
func (n NewValue) input(project, item, field string) github.Fields {
	input := github.Fields{"projectId": project, "itemId": item, "fieldId": field}
	if !n.Clears {
		input["value"] = n.Sent
	}
	return input
}

// elsewhere says how to change what no field value changes.
var elsewhere = map[string]string{"ASSIGNEES": "assignees", "LABELS": "labels", "MILESTONE": "milestone", "TITLE": "title", "PARENT_ISSUE": "parent", "ISSUE_TYPE": "type"}

// NewValue reads a value for a field.
func (k *Kit) NewValue(f github.Field, given any) (NewValue, error) {
	if argument := elsewhere[f.DataType]; argument != "" {
		return NewValue{}, fault.Invalid("field", "%s belongs to the issue; change it with %s of github_update_issue", plaintext.Quote(f.Name), argument)
	}
	read, ok := map[string]func(github.Field, any) (NewValue, error){
		"TEXT": textValue, "NUMBER": numberValue, "DATE": k.dateValue, "SINGLE_SELECT": optionValue, "ITERATION": k.iterationValue,
	}[f.DataType]
	if !ok {
		return NewValue{}, fault.Invalid("field", "%s (%s) cannot be changed here; the user can change it on GitHub", plaintext.Quote(f.Name), strings.ToLower(f.DataType))
	}
	if clears(f, given) {
		return NewValue{Clears: true}, nil
	}
	return read(f, given)
}

// clears reports whether a value clears a field: null, an empty text, or none, unless that is the
// name of an option or an iteration.
func clears(f github.Field, given any) bool {
	text, isText := given.(string)
	if !isText {
		return given == nil
	}
	open, completed := f.Iterations()
	return text == "" && f.DataType == "TEXT" || parts.IsNone(text) &&
		!slices.ContainsFunc(f.Options, func(o github.Option) bool { return parts.IsNone(o.Name) }) &&
		!slices.ContainsFunc(slices.Concat(open, completed), func(i github.Iteration) bool { return parts.IsNone(i.Title) })
}

func textValue(f github.Field, given any) (NewValue, error) {
	text, ok := given.(string)
	if !ok {
		return NewValue{}, fault.Invalid("value", "must be a string, because %s holds text", plaintext.Quote(f.Name))
	}
	if length := len([]rune(text)); length > parts.MaxBody {
		return NewValue{}, fault.Invalid("value", "must be at most %d characters, got %d", parts.MaxBody, length)
	}
	return NewValue{Sent: github.Fields{"text": text}, Shown: ViewValue(text)}, nil
}

// numberForm is a number in decimal digits. Go's parser accepts more, such as NaN and 1_000.
var numberForm = lazyregexp.New(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func numberValue(f github.Field, given any) (NewValue, error) {
	number, ok := given.(float64)
	if text, isText := given.(string); isText {
		text = strings.TrimSpace(text)
		parsed, err := strconv.ParseFloat(text, 64)
		number, ok = parsed, err == nil && numberForm.MatchString(text)
	}
	if !ok {
		return NewValue{}, fault.Invalid("value", "must be a number such as 2.5, because %s holds numbers", plaintext.Quote(f.Name))
	}
	return NewValue{Sent: github.Fields{"number": number}, Shown: number}, nil
}

func (k *Kit) dateValue(f github.Field, given any) (NewValue, error) {
	forms := fmt.Sprintf("%s, because %s holds dates", parts.DayForms, plaintext.Quote(f.Name))
	text, ok := given.(string)
	if !ok {
		return NewValue{}, fault.Invalid("value", "must be %s", forms)
	}
	day, err := k.Day("value", text, forms)
	return NewValue{Sent: github.Fields{"date": day}, Shown: day}, err
}

func optionValue(f github.Field, given any) (NewValue, error) {
	options := optionsOf(f, "value")
	word, ok := wordOf(given)
	if !ok {
		return NewValue{}, options.Listed("must be the name of an option, as a string")
	}
	o, err := options.Pick(word)
	return NewValue{Sent: github.Fields{"singleSelectOptionId": o.ID}, Shown: ViewValue(o.Name)}, err
}

// wordOf returns a value as the text of a name, and whether it can be one.
func wordOf(given any) (word string, ok bool) {
	switch v := given.(type) {
	case string:
		return strings.TrimSpace(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}
