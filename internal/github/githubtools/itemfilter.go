package githubtools

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/plaintext"
)

// itemFilter reports whether a list has an item.
type itemFilter func(github.Item) bool

// fieldFilters returns filters for texts such as "Sprint: @current".
func (k *kit) fieldFilters(p github.ProjectDetails, given []string) (all []itemFilter, err error) {
	problems := make([]error, len(given))
	for i, text := range given {
		argument := entry("fields", i)
		name, value, ok := strings.Cut(text, ":")
		if value = strings.TrimSpace(value); !ok || value == "" {
			problems[i] = fault.Invalid(argument, `must be a field and its value, such as "Sprint: @current", got %s`, plaintext.Quote(text))
			continue
		}
		one, err := k.fieldFilter(p, argument, strings.TrimSpace(name), value)
		all, problems[i] = append(all, one), err
	}
	return all, fault.All(problems...)
}

// fieldFilter returns a filter by one field of a project: by a value, or by none or any.
func (k *kit) fieldFilter(p github.ProjectDetails, argument, name, value string) (itemFilter, error) {
	f, err := fieldOf(p, argument, name)
	if err != nil {
		return nil, err
	}
	var is func(github.FieldValue) bool // nil: whether it has a value
	if !isAnyOrNone(value) || !isListed(f) || slices.ContainsFunc(f.Options, func(o github.Option) bool { return strings.EqualFold(o.Name, value) }) {
		is, err = k.valueFilter(f, argument, value)
	}
	return func(i github.Item) bool {
		at := slices.IndexFunc(i.Values, func(v github.FieldValue) bool { return v.Field.ID == f.ID && v.Value != nil })
		switch {
		case i.Type == github.RedactedItem:
			return false
		case is == nil:
			return isAny(value) == (at >= 0)
		}
		return at >= 0 && is(i.Values[at])
	}, err
}

// valueFilter returns a filter by a value of a field.
func (k *kit) valueFilter(f github.Field, argument, value string) (is func(github.FieldValue) bool, err error) {
	switch f.DataType {
	case "SINGLE_SELECT":
		o, err := optionsOf(f, argument).pick(value)
		return func(v github.FieldValue) bool { return v.OptionID == o.ID }, err
	case "ITERATION":
		to, err := k.iterationValue(f, value)
		if err != nil {
			return nil, ofArgument(err, "value", argument)
		}
		return func(v github.FieldValue) bool { return v.Iteration != nil && v.Iteration.ID == *to.sent.IterationID }, nil
	case "NUMBER":
		within, err := ranged(value, func(text string) (float64, error) {
			n, err := numberValue(f, text)
			return n.number(), ofArgument(err, "value", argument)
		})
		return func(v github.FieldValue) bool {
			n, ok := v.Value.(float64)
			return ok && within(n)
		}, err
	case "DATE":
		within, err := ranged(value, func(text string) (float64, error) {
			day, err := k.day(argument, strings.TrimPrefix(text, "@"), dayForms)
			return dayNumber(day), err
		})
		return func(v github.FieldValue) bool {
			day, ok := v.Value.(string)
			return ok && within(dayNumber(day))
		}, err
	case "TEXT", "TITLE", "MILESTONE", "REPOSITORY":
		words := fold(plaintext.Clean(value))
		return func(v github.FieldValue) bool {
			text, ok := v.Value.(string)
			return ok && strings.Contains(fold(text), words)
		}, nil
	case "ASSIGNEES":
		return nil, fault.Invalid(argument, "use the argument assignee")
	}
	return nil, fault.Invalid(argument, "%s (%s) is not in the list; github_list_issues searches a project for issues with labels or in GitHub's words", plaintext.Quote(f.Name), strings.ToLower(f.DataType))
}

// isListed reports whether items of a list have the values of a field.
func isListed(f github.Field) bool {
	return slices.Contains(ofItems, f.DataType) || slices.Contains([]string{"TITLE", "MILESTONE", "REPOSITORY"}, f.DataType)
}

// ranged reads what a number or a date is compared with: x, >x, >=x, <x, <=x or x..y.
func ranged(text string, read func(string) (float64, error)) (within func(n float64) bool, err error) {
	if first, last, is := strings.Cut(text, ".."); is {
		low, badLow := read(first)
		high, badHigh := read(last)
		return func(n float64) bool { return low <= n && n <= high }, cmp.Or(badLow, badHigh)
	}
	bound := strings.TrimLeft(text, "<>= ")
	at, err := read(bound)
	sign := strings.TrimSpace(strings.TrimSuffix(text, bound))
	return func(n float64) bool {
		switch sign {
		case ">":
			return n > at
		case ">=":
			return n >= at
		case "<":
			return n < at
		case "<=":
			return n <= at
		}
		return n == at
	}, err
}

// dayNumber returns a date as a number that is larger for later ones.
func dayNumber(date string) float64 {
	day, _ := time.Parse(time.DateOnly, date)
	return float64(day.Unix())
}
