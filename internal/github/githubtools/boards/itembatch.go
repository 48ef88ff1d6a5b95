package boards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// setField is a field of an item after it was set.
type setField struct {
	Field    string `json:"field"`
	Value    any    `json:"value" limits:"types=string|number|null"`
	Previous any    `json:"previous" limits:"types=string|number|null"`
	Changed  bool   `json:"changed"`
}

// SetFields is an item of a batch.
type SetFields struct {
	Item   itemHead   `json:"item"`
	Fields []setField `json:"fields"`
}

// AddedEntry is an item of a batch that was added.
type AddedEntry struct {
	Item   itemHead   `json:"item"`
	Added  bool       `json:"added"`
	Fields []setField `json:"fields,omitempty"`
}

const maxFields = 10 // of one call

// Setting is a field of a project and what it is set to.
type Setting struct {
	Field github.Field
	To    NewValue
}

// SettingsOf reads the fields and their values. The error names the problems of all.
func (k *Kit) SettingsOf(p github.ProjectDetails, given []GivenField) ([]Setting, error) {
	if len(given) > maxFields {
		return nil, fault.Invalid("fields", "must be at most %d, got %d", maxFields, len(given))
	}
	all, problems := make([]Setting, len(given)), make([]error, len(given))
	for i, in := range given {
		f, err := fieldOf(p, "field", in.name)
		if err == nil {
			all[i].Field = f
			all[i].To, err = k.NewValue(f, in.value)
		}
		if err == nil && slices.ContainsFunc(all[:i], func(s Setting) bool { return s.Field.ID == f.ID }) {
			err = fault.Invalid("field", "%s is given twice", plaintext.Quote(f.Name))
		}
		if err != nil {
			problems[i] = fault.Within(parts.Entry("fields", i), err)
		}
	}
	return all, fault.All(problems...)
}

// placement is an item of a project with the values of its fields.
type placement struct {
	itemHead
	values []github.FieldValue
}

// setFields sets fields of several items of a project.
func (k *Kit) setFields(ctx context.Context, p github.ProjectDetails, refs toolargs.Refs, given []GivenField) (*listing.Applied[SetFields], error) {
	settings, badFields := k.SettingsOf(p, given)
	places, err := k.placements(ctx, p, refs)
	if err := fault.All(badFields, err); err != nil {
		return nil, listing.Unwritten(len(refs), err)
	}
	if err := listing.Once("items", places, placement.name); err != nil {
		return nil, err
	}
	return parts.Applied("items", parts.Mapped(places, placement.name), k.writeFields(ctx, p, places, settings))
}

// placements finds items of a project. Issues and pull requests are read by their numbers; for an
// ID or a title, the items of the project are listed.
func (k *Kit) placements(ctx context.Context, p github.ProjectDetails, refs toolargs.Refs) ([]placement, error) {
	numbered := !slices.ContainsFunc(refs, func(ref toolargs.Ref) bool {
		named, err := k.ParseIssue("items", ref)
		return parts.ItemID.MatchString(ref.Name) || err == nil && named.Title != ""
	})
	if numbered {
		found, err := k.Subjects(ctx, "items", refs, "", true)
		if err != nil {
			return nil, err
		}
		return parts.Each("items", found, func(path string, s github.Issue) (placement, error) {
			place, err := k.placementOf(ctx, p, s)
			if err == nil && place.ID == "" {
				err = notThere(p, parts.RefOf(s))
			}
			return place, fault.Within(path, err)
		})
	}
	listed, more, err := k.firstItems(ctx, p)
	if err != nil {
		return nil, err
	}
	return parts.Each("items", refs, func(path string, ref toolargs.Ref) (placement, error) {
		one, err := k.amongItems(ctx, p, path, ref, listed, more)
		return placement{headOf(one), one.Values}, err
	})
}

// placementOf returns where an issue or a pull request is on a project; without an ID if it is not
// on it. One on many projects is read again with more of them.
func (k *Kit) placementOf(ctx context.Context, p github.ProjectDetails, s github.Issue) (placement, error) {
	of := github.ProjectRef{ID: p.ID}
	on, more := s.On(of)
	if more {
		content, _, err := k.GitHub.Content(ctx, s.Repo, s.Number, "")
		if err != nil {
			return placement{}, err
		}
		if on, _ = content.On(of); on.ID != "" {
			if on, _, err = k.GitHub.Item(ctx, on.ID, ""); err != nil {
				return placement{}, err
			}
		}
	}
	return placement{itemHead{on.ID, plaintext.Clean(s.Title), parts.RefOf(s)}, on.Values}, nil
}

// amongItems finds an item that a reference names among those of a list.
func (k *Kit) amongItems(ctx context.Context, p github.ProjectDetails, argument string, ref toolargs.Ref, items []github.Item, more bool) (github.Item, error) {
	matches := func(i github.Item) bool { return i.ID == ref.Name }
	if !parts.ItemID.MatchString(ref.Name) {
		named, err := k.ParseIssue(argument, ref)
		if err != nil {
			return github.Item{}, err
		}
		if named.Title != "" {
			return pickItem(ctx, p, argument, named.Title, items, more)
		}
		if named.Repo, err = k.Found(ctx, named.Repo); err != nil {
			return github.Item{}, err
		}
		matches = func(i github.Item) bool {
			return i.Number == named.Number && (strings.EqualFold(i.Repo.String(), named.Repo.String()) || named.Repo == github.Repo{})
		}
	}
	if at := slices.IndexFunc(items, matches); at >= 0 {
		return items[at], nil
	}
	return github.Item{}, fault.Within(argument, notThere(p, ref.String()))
}

// addItems adds issues and pull requests to a project and sets fields of them.
func (k *Kit) addItems(ctx context.Context, p github.ProjectDetails, refs toolargs.Refs, given []GivenField) (*listing.Applied[AddedEntry], error) {
	settings, badFields := k.SettingsOf(p, given)
	if badFields != nil {
		return nil, listing.Unwritten(len(refs), badFields)
	}
	found, err := k.Subjects(ctx, "items", refs, "", true)
	if err != nil {
		return nil, err
	}
	return parts.Applied("items", parts.Mapped(found, parts.RefOf), k.PlaceAll(ctx, p, found, settings))
}

// PlaceAll adds what is not on a project yet, and sets fields of all.
func (k *Kit) PlaceAll(ctx context.Context, p github.ProjectDetails, found []github.Issue, settings []Setting) []github.Outcome[AddedEntry] {
	done := make([]github.Outcome[AddedEntry], len(found))
	places := make([]placement, len(found))
	var missing []int
	var inputs []github.Fields
	for i, s := range found {
		done[i].Tried = true
		places[i], done[i].Err = k.placementOf(ctx, p, s)
		switch {
		case done[i].Err != nil:
		case places[i].ID == "":
			missing, inputs = append(missing, i), append(inputs, github.Fields{"projectId": p.ID, "contentId": s.ID})
		default:
			done[i].Err = overwrites(places[i], settings)
		}
	}
	for n, one := range k.GitHub.AddItems(ctx, inputs) {
		i := missing[n]
		places[i].ID = one.Value.ID
		done[i].Value.Added, done[i].Err, done[i].Tried = one.Err == nil, one.Err, one.Tried
	}
	var there []int
	var on []placement
	for i := range found {
		if done[i].Value.Item = places[i].itemHead; done[i].Err == nil {
			there, on = append(there, i), append(on, places[i])
		}
	}
	for n, one := range k.writeFields(ctx, p, on, settings) {
		i := there[n]
		done[i].Value.Fields, done[i].Err, done[i].Part = one.Value.Fields, one.Err, one.Part
		if one.Err != nil && done[i].Value.Added {
			done[i].Err, done[i].Part = Noting(one.Err, "it is on the project, but "), true
		}
		if !one.Tried && !done[i].Value.Added {
			done[i].Tried = false
		}
	}
	return done
}

// overwrites returns an error if an item that is on a project has another value in one of the
// fields: adding it again changes nothing.
func overwrites(on placement, settings []Setting) error {
	for _, s := range settings {
		for _, has := range on.values {
			if has.Field.ID == s.Field.ID && has.Value != nil && !s.To.is(&has) {
				return fault.Invalid("fields", "%s is on the project already, and its %s is %s; nothing was changed; github_set_field_value changes it",
					on.name(), plaintext.Quote(s.Field.Name), plaintext.Quote(fmt.Sprint(has.Value)))
			}
		}
	}
	return nil
}

// Noting returns an error whose message begins with what did succeed.
func Noting(err error, before string) error {
	f := *fault.From(err)
	f.Message = before + f.Message
	return &f
}

// writeFields sets fields of items. What has its value already is not written.
func (k *Kit) writeFields(ctx context.Context, p github.ProjectDetails, places []placement, settings []Setting) []github.Outcome[SetFields] {
	done := make([]github.Outcome[SetFields], len(places))
	var of [][2]int
	var inputs []github.Fields
	for i, l := range places {
		done[i] = github.Outcome[SetFields]{Value: SetFields{Item: l.itemHead}, Tried: true}
		for n, s := range settings {
			v := setField{Field: plaintext.Clean(s.Field.Name), Value: s.To.Shown, Changed: true}
			if at := slices.IndexFunc(l.values, func(has github.FieldValue) bool { return has.Field.ID == s.Field.ID }); at >= 0 {
				v.Previous, v.Changed = ViewValue(l.values[at].Value), !s.To.is(&l.values[at])
			} else {
				v.Changed = !s.To.is(nil)
			}
			done[i].Value.Fields = append(done[i].Value.Fields, v)
			if !v.Changed {
				continue
			}
			of, inputs = append(of, [2]int{i, n}), append(inputs, s.To.input(p.ID, l.ID, s.Field.ID))
		}
	}
	written := make([][]string, len(places))
	for n, one := range k.GitHub.SetValues(ctx, inputs) {
		i, field := of[n][0], done[of[n][0]].Value.Fields[of[n][1]].Field
		switch {
		case one.Err == nil:
			written[i] = append(written[i], field)
		case done[i].Err == nil:
			done[i].Err, done[i].Tried = Noting(one.Err, plaintext.Quote(field)+" is not set: "), one.Tried || len(written[i]) > 0
		}
	}
	for i, names := range written {
		if done[i].Err != nil && len(names) > 0 {
			done[i].Err = Noting(done[i].Err, fmt.Sprintf("%s is set, but ", plaintext.QuoteAll(names)))
			done[i].Tried, done[i].Part = true, true
		}
	}
	return done
}
