package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// listIssueFields lists the issue fields of an organization.
func (c *call) listIssueFields(login string) reply {
	org, refusal, ok := c.planning(login, "/orgs/issue-fields#list-issue-fields-for-an-organization")
	if !ok {
		return refusal
	}
	views := []map[string]any{}
	for _, f := range org.fields {
		view := map[string]any{"id": f.id, "node_id": nodeID("IF", f.id), "name": f.name, "description": nil, "data_type": f.kind}
		if f.options != nil {
			view["options"] = apply(f.options, func(name string) map[string]any { return map[string]any{"name": name, "color": "gray"} })
		}
		views = append(views, view)
	}
	return replyWith(http.StatusOK, views)
}

// fieldViews returns the values of an issue's fields, by the IDs of these.
func (i *issue) fieldViews() []map[string]any {
	views := []map[string]any{}
	for _, f := range i.repository.owner.fields {
		value, set := i.values[f]
		if !set {
			continue
		}
		view := map[string]any{"issue_field_id": f.id, "node_id": nodeID("IFV", f.id), "data_type": f.kind, "value": value}
		if f.kind == "single_select" {
			view["single_select_option"] = map[string]any{"name": value, "color": "gray"}
		}
		views = append(views, view)
	}
	return views
}

// editedFields returns the issue whose fields a request changes.
func (c *call) editedFields() (i *issue, refusal reply, ok bool) {
	switch i = c.issue; {
	case i.pull:
		return nil, notFound(c.page()), false
	case c.t.inRepository(c.repo) < mayPush:
		return nil, refused(http.StatusForbidden, "Must have push access to the repository.", c.page()), false
	}
	return i, reply{}, true
}

func (c *call) issueField(id int64) *issueField {
	return first(c.repo.owner.fields, func(f *issueField) bool { return f.id == id })
}

// sentFields reads the values of issue fields in a body.
func (c *call) sentFields() (values map[*issueField]any, refusal *reply) {
	var sent []struct {
		Field int64 `json:"field_id"`
		Value any   `json:"value"`
	}
	wrong := malformed(c.page(), "issue_field_values", "the value is not an array")
	if json.Unmarshal(c.fields["issue_field_values"], &sent) != nil || len(sent) == 0 {
		return nil, &wrong
	}
	values = map[*issueField]any{}
	for _, one := range sent {
		f := c.issueField(one.Field)
		if f == nil || !f.takes(one.Value) {
			wrong = invalid(c.page(), flaw{Resource: "Issue", Field: "issue_field_values", Code: "invalid", Value: one.Value})
			return nil, &wrong
		}
		values[f] = one.Value
	}
	return values, nil
}

// setIssueFields sets some fields of an issue.
func (c *call) setIssueFields() reply {
	i, refusal, ok := c.editedFields()
	if !ok {
		return refusal
	}
	values, wrong := c.sentFields()
	if wrong != nil {
		return *wrong
	}
	for f, value := range i.values {
		if _, set := values[f]; !set {
			values[f] = value
		}
	}
	i.values, i.updated = values, c.s.stampNow()
	return replyWith(http.StatusOK, i.fieldViews())
}

// takes reports whether a field can have a value.
func (f *issueField) takes(value any) bool {
	text, isText := value.(string)
	switch f.kind {
	case "number":
		_, ok := value.(float64)
		return ok
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case "single_select":
		return slices.Contains(f.options, text)
	}
	return isText && f.kind == "text"
}

// clearIssueField clears a field of an issue.
func (c *call) clearIssueField() reply {
	i, refusal, ok := c.editedFields()
	if !ok {
		return refusal
	}
	f := c.issueField(int64(c.id))
	if _, set := i.values[f]; f == nil || !set {
		return notFound(c.page())
	}
	delete(i.values, f)
	i.updated = c.s.stampNow()
	return replyWith(http.StatusNoContent, nil)
}
