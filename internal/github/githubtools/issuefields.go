package githubtools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// issueFieldsOf returns the fields that an organization gives to its issues, as those of a project
// without another.
func (k *kit) issueFieldsOf(ctx context.Context, owner string) (p github.ProjectDetails, err error) {
	all, err := k.GitHub.IssueFields(ctx, owner)
	for _, f := range all {
		p.Fields.Items = append(p.Fields.Items, f.Field())
	}
	return p, err
}

// viewIssueFields returns the values of an issue's fields, by name. It asks for the names only if
// there are values.
func (k *kit) viewIssueFields(ctx context.Context, i github.Issue) (values []boards.FieldValue, err error) {
	if len(i.Fields) == 0 {
		return nil, nil
	}
	p, err := k.issueFieldsOf(ctx, i.Repo.Owner)
	for _, v := range i.Fields {
		name := fmt.Sprint("field ", v.FieldID) // of an organization that does not show its fields
		if at := slices.IndexFunc(p.Fields.Items, func(f github.Field) bool { return f.ID == strconv.FormatInt(v.FieldID, 10) }); at >= 0 {
			name = plaintext.Clean(p.Fields.Items[at].Name)
		}
		values = append(values, boards.FieldValue{Name: name, Type: v.Type, Value: boards.ViewValue(v.Value)})
	}
	return values, err
}

// issueSettings reads the values of issue fields in a repository.
func (k *kit) issueSettings(ctx context.Context, repo github.Repo, given []boards.FieldInput) ([]boards.Setting, error) {
	if len(given) == 0 {
		return nil, nil
	}
	p, err := k.issueFieldsOf(ctx, repo.Owner)
	if err != nil {
		return nil, err
	}
	if len(p.Fields.Items) == 0 {
		if _, err := k.GitHub.Repository(ctx, repo); err != nil {
			return nil, err
		}
		return nil, fault.Invalid("issue_fields", "%s has no issue fields here: only organizations have them, and show them to their members", repo.Owner)
	}
	settings, err := k.SettingsOf(p, boards.GivenFields(given))
	if err != nil {
		return nil, parts.OfArgument(err, "fields", "issue_fields")
	}
	return settings, nil
}

// planFields adds what sets the issue fields that the arguments name.
func (k *kit) planFields(ctx context.Context, old github.Issue, in updateIssueInput) ([]nestStep, error) {
	if len(in.Fields) == 0 {
		return nil, nil
	}
	if old.Fields == nil {
		return nil, fault.Invalid("issue_fields", "this GitHub has no issue fields: the server is older than they are")
	}
	settings, err := k.issueSettings(ctx, old.Repo, in.Fields)
	return k.fieldSteps(ctx, old, settings), err
}

// fieldSteps returns what gives an issue the values that it does not have.
func (k *kit) fieldSteps(ctx context.Context, old github.Issue, settings []boards.Setting) (steps []nestStep) {
	var changed []boards.Setting
	was := map[string]any{}
	for _, s := range settings {
		had := fieldOfIssue(old, s.Field.ID)
		if had == s.To.Shown {
			continue
		}
		was[plaintext.Clean(s.Field.Name)] = had
		if !s.To.Clears {
			changed = append(changed, s)
			continue
		}
		id := numberOf(s.Field)
		steps = append(steps, nestStep{
			argument: "issue_fields", changes: "issue_fields", was: was, of: plaintext.Clean(s.Field.Name), sets: shownFields(s), holds: func() (bool, error) {
				now, err := k.GitHub.Issue(ctx, old.Repo, old.Number)
				return fieldOfIssue(now, s.Field.ID) == nil, err
			},
			write: func() error { return k.GitHub.ClearIssueField(ctx, old.Repo, old.Number, id) },
		})
	}
	if len(changed) > 0 {
		steps = append(steps, nestStep{argument: "issue_fields", changes: "issue_fields", was: was, sets: shownFields(changed...), write: func() error {
			return k.GitHub.SetIssueFields(ctx, old.Repo, old.Number, sentFields(changed))
		}})
	}
	return steps
}

// shownFields returns the values that issue fields are set to, by name. Empty ones are nil.
func shownFields(settings ...boards.Setting) map[string]any {
	values := map[string]any{}
	for _, s := range settings {
		values[plaintext.Clean(s.Field.Name)] = s.To.Shown
	}
	return values
}

// valuesSet returns the issue fields that steps have set; nil for none.
func valuesSet(done []nestStep) (values map[string]any) {
	for _, step := range done {
		if values == nil {
			values = step.sets
		}
		maps.Copy(values, step.sets)
	}
	return values
}

// fieldOfIssue returns the value of an issue field; nil if it has none.
func fieldOfIssue(i github.Issue, id string) any {
	at := slices.IndexFunc(i.Fields, func(v github.IssueFieldValue) bool { return strconv.FormatInt(v.FieldID, 10) == id })
	if at < 0 {
		return nil
	}
	return boards.ViewValue(i.Fields[at].Value)
}

func numberOf(f github.Field) int64 {
	id, _ := strconv.ParseInt(f.ID, 10, 64) // of an issue field, it is a number
	return id
}

// sentFields returns the values that are set, as REST takes them.
func sentFields(settings []boards.Setting) (sent []github.Fields) {
	for _, s := range settings {
		if !s.To.Clears {
			for _, value := range s.To.Sent { // of an option, its name
				sent = append(sent, github.Fields{"field_id": numberOf(s.Field), "value": value})
			}
		}
	}
	return sent
}

// fieldsNow returns which values a new issue has of those that it was given, and the names of the
// others.
func fieldsNow(made github.Issue, given []boards.Setting) (values map[string]any, missing []string) {
	values = shownFields(given...)
	for _, s := range given {
		if fieldOfIssue(made, s.Field.ID) != s.To.Shown {
			name := plaintext.Clean(s.Field.Name)
			delete(values, name)
			missing = append(missing, "issue_fields: "+name)
		}
	}
	return values, missing
}

// giveFields sets issue fields of new issues. It returns what each did not get.
func (k *kit) giveFields(ctx context.Context, made []github.Issue, settings []boards.Setting) [][]string {
	missing := make([][]string, len(made))
	sent := sentFields(settings)
	for i, s := range made {
		if len(sent) == 0 {
			break
		}
		if err := k.GitHub.SetIssueFields(ctx, s.Repo, s.Number, sent); err != nil {
			missing[i] = []string{"issue_fields: " + fault.From(err).Message}
		}
	}
	return missing
}
