package authserver

import (
	"io"
	"mime"
	"net/http"
	"net/url"
)

// maxForm is the largest form, in bytes.
const maxForm = 64 << 10

// params are the parameters of an OAuth request. Empty parameters count as absent, and only
// resource may be repeated (RFC 6749, 3.1).
type params struct{ values url.Values }

func (p params) get(name string) string { return p.values.Get(name) }

// resources returns the resource parameters. They may be repeated (RFC 8707, 2).
func (p params) resources() []string { return p.values["resource"] }

// parseParams reads a query or a form. Its errors are invalid_request.
func parseParams(encoded string) (params, *oauthError) {
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
			// The readable parameters may still say where to send the error.
			return params{values}, refuse(invalidRequest, "a parameter was given more than once")
		}
	}
	return params{values}, nil
}

// readFormBody reads the form in the body of a POST (RFC 6749, 3.2).
func readFormBody(r *http.Request) (params, *oauthError) {
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
