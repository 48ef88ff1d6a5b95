package fault

import (
	"errors"
	"slices"
	"strings"
)

// OfArguments reports whether err is about what the caller named, so that other arguments may be
// wrong too. Every other error is about the connection, the provider or this server.
func OfArguments(err error) bool {
	f, known := errors.AsType[*Error](err)
	return known && slices.Contains([]Code{InvalidInput, NotFound, Ambiguous, ToolNotEnabled, PermissionDenied, Conflict}, f.Code)
}

// All returns one error that names the problems of several arguments, so that the caller can
// correct all of them at once. If one of the errors is not about arguments, All returns that one.
// Without errors it returns nil.
func All(errs ...error) error {
	var found []*Error
	for _, err := range errs {
		if err == nil {
			continue
		}
		if !OfArguments(err) {
			return err
		}
		found = append(found, From(err).Shown())
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	return joined(found)
}

// Unambiguous returns err without the problems of ambiguous names, or nil if there are no others.
func Unambiguous(err error) error {
	f, known := errors.AsType[*Error](err)
	if !known || f.Code != Ambiguous && len(f.Validation) == 0 {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(f.Validation), func(v Violation) bool { return strings.EqualFold(v.Code, string(Ambiguous)) })
	if len(others) == 0 {
		return nil
	}
	e := InvalidInputs(others...)
	e.Code, e.Nearest = f.Code, f.Nearest
	return e
}

// joined lists the problems of all faults, and what is nearest to unknown names. If the faults
// have the same code, the new one has it too; otherwise the code is INVALID_INPUT. A problem or
// a name that several faults have is listed once.
func joined(faults []*Error) *Error {
	var all []Violation
	var nearest []Candidate
	code := faults[0].Code
	for _, f := range faults {
		for _, n := range f.Nearest {
			if !slices.Contains(nearest, n) {
				nearest = append(nearest, n)
			}
		}
		if f.Code != code {
			code = InvalidInput
		}
		for _, v := range f.problems() {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	e := InvalidInputs(all...)
	e.Code, e.Nearest = code, nearest
	return e
}

// problems returns the fault as violations. They have no candidates, so those of an ambiguous name
// become part of the message.
func (e *Error) problems() []Violation {
	if len(e.Validation) > 0 {
		return e.Validation
	}
	path, message := e.about()
	if e.Code == Ambiguous && len(e.Candidates) > 0 {
		named := make([]string, len(e.Candidates))
		for i, c := range e.Candidates {
			named[i] = c.String()
		}
		message += ": " + strings.Join(named, ", ")
	}
	return []Violation{{Path: path, Message: message, Code: strings.ToLower(string(e.Code))}}
}

// about splits the message into the argument that it begins with, or "", and the rest.
func (e *Error) about() (path, message string) {
	path, message, ok := strings.Cut(e.Message, ": ")
	if !ok || strings.Contains(path, " ") {
		return "", e.Message
	}
	return path, message
}

// Within returns err as a problem inside an entry of a list: its paths begin with the entry's, such
// as todos[2]. An error that is not about arguments stays as it is.
func Within(entry string, err error) error {
	if !OfArguments(err) {
		return err
	}
	f := From(err)
	inside := *f
	inside.Validation = slices.Clone(f.Validation)
	for i := range inside.Validation {
		inside.Validation[i].Path = within(entry, inside.Validation[i].Path)
	}
	if len(inside.Validation) > 0 && f.Message == InvalidInputs(f.Validation...).Message {
		inside.Message = InvalidInputs(inside.Validation...).Message
		return &inside
	}
	path, message := f.about()
	inside.Message = within(entry, path) + ": " + message
	return &inside
}

func within(entry, path string) string {
	switch {
	case path == "" || path == "arguments":
		return entry
	case strings.HasPrefix(path, entry):
		return path
	}
	return entry + "." + path
}
