package boards

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

type getFieldValueInput struct {
	getProjectInput
	Item  toolargs.Ref `json:"item" jsonschema:"owner/repo#12, URL, id or exact title"`
	Field string       `json:"field" jsonschema:"Its name" limits:"minlen=1 maxlen=100"`
}

// Value is a field of an item in an answer.
type Value struct {
	Item      itemHead           `json:"item"`
	Field     string             `json:"field"`
	Type      string             `json:"type"`
	Value     any                `json:"value" limits:"types=string|number|list|null"`
	OptionID  string             `json:"option_id,omitempty"`
	Iteration *Iteration         `json:"iteration,omitempty"`
	Truncated bool               `json:"truncated,omitempty"`
	Missing   *github.Incomplete `json:"incomplete,omitempty"`
}

func (k *Kit) getFieldValue(ctx context.Context, in getFieldValueInput) (Value, error) {
	if err := k.checkItem(in.Item); err != nil {
		return Value{}, err
	}
	p, err := k.Project(ctx, in.Project, in.Owner, ReadProjects)
	if err != nil {
		return Value{}, err
	}
	f, err := readableField(p, in.Field)
	if err != nil {
		return Value{}, err
	}
	found, err := k.placed(ctx, p, in.Item, f)
	if err != nil {
		return Value{}, err
	}
	v, has := Value{Item: found.itemHead, Field: plaintext.Clean(f.Name), Type: strings.ToLower(f.DataType), Missing: found.missing}, found.value
	if has == nil {
		return v, nil
	}
	v.Value, v.OptionID, v.Truncated = ViewValue(has.Value), has.OptionID, has.Truncated
	if has.Iteration != nil {
		i := viewIteration(f, *has.Iteration)
		v.Iteration = &i
	}
	return v, nil
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
	fields := slices.Clone(p.Fields.Items)
	slices.SortStableFunc(fields, func(a, b github.Field) int { return own(a) - own(b) })
	return parts.Choice[github.Field]{
		Argument: argument, Noun: "fields", Items: fields, Partly: true, Whole: true,
		Name: func(f github.Field) string { return f.Name },
	}.Pick(name)
}

// optionsOf returns the options of a field, from which an argument names one.
func optionsOf(f github.Field, argument string) parts.Choice[github.Option] {
	return parts.Choice[github.Option]{
		Argument: argument, Noun: "options of " + plaintext.Quote(f.Name), Items: f.Options, Partly: true,
		Name: func(o github.Option) string { return o.Name },
	}
}

// iterationValue reads an iteration: its title, a date in it, or its place relative to today.
func (k *Kit) iterationValue(f github.Field, given any) (NewValue, error) {
	open, completed := f.Iterations()
	all := slices.Concat(open, completed)
	slices.SortStableFunc(all, func(a, b github.Iteration) int { return cmp.Compare(a.StartDate, b.StartDate) })
	iterations := parts.Choice[github.Iteration]{
		Argument: "value", Noun: "iterations", Items: all, Partly: true,
		Name:  func(i github.Iteration) string { return i.Title },
		Where: func(i github.Iteration) string { return i.StartDate + " for " + strconv.Itoa(i.Duration) + " days" },
	}
	word, ok := wordOf(given)
	if !ok {
		return NewValue{}, iterations.Listed("must be the title of an iteration, @current, @next, @previous or a date, as a string")
	}
	found, named := IterationAt(all, strings.ToLower(word), k.Now().UTC().Format(time.DateOnly))
	if found == nil {
		picked, known, err := iterations.Find(word)
		switch {
		case err != nil:
			iterations.Ref = func(i github.Iteration) string { return i.StartDate } // titles can be the same
			_, err = iterations.Pick(word)
			return NewValue{}, err
		case !known && named:
			return NewValue{}, iterations.None("no iteration matches "+plaintext.Quote(word), word)
		case !known:
			return NewValue{}, iterations.Unknown(word)
		}
		found = &picked
	}
	return NewValue{Sent: github.Fields{"iterationId": found.ID}, Shown: ViewValue(found.Title)}, nil
}

// IterationAt finds an iteration by a date or by a word such as @current, among iterations in the
// order of their dates. named reports whether the text is one of these.
func IterationAt(all []github.Iteration, text, today string) (found *github.Iteration, named bool) {
	day := today
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		day, text = text, "@current"
	}
	switch text {
	case "@next":
		return firstWhere(all, func(i github.Iteration) bool { return i.StartDate > today }), true
	case "@current":
		return firstWhere(all, func(i github.Iteration) bool { return i.StartDate <= day && day < endOf(i) }), true
	case "@previous":
		ended := slices.Clone(all)
		slices.Reverse(ended)
		return firstWhere(ended, func(i github.Iteration) bool { return endOf(i) <= today }), true
	}
	return nil, false
}

func firstWhere(all []github.Iteration, match func(github.Iteration) bool) *github.Iteration {
	if at := slices.IndexFunc(all, match); at >= 0 {
		return &all[at]
	}
	return nil
}

// endOf returns the day after an iteration.
func endOf(i github.Iteration) string {
	start, err := time.Parse(time.DateOnly, i.StartDate)
	if err != nil {
		return i.StartDate
	}
	return start.AddDate(0, 0, i.Duration).Format(time.DateOnly)
}
