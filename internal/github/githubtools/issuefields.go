package githubtools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/plaintext"
)

// issueFieldsOf returns the fields that the organization gives to an issue, as those of a project
// without another.
func (k *kit) issueFieldsOf(ctx context.Context, i github.Issue) (p github.ProjectDetails, err error) {
	all, err := k.github.IssueFields(ctx, i.Repo.Owner)
	for _, f := range all {
		p.Fields = append(p.Fields, f.Field())
	}
	return p, err
}

// viewIssueFields returns the values of an issue's fields, by name. It asks for the names only if
// there are values.
func (k *kit) viewIssueFields(ctx context.Context, i github.Issue) (values []fieldValue, err error) {
	if len(i.Fields) == 0 {
		return nil, nil
	}
	p, err := k.issueFieldsOf(ctx, i)
	for _, v := range i.Fields {
		name := fmt.Sprint("field ", v.FieldID) // of an organization that does not show its fields
		if at := slices.IndexFunc(p.Fields, func(f github.Field) bool { return f.ID == strconv.FormatInt(v.FieldID, 10) }); at >= 0 {
			name = plaintext.Clean(p.Fields[at].Name)
		}
		values = append(values, fieldValue{Name: name, Type: v.Type, Value: viewValue(v.Value)})
	}
	return values, err
}

// planFields adds what sets the issue fields that the arguments name.
func (k *kit) planFields(ctx context.Context, old github.Issue, in updateIssueInput) (steps []nestStep, err error) {
	if len(in.Fields) == 0 {
		return nil, nil
	}
	if old.Fields == nil {
		return nil, fault.Invalid("issue_fields", "this GitHub has no issue fields: the server is older than they are")
	}
	p, err := k.issueFieldsOf(ctx, old)
	if err != nil {
		return nil, err
	}
	if len(p.Fields) == 0 {
		return nil, fault.Invalid("issue_fields", "%s has no issue fields here: only organizations have them, and show them to their members", old.Repo.Owner)
	}
	settings, err := k.settingsOf(p, givenFields(in.Fields))
	if err != nil {
		return nil, issueFieldsIn(err)
	}
	var sent []github.FieldSetting
	was := map[string]any{}
	for _, s := range settings {
		id, _ := strconv.ParseInt(s.field.ID, 10, 64)
		var had any
		if at := slices.IndexFunc(old.Fields, func(v github.IssueFieldValue) bool { return v.FieldID == id }); at >= 0 {
			had = viewValue(old.Fields[at].Value)
		}
		switch {
		case had == s.to.shown:
			continue
		case s.to.clears:
			steps = append(steps, nestStep{
				argument: "issue_fields", changes: "issue_fields", was: was, of: plaintext.Clean(s.field.Name), holds: k.isCleared(ctx, old, id),
				write: func() error { return k.github.ClearIssueField(ctx, old.Repo, old.Number, id) },
			})
		default:
			sent = append(sent, github.FieldSetting{FieldID: id, Value: plainValue(s.to.sent)})
		}
		was[plaintext.Clean(s.field.Name)] = had
	}
	if len(sent) > 0 {
		steps = append(steps, nestStep{argument: "issue_fields", changes: "issue_fields", was: was, write: func() error { return k.github.SetIssueFields(ctx, old.Repo, old.Number, sent) }})
	}
	return steps, nil
}

// isCleared returns a function that reports whether an issue field has no value.
func (k *kit) isCleared(ctx context.Context, of github.Issue, field int64) func() (bool, error) {
	return func() (bool, error) {
		now, err := k.github.Issue(ctx, of.Repo, of.Number)
		return !slices.ContainsFunc(now.Fields, func(v github.IssueFieldValue) bool { return v.FieldID == field }), err
	}
}

// plainValue returns a value as REST takes it.
func plainValue(v github.Value) any {
	switch {
	case v.Text != nil:
		return *v.Text
	case v.Number != nil:
		return *v.Number
	case v.Date != nil:
		return *v.Date
	}
	return *v.OptionID // the name of the option
}

// issueFieldsIn returns an error about fields as one about issue_fields.
func issueFieldsIn(err error) error {
	told := *fault.From(err)
	told.Validation = slices.Clone(told.Validation)
	for i, v := range told.Validation {
		told.Validation[i].Path = strings.Replace(v.Path, "fields", "issue_fields", 1)
	}
	if strings.HasPrefix(told.Message, "fields") {
		told.Message = "issue_" + told.Message
	}
	return &told
}
