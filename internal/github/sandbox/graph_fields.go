package sandbox

import (
	"slices"
	"time"
)

// known returns the fields that this GitHub has: an Enterprise Server lacks the newer kinds.
func (x *run) known(list []*field) []*field {
	return filter(list, func(f *field) bool { return x.schema.Types["ProjectV2FieldType"].EnumValues.ForName(f.kind) != nil })
}

// field returns a field of a project.
func (x *run) field(f *field) *object {
	o := &object{"ProjectV2Field", fields{
		"id": f.node, "databaseId": f.id, "name": f.name, "dataType": f.kind,
		"createdAt": stamp(f.created), "updatedAt": stamp(f.created),
		"project": resolver(func(map[string]any) (any, error) { return x.project(f.project), nil }),
	}}
	switch f.kind {
	case "SINGLE_SELECT":
		o.kind = "ProjectV2SingleSelectField"
		o.fields["options"] = resolver(func(args map[string]any) (any, error) { return showOptions(f, args["names"]), nil })
	case "MULTI_SELECT":
		o.kind = "ProjectV2MultiSelectField"
		o.fields["options"] = showOptions(f, nil)
	case "ITERATION":
		o.kind = "ProjectV2IterationField"
		o.fields["configuration"] = x.iterations(f)
	}
	return o
}

// showOptions returns the options of a field. names, if it is a list, selects by name.
func showOptions(f *field, names any) []any {
	list := []any{}
	wanted, chooses := names.([]any)
	for _, p := range f.options {
		if !chooses || slices.Contains(wanted, any(p.name)) {
			list = append(list, &object{"ProjectV2SingleSelectFieldOption", fields{
				"id": p.id, "name": p.name, "description": p.description, "color": p.color,
			}})
		}
	}
	return list
}

func (x *run) iterations(f *field) *object {
	today := x.s.now().UTC().Format(time.DateOnly)
	open, completed := []any{}, []any{}
	for _, i := range f.iterations {
		shown := &object{"ProjectV2IterationFieldIteration", fields{"id": i.id, "title": i.title, "startDate": i.start, "duration": i.days}}
		if i.ended(today) {
			completed = append(completed, shown)
		} else {
			open = append(open, shown)
		}
	}
	slices.Reverse(completed) // the latest first
	return &object{"ProjectV2IterationFieldConfiguration", fields{
		"duration": f.duration, "startDay": 1, "iterations": open, "completedIterations": completed,
	}}
}
