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
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
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

// givenField is a field and what it is set to: a text, a number or nil.
type givenField struct {
	name  string
	value any
}

func givenFields(in []FieldInput) []givenField {
	return mapped(in, func(f FieldInput) givenField { return givenField{f.Field, f.Value} })
}

// settings returns the fields and their values, however they are given.
func (in setFieldValueInput) settings() ([]givenField, error) {
	switch {
	case len(in.Items) > 0 == !in.Item.IsZero():
		return nil, oneOf("item", "items", len(in.Items) > 0)
	case len(in.Fields) > 0 == (in.Field != ""):
		return nil, oneOf("field", "fields", len(in.Fields) > 0)
	case len(in.Fields) > 0:
		return givenFields(in.Fields), nil
	case !in.Value.Given:
		return nil, fault.Invalid("value", "is required")
	}
	return []givenField{{in.Field, in.Value.To}}, nil
}

// setValues is the answer for one field of an item, or for several.
type setValues struct {
	*setValue
	*listing.Applied[setFields]
}

type setValue struct {
	Item     itemHead `json:"item"`
	Field    string   `json:"field"`
	Type     string   `json:"type"`
	Value    any      `json:"value" limits:"types=string|number|null"`
	Previous any      `json:"previous" limits:"types=string|number|null"`
	Changed  bool     `json:"changed"`
}

func (k *kit) setFieldValue() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_set_field_value",
		Title:       "Set a field of a GitHub project item",
		Description: "Sets fields of items on a GitHub project, for example Status to move them.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in setFieldValueInput) (setValues, error) {
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
		p, err := k.project(ctx, in.Project, in.Owner, writeProjects)
		if err != nil {
			return setValues{}, err
		}
		all, err := k.setFields(ctx, p, refs, settings)
		return setValues{nil, all}, err
	})
}

// setOne sets one field of one item. If the arguments name all of them exactly, one query reads the
// field and the item with its value.
func (k *kit) setOne(ctx context.Context, in setFieldValueInput) (setValue, error) {
	if err := k.checkItem(in.Item); err != nil {
		return setValue{}, err
	}
	of, at, err := k.placedAt(ctx, in)
	if err != nil {
		return setValue{}, err
	}
	if at.Field == nil {
		if of, at, err = k.looked(ctx, in); err != nil {
			return setValue{}, err
		}
	}
	to, err := k.newValue(*at.Field, in.Value.To)
	if err != nil {
		return setValue{}, err
	}
	v := setValue{Item: of, Field: plaintext.Clean(at.Field.Name), Type: strings.ToLower(at.Field.DataType), Value: to.shown, Changed: !to.is(at.Value)}
	if at.Value != nil {
		v.Previous = viewValue(at.Value.Value)
	}
	if !v.Changed {
		return v, nil
	}
	input := github.NewValue{ProjectID: at.ProjectID, ItemID: of.ID, FieldID: at.Field.ID}
	if !to.clears {
		input.Value = &to.sent
	}
	return v, k.github.SetValues(ctx, []github.NewValue{input})[0].Err
}

// placedAt reads an item with a field and its value. The field is nil unless GitHub knows the
// project, the item and the field by what the arguments name them.
func (k *kit) placedAt(ctx context.Context, in setFieldValueInput) (of itemHead, at github.Placed, err error) {
	login, err := owner(in.Owner)
	if err != nil {
		return of, at, err
	}
	project, title, err := k.projectRef(in.Project, login)
	if err == nil {
		err = k.github.Require(ctx, writeProjects)
	}
	if err == nil && project.ID+project.Owner == "" {
		project.Owner, err = k.github.Login(ctx)
	}
	if err != nil || title != "" {
		return of, at, err
	}
	if itemID.MatchString(in.Item.Name) {
		found, _, err := k.github.Item(ctx, in.Item.Name, in.Field)
		if err != nil || !found.On.In(project) {
			return of, at, err
		}
		return headOf(found), found.On, nil
	}
	named, err := k.namedItem(in.Item)
	if err != nil || named.title != "" {
		return of, at, err
	}
	if named.repo, err = k.found(ctx, named.repo); err != nil {
		return of, at, err
	}
	content, err := k.github.Content(ctx, named.repo, named.number, in.Field)
	at = content.On(project)
	return itemHead{at.Item, plaintext.Clean(content.Title), itemRef(content.Repo, content.Number)}, at, err
}

// looked does what placedAt does with a read of the project, which knows names that are not exact,
// and says what there is.
func (k *kit) looked(ctx context.Context, in setFieldValueInput) (of itemHead, at github.Placed, err error) {
	p, err := k.project(ctx, in.Project, in.Owner, writeProjects)
	if err != nil {
		return of, at, err
	}
	f, err := fieldOf(p, "field", in.Field)
	if err == nil {
		_, err = k.newValue(f, in.Value.To)
	}
	if err != nil {
		return of, at, err
	}
	found, err := k.placed(ctx, p, in.Item, f)
	return found.itemHead, github.Placed{Item: found.ID, ProjectID: p.ID, Field: &f, Value: found.value}, err
}

// isRefused reports whether GitHub did not accept what it was sent.
func isRefused(err error) bool {
	return fault.Is(err, fault.InvalidInput) && fault.From(err).Upstream != nil
}

// ofItems are the types of fields that belong to an item. All can be set.
var ofItems = []string{"TEXT", "NUMBER", "DATE", "SINGLE_SELECT", "ITERATION"}

// newValue is what a field is set to.
type newValue struct {
	sent   github.Value
	shown  any
	clears bool
}

// is reports whether a field has this value already.
func (n newValue) is(had *github.FieldValue) bool {
	switch {
	case had == nil || had.Value == nil:
		return n.clears
	case n.clears:
		return false
	case n.sent.OptionID != nil:
		return *n.sent.OptionID == had.OptionID
	case n.sent.IterationID != nil:
		return had.Iteration != nil && *n.sent.IterationID == had.Iteration.ID
	case n.sent.Text != nil:
		return had.Value == any(*n.sent.Text)
	}
	return had.Value == n.shown
}

// number returns the number of a value; 0 for another.
func (n newValue) number() float64 {
	if n.sent.Number == nil {
		return 0
	}
	return *n.sent.Number
}

// elsewhere says how to change what no field value changes.
var elsewhere = map[string]string{"ASSIGNEES": "assignees", "LABELS": "labels", "MILESTONE": "milestone", "TITLE": "title", "PARENT_ISSUE": "parent", "ISSUE_TYPE": "type"}

// newValue reads a value for a field.
func (k *kit) newValue(f github.Field, given any) (newValue, error) {
	if argument := elsewhere[f.DataType]; argument != "" {
		return newValue{}, fault.Invalid("field", "%s belongs to the issue; change it with %s of github_update_issue", plaintext.Quote(f.Name), argument)
	}
	read, ok := map[string]func(github.Field, any) (newValue, error){
		"TEXT": textValue, "NUMBER": numberValue, "DATE": k.dateValue, "SINGLE_SELECT": optionValue, "ITERATION": k.iterationValue,
	}[f.DataType]
	if !ok {
		return newValue{}, fault.Invalid("field", "%s (%s) cannot be changed here; the user can change it on GitHub", plaintext.Quote(f.Name), strings.ToLower(f.DataType))
	}
	if clears(f, given) {
		return newValue{clears: true}, nil
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
	return text == "" && f.DataType == "TEXT" || isNone(text) &&
		!slices.ContainsFunc(f.Options, func(o github.Option) bool { return isNone(o.Name) }) &&
		!slices.ContainsFunc(slices.Concat(open, completed), func(i github.Iteration) bool { return isNone(i.Title) })
}

func textValue(f github.Field, given any) (newValue, error) {
	text, ok := given.(string)
	if !ok {
		return newValue{}, fault.Invalid("value", "must be a string, because %s holds text", plaintext.Quote(f.Name))
	}
	if length := len([]rune(text)); length > maxBody {
		return newValue{}, fault.Invalid("value", "must be at most %d characters, got %d", maxBody, length)
	}
	return newValue{sent: github.Value{Text: &text}, shown: viewValue(text)}, nil
}

// numberForm is a number in decimal digits. Go's parser accepts more, such as NaN and 1_000.
var numberForm = lazyregexp.New(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func numberValue(f github.Field, given any) (newValue, error) {
	number, ok := given.(float64)
	if text, isText := given.(string); isText {
		text = strings.TrimSpace(text)
		parsed, err := strconv.ParseFloat(text, 64)
		number, ok = parsed, err == nil && numberForm.MatchString(text)
	}
	if !ok {
		return newValue{}, fault.Invalid("value", "must be a number such as 2.5, because %s holds numbers", plaintext.Quote(f.Name))
	}
	return newValue{sent: github.Value{Number: &number}, shown: number}, nil
}

func (k *kit) dateValue(f github.Field, given any) (newValue, error) {
	forms := fmt.Sprintf("%s, because %s holds dates", dayForms, plaintext.Quote(f.Name))
	text, ok := given.(string)
	if !ok {
		return newValue{}, fault.Invalid("value", "must be %s", forms)
	}
	day, err := k.day("value", text, forms)
	return newValue{sent: github.Value{Date: &day}, shown: day}, err
}

func optionValue(f github.Field, given any) (newValue, error) {
	options := optionsOf(f, "value")
	word, ok := wordOf(given)
	if !ok {
		return newValue{}, options.listed("must be the name of an option, as a string")
	}
	o, err := options.pick(word)
	return newValue{sent: github.Value{OptionID: &o.ID}, shown: viewValue(o.Name)}, err
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

// setField is a field of an item after it was set.
type setField struct {
	Field    string `json:"field"`
	Value    any    `json:"value" limits:"types=string|number|null"`
	Previous any    `json:"previous" limits:"types=string|number|null"`
	Changed  bool   `json:"changed"`
}

// setFields is an item of a batch.
type setFields struct {
	Item   itemHead   `json:"item"`
	Fields []setField `json:"fields"`
}

// addedEntry is an item of a batch that was added.
type addedEntry struct {
	Item   itemHead   `json:"item"`
	Added  bool       `json:"added"`
	Fields []setField `json:"fields,omitempty"`
}

const maxFields = 10 // of one call

// setting is a field of a project and what it is set to.
type setting struct {
	field github.Field
	to    newValue
}

// settingsOf reads the fields and their values. The error names the problems of all.
func (k *kit) settingsOf(p github.ProjectDetails, given []givenField) ([]setting, error) {
	if len(given) > maxFields {
		return nil, fault.Invalid("fields", "must be at most %d, got %d", maxFields, len(given))
	}
	all, problems := make([]setting, len(given)), make([]error, len(given))
	for i, in := range given {
		f, err := fieldOf(p, "field", in.name)
		if err == nil {
			all[i].field = f
			all[i].to, err = k.newValue(f, in.value)
		}
		if err == nil && slices.ContainsFunc(all[:i], func(s setting) bool { return s.field.ID == f.ID }) {
			err = fault.Invalid("field", "%s is given twice", plaintext.Quote(f.Name))
		}
		if err != nil {
			problems[i] = fault.Within(entry("fields", i), err)
		}
	}
	return all, fault.All(problems...)
}

// placement is an item of a project with the values of its fields.
type placement struct {
	head   itemHead
	ref    string // as the argument takes it
	values []github.FieldValue
}

// setFields sets fields of several items of a project.
func (k *kit) setFields(ctx context.Context, p github.ProjectDetails, refs toolargs.Refs, given []givenField) (*listing.Applied[setFields], error) {
	settings, badFields := k.settingsOf(p, given)
	places, err := k.placements(ctx, p, refs)
	if err := fault.All(badFields, err); err != nil {
		return nil, listing.Unwritten(len(refs), err)
	}
	if err := listing.Once("items", places, func(l placement) string { return cmp.Or(l.head.Ref, l.head.ID) }); err != nil {
		return nil, err
	}
	names := mapped(places, func(l placement) string { return l.ref })
	return applied("items", names, k.writeFields(ctx, p, places, settings))
}

// placements finds items of a project. Issues and pull requests are read by their numbers; for an
// ID or a title, the items of the project are listed.
func (k *kit) placements(ctx context.Context, p github.ProjectDetails, refs toolargs.Refs) ([]placement, error) {
	numbered := !slices.ContainsFunc(refs, func(ref toolargs.Ref) bool {
		named, err := k.parseIssue("items", ref)
		return itemID.MatchString(ref.Name) || err == nil && named.title != ""
	})
	places, problems := make([]placement, len(refs)), make([]error, len(refs))
	if numbered {
		found, err := k.subjects(ctx, "items", refs, "", true)
		if err != nil {
			return nil, err
		}
		for i, s := range found {
			places[i], err = k.placementOf(ctx, p, s)
			if err == nil && places[i].head.ID == "" {
				err = notThere(p, refOf(s))
			}
			problems[i] = fault.Within(entry("items", i), err)
		}
		return places, fault.All(problems...)
	}
	listed, more, err := k.firstItems(ctx, p)
	if err != nil {
		return nil, err
	}
	for i, ref := range refs {
		one, err := k.amongItems(ctx, p, entry("items", i), ref, listed, more)
		places[i], problems[i] = placement{headOf(one), cmp.Or(itemRef(one.Repo, one.Number), one.ID), one.Values}, err
	}
	return places, fault.All(problems...)
}

// placementOf returns where an issue or a pull request is on a project; without an ID if it is not
// on it. One on many projects is read again with more of them.
func (k *kit) placementOf(ctx context.Context, p github.ProjectDetails, s github.Subject) (placement, error) {
	id, values, more := s.On(p.ID)
	if more {
		content, err := k.github.Content(ctx, s.Repo(), s.Number, "")
		if err != nil {
			return placement{}, err
		}
		if id = content.On(github.ProjectRef{ID: p.ID}).Item; id != "" {
			found, _, err := k.github.Item(ctx, id, "")
			if err != nil {
				return placement{}, err
			}
			values = found.Values
		}
	}
	return placement{itemHead{id, plaintext.Clean(s.Title), refOf(s)}, refOf(s), values}, nil
}

// amongItems finds an item that a reference names among those of a list.
func (k *kit) amongItems(ctx context.Context, p github.ProjectDetails, argument string, ref toolargs.Ref, items []github.Item, more bool) (github.Item, error) {
	matches := func(i github.Item) bool { return i.ID == ref.Name }
	if !itemID.MatchString(ref.Name) {
		named, err := k.parseIssue(argument, ref)
		if err != nil {
			return github.Item{}, err
		}
		if named.title != "" {
			return pickItem(ctx, p, argument, named.title, items, more)
		}
		if named.repo, err = k.found(ctx, named.repo); err != nil {
			return github.Item{}, err
		}
		matches = func(i github.Item) bool {
			return i.Number == named.number && (strings.EqualFold(i.Repo.String(), named.repo.String()) || named.repo == github.Repo{})
		}
	}
	if at := slices.IndexFunc(items, matches); at >= 0 {
		return items[at], nil
	}
	return github.Item{}, fault.Within(argument, notThere(p, ref.String()))
}

// addItems adds issues and pull requests to a project and sets fields of them.
func (k *kit) addItems(ctx context.Context, p github.ProjectDetails, refs toolargs.Refs, given []givenField) (*listing.Applied[addedEntry], error) {
	settings, badFields := k.settingsOf(p, given)
	if badFields != nil {
		return nil, listing.Unwritten(len(refs), badFields)
	}
	found, err := k.subjects(ctx, "items", refs, "", true)
	if err != nil {
		return nil, err
	}
	return applied("items", mapped(found, refOf), k.placeAll(ctx, p, found, settings))
}

// placeAll adds what is not on a project yet, and sets fields of all.
func (k *kit) placeAll(ctx context.Context, p github.ProjectDetails, found []github.Subject, settings []setting) []github.Outcome[addedEntry] {
	done := make([]github.Outcome[addedEntry], len(found))
	places := make([]placement, len(found))
	var missing []int
	var inputs []github.Placement
	for i, s := range found {
		done[i].Tried = true
		places[i], done[i].Err = k.placementOf(ctx, p, s)
		switch {
		case done[i].Err != nil:
		case places[i].head.ID == "":
			missing, inputs = append(missing, i), append(inputs, github.Placement{ProjectID: p.ID, ContentID: s.ID})
		default:
			done[i].Err = overwrites(places[i], settings)
		}
	}
	for n, one := range k.github.AddItems(ctx, inputs) {
		i := missing[n]
		places[i].head.ID = one.Value.ID
		done[i].Value.Added, done[i].Err, done[i].Tried = one.Err == nil, one.Err, one.Tried
	}
	var there []int
	var on []placement
	for i := range found {
		if done[i].Value.Item = places[i].head; done[i].Err == nil {
			there, on = append(there, i), append(on, places[i])
		}
	}
	for n, one := range k.writeFields(ctx, p, on, settings) {
		i := there[n]
		done[i].Value.Fields, done[i].Err, done[i].Part = one.Value.Fields, one.Err, one.Part
		if one.Err != nil && done[i].Value.Added {
			done[i].Err, done[i].Part = noting(one.Err, "it is on the project, but "), true
		}
		if !one.Tried && !done[i].Value.Added {
			done[i].Tried = false
		}
	}
	return done
}

// overwrites returns an error if an item that is on a project has another value in one of the
// fields: adding it again changes nothing.
func overwrites(on placement, settings []setting) error {
	for _, s := range settings {
		for _, has := range on.values {
			if has.Field.ID == s.field.ID && has.Value != nil && !s.to.is(&has) {
				return fault.Invalid("fields", "%s is on the project already, and its %s is %s; nothing was changed; github_set_field_value changes it",
					on.ref, plaintext.Quote(s.field.Name), plaintext.Quote(fmt.Sprint(has.Value)))
			}
		}
	}
	return nil
}

// noting returns an error whose message begins with what did succeed.
func noting(err error, before string) error {
	f := *fault.From(err)
	f.Message = before + f.Message
	return &f
}

// writeFields sets fields of items. What has its value already is not written.
func (k *kit) writeFields(ctx context.Context, p github.ProjectDetails, places []placement, settings []setting) []github.Outcome[setFields] {
	done := make([]github.Outcome[setFields], len(places))
	var of [][2]int
	var inputs []github.NewValue
	for i, l := range places {
		done[i] = github.Outcome[setFields]{Value: setFields{Item: l.head}, Tried: true}
		for n, s := range settings {
			v := setField{Field: plaintext.Clean(s.field.Name), Value: s.to.shown, Changed: true}
			if at := slices.IndexFunc(l.values, func(has github.FieldValue) bool { return has.Field.ID == s.field.ID }); at >= 0 {
				v.Previous, v.Changed = viewValue(l.values[at].Value), !s.to.is(&l.values[at])
			} else {
				v.Changed = !s.to.is(nil)
			}
			done[i].Value.Fields = append(done[i].Value.Fields, v)
			if !v.Changed {
				continue
			}
			input := github.NewValue{ProjectID: p.ID, ItemID: l.head.ID, FieldID: s.field.ID}
			if !s.to.clears {
				input.Value = &s.to.sent
			}
			of, inputs = append(of, [2]int{i, n}), append(inputs, input)
		}
	}
	written := make([][]string, len(places))
	for n, one := range k.github.SetValues(ctx, inputs) {
		i, field := of[n][0], done[of[n][0]].Value.Fields[of[n][1]].Field
		switch {
		case one.Err == nil:
			written[i] = append(written[i], field)
		case done[i].Err == nil:
			done[i].Err, done[i].Tried = noting(one.Err, plaintext.Quote(field)+" is not set: "), one.Tried || len(written[i]) > 0
		}
	}
	for i, names := range written {
		if done[i].Err != nil && len(names) > 0 {
			done[i].Err = noting(done[i].Err, fmt.Sprintf("%s is set, but ", plaintext.QuoteAll(names)))
			done[i].Tried, done[i].Part = true, true
		}
	}
	return done
}

type getFieldValueInput struct {
	getProjectInput
	Item  toolargs.Ref `json:"item" jsonschema:"owner/repo#12, URL, id or exact title"`
	Field string       `json:"field" jsonschema:"Its name" limits:"minlen=1 maxlen=100"`
}

type value struct {
	Item      itemHead           `json:"item"`
	Field     string             `json:"field"`
	Type      string             `json:"type"`
	Value     any                `json:"value" limits:"types=string|number|list|null"`
	OptionID  string             `json:"option_id,omitempty"`
	Iteration *iteration         `json:"iteration,omitempty"`
	Truncated bool               `json:"truncated,omitempty"`
	Missing   *github.Incomplete `json:"incomplete,omitempty"`
}

func (k *kit) getFieldValue() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_get_field_value",
		Title:       "Read a field of a GitHub project item",
		Description: "Reads one field of an item of a GitHub project, also lists such as reviewers. value is null if unset.",
	}, func(ctx context.Context, in getFieldValueInput) (value, error) {
		if err := k.checkItem(in.Item); err != nil {
			return value{}, err
		}
		p, err := k.project(ctx, in.Project, in.Owner, readProjects)
		if err != nil {
			return value{}, err
		}
		f, err := readableField(p, in.Field)
		if err != nil {
			return value{}, err
		}
		found, err := k.placed(ctx, p, in.Item, f)
		if err != nil {
			return value{}, err
		}
		return viewFieldValue(found.itemHead, f, found.value, found.missing), nil
	})
}

func viewFieldValue(of itemHead, f github.Field, has *github.FieldValue, missing *github.Incomplete) value {
	v := value{Item: of, Field: plaintext.Clean(f.Name), Type: strings.ToLower(f.DataType), Missing: missing}
	if has == nil {
		return v
	}
	v.Value, v.OptionID, v.Truncated = viewValue(has.Value), has.OptionID, has.Truncated
	if has.Iteration != nil {
		i := viewIteration(f, *has.Iteration)
		v.Iteration = &i
	}
	return v
}

// readable are the types of fields whose values GitHub's API returns. For a field of another type
// it returns null, whether the field is set or not.
var readable = []string{
	"ASSIGNEES", "DATE", "ITERATION", "LABELS", "LINKED_PULL_REQUESTS", "MILESTONE", "NUMBER", "REPOSITORY", "REVIEWERS", "SINGLE_SELECT",
	"TEXT", "TITLE",
}

// readableField finds a field of a project whose values can be read.
func readableField(p github.ProjectDetails, name string) (github.Field, error) {
	f, err := fieldOf(p, "field", name)
	if err == nil && !slices.Contains(readable, f.DataType) {
		where := "the user can see its value on GitHub: " + p.URL
		if slices.Contains([]string{"PARENT_ISSUE", "SUB_ISSUES_PROGRESS", "ISSUE_TYPE"}, f.DataType) {
			where = "github_get_issue shows it"
		}
		err = fault.Invalid("field", "%s (%s) cannot be read here; %s", plaintext.Quote(f.Name), strings.ToLower(f.DataType), where)
	}
	return f, err
}

// builtIn are the types of the fields that every project has.
var builtIn = []string{
	"ASSIGNEES", "ISSUE_TYPE", "LABELS", "LINKED_PULL_REQUESTS", "MILESTONE", "PARENT_ISSUE", "REPOSITORY", "REVIEWERS", "SUB_ISSUES_PROGRESS", "TITLE",
	"TRACKED_BY", "TRACKS",
}

// fieldOf finds a field of a project by its name. An error names all fields, those that the project
// itself defines first.
func fieldOf(p github.ProjectDetails, argument, name string) (github.Field, error) {
	own := func(f github.Field) int {
		if slices.Contains(builtIn, f.DataType) {
			return 1
		}
		return 0
	}
	fields := slices.Clone(p.Fields)
	slices.SortStableFunc(fields, func(a, b github.Field) int { return own(a) - own(b) })
	return choice[github.Field]{
		argument: argument, noun: "fields", items: fields, partly: true, whole: true,
		name: func(f github.Field) string { return f.Name },
	}.pick(name)
}

// optionsOf returns the options of a field, from which an argument names one.
func optionsOf(f github.Field, argument string) choice[github.Option] {
	return choice[github.Option]{
		argument: argument, noun: "options of " + plaintext.Quote(f.Name), items: f.Options, partly: true,
		name: func(o github.Option) string { return o.Name },
	}
}

// iterationValue reads an iteration: its title, a date in it, or its place relative to today.
func (k *kit) iterationValue(f github.Field, given any) (newValue, error) {
	open, completed := f.Iterations()
	all := slices.Concat(open, completed)
	slices.SortStableFunc(all, func(a, b github.Iteration) int { return cmp.Compare(a.StartDate, b.StartDate) })
	iterations := choice[github.Iteration]{
		argument: "value", noun: "iterations", items: all, partly: true,
		name:  func(i github.Iteration) string { return i.Title },
		where: func(i github.Iteration) string { return i.StartDate + " for " + strconv.Itoa(i.Duration) + " days" },
	}
	word, ok := wordOf(given)
	if !ok {
		return newValue{}, iterations.listed("must be the title of an iteration, @current, @next, @previous or a date, as a string")
	}
	found, named := iterationAt(all, strings.ToLower(word), k.now().UTC().Format(time.DateOnly))
	if found == nil {
		picked, known, err := iterations.find(word)
		switch {
		case err != nil:
			iterations.ref = func(i github.Iteration) string { return i.StartDate } // titles can be the same
			_, err = iterations.pick(word)
			return newValue{}, err
		case !known && named:
			return newValue{}, iterations.none("no iteration matches "+plaintext.Quote(word), word)
		case !known:
			return newValue{}, iterations.unknown(word)
		}
		found = &picked
	}
	return newValue{sent: github.Value{IterationID: &found.ID}, shown: viewValue(found.Title)}, nil
}

// iterationAt finds an iteration by a date or by a word such as @current, among iterations in the
// order of their dates. named reports whether the text is one of these.
func iterationAt(all []github.Iteration, text, today string) (found *github.Iteration, named bool) {
	day := today
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		day, text = text, "@current"
	}
	switch text {
	case "@next":
		return firstWhere(all, func(i github.Iteration) bool { return i.StartDate > today }), true
	case "@current":
		return firstWhere(all, func(i github.Iteration) bool { return i.StartDate <= day && day < endOf(i) }), true
	case "@previous":
		ended := slices.Clone(all)
		slices.Reverse(ended)
		return firstWhere(ended, func(i github.Iteration) bool { return endOf(i) <= today }), true
	}
	return nil, false
}

func firstWhere(all []github.Iteration, match func(github.Iteration) bool) *github.Iteration {
	if at := slices.IndexFunc(all, match); at >= 0 {
		return &all[at]
	}
	return nil
}

// endOf returns the day after an iteration.
func endOf(i github.Iteration) string {
	start, err := time.Parse(time.DateOnly, i.StartDate)
	if err != nil {
		return i.StartDate
	}
	return start.AddDate(0, 0, i.Duration).Format(time.DateOnly)
}
