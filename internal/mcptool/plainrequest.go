package mcptool

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/rawjson"
)

// plainRequest is a tools/list, a ping or a tools/call that says nothing unusual.
type plainRequest struct {
	id     json.RawMessage
	method mcp.MCPMethod
	modern bool
	client *client

	// Only of a tools/call:
	tool      string
	arguments json.RawMessage // nil if absent
}

// maxPlain is more than the size of any plain request without the arguments of a call, in bytes.
const maxPlain = 4096

// readPlain reads a plain request. It accepts only requests that mcp-go would accept and read in
// the same way. If valid, the body is known to be JSON in UTF-8.
func (c *clients) readPlain(header http.Header, body []byte, valid bool) (p plainRequest, ok bool) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 || body[0] != '{' || !valid && (!utf8.Valid(body) || !json.Valid(body)) {
		return p, false
	}
	var jsonrpc, method, params json.RawMessage
	if !take(body, field{`"jsonrpc"`, &jsonrpc}, field{`"id"`, &p.id}, field{`"method"`, &method}, field{`"params"`, &params}) {
		return p, false
	}
	if string(jsonrpc) != `"`+mcp.JSONRPC_VERSION+`"` || !plainID(p.id) {
		return p, false
	}
	switch string(method) {
	case `"tools/call"`:
		p.method = mcp.MethodToolsCall
	case `"tools/list"`:
		p.method = mcp.MethodToolsList
	case `"ping"`:
		p.method = mcp.MethodPing
	default:
		return p, false
	}
	meta, ok := p.readParams(params)
	if !ok || len(body)-len(p.arguments) > maxPlain { // before c remembers the client
		return p, false
	}
	p.client, ok = c.read(meta)
	return p, ok && p.suits(header)
}

// readParams reads the parameters of the method and returns _meta undecoded.
func (p *plainRequest) readParams(params json.RawMessage) (meta json.RawMessage, ok bool) {
	switch {
	case p.method == mcp.MethodToolsCall:
		var name json.RawMessage
		if !isObject(params) || !take(params, field{`"name"`, &name}, field{`"arguments"`, &p.arguments}, field{`"_meta"`, &meta}) {
			return nil, false
		}
		p.tool, ok = textOf(name)
		return meta, ok
	case isObject(params):
		ok = take(params, field{`"_meta"`, &meta})
		return meta, ok
	}
	return nil, params == nil || string(params) == "null"
}

// suits reports whether the headers say the same as the message, and nothing more. The stateless
// era has no ping.
func (p *plainRequest) suits(header http.Header) bool {
	version := header.Get(mcp.HeaderProtocolVersion)
	p.modern = version == mcp.ProtocolVersion20260728
	if header.Get("Content-Type") != jsonType || header.Get("Mcp-Session-Id") != "" {
		return false
	}
	if !p.modern {
		return p.client.version == "" && (version == "" || slices.Contains(legacyVersions, version))
	}
	methods, names := header["Mcp-Method"], header["Mcp-Name"]
	return p.method != mcp.MethodPing && p.client.version == version && p.client.declared.ClientCapabilities != nil &&
		len(methods) == 1 && methods[0] == string(p.method) && header.Get(mcp.HeaderLastEventID) == "" &&
		len(names) <= 1 && header.Get("Mcp-Name") == p.tool && !strings.HasPrefix(p.tool, "=?")
}

// field is a member of an object, and where its value goes.
type field struct {
	key string // encoded
	to  *json.RawMessage
}

// take reads the members of a valid object. It returns false if one of them occurs twice or is not
// among the fields.
func take(object json.RawMessage, fields ...field) bool {
	for key, value := range rawjson.Members(object) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == string(key) })
		if i < 0 || *fields[i].to != nil {
			return false
		}
		*fields[i].to = value
	}
	return true
}

func isObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }

// textOf returns a string without escapes.
func textOf(value json.RawMessage) (string, bool) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

// plainID reports whether mcp-go would return an ID unchanged: a string without escapes, or a small
// whole number. mcp-go escapes two separators of lines.
func plainID(id json.RawMessage) bool {
	text := string(id)
	if len(text) > 2 && len(text) < 200 && text[0] == '"' {
		return !strings.ContainsAny(text, "\\<>&\u2028\u2029")
	}
	return text != "" && len(text) <= 15 && strings.Trim(text, "0123456789") == ""
}

// client is what the _meta of a message says about the client.
type client struct {
	version  string
	declared *server.RequestProtocolInfo // for tools, as mcp-go would make it
	info     *mcp.Implementation         // for the log, in both eras
}

// mostClients is how many clients an endpoint remembers.
const mostClients = 64

// clients remembers what clients say about themselves. A client of the stateless era says the same
// in every message, and decoding it would take longer than the rest of a small message.
type clients struct {
	mu    sync.RWMutex
	known map[string]*client
}

// silent is a client that says nothing.
var silent = &client{declared: &server.RequestProtocolInfo{}}

// read returns the client of a message. It returns false for a _meta that mcp-go would refuse or
// read in another way.
func (c *clients) read(meta json.RawMessage) (*client, bool) {
	if meta == nil || string(meta) == "null" {
		return silent, true
	}
	if !isObject(meta) {
		return nil, false
	}
	var space [512]byte
	said := append(space[:0], '{')
	for key, value := range rawjson.Members(meta) {
		switch string(key) {
		case `"` + mcp.MetaKeyProtocolVersion + `"`, `"` + mcp.MetaKeyClientInfo + `"`,
			`"` + mcp.MetaKeyClientCapabilities + `"`, `"` + mcp.MetaKeyLogLevel + `"`:
			if len(said) > 1 {
				said = append(said, ',')
			}
			said = append(append(append(said, key...), ':'), value...)
		default: // mcp-go decodes it, and nothing reads it; a name with escapes can be any of the above
			if bytes.IndexByte(key, '\\') >= 0 || !decodes(value) {
				return nil, false
			}
		}
	}
	if len(said) == 1 {
		return silent, true
	}
	return c.remember(append(said, '}'))
}

// decodes reports whether mcp-go can decode a valid value: a number can be too large.
func decodes(value json.RawMessage) bool {
	switch value[0] {
	case '"', 't', 'f', 'n':
		return true
	}
	var decoded any
	return plainID(value) || json.Unmarshal(value, &decoded) == nil
}

// remember returns the client that says this in _meta.
func (c *clients) remember(said []byte) (*client, bool) {
	c.mu.RLock()
	known := c.known[string(said)]
	c.mu.RUnlock()
	if known != nil {
		return known, true
	}
	var meta mcp.Meta
	if json.Unmarshal(said, &meta) != nil {
		return nil, false
	}
	known = &client{version: meta.ProtocolVersion(), info: meta.ClientInfo(), declared: &server.RequestProtocolInfo{}}
	if known.version == mcp.ProtocolVersion20260728 {
		known.declared = &server.RequestProtocolInfo{
			Modern: true, ProtocolVersion: known.version, ClientInfo: known.info,
			ClientCapabilities: meta.ClientCapabilities(), LogLevel: meta.LogLevel(),
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= mostClients || c.known == nil {
		c.known = map[string]*client{}
	}
	c.known[string(said)] = known
	return known, true
}
