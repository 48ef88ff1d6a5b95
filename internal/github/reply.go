package github

import (
	"encoding/json"
	"net/http"
	"strings"

	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/upstream"
)

// reply is what GitHub answered, as far as the meaning of a refusal depends on it. Its texts are
// foreign: they are recognized, and shown only where complaint says so.
type reply struct {
	status     int
	header     http.Header
	message    string
	page       string // documentation_url
	complaints []complaint
	graphql    bool   // an error in an answer of the GraphQL API with the status 200
	kind       string // its type
	code       string // of its extensions
}

// replyOf reads the refusal of either API. A body that is not JSON has no message.
func replyOf(a upstream.Answer) reply {
	var body struct {
		Message json.RawMessage `json:"message"`
		Page    json.RawMessage `json:"documentation_url"`
		Errors  json.RawMessage `json:"errors"`
	}
	_ = json.Unmarshal(a.Body, &body)
	return reply{
		status: a.Status, header: a.Header, message: text(body.Message), page: text(body.Page),
		complaints: complaintsOf(body.Errors),
	}
}

// text returns a JSON string, and an empty string for all other JSON.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// is reports whether the refusal has this status or, in GraphQL, one of these types.
func (r reply) is(status int, kinds ...string) bool {
	return !r.graphql && r.status == status || r.typed(kinds...)
}

// typed reports whether the refusal is an error of GraphQL with one of these types.
func (r reply) typed(kinds ...string) bool {
	for _, kind := range kinds {
		if r.graphql && r.kind == kind {
			return true
		}
	}
	return false
}

// says reports whether GitHub's message contains some words, in lower case.
func (r reply) says(words string) bool { return strings.Contains(strings.ToLower(r.message), words) }

var codeForm = lazyregexp.New(`^[A-Za-z][A-Za-z_]{0,59}$`)

// names returns the type and the code of an error in GraphQL for the log, if they have the form of
// one.
func (r reply) names() string {
	var names []string
	if kind := shownType(r.kind); kind != "" {
		names = append(names, "type "+kind)
	}
	if codeForm.MatchString(r.code) {
		names = append(names, "code "+r.code)
	}
	return strings.Join(names, ", ")
}
