package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

const (
	jsonType = "application/json; charset=utf-8"
	docs     = "https://docs.github.com/rest"
)

// A reply is a response: a status and a value for the JSON body. A body of []byte is sent as it is.
type reply struct {
	status int
	header http.Header
	body   any
}

func replyWith(status int, body any) reply {
	return reply{status: status, header: http.Header{}, body: body}
}

// withHeader adds a header.
func (r reply) withHeader(name, value string) reply {
	r.header[name] = []string{value}
	return r
}

func text(status int, words string) reply {
	return replyWith(status, []byte(words)).withHeader("Content-Type", "text/plain; charset=utf-8")
}

// refused returns a refusal of the REST API. page is a page of GitHub's documentation.
func refused(status int, message, page string) reply {
	return replyWith(status, map[string]any{
		"message": message, "documentation_url": docs + page, "status": strconv.Itoa(status),
	})
}

// A flaw is an entry of the documented list of errors. Its code is missing, missing_field, invalid,
// already_exists, unprocessable or custom (GitHub Docs, "Troubleshooting the REST API").
type flaw struct {
	Resource string `json:"resource"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code"`
	Value    any    `json:"value,omitempty"`
	Message  string `json:"message,omitempty"`
}

func invalid(page string, flaws ...flaw) reply {
	r := refused(http.StatusUnprocessableEntity, "Validation Failed", page)
	r.body.(map[string]any)["errors"] = flaws
	return r
}

// malformed refuses a body whose field has another type than documented. Such a refusal has no list
// of errors.
func malformed(page, field, problem string) reply {
	return refused(http.StatusUnprocessableEntity, fmt.Sprintf("Invalid request.\n\nFor 'properties/%s', %s.", field, problem), page)
}

func notFound(page string) reply { return refused(http.StatusNotFound, "Not Found", page) }

// bytes returns the body.
func (r reply) bytes() []byte {
	switch body := r.body.(type) {
	case nil:
		return nil
	case []byte:
		return body
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r.body); err != nil {
		return []byte(`{"message":"Server Error"}`)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// unchanged returns the reply as 304 if the request has its ETag. It adds the ETag to replies to
// GET.
func (r reply) unchanged(request *http.Request) reply {
	if request.Method != http.MethodGet || r.status != http.StatusOK {
		return r
	}
	h := fnv.New128a()
	_, _ = h.Write(r.bytes())
	_, _ = io.WriteString(h, r.header.Get("Link"))
	tag := fmt.Sprintf(`W/"%x"`, h.Sum(nil))
	r.header.Set("Etag", tag)
	r.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	r.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP")
	for candidate := range strings.SplitSeq(request.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == strings.TrimPrefix(tag, "W/") {
			return reply{status: http.StatusNotModified, header: r.header}
		}
	}
	return r
}

// write sends the reply.
func (r reply) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), r.header)
	body := r.bytes()
	if len(body) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", jsonType)
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(body)
}
