package mcphttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/rawjson"
)

// The methods that the guard treats separately.
const (
	methodInitialize = "initialize"
	methodCallTool   = "tools/call"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
)

// blanks is JSON's white space.
const blanks = " \t\r\n"

// maxName is the maximum length of an ID, a method or a tool's name in bytes, because answers
// repeat them.
const maxName = 1000

// maxEnvelope is the maximum size of a message without the arguments of a tools/call, in bytes. The
// MCP server decodes those bytes a dozen times before a call's time budget begins: a megabyte takes
// half a second. Clients that send an icon with every request need the most.
const maxEnvelope = 64 << 10

const metaVersion = "io.modelcontextprotocol/protocolVersion"

// Message is a JSON-RPC message. Its members are encoded, and parts of its body.
type Message struct {
	ID       json.RawMessage // a string or an integer; nil for a notification
	Method   string          // empty for a response
	Response bool
	Params   json.RawMessage // nil if there are none
	Meta     json.RawMessage // params._meta, or nil
	Version  string          // declared in Meta

	Tool      string          // params.name of tools/call
	Arguments json.RawMessage // params.arguments of tools/call

	// opensLinks reports whether initialize declares that the client can open a link for its user.
	// A capability without a mode means forms (MCP 2025-11-25, elicitation, capabilities).
	opensLinks bool
}

// Read returns the message of a body that the guard has passed on. Of any other body it returns
// what can be read.
func Read(body []byte) (m Message) {
	if json.Valid(body) {
		_ = m.read(body)
	}
	return m
}

// parse reads the envelope of one message and refuses malformed ones.
func parse(body []byte) (Message, *answer) {
	if len(body) > maxEnvelope && !mentionsCall(body) {
		return Message{}, tooLong(nil)
	}
	if !utf8.Valid(body) || !json.Valid(body) {
		return Message{}, rpcFailed(http.StatusBadRequest, nil, rpcError{Code: codeParse, Message: "the body is not valid JSON"})
	}
	var m Message
	if bad := m.read(body); bad != nil {
		return Message{}, rpcFailed(http.StatusBadRequest, m.ID, *bad)
	}
	if len(body)-len(m.Arguments) > maxEnvelope {
		return Message{}, tooLong(m.ID)
	}
	return m, nil
}

// mentionsCall reports whether a message may be a tools/call. A long message that is not is refused
// unread. Some encoders escape the slash.
func mentionsCall(body []byte) bool {
	return bytes.Contains(body, []byte(methodCallTool)) || bytes.Contains(body, []byte(`tools\/call`))
}

func tooLong(id json.RawMessage) *answer {
	e := rpcError{Code: codeInvalidRequest, Message: fmt.Sprintf("the message is longer than %d bytes; only the arguments of a tools/call may be", maxEnvelope)}
	return rpcFailed(http.StatusRequestEntityTooLarge, id, e)
}

// read reads the members of the envelope. It reads the ID first, so that an error about the rest
// can name it.
func (m *Message) read(body []byte) *rpcError {
	if bytes.HasPrefix(bytes.TrimLeft(body, blanks), []byte("[")) {
		return invalid("batches are not supported: send one message per request")
	}
	top, bad := members(body, "id", "jsonrpc", "method", "params", "result", "error")
	if bad != nil {
		return bad
	}
	id, jsonrpc, method, params, result, failure := top[0], top[1], top[2], top[3], top[4], top[5]
	if id != nil && (!isID(id) || len(id) > maxName) {
		return invalid("id must be a string of at most 1,000 bytes, or an integer from -9007199254740991 to 9007199254740991")
	}
	m.ID = id
	if v, ok := text(jsonrpc); string(jsonrpc) != `"2.0"` && (!ok || v != "2.0") {
		return invalid(`jsonrpc must be "2.0"`)
	}
	isResponse := result != nil || failure != nil
	if m.Response = method == nil && id != nil && isResponse; m.Response {
		return nil
	}
	var ok bool
	if m.Method, ok = text(method); !ok || m.Method == "" || len(method) > maxName || isResponse {
		return invalid("the message is neither a request nor a notification")
	}
	return m.readParams(params)
}

// readParams reads what the guard needs of params: the declared version, and the name of the tool.
func (m *Message) readParams(params json.RawMessage) *rpcError {
	switch {
	case isAbsent(params):
		params = json.RawMessage("{}")
	case !isObject(params):
		return &rpcError{Code: codeInvalidParams, Message: "params must be an object"}
	default:
		m.Params = params
	}
	values, bad := members(params, "name", "arguments", "_meta")
	if bad != nil {
		return bad
	}
	if m.Method == methodCallTool {
		var ok bool
		if m.Tool, ok = text(values[0]); !ok || len(values[0]) > maxName {
			return &rpcError{Code: codeInvalidParams, Message: "params.name must be the name of a tool"}
		}
		m.Arguments = values[1]
	}
	m.opensLinks = m.Method == methodInitialize && isObject(valueAt(params, "capabilities", "elicitation", "url"))
	return m.readMeta(values[2])
}

// readMeta reads the version. A version that is not a string counts as missing, as in the MCP
// server.
func (m *Message) readMeta(meta json.RawMessage) *rpcError {
	if isAbsent(meta) {
		return nil
	}
	if !isObject(meta) {
		return &rpcError{Code: codeInvalidParams, Message: "params._meta must be an object"}
	}
	values, bad := members(meta, metaVersion)
	if bad != nil {
		return bad
	}
	m.Meta = meta
	m.Version, _ = text(values[0])
	return nil
}

// answeredHere returns the answer to messages that the MCP server must not see, or nil. Its
// notifications/cancelled would accept a request ID from any caller and cancel whichever request on
// this instance has it. subscriptions/listen would hold a stream open. A response has no request
// here.
func (m Message) answeredHere(stateless bool) *answer {
	switch {
	case m.Method == methodListen:
		e := rpcError{Code: codeMethodNotFound, Message: methodListen + " is not supported: this server sends no notifications"}
		return rpcFailed(http.StatusNotFound, m.ID, e)
	case m.Method == methodCancelled && m.ID != nil:
		return rpcFailed(http.StatusBadRequest, m.ID, *invalid("a notification must not have an id"))
	case m.Response && stateless:
		return rpcFailed(http.StatusBadRequest, m.ID, *invalid("this server sends no requests, so it accepts no responses"))
	case m.Method == methodCancelled, m.Response:
		return &answer{status: http.StatusAccepted}
	}
	return nil
}

// members returns the named members of a valid JSON value, nil for each that is absent. The MCP
// server decodes with encoding/json, which reads the last of several equal names and ignores the
// case of a name: {"method": "tools/list", "Method": "tools/call"} calls a tool. A second spelling
// of a name is therefore refused.
func members(object json.RawMessage, names ...string) ([]json.RawMessage, *rpcError) {
	object = bytes.TrimLeft(object, blanks)
	if !isObject(object) {
		return nil, invalid("the message must be an object")
	}
	values := make([]json.RawMessage, len(names))
	for quoted, value := range rawjson.Members(object) {
		key := quoted[1 : len(quoted)-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			decoded, _ := text(quoted)
			key = []byte(decoded)
		}
		i := named(names, key)
		if i < 0 {
			continue
		}
		if string(key) != names[i] || values[i] != nil {
			return nil, invalid(plaintext.Quote(names[i]) + " must occur once, in exactly this spelling")
		}
		values[i] = value
	}
	return values, nil
}

// valueAt returns the member of a valid JSON value at a path, or nil if it is absent or has two
// spellings.
func valueAt(value json.RawMessage, path ...string) json.RawMessage {
	for _, name := range path {
		found, bad := members(value, name)
		if bad != nil {
			return nil
		}
		value = found[0]
	}
	return value
}

// named returns the index of the name that encoding/json would match with the key.
func named(names []string, key []byte) int {
	for i, name := range names {
		if string(key) == name || bytes.EqualFold([]byte(name), key) {
			return i
		}
	}
	return -1
}

// isID reports whether a value is a string, or an integer that survives a float64, which the MCP
// server uses. The ID of a request is never null (MCP 2026-07-28, messages).
func isID(raw json.RawMessage) bool {
	if raw[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil && -1<<53 < n && n < 1<<53
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func isAbsent(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

// text decodes a JSON string. ok is false for any other value.
func text(raw json.RawMessage) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	return s, json.Unmarshal(raw, &s) == nil
}

func invalid(message string) *rpcError { return &rpcError{Code: codeInvalidRequest, Message: message} }
