// Package writes knows what each of GitHub's writes does: what it would change, for a preview, and
// what undoes it.
package writes

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/writeplan"
)

// Provider is the ID of GitHub as a provider.
const Provider = "github"

// fields are the members of a JSON object, with numbers as json.Number.
type fields = map[string]any

// Request is a request that carries one write or several.
type Request struct {
	API    *url.URL // base of the REST API
	Method string
	URL    *url.URL
	Body   []byte
	Does   string // the mutation; empty in REST
	Parts  int    // the mutations that it carries under aliases; 0 for one without an alias
	About  fault.Resource
	Began  time.Time // by GitHub's clock
	// Withhold replaces the texts among fields of a thing that an outsider wrote, under lockdown.
	Withhold func(all, thing map[string]any)
}

// State is what a thing is now, or why that cannot be read.
type State struct {
	Fields map[string]any
	Err    error
}

// States reads things of one type: by their node IDs, or in REST by their paths below the API.
type States func(ctx context.Context, node string, at []string) []State

// FieldValues is the last word of the path to the values of an issue's fields.
const FieldValues = "issue-field-values"

// subject returns the address of what a write in REST is about: the issue that has what it changes.
func (q Request) subject() string {
	address := q.URL.String()
	for _, part := range []string{"/sub_issue", "/dependencies/", "/" + FieldValues} {
		address, _, _ = strings.Cut(address, part)
	}
	return address
}

// shape returns the form of a write by which rowOf knows it.
func (q Request) shape() string {
	if q.Does != "" {
		return q.Does
	}
	words := strings.FieldsFunc(q.URL.Path, func(r rune) bool { return r == '/' })
	words = slices.DeleteFunc(words, func(word string) bool { return strings.Trim(word, "0123456789") == "" })
	return q.Method + " " + words[len(words)-1]
}

// numberInPath returns the number of the issue in the path of the request.
func (q Request) numberInPath() json.Number {
	_, below, _ := strings.Cut(q.URL.Path, "/issues/")
	number, _, _ := strings.Cut(below, "/")
	return json.Number(cmp.Or(number, "0"))
}

// below returns a path or an address of the API below its base.
func (q Request) below(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	below, _ := strings.CutPrefix(u.Path, q.API.Path)
	return below
}

// repoIn returns the repository in which an address ends, as owner/name, or "".
func repoIn(address any) string {
	words := strings.Split(strings.TrimSuffix(writeplan.Text(address), "/"), "/")
	if len(words) < 2 {
		return ""
	}
	return strings.Join(words[len(words)-2:], "/")
}
