package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
)

// Every request has one line in the log, which shows nothing of its content. A request that used a
// tool, prompt, resource or completion has a line about that; any other has a line about its
// method.

// mostAttrs is more than the number of attributes in a line.
const mostAttrs = 28

// logInvocation writes the log line of an invocation.
func (s *Server) logInvocation(ctx context.Context, r running, i invocation, o *Outcome) {
	request := telemetry.From(ctx)
	request.Tell()
	level, counts := slog.LevelInfo, telemetry.Counts{Request: request}
	failure := ""
	if f := o.Fault; f != nil {
		failure = string(f.Code)
		if f.Link == nil || f.Link.Reason != fault.NeverLinked { // else the user never linked the provider
			counts.Failure = failure
		}
	}
	if o.defect() {
		level = slog.LevelError
	}
	protocol, method := "", "POST /tools"
	if answer := answerIn(ctx); answer != nil {
		answer.logged = true
		protocol, method = answer.protocol, methodOf[i.kind]
	}
	caller, _ := identity.From(ctx)
	var space [mostAttrs]slog.Attr
	line := append(head(ctx, space[:0], caller, clientInfo(ctx), protocol, method), slog.String(i.kind, i.name))
	line = append(line, telemetry.Milliseconds("ms", request.Took(r.start)), slog.Int("upstream_calls", r.upstreamCalls()))
	if s.options.Waited != nil {
		waited, limited := s.options.Waited(ctx)
		line = append(line, telemetry.Milliseconds("upstream_ms", waited))
		if limited > 0 {
			line = append(line, slog.Int("upstream_429", limited))
		}
	}
	line = append(request.Append(line), slog.String("outcome", cmp.Or(failure, calls.OK)))
	if len(o.Failed) > 0 {
		line = append(line, slog.Int("failed_entries", len(o.Failed)))
	}
	if cause := o.cause(); cause != nil {
		line = append(line, slog.String("cause", cause.Error()))
	}
	counts.Write(ctx, s.options.Log, level, i.kind+" call", line, s.options.Table)
}

var methodOf = map[string]string{
	"tool": string(mcp.MethodToolsCall), "prompt": string(mcp.MethodPromptsGet),
	"resource": string(mcp.MethodResourcesRead), "completion": string(mcp.MethodCompletionComplete),
}

// logPassed writes the line of a message that is not an invocation: a list, a handshake, a
// notification, or a refused message.
func (s *Server) logPassed(ctx context.Context, m mcphttp.Message, answer *wholeAnswer, start time.Time) {
	var meta *mcp.Meta
	_ = json.Unmarshal(m.Meta, &meta) // unreadable members stay empty
	client, protocol := meta.ClientInfo(), answer.protocol
	if m.Method == string(mcp.MethodInitialize) && protocol == "" {
		var asked mcp.InitializeParams
		_ = json.Unmarshal(m.Params, &asked)
		client, protocol = &asked.ClientInfo, agreedVersion(asked.ProtocolVersion)
	}
	s.logMethod(ctx, m.Method, client, protocol, answer.outcome(), start)
}

func (s *Server) logMethod(ctx context.Context, method string, info *mcp.Implementation, protocol, outcome string, start time.Time) {
	request := telemetry.From(ctx)
	request.Tell()
	caller, _ := identity.From(ctx)
	level := slog.LevelInfo
	name := knownMethod(method)
	if name == string(mcp.MethodPing) || name == notification {
		level = request.Level()
	}
	var space [mostAttrs]slog.Attr
	line := append(head(ctx, space[:0], caller, info, protocol, name), telemetry.Milliseconds("ms", request.Took(start)))
	line = append(request.Append(line), slog.String("outcome", outcome))
	telemetry.Counts{Request: request}.Write(ctx, s.options.Log, level, "request", line, s.options.Table)
}

// person returns the alias of the caller, which the guard has made already for requests over HTTP.
func person(ctx context.Context, caller identity.Caller) string {
	if request := telemetry.From(ctx); request != nil && request.Person != "" {
		return request.Person
	}
	return identity.Alias(caller.Subject)
}

// head returns the attributes at the beginning of every line: the request, the caller, the client.
// Unknown ones are left out. The client has the name from its registration, so that all lines about
// it have the same; what it says about itself in this message is client_info.
func head(ctx context.Context, line []slog.Attr, caller identity.Caller, info *mcp.Implementation, protocol, method string) []slog.Attr {
	line = append(line, slog.String("request_id", identity.RequestID(ctx)))
	if caller.Subject != "" {
		line = append(line, slog.String("person", person(ctx, caller)))
	}
	if client := calls.ClientName(caller.Client, ""); client != "" {
		line = append(line, slog.String("client", client))
	}
	if info != nil {
		if said := calls.ClientName(info.Name, info.Version); said != "" {
			line = append(line, slog.String("client_info", said))
		}
	}
	if protocol != "" {
		line = append(line, slog.String("protocol", protocol))
	}
	return append(line, slog.String("method", method))
}

const (
	notification = "notification"
	otherMethod  = "other"
)

// knownMethod returns a standard method name, or "other": clients must not control what the log
// says.
func knownMethod(method string) string {
	switch mcp.MCPMethod(method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover, mcp.MethodToolsList, mcp.MethodToolsCall, mcp.MethodPromptsList,
		mcp.MethodPromptsGet, mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList, mcp.MethodResourcesRead, mcp.MethodCompletionComplete:
		return method
	}
	if strings.HasPrefix(method, "notifications/") {
		return notification
	}
	return otherMethod
}

// servedVersion returns a protocol version that the server supports, or "" for any other.
func servedVersion(version string) string {
	if version == mcp.ProtocolVersion20260728 || slices.Contains(legacyVersions, version) {
		return version
	}
	return ""
}

// outcome returns the code of the error in the answer, or calls.OK.
func (w *wholeAnswer) outcome() string {
	if w.refused.Code != 0 {
		return string(w.refused.Data.ErrorCode)
	}
	var answer struct {
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(w.held.Bytes(), &answer) // a notification has an empty answer
	switch {
	case answer.Error.Code != 0:
		return strconv.Itoa(answer.Error.Code)
	case w.status >= http.StatusBadRequest:
		return "HTTP " + strconv.Itoa(w.status)
	}
	return calls.OK
}
