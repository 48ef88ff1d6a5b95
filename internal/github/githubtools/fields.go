package githubtools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type getFieldValueInput struct {
	getProjectInput
	Item  toolargs.Ref `json:"item" jsonschema:"owner/repo#12, URL, id or exact title"`
	Field string       `json:"field" jsonschema:"Its name" limits:"minlen=1 maxlen=100"`
}

type value struct {
	Item      itemHead           `json:"item"`
	Field     string             `json:"field"`
	Type      string             `json:"type"`
	Value     any                `json:"value" limits:"types=string|number|list|null"`
	OptionID  string             `json:"option_id,omitempty"`
	Iteration *iteration         `json:"iteration,omitempty"`
	Truncated bool               `json:"truncated,omitempty"`
	Missing   *github.Incomplete `json:"incomplete,omitempty"`
}

func (k *kit) getFieldValue() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_get_field_value",
		Title:       "Read a field of a GitHub project item",
		Description: "Reads one field of an item of a GitHub project, also lists such as reviewers. value is null if unset.",
	}, func(ctx context.Context, in getFieldValueInput) (value, error) {
		if err := k.checkItem(in.Item); err != nil {
			return value{}, err
		}
		p, err := k.project(ctx, in.Project, in.Owner, readProjects)
		if err != nil {
			return value{}, err
		}
		f, err := readableField(p, in.Field)
		if err != nil {
			return value{}, err
		}
		of, has, missing, err := k.valueNow(ctx, p, f, in.Item)
		if err != nil {
			return value{}, err
		}
		return viewFieldValue(of, f, has, missing), nil
	})
}

func viewFieldValue(of itemHead, f github.Field, has *github.FieldValue, missing *github.Incomplete) value {
	v := value{Item: of, Field: plaintext.Clean(f.Name), Type: strings.ToLower(f.DataType), Missing: missing}
	if has == nil {
		return v
	}
	v.Value, v.OptionID, v.Truncated = viewValue(has.Value), has.OptionID, has.Truncated
	if has.Iteration != nil {
		i := viewIteration(f, *has.Iteration)
		v.Iteration = &i
	}
	return v
}

// readable are the types of fields whose values GitHub's API returns. For a field of another type
// it returns null, whether the field is set or not.
var readable = []string{
	"ASSIGNEES", "DATE", "ITERATION", "LABELS", "LINKED_PULL_REQUESTS", "MILESTONE", "NUMBER", "REPOSITORY", "REVIEWERS", "SINGLE_SELECT",
	"TEXT", "TITLE",
}

// readableField finds a field of a project whose values can be read.
func readableField(p github.ProjectDetails, name string) (github.Field, error) {
	f, err := fieldOf(p, "field", name)
	if err == nil && !slices.Contains(readable, f.DataType) {
		where := "the user can see its value on GitHub: " + p.URL
		if slices.Contains([]string{"PARENT_ISSUE", "SUB_ISSUES_PROGRESS", "ISSUE_TYPE"}, f.DataType) {
			where = "github_get_issue shows it"
		}
		err = fault.Invalid("field", "%s (%s) cannot be read here; %s", plaintext.Quote(f.Name), strings.ToLower(f.DataType), where)
	}
	return f, err
}

// builtIn are the types of the fields that every project has.
var builtIn = []string{
	"ASSIGNEES", "ISSUE_TYPE", "LABELS", "LINKED_PULL_REQUESTS", "MILESTONE", "PARENT_ISSUE", "REPOSITORY", "REVIEWERS", "SUB_ISSUES_PROGRESS", "TITLE",
	"TRACKED_BY", "TRACKS",
}

// fieldOf finds a field of a project by its name. An error names all fields, those that the project
// itself defines first.
func fieldOf(p github.ProjectDetails, argument, name string) (github.Field, error) {
	own := func(f github.Field) int {
		if slices.Contains(builtIn, f.DataType) {
			return 1
		}
		return 0
	}
	fields := slices.Clone(p.Fields)
	slices.SortStableFunc(fields, func(a, b github.Field) int { return own(a) - own(b) })
	return choice[github.Field]{
		argument: argument, noun: "fields", items: fields, partly: true, whole: true,
		name: func(f github.Field) string { return f.Name },
	}.pick(name)
}

// optionsOf returns the options of a field, from which an argument names one.
func optionsOf(f github.Field, argument string) choice[github.Option] {
	return choice[github.Option]{
		argument: argument, noun: "options of " + plaintext.Quote(f.Name), items: f.Options, partly: true,
		name: func(o github.Option) string { return o.Name },
	}
}
