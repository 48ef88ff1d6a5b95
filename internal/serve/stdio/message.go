package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/text/lazyregexp"
)

// isSilent reports whether a message is a notification or a response: JSON-RPC sends no answer.
func isSilent(m mcphttp.Message) bool { return m.Response || m.Method != "" && m.ID == nil }

// canceled returns the encoded ID of the request that a notification cancels, or "".
func canceled(m mcphttp.Message) string {
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.Params, &params)
	return string(params.ID)
}

// failure returns an error message. JSON-RPC wants null for an ID that could not be read.
func failure(id json.RawMessage, code int, text string, data any) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, err := json.Marshal(struct {
		Version string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id"`
		Error   mcp.JSONRPCErrorDetails `json:"error"`
	}{mcp.JSONRPC_VERSION, id, mcp.NewJSONRPCErrorDetails(code, text, data)})
	if err != nil { // an ID that is not JSON
		return failure(nil, code, text, nil)
	}
	return encoded
}

var errTooLong = errors.New("the line is too long")

// shownEnd is how much of each end of a line that is too long is searched for its ID, in bytes. An
// ID that an answer repeats has at most 1,000, as over HTTP.
const shownEnd = 4 << 10

// Clients write the ID of a message before its params or behind them, beside members that are short
// texts.
var (
	idAhead  = lazyregexp.New(`^\s*\{\s*(?:"\w+"\s*:\s*"[^"\\]*"\s*,\s*)*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*,`)
	idBehind = lazyregexp.New(`,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*(?:,\s*"\w+"\s*:\s*"[^"\\]*"\s*)*\}\s*$`)
)

// idOf returns the ID of a message of which only both ends are known, or nil.
func idOf(head, tail []byte) json.RawMessage {
	found := idAhead.FindStringSubmatch(string(head))
	if found == nil {
		found = idBehind.FindStringSubmatch(string(tail))
	}
	if found == nil {
		return nil
	}
	return json.RawMessage(found[1])
}

// readLine reads one line, without the end of the line and the blanks around it. Of a line with
// more than limit bytes it keeps only the ID of the message, and returns errTooLong. It returns
// io.EOF together with the last line.
func readLine(in *bufio.Reader, limit int) (line []byte, id json.RawMessage, err error) {
	var tail []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		tail = append(tail[max(0, len(tail)-shownEnd):], part...)
		if size += len(bytes.TrimRight(part, "\r\n")); size <= limit {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case size > limit && (err == nil || errors.Is(err, io.EOF)):
			return nil, idOf(line[:min(shownEnd, len(line))], tail[max(0, len(tail)-shownEnd):]), errors.Join(errTooLong, err)
		}
		return bytes.TrimSpace(line), nil, err
	}
}
