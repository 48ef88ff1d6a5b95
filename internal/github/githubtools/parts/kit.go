// Package parts holds what the tools that work on GitHub share: references and names, texts, pages
// of lists, people and days.
package parts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Addresses are those that references accept.
var Addresses = toolargs.URLs{Name: "a GitHub URL", Hosts: []string{"github.com"}}

// Kit is what the tools share.
type Kit struct {
	GitHub *github.Client
	Now    func() time.Time
}

// ProviderID is the ID of GitHub's provider, in the log and the audit trail.
const ProviderID = "github"

// Entry returns the path of an entry of an argument.
func Entry(argument string, i int) string { return fmt.Sprintf("%s[%d]", argument, i) }

// Mapped returns what f makes of each item.
func Mapped[T, V any](items []T, f func(T) V) []V {
	all := make([]V, len(items))
	for i, item := range items {
		all[i] = f(item)
	}
	return all
}

// OneOf returns an error unless exactly one of two arguments is given: a thing, or several.
func OneOf(argument string, one, several bool) error {
	switch {
	case !one && !several:
		return fault.Invalid(argument, "is required; for several, give %ss", argument)
	case one && several:
		return fault.Invalid(argument, "give either %s or %ss", argument, argument)
	}
	return nil
}

// Each reads the entries of an argument. The error names the problems of all.
func Each[A, T any](argument string, entries []A, read func(path string, entry A) (T, error)) ([]T, error) {
	all, problems := make([]T, len(entries)), make([]error, len(entries))
	for i, entry := range entries {
		all[i], problems[i] = read(Entry(argument, i), entry)
	}
	return all, fault.All(problems...)
}

// OfArgument returns an error about one argument as one about another.
func OfArgument(err error, argument, named string) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	told := *f
	if rest, is := strings.CutPrefix(f.Message, argument); is {
		told.Message = named + rest
	}
	told.Validation = slices.Clone(f.Validation)
	for i, v := range told.Validation {
		if rest, is := strings.CutPrefix(v.Path, argument); is {
			told.Validation[i].Path = named + rest
		}
	}
	if f.Told != nil {
		told.Told = fault.From(OfArgument(f.Told, argument, named))
	}
	return &told
}

// Applied returns the answer of a batch: an outcome for each entry that GitHub was asked about, and
// the references of the others. If nothing was done, not even a part of an entry, it returns the
// error.
func Applied[T any](argument string, refs []string, outcomes []github.Outcome[T]) (*listing.Applied[T], error) {
	a := &listing.Applied[T]{Results: []listing.Outcome[T]{}}
	var first, halted error
	part := false
	for i, one := range outcomes {
		part = part || one.Part
		switch {
		case one.Err == nil:
			a.Results = append(a.Results, listing.Outcome[T]{Index: i, OK: true, Item: &one.Value})
			a.Done++
			continue
		case !one.Tried:
			a.NotAttempted, halted = append(a.NotAttempted, refs[i]), one.Err
		default:
			failed := toolanswer.Failure(one.Err)
			a.Results = append(a.Results, listing.Outcome[T]{Index: i, Error: &failed})
			a.Failed++
		}
		if first == nil || fault.From(one.Err).MayHaveHappened {
			first = one.Err
		}
	}
	if a.Done == 0 && first != nil && !part {
		f := *fault.From(first)
		if len(outcomes) > 1 {
			f.Message = fmt.Sprintf("none of the %d entries is known to be written; %s", len(outcomes), f.Message)
		}
		return nil, &f
	}
	if len(a.NotAttempted) > 0 {
		a.HowToGoOn = fmt.Sprintf("%s; call again with %s = not_attempted and the other arguments as before", fault.From(halted).Message, argument)
	}
	return a, nil
}

// How much of a list a call reads.
const (
	MaxPages = 5   // pages of GitHub's that one call reads
	PageSize = 100 // entries of GitHub's largest page
)
