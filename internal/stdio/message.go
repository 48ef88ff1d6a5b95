package stdio

import (
	"bytes"
	"encoding/json"
)

// The methods that the transport treats separately.
const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
)

// versionInMeta is the member of params._meta in which messages since 2026-07-28 name a version.
const versionInMeta = "io.modelcontextprotocol/protocolVersion"

// message is what the transport needs of a JSON-RPC message. The guard checks the rest.
type message struct {
	id      json.RawMessage // nil if it has none, or if the line is not a message
	method  string
	params  json.RawMessage
	version string // of the stateless era; empty for others
	silent  bool   // a notification or a response: JSON-RPC sends no answer
}

// parse reads a line. It never fails: the guard refuses what is not a message.
func parse(line []byte) (m message) {
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return m
	}
	m.id, m.params = members["id"], members["params"]
	isRequest := json.Unmarshal(members["method"], &m.method) == nil
	m.silent = isRequest && m.id == nil || members["method"] == nil && (members["result"] != nil || members["error"] != nil)
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(m.params, &params) == nil {
		_ = json.Unmarshal(params.Meta[versionInMeta], &m.version) // anything else counts as missing
	}
	return m
}

// key returns the encoded ID of a request, or "".
func (m message) key() string {
	if m.silent {
		return ""
	}
	return string(m.id)
}

// canceled returns the encoded ID of the request that a notification cancels, or "".
func (m message) canceled() string {
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return ""
	}
	return string(bytes.TrimSpace(params.ID))
}

// Error codes of JSON-RPC.
const (
	codeInvalidRequest = -32600
	codeInternal       = -32603
)

// failure returns an error message. JSON-RPC wants null for an ID that could not be read.
func failure(id json.RawMessage, code int, text string, data any) []byte {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{code, text, data}})
	if err != nil { // an ID that is not JSON
		return failure(nil, code, text, nil)
	}
	return encoded
}
