package githubtools

import (
	"fmt"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/toolanswer"
)

func entry(argument string, i int) string { return fmt.Sprintf("%s[%d]", argument, i) }

func sameOwner(a, b github.Repo) bool { return strings.EqualFold(a.Owner, b.Owner) }

// oneOf returns the error for two arguments of which exactly one must be given: both are, or
// neither.
func oneOf(argument, several string, both bool) error {
	if both {
		return fault.Invalid(argument, "give either %s or %s", argument, several)
	}
	return fault.Invalid(argument, "is required")
}

// applied returns the answer of a batch: an outcome for each entry that GitHub was asked about, and
// the references of the others. If nothing was done, not even a part of an entry, it returns the
// error.
func applied[T any](argument string, refs []string, outcomes []github.Outcome[T]) (*listing.Applied[T], error) {
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
