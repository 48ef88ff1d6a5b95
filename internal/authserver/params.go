package authserver

import (
	"io"
	"mime"
	"net/http"
	"net/url"
)

// maxForm is the largest form, in bytes.
const maxForm = 64 << 10

// params are an OAuth request's parameters. An empty one is as good as absent, and none but resource may be repeated (A22,
// RFC 6749 3.1).
type params struct{ values url.Values }

func (p params) get(name string) string { return p.values.Get(name) }

// resources are the resource parameters, the only ones of which there may be several (RFC 8707 2).
func (p params) resources() []string { return p.values["resource"] }

// parseParams reads a query or a form. The error is an invalid_request.
func parseParams(encoded string) (params, *failure) {
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return params{}, refuse(invalidRequest, "the parameters are not form-encoded")
	}
	for name, given := range values {
		kept := given[:0]
		for _, value := range given {
			if value != "" {
				kept = append(kept, value)
			}
		}
		values[name] = kept
		if len(kept) > 1 && name != "resource" {
			// All the same: what can be read may still say where the client is to be told.
			return params{values}, refuse(invalidRequest, "a parameter was given more than once")
		}
	}
	return params{values}, nil
}

// readForm reads the body of a POST of clients and pages alike (T1).
func readForm(r *http.Request) (params, *failure) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return params{}, refuse(invalidRequest, "the body must be application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxForm+1))
	if err != nil {
		return params{}, refuse(invalidRequest, "the body ended early")
	}
	if len(body) > maxForm {
		return params{}, refuse(invalidRequest, "the body is too large")
	}
	return parseParams(string(body))
}
