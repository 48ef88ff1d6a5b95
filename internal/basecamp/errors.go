package basecamp

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

// Fault returns the meaning of a status in Basecamp's words.
func (c *call) Fault(a upstream.Answer) *fault.Error {
	switch a.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return c.invalid(a)
	case http.StatusUnauthorized:
		return fault.New(fault.TokenExpired, "Basecamp no longer accepts this connection; connect to Basecamp again")
	case http.StatusForbidden:
		return forbidden(a)
	case http.StatusNotFound, http.StatusGone:
		return c.notFound(a)
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return fault.New(fault.InternalError, "Basecamp did not understand our request")
	case http.StatusConflict:
		return fault.New(fault.Conflict, "this has changed in Basecamp meanwhile; read it again before trying again")
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.InvalidInput, "this is more than Basecamp takes at once; send less")
	case http.StatusTooManyRequests:
		return limited(upstream.RetryAfter(a.Header, c.client.now()))
	case http.StatusInsufficientStorage:
		return fault.New(fault.LimitReached, "this account has reached a limit of its Basecamp plan; its owner can raise it")
	}
	f := fault.New(fault.UpstreamError, "Basecamp is having trouble; try again in a moment")
	if a.Status/100 == 3 && a.Status != http.StatusNotModified || a.Status/100 == 4 && a.Status != http.StatusRequestTimeout {
		f.Message = "Basecamp answered in a way that is not known here; trying again will not help"
		f.Retryable = false
	}
	return f
}

func forbidden(a upstream.Answer) *fault.Error {
	message := "this person may not do this in Basecamp"
	switch {
	case strings.Contains(strings.Join(a.Header.Values("WWW-Authenticate"), ","), "insufficient_scope"):
		message = "this connection to Basecamp may only read; connect again and allow it to write"
	case reason(a.Body) == "agent_not_permitted":
		message = "Basecamp does not let agent accounts do this; connecting again will not help"
	}
	return fault.New(fault.PermissionDenied, "%s", message)
}

func (c *call) notFound(a upstream.Answer) *fault.Error {
	if strings.EqualFold(a.Header.Get("Reason"), "Account Inactive") {
		return fault.New(fault.NotFound, "this Basecamp account is inactive; its owner has to reactivate it first")
	}
	return fault.New(fault.NotFound, "Basecamp has %s, or this person may not see that", c.sent.missing())
}

// missing names what a request did not find: the item itself or, for a read of what an item holds, only that.
func (r request) missing() string {
	if r.file {
		return "no file at its address"
	}
	if r.about.Type == "" {
		return cmp.Or(reportWords[strings.TrimSuffix(r.path, ".json")], "nothing there")
	}
	item := strings.ReplaceAll(r.about.Type, "_", " ") + " " + r.about.ID
	part := r.part()
	if part == "" || r.method != http.MethodGet && r.method != "" {
		return "no " + item
	}
	return "no " + cmp.Or(partWords[part], strings.ReplaceAll(part, "_", " ")) + " of " + item
}

// part is the last word of a request's path: what of an item is asked for, "" for the item itself.
func (r request) part() string {
	segments := strings.Split(strings.TrimSuffix(r.path, ".json"), "/")
	for _, segment := range slices.Backward(segments) {
		switch {
		case segment == r.about.ID:
			return ""
		case strings.Trim(segment, "0123456789") != "":
			return segment
		}
	}
	return ""
}

// reportWords are what is asked for by requests that are about no one item.
var reportWords = map[string]string{
	"account": "no name of this account", "my/profile": "no profile of this person", "my/assignments": "no list of assignments",
	"my/question_reminders": "no list of check-ins that wait for an answer", "my/readings": "no notifications", "people": "no list of people",
	"projects": "no list of projects", "reports/progress": "no list of activity", "reports/schedules/upcoming": "no report on schedules",
}

// partWords are parts that the API calls otherwise than Basecamp does.
var partWords = map[string]string{
	"events": "history", "recordings": "list of items", "todolists": "to-do lists", "todos": "to-dos", "uploads": "files", "vaults": "folders",
}

// invalid passes on what Basecamp says of the input: the only words of its that a caller gets to see.
func (c *call) invalid(a upstream.Answer) *fault.Error {
	f := fault.New(fault.InvalidInput, "Basecamp did not accept the input; correct it as the validation says")
	sentence, violations := complaint(a.Body, c.credential.AccessToken)
	if len(violations) == 0 {
		f.Message = "Basecamp did not accept the request, and does not say why"
		return f
	}
	f.Validation = violations
	f.Upstream = &fault.Upstream{Message: sentence}
	return f
}

func limited(wait *time.Duration) *fault.Error {
	if wait == nil {
		return fault.New(fault.RateLimited, "Basecamp asks to slow down; try again in a moment")
	}
	return fault.New(fault.RateLimited, "Basecamp asks to slow down; try again in %d s", upstream.WholeSeconds(*wait))
}
