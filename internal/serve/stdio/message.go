package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
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

var errTooLong = errors.New("the line is too long")

// readLine reads one line, without the end of the line and the blanks around it. Of a line with
// more than limit bytes it keeps only the ID of the message, and returns errTooLong. It returns
// io.EOF together with the last line.
func readLine(in *bufio.Reader, limit int) (line []byte, id json.RawMessage, err error) {
	var found idFinder
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		found.read(part)
		if size += len(bytes.TrimRight(part, "\r\n")); size <= limit {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case size > limit && (err == nil || errors.Is(err, io.EOF)):
			return nil, found.id, errors.Join(errTooLong, err)
		}
		return bytes.TrimSpace(line), nil, err
	}
}

// maxID is the maximum length of an ID that an answer repeats, as over HTTP.
const maxID = 1000

// idFinder finds the ID of a message that is too long to keep: the value of the member "id" of the
// outermost object, wherever it is.
type idFinder struct {
	depth    int
	inString bool
	escaped  bool
	isID     bool   // the member that is being read is the ID
	token    []byte // the string, number or name on the outermost level that is being read
	id       json.RawMessage
}

func (f *idFinder) read(part []byte) {
	for _, b := range part {
		f.next(b)
	}
}

func (f *idFinder) next(b byte) {
	switch {
	case f.inString:
		f.keep(b)
		f.inString = f.escaped || b != '"'
		f.escaped = b == '\\' && !f.escaped
	case b == '"':
		f.keep(b)
		f.inString = true
	case b == '{' || b == '[':
		f.depth++
	case b == '}' || b == ']':
		f.endMember()
		f.depth--
	case b == ':' && f.depth == 1:
		f.isID, f.token = string(f.token) == `"id"`, nil
	case b == ',':
		f.endMember()
	case b > ' ':
		f.keep(b)
	}
}

func (f *idFinder) keep(b byte) {
	if f.depth == 1 && len(f.token) <= maxID {
		f.token = append(f.token, b)
	}
}

func (f *idFinder) endMember() {
	if f.depth != 1 {
		return
	}
	if f.isID && len(f.token) <= maxID && json.Valid(f.token) {
		f.id = bytes.Clone(f.token)
	}
	f.isID, f.token = false, nil
}
