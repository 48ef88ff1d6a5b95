package mcphttp

import (
	"encoding/json"
	"net/http"
	"slices"
)

// The protocol versions we serve. Up to 2025-11-25 a client opens with initialize and may hold a session; since 2026-07-28
// each message stands alone and names its version in params._meta as well as in the header.
const (
	Version20260728 = "2026-07-28"
	Version20251125 = "2025-11-25"
	Version20250618 = "2025-06-18"
	Version20250326 = "2025-03-26"
)

// Versions lists the protocol versions we serve, newest first.
func Versions() []string {
	return []string{Version20260728, Version20251125, Version20250618, Version20250326}
}

const versionHeader = "Mcp-Protocol-Version"

func served(version string) bool { return slices.Contains(Versions(), version) }

// era reports whether a message is stateless (2026-07-28) or legacy, and refuses versions we do not serve. One source naming
// 2026-07-28 is enough, as for the server behind, which then insists on the other; two that differ are a mismatch before
// they are anything else.
func (m message) era(header string) (stateless bool, refused *answer) {
	if m.handshake() {
		return false, nil
	}
	if m.version != "" && header != "" && m.version != header && max(m.version, header) >= Version20260728 {
		e := rpcError{Code: codeHeaderMismatch, Message: "MCP-Protocol-Version and params._meta name different versions"}
		return false, rpcFailed(http.StatusBadRequest, m.id, e)
	}
	for _, version := range []string{m.version, header} {
		if version != "" && !served(version) {
			return false, unsupportedVersion(m.id, version)
		}
	}
	return m.version == Version20260728 || header == Version20260728, nil
}

// handshake reports whether the message opens the legacy era: an initialize that does not declare itself stateless. Its header
// says nothing, for the version is still to be agreed, and an unknown one in its params is answered with ours (E-09).
func (m message) handshake() bool {
	return m.method == methodInitialize && m.version < Version20260728
}

// unsupportedVersion tells a client what it can use instead (E-10, E-11).
func unsupportedVersion(id json.RawMessage, requested string) *answer {
	return rpcFailed(http.StatusBadRequest, id, rpcError{
		Code:    codeUnsupportedVersion,
		Message: "Unsupported protocol version",
		Data:    map[string]any{"supported": Versions(), "requested": requested},
	})
}
