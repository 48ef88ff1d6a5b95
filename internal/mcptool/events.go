package mcptool

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// This file has all that is known of the draft SEP-3415, "Events Extension", of 2026-10-05.

// eventsExtension is the identifier of the extension. This server offers only the delivery by poll,
// and says so in each type of event.
const eventsExtension = "io.modelcontextprotocol/events"

const (
	methodListEvents = "events/list"
	methodPollEvents = "events/poll"
)

// The codes of SEP-3415, section "Error Handling".
const (
	codeInvalidParams     = -32602
	codeEventNotFound     = -32023
	codeEventForbidden    = -32024
	codeResourceExhausted = -32025
	codeUnsupported       = -32026
)

// Events are the types of events of a toolset, and what polls them.
type Events struct {
	Types  []EventType     // by name
	Schema json.RawMessage // of the arguments of all types
	Data   json.RawMessage // the schema of what occurrences hold
	Poll   func(context.Context, EventPoll) (EventBatch, error)

	provider string // of its toolset
}

// EventType is a type of event.
type EventType struct{ Name, Description string }

// EventPoll is a request for the events of a type since a cursor; an empty cursor enters now.
type EventPoll struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Cursor    string          `json:"cursor"`
	MaxAge    *int64          `json:"maxAgeMs"`
	MaxEvents *int            `json:"maxEvents"`
}

// EventBatch is the answer to a poll. Truncated says that events may have been skipped.
type EventBatch struct {
	Events    []Occurrence `json:"events"`
	Cursor    string       `json:"cursor"`
	Truncated bool         `json:"truncated"`
	HasMore   bool         `json:"hasMore"`
	NextPoll  int64        `json:"nextPollMs"`
}

// Occurrence is one event.
type Occurrence struct {
	ID   string    `json:"eventId"`
	Name string    `json:"name"`
	At   time.Time `json:"timestamp"`
	Data any       `json:"data"`
}

// eventMethod is a request of the extension, or of one of its ways that this server does not have.
type eventMethod struct {
	endpoint *endpoint
	method   string
	params   json.RawMessage
	logged   bool
}

// eventSources returns the events of the toolsets of the selection, in their order.
func (s *Server) eventSources(toolsets []string) (all []*Events) {
	for toolset := range s.chosenToolsets(toolsets) {
		if toolset.Events != nil {
			events := *toolset.Events
			events.provider = toolset.Provider
			all = append(all, &events)
		}
	}
	return all
}

// declareEvents adds the extension to the capabilities of an endpoint that has events.
func declareEvents(sources []*Events, to *mcp.ServerCapabilities) {
	if len(sources) > 0 {
		declareExtension(to, eventsExtension, map[string]any{"listChanged": false})
	}
}

// serveEvents answers a request of the extension. It returns false for any other request.
func (e *endpoint) serveEvents(w http.ResponseWriter, r *http.Request, body []byte, start time.Time) bool {
	var message rpcMessage
	if len(e.events) == 0 || json.Unmarshal(body, &message) != nil || message["id"] == nil {
		return false
	}
	call := &eventMethod{endpoint: e, method: string(message.method()), params: message["params"]}
	delivery := map[string]string{"events/stream": "push", "events/subscribe": "webhook", "events/unsubscribe": "webhook"}[call.method]
	if call.method != methodListEvents && call.method != methodPollEvents && delivery == "" {
		return false
	}
	status, result := http.StatusOK, any(nil)
	var failed *eventError
	switch named := r.Header.Get("Mcp-Method"); {
	case named != "" && named != call.method:
		status, failed = http.StatusBadRequest, &eventError{-32020, "header mismatch: Mcp-Method is not the method of the message", nil}
	case delivery != "":
		failed = &eventError{codeUnsupported, "Unsupported: this server has only the delivery by poll; call " + methodPollEvents, map[string]any{"feature": "deliveryMode", "value": delivery}}
	case call.method == methodListEvents:
		result, failed = call.list()
	default:
		result, failed = call.poll(r.Context())
	}
	answer := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": message.id()}
	if failed != nil {
		answer["error"] = failed
	} else {
		answer["result"] = result
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // strings, times and valid JSON always encode
	}
	declareJSON(w.Header(), len(text))
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client has disconnected
	if !call.logged {
		outcome := audit.OK
		if failed != nil {
			outcome = string(fault.InvalidInput)
		}
		e.server.logMethod(r.Context(), mcp.MCPMethod(call.method), nil, servedVersion(r.Header.Get(mcp.HeaderProtocolVersion)), outcome, start)
	}
	return true
}

// eventError is the error of a request of the extension.
type eventError struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    map[string]any `json:"data,omitempty"`
}

// listedEvent is a type of event as clients see it.
type listedEvent struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Delivery    []string        `json:"delivery"`
	Input       json.RawMessage `json:"inputSchema"`
	Payload     json.RawMessage `json:"payloadSchema"`
}

// list answers events/list. There is one page, so there is no valid cursor.
func (m *eventMethod) list() (any, *eventError) {
	var params struct {
		Cursor string `json:"cursor"`
	}
	if m.params != nil && json.Unmarshal(m.params, &params) != nil || params.Cursor != "" {
		return nil, &eventError{codeInvalidParams, "InvalidParams: there is one page; omit cursor", nil}
	}
	types := []listedEvent{}
	for _, source := range m.endpoint.events {
		for _, t := range source.Types {
			types = append(types, listedEvent{t.Name, t.Description, []string{"poll"}, source.Schema, source.Data})
		}
	}
	return struct {
		eventResult
		Events []listedEvent `json:"events"`
	}{m.result(), types}, nil
}

// eventResult is what every result of the extension has.
type eventResult struct {
	Meta map[string]any `json:"_meta"`
	Type mcp.ResultType `json:"resultType"`
}

func (m *eventMethod) result() eventResult {
	return eventResult{map[string]any{mcp.MetaKeyServerInfo: m.endpoint.server.brief()}, mcp.ResultTypeComplete}
}

// poll answers events/poll, with the time budget, the log line and the audit entry of a tool.
func (m *eventMethod) poll(ctx context.Context) (any, *eventError) {
	var p EventPoll
	var source *Events
	if json.Unmarshal(m.params, &p) != nil {
		return nil, &eventError{codeInvalidParams, "InvalidParams: name and cursor are texts, arguments is an object, maxAgeMs and maxEvents are whole numbers", nil}
	}
	for _, s := range m.endpoint.events {
		if slices.ContainsFunc(s.Types, func(t EventType) bool { return t.Name == p.Name }) {
			source = s
		}
	}
	switch {
	case source == nil:
		return nil, &eventError{codeEventNotFound, "NotFound: no such event; " + methodListEvents + " has all", map[string]any{"kind": "event"}}
	case p.MaxAge != nil && *p.MaxAge < 0, p.MaxEvents != nil && *p.MaxEvents < 1:
		return nil, &eventError{codeInvalidParams, "InvalidParams: maxAgeMs must not be negative, and maxEvents must be at least 1", nil}
	}
	s := m.endpoint.server
	i := invocation{kind: "event", name: p.Name, provider: source.provider, channel: audit.MCP, arguments: func() []audit.Argument { return []audit.Argument{} }}
	ctx, run := s.start(ctx, i, true)
	defer run.cancel()
	batch, err := pollSource(context.WithValue(ctx, runKey{}, runFacts{trail: s.options.Audit}), source, p)
	run.background.end()
	outcome := &Outcome{}
	var f *fault.Error
	if err != nil {
		f = s.fault(ctx, i, err, false)
		outcome = failure(p.Name, f)
	}
	s.finish(ctx, run, i, outcome)
	m.logged = true
	if f != nil {
		return nil, eventFailure(f)
	}
	return struct {
		eventResult
		EventBatch
	}{m.result(), batch}, nil
}

// pollSource polls for a caller who may read.
func pollSource(ctx context.Context, source *Events, p EventPoll) (batch EventBatch, err error) {
	defer fault.Recover(&err)
	switch caller, ok := identity.From(ctx); {
	case !ok || !caller.Can(identity.Read):
		return batch, fault.New(fault.PermissionDenied, "this connection may not read events: it needs the scope %q", identity.Read)
	case caller.SignedOut:
		return batch, fault.New(fault.TokenExpired, "the user must sign in first: call any tool for a link")
	}
	return source.Poll(ctx, p)
}

// eventFailure returns the error for a fault. The codes of SEP-3415 come first; the others are
// those of tools.
func eventFailure(f *fault.Error) *eventError {
	data := map[string]any{"error_code": f.Code, "retryable": f.Retryable}
	if len(f.Validation) > 0 {
		data["validation"] = f.Validation
	}
	switch f.Code {
	case fault.InvalidInput, fault.Ambiguous:
		return &eventError{codeInvalidParams, "InvalidParams: " + f.Message, data}
	case fault.PermissionDenied:
		return &eventError{codeEventForbidden, "Forbidden: " + f.Message, data}
	case fault.NotFound:
		return &eventError{codeEventNotFound, "NotFound: " + f.Message, data}
	case fault.RateLimited:
		data["limit"], data["nextPollMs"] = "requests", max(time.Minute, f.RetryAfter).Milliseconds()
		return &eventError{codeResourceExhausted, "ResourceExhausted: " + f.Message, data}
	}
	return &eventError{f.Code.Number(), f.Message, data}
}
