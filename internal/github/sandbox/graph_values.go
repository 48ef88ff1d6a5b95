package sandbox

import "fmt"

// A fieldValue is the value of a field, as the answer shows it.
type fieldValue struct {
	field *field
	shown *object
}

func (v fieldValue) key() string { return v.field.node }

// values returns the values of an item in the order of the fields. Fields without a value have no
// entry, and neither have the kinds whose values the API does not show.
func (x *run) values(i *item) []fieldValue {
	var list []fieldValue
	for _, f := range i.project.fields {
		if o := x.value(i, f); o != nil {
			o.fields["field"] = resolver(func(map[string]any) (any, error) { return x.field(f), nil })
			list = append(list, fieldValue{field: f, shown: o})
		}
	}
	return list
}

func (x *run) value(i *item, f *field) *object {
	v, set := i.values[f]
	switch f.kind {
	case "TITLE":
		return x.own(i, value{node: nodeID("PVTFTV", i.id), text: i.title(), updated: i.updated}, "Text", fields{"text": i.title()})
	case "TEXT", "NUMBER", "DATE", "SINGLE_SELECT", "ITERATION":
		if !set {
			return nil
		}
		return x.custom(i, f, v)
	case "ASSIGNEES":
		assignees := i.assignees()
		if len(assignees) == 0 {
			return nil
		}
		return &object{"ProjectV2ItemFieldUserValue", fields{"users": x.users(assignees)}}
	}
	if i.content == nil {
		return nil
	}
	return x.derived(i.content, f)
}

func (i *item) assignees() []*account {
	if i.draft != nil {
		return i.draft.assignees
	}
	return i.content.assignees
}

// custom returns the value of a field that the project itself keeps.
func (x *run) custom(i *item, f *field, v value) *object {
	switch f.kind {
	case "TEXT":
		return x.own(i, v, "Text", fields{"text": v.text})
	case "NUMBER":
		return x.own(i, v, "Number", fields{"number": v.number})
	case "DATE":
		return x.own(i, v, "Date", fields{"date": v.date})
	case "SINGLE_SELECT":
		p := first(f.options, func(p option) bool { return p.id == v.chosen[0] })
		return x.own(i, v, "SingleSelect", fields{"name": p.name, "optionId": p.id, "color": p.color, "description": p.description})
	}
	it := first(f.iterations, func(it iteration) bool { return it.id == v.chosen[0] })
	return x.own(i, v, "Iteration", fields{"title": it.title, "iterationId": it.id, "startDate": it.start, "duration": it.days})
}

// own returns a value that is a node of its own.
func (x *run) own(i *item, v value, kind string, more fields) *object {
	more["id"], more["updatedAt"] = v.node, stamp(v.updated)
	more["item"] = resolver(func(map[string]any) (any, error) { return x.item(i), nil })
	return &object{fmt.Sprintf("ProjectV2ItemField%sValue", kind), more}
}

// derived returns the value of a field that the issue keeps.
func (x *run) derived(i *issue, f *field) *object {
	switch {
	case f.kind == "LABELS" && len(i.labels) > 0:
		return &object{"ProjectV2ItemFieldLabelValue", fields{"labels": x.labels(i.labels)}}
	case f.kind == "MILESTONE" && i.milestone != nil:
		return &object{"ProjectV2ItemFieldMilestoneValue", fields{"milestone": x.milestone(i.milestone)}}
	case f.kind == "REPOSITORY":
		return &object{"ProjectV2ItemFieldRepositoryValue", fields{"repository": x.repository(i.repository)}}
	case f.kind == "LINKED_PULL_REQUESTS" && len(i.pulls) > 0:
		return &object{"ProjectV2ItemFieldPullRequestValue", fields{
			"pullRequests": connect("PullRequestConnection", i.pulls, x.issue),
		}}
	case f.kind == "REVIEWERS" && len(i.reviewers) > 0:
		return &object{"ProjectV2ItemFieldReviewerValue", fields{
			"reviewers": connect("RequestedReviewerConnection", i.reviewers, x.reviewer),
		}}
	}
	return nil
}

// reviewer returns a user, a bot or a team.
func (x *run) reviewer(r keyed) *object {
	if t, ok := r.(*team); ok {
		return x.team(t)
	}
	return x.account(r.(*account))
}
