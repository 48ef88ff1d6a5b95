package sandbox

import (
	"slices"
	"time"
)

// A statusUpdate says where a project stands.
type statusUpdate struct {
	thing
	project       *project
	creator       *account
	status, body  string
	start, target string // dates; empty for none
	created       time.Time
}

func (x *run) statusUpdate(u *statusUpdate) *object {
	return &object{"ProjectV2StatusUpdate", fields{
		"id": u.node, "status": orNull(u.status), "body": orNull(u.body), "startDate": orNull(u.start), "targetDate": orNull(u.target),
		"createdAt": stamp(u.created), "updatedAt": stamp(u.created), "creator": x.account(u.creator),
		"project": resolver(func(map[string]any) (any, error) { return x.project(u.project), nil }),
	}}
}

// createStatusUpdate adds a status update to a project.
func (x *run) createStatusUpdate(input map[string]any) (fields, error) {
	p, err := x.projectToEdit(input, "CreateProjectV2StatusUpdate")
	if err != nil {
		return nil, err
	}
	u := &statusUpdate{
		project: p, creator: x.t.person, status: word(input, "status"), body: word(input, "body"),
		start: word(input, "startDate"), target: word(input, "targetDate"), created: x.s.stampNow(),
	}
	for _, date := range []string{u.start, u.target} {
		if _, err := time.Parse(time.DateOnly, date); err != nil && date != "" {
			return nil, problemf("UNPROCESSABLE", "The date is not valid")
		}
	}
	u.thing = x.s.next("PVTSU")
	p.updates = append(slices.Clip(p.updates), u)
	p.updated = u.created
	return fields{"statusUpdate": x.statusUpdate(u)}, nil
}

// deleteStatusUpdate deletes a status update of a project.
func (x *run) deleteStatusUpdate(input map[string]any) (fields, error) {
	id := word(input, "statusUpdateId")
	for _, p := range x.allProjects() {
		gone := withKey(p.updates, id)
		if gone == nil {
			continue
		}
		if _, err := x.projectToEdit(map[string]any{"projectId": p.node}, "DeleteProjectV2StatusUpdate"); err != nil {
			return nil, err
		}
		p.updates = filter(p.updates, func(u *statusUpdate) bool { return u != gone })
		p.updated = x.s.stampNow()
		return fields{"deletedStatusUpdateId": id, "projectV2": x.project(p)}, nil
	}
	return nil, unresolved(id)
}
