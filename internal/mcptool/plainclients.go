package mcptool

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/rawjson"
)

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
