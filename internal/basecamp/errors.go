package basecamp

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/wire/upstream"
)

// Fault returns the fault for an answer whose status is not a success.
func (c *call) Fault(a upstream.Answer) *fault.Error {
	switch a.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return c.invalid(a)
	case http.StatusUnauthorized:
		return fault.New(fault.TokenExpired, "Basecamp no longer accepts this connection; connect to Basecamp again")
	case http.StatusForbidden:
		return c.forbidden(a)
	case http.StatusNotFound, http.StatusGone:
		return c.notFound(a)
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return fault.New(fault.InternalError, "Basecamp did not understand this server's request")
	case http.StatusConflict:
		return fault.New(fault.Conflict, "the item changed in Basecamp in the meantime; read it before you try again")
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.InvalidInput, "the input is larger than Basecamp accepts; send less at once")
	case http.StatusTooManyRequests:
		return limited(upstream.RetryAfter(a.Header, c.client.now()))
	case http.StatusInsufficientStorage:
		return fault.New(fault.LimitReached, "this account has reached a limit of its Basecamp plan; its owner can raise it")
	}
	f := fault.New(fault.UpstreamError, "Basecamp is having trouble; try again in a moment")
	if a.Status/100 == 3 && a.Status != http.StatusNotModified || a.Status/100 == 4 && a.Status != http.StatusRequestTimeout {
		f.Message = "Basecamp returned an unexpected response; trying again will not help"
		f.Retryable = false
	}
	return f
}

func (c *call) forbidden(a upstream.Answer) *fault.Error {
	message := "the user is not allowed to do this in Basecamp"
	switch {
	case strings.Contains(strings.Join(a.Header.Values("WWW-Authenticate"), ","), "insufficient_scope"):
		message = "this connection to Basecamp is read-only; connect again and allow writing"
	case reason(a.Body) == "agent_not_permitted":
		message = "Basecamp does not let agent accounts do this; connecting again will not help"
	case strings.HasPrefix(c.sent.path, "circles"):
		message = "the user cannot use pings in this Basecamp account; write in the chat of a project instead"
	}
	return fault.New(fault.PermissionDenied, "%s", message)
}

// DemoLacks is the error about what the sandbox's made-up company does not have.
const DemoLacks = "the demo has none; a Basecamp account may have it"

func (c *call) notFound(a upstream.Answer) *fault.Error {
	switch strings.ToLower(a.Header.Get("Reason")) {
	case "account inactive":
		return fault.New(fault.NotFound, "this Basecamp account is inactive; its owner must reactivate it first")
	case "demo":
		return fault.New(fault.NotFound, DemoLacks)
	}
	if g := c.fenced; g != nil && g.held() && g.at.Place == operations.OfItem && g.call.PlaceOf(g.at.Key()) == "" {
		return fence.Hidden(g.origin)
	}
	return fault.New(fault.NotFound, "Basecamp has %s, or the user may not see it", c.sent.missing())
}

// missing describes what a request did not find: the item or, for a read of a part of an item, only
// that part.
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

// part returns the last word of a request's path, which is the part of the item. It is empty for
// the item itself.
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

// reportWords describe the requests that are not about one item, by path.
var reportWords = map[string]string{
	"account": "no name of this account", "chats": "no list of chats", "events": "no event feed", "my/profile": "no profile of this user", "my/assignments": "no list of assignments",
	"my/question_reminders": "no list of unanswered check-ins", "my/readings": "no notifications", "people": "no list of people",
	"projects": "no list of projects", "reports/progress": "no list of activity", "reports/schedules/upcoming": "no report on schedules",
}

// partWords has the words of Basecamp's pages for parts that have other names in the API.
var partWords = map[string]string{
	"events": "history", "recordings": "list of items", "todolists": "to-do lists", "todos": "to-dos", "uploads": "files", "vaults": "folders",
}

// invalid returns the fault for refused input. It contains Basecamp's own words, which no other
// fault does.
func (c *call) invalid(a upstream.Answer) *fault.Error {
	f := fault.New(fault.InvalidInput, "Basecamp did not accept the input; correct it as the validation says")
	sentence, violations := complaint(a.Body, c.credential.AccessToken)
	if len(violations) == 0 {
		f.Message = "Basecamp did not accept the request and gave no reason"
		return f
	}
	f.Validation = violations
	f.Upstream = &fault.Upstream{Message: sentence}
	return f
}

func limited(wait *time.Duration) *fault.Error {
	if wait == nil {
		return fault.New(fault.RateLimited, "Basecamp limited the rate of requests; try again in a moment")
	}
	return fault.New(fault.RateLimited, "Basecamp limited the rate of requests; try again in %d s", upstream.WholeSeconds(*wait))
}
