package mcptool

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
)

// confirmation is what the user wrote into the form for an argument.
type confirmation struct {
	argument string
	text     string
}

// question is the cause of a failure that the user's confirmation resolves.
type question struct {
	argument string
	lost     string
}

func (*question) Error() string { return "not confirmed" }

// Confirm returns nil if the user has confirmed that something is lost permanently: given, or what
// the user wrote into a form, is one of the titles; blanks around it do not count. given is the
// value of the argument. lost says what is lost, with the facts that the user needs: `the project
// "Launch" (acme/7) with 12 items`.
//
// If Confirm returns an error, the tool must return it and change nothing. The server then asks the
// user by form if the client can show one and the argument is missing. Any other client gets
// INVALID_INPUT with the code confirmation_required. The tool runs again after the form, so it must
// have read the title during this call. A preview does not ask.
func Confirm(ctx context.Context, argument, given, lost string, titles ...string) error {
	filled := runIn(ctx).confirmed
	asked := filled != nil && filled.argument == argument
	if asked {
		given = filled.text
	}
	if given = strings.TrimSpace(given); given != "" && slices.ContainsFunc(titles, func(title string) bool { return strings.TrimSpace(title) == given }) {
		return nil
	}
	if asked {
		return confirmationFault(argument, "the user was asked to confirm that this deletes %s permanently, but did not enter the exact title; no changes were made; repeat the call to ask again", lost)
	}
	f := confirmationFault(argument, "this deletes %s permanently; ask the user, then repeat the call with %[2]s set to the exact title; no changes were made", lost, argument)
	if given != "" || runIn(ctx).previews {
		return f
	}
	return f.Because(&question{argument, lost})
}

func confirmationFault(argument, format string, args ...any) *fault.Error {
	f := fault.Invalid(argument, format, args...)
	f.Validation[0].Code = "confirmation_required"
	return f
}
