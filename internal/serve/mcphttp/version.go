package mcphttp

import (
	"encoding/json"
	"net/http"
	"slices"
)

// The protocol versions that the server supports. Up to 2025-11-25 a client begins with initialize
// and may hold a session. Since 2026-07-28 each message is independent, and names its version in
// params._meta and in the header.
const (
	Version20260728 = "2026-07-28"
	Version20251125 = "2025-11-25"
	Version20250618 = "2025-06-18"
	Version20250326 = "2025-03-26"
)

// Versions returns the supported protocol versions, newest first.
func Versions() []string {
	return []string{Version20260728, Version20251125, Version20250618, Version20250326}
}

const versionHeader = "Mcp-Protocol-Version"

func served(version string) bool { return slices.Contains(Versions(), version) }

// era reports whether a message is stateless (2026-07-28) or legacy, and refuses unsupported
// versions. One place that names 2026-07-28 is enough; the MCP server then requires the other. Two
// different versions are a mismatch, even if one of them is unknown.
func (m Message) era(header string) (stateless bool, refused *answer) {
	if m.handshake() {
		return false, nil
	}
	if m.Version != "" && header != "" && m.Version != header && max(m.Version, header) >= Version20260728 {
		e := rpcError{Code: codeHeaderMismatch, Message: "MCP-Protocol-Version and params._meta name different versions"}
		return false, rpcFailed(http.StatusBadRequest, m.ID, e)
	}
	for _, version := range []string{m.Version, header} {
		if version != "" && !served(version) {
			return false, unsupportedVersion(m.ID, version)
		}
	}
	return m.Version == Version20260728 || header == Version20260728, nil
}

// handshake reports whether the message opens the legacy era: an initialize that does not declare
// itself stateless. Its header does not count, because the version is not agreed yet, and the MCP
// server answers an unknown version in its params with a supported one.
func (m Message) handshake() bool {
	return m.Method == methodInitialize && m.Version < Version20260728
}

// may20251125 reports whether a message of the legacy era does not name an older version than
// 2025-11-25, the first one in which servers ask clients to open links.
func (m Message) may20251125(header string) bool {
	return (header == "" || header == Version20251125) && (m.Version == "" || m.Version == Version20251125)
}

// unsupportedVersion returns the error that names the supported versions.
func unsupportedVersion(id json.RawMessage, requested string) *answer {
	return rpcFailed(http.StatusBadRequest, id, rpcError{
		Code:    codeUnsupportedVersion,
		Message: "Unsupported protocol version",
		Data:    map[string]any{"supported": Versions(), "requested": requested},
	})
}
