package fence

import (
	"basecamp-mcp/internal/fault"
)

// Code is the code of the problem in a fault about a place that the fence does not name.
const Code = "outside_fence"

// Hides reports whether the client may read less than its person. What such a client reads is
// neither kept for other clients, nor taken from what is kept for them.
func (f Fence) Hides() bool { return f.Read != nil || f.NoPings }

// Bounds reports whether the client may read or write less than its person, or must not write
// links.
func (f Fence) Bounds() bool { return f.Hides() || f.Write != nil || f.NoLinks }

// Hidden returns the fault about something that the fence does not name, or that does not exist.
// Code that looks for a thing finds NOT_FOUND in both cases, so no answer says which it is. The
// client is told PERMISSION_DENIED, with the page on which the person can widen the fence. origin
// is that of this server, or "".
func Hidden(origin string) *fault.Error {
	told := denied("this client may not use it, or it does not exist: the user holds the client to some places", origin)
	f := fault.New(fault.NotFound, "%s", told.Message)
	f.Told = told
	return f
}

// Unfound returns the error of a search in all that the client may read. If its person may read
// more, the client is not told whether the thing exists.
func (f Fence) Unfound(err error, origin string) error {
	if f.Read == nil || !fault.Is(err, fault.NotFound) {
		return err
	}
	missing := *fault.From(err)
	missing.Told = Hidden(origin).Told
	missing.Told.Nearest = missing.Nearest
	return &missing
}

// Denied returns the fault about a place that the client may read and not write, or about what
// belongs to no place.
func Denied(origin string) *fault.Error {
	return denied("this client may not do this: the user holds the client to some places, and this is not in one of them", origin)
}

func denied(message, origin string) *fault.Error {
	if origin != "" {
		message += "; the user can allow more at " + origin + "/account"
	}
	f := fault.New(fault.PermissionDenied, "%s", message)
	f.Validation = []fault.Violation{{Path: "arguments", Message: message, Code: Code}}
	return f
}
