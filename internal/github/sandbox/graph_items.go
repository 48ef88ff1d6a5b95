package sandbox

// hidden reports whether the person may not see what an item is about.
func (x *run) hidden(i *item) bool { return i.content != nil && !x.sees(i.content.repository) }

// item returns an item of a project. What the person may not see is redacted.
func (x *run) item(i *item) *object {
	o := &object{"ProjectV2Item", fields{
		"id": i.node, "databaseId": i.id, "isArchived": i.archived, "creator": x.account(i.creator),
		"createdAt": stamp(i.created), "updatedAt": stamp(i.updated),
		"project": resolver(func(map[string]any) (any, error) { return x.project(i.project), nil }),
	}}
	var values []fieldValue
	switch {
	case x.hidden(i):
		o.fields["type"], o.fields["content"] = "REDACTED", nil
	case i.draft != nil:
		o.fields["type"], o.fields["content"] = "DRAFT_ISSUE", x.draft(i)
		values = x.values(i)
	case i.content.pull:
		o.fields["type"], o.fields["content"] = "PULL_REQUEST", x.issue(i.content)
		values = x.values(i)
	default:
		o.fields["type"], o.fields["content"] = "ISSUE", x.issue(i.content)
		values = x.values(i)
	}
	o.fields["fieldValues"] = resolver(func(args map[string]any) (any, error) {
		list := ordered(values, args, func(string, fieldValue, fieldValue) int { return 0 })
		return connect("ProjectV2ItemFieldValueConnection", list, func(v fieldValue) *object { return v.shown })(args)
	})
	o.fields["fieldValueByName"] = resolver(func(args map[string]any) (any, error) {
		wanted := i.project.field(word(args, "name"))
		for _, v := range values {
			if v.field == wanted {
				return v.shown, nil
			}
		}
		return nil, nil
	})
	return o
}

func (x *run) draft(i *item) *object {
	return &object{"DraftIssue", fields{
		"id": i.draft.node, "title": i.draft.title, "body": i.draft.body, "creator": x.account(i.creator),
		"assignees": x.users(i.draft.assignees), "createdAt": stamp(i.created), "updatedAt": stamp(i.updated),
	}}
}
