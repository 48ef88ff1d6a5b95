package held

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"basecamp-mcp/internal/writeplan"
)

// Plan is what a call would write, and whom it reaches.
type Plan struct {
	Reach
	Writes []Write `json:"writes"`
}

// Reach says whom a write reaches, as the tool's own answer does.
type Reach struct {
	ClientsSee any      `json:"clients_see,omitempty" limits:"types=true|list"`
	Notified   []string `json:"notified,omitempty"`
}

// Write is a planned write with its request.
type Write struct {
	writeplan.Write
	Reach
	Request Request `json:"request"`
	Made    string  `json:"made,omitempty"` // the ID that the plan made up for what the write creates
	Part    string  `json:"part,omitempty"` // of the answer's data
}

// Request is a planned request.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   string `json:"body,omitempty"` // JSON; empty if the body is something else
	Size   int    `json:"size,omitempty"` // of the body, in bytes
	Sum    string `json:"sum"`            // SHA-256 of the body, in hexadecimal
}

// RequestOf returns a request as it is kept.
func RequestOf(r writeplan.Request) Request {
	sum := sha256.Sum256(r.Body)
	kept := Request{Method: r.Method, URL: r.URL, Size: len(r.Body), Sum: hex.EncodeToString(sum[:])}
	if json.Valid(r.Body) {
		kept.Body = string(r.Body)
	}
	return kept
}

// Equal reports whether two plans write the same, to what is the same before, and reach the same
// people.
func (p Plan) Equal(other Plan) bool {
	a, errA := json.Marshal(p)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
