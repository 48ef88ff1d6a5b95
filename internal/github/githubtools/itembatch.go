package githubtools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

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
	of := github.ProjectRef{ID: p.ID}
	on, more := s.On(of)
	if more {
		content, _, err := k.github.Content(ctx, s.Repo(), s.Number, "")
		if err != nil {
			return placement{}, err
		}
		if on, _ = content.On(of); on.ID != "" {
			if on, _, err = k.github.Item(ctx, on.ID, ""); err != nil {
				return placement{}, err
			}
		}
	}
	return placement{itemHead{on.ID, plaintext.Clean(s.Title), refOf(s)}, refOf(s), on.Values}, nil
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
	var inputs []github.Fields
	for i, s := range found {
		done[i].Tried = true
		places[i], done[i].Err = k.placementOf(ctx, p, s)
		switch {
		case done[i].Err != nil:
		case places[i].head.ID == "":
			missing, inputs = append(missing, i), append(inputs, github.Fields{"projectId": p.ID, "contentId": s.ID})
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
	var inputs []github.Fields
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
			of, inputs = append(of, [2]int{i, n}), append(inputs, s.to.input(p.ID, l.head.ID, s.field.ID))
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
