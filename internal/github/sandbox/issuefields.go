package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
)

func (c *call) listIssueFields(login string) reply {
	views := []map[string]any{}
	for _, f := range c.planning(login).fields {
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

func (c *call) issueField(id int64) *issueField {
	return first(c.repo.owner.fields, func(f *issueField) bool { return f.id == id })
}

func (c *call) sentFields() map[*issueField]any {
	var sent []struct {
		Field int64 `json:"field_id"`
		Value any   `json:"value"`
	}
	wrong := json.Unmarshal(c.fields["issue_field_values"], &sent)
	refuse(wrong != nil || len(sent) == 0, malformed(c.route.page, "issue_field_values", "the value is not an array"))
	values := map[*issueField]any{}
	for _, one := range sent {
		f := c.issueField(one.Field)
		refuse(f == nil || !f.takes(one.Value), invalid(c.route.page, flaw{Resource: "Issue", Field: "issue_field_values", Code: "invalid", Value: one.Value}))
		values[f] = one.Value
	}
	return values
}

func (c *call) setIssueFields() reply {
	i := c.issue
	c.mustBeThere(!i.pull)
	values := c.sentFields()
	for f, value := range i.values {
		if _, set := values[f]; !set {
			values[f] = value
		}
	}
	i.values, i.updated = values, c.s.stampNow()
	return replyWith(http.StatusOK, i.fieldViews())
}

func (f *issueField) takes(value any) bool {
	text, isText := value.(string)
	switch f.kind {
	case "number":
		_, ok := value.(float64)
		return ok
	case "date":
		return isDate(text)
	case "single_select":
		return slices.Contains(f.options, text)
	}
	return isText && f.kind == "text"
}

func (c *call) clearIssueField() reply {
	f := c.issueField(int64(c.id))
	_, set := c.issue.values[f]
	c.mustBeThere(set)
	delete(c.issue.values, f)
	c.issue.updated = c.s.stampNow()
	return replyWith(http.StatusNoContent, nil)
}
