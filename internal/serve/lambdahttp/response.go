package lambdahttp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// response is the ResponseWriter of one event. It does not implement http.Flusher: the gateway
// cannot send a part of an answer.
type response struct {
	header http.Header
	status int
	sent   http.Header // the headers when they were written
	body   bytes.Buffer
	end    []byte // constant bytes that follow body
}

// Header returns the headers. As in net/http, changes after WriteHeader have no effect.
func (w *response) Header() http.Header { return w.header }

// WriteHeader sets the status. Only the first call counts. Informational statuses are dropped,
// because the gateway cannot send them.
func (w *response) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid status %d", status))
	}
	if w.status == 0 && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write appends to the body.
func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	w.join()
	return w.body.Write(p)
}

// WriteConstant appends bytes that stay the same as long as the process runs. An answer that ends
// in them is compressed once for all callers who use the same request ID.
func (w *response) WriteConstant(p []byte) (int, error) {
	_, err := w.Write(nil)
	if err == nil {
		w.end = p
	}
	return len(p), err
}

// join appends the constant bytes to the others.
func (w *response) join() {
	w.body.Write(w.end)
	w.end = nil
}

// answer returns the whole answer to a request. It compresses long JSON if the client accepts gzip.
func (w *response) answer(r *http.Request, kept *zippedAnswers) []byte {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	a := events.APIGatewayV2HTTPResponse{StatusCode: w.status, Headers: make(map[string]string, len(w.sent)+1), Cookies: w.sent["Set-Cookie"]}
	_, typed := w.sent["Content-Type"]
	coded := w.sent.Get("Content-Encoding") != ""
	zips := !coded && isJSON(w.sent) && takesGzip(r.Header)
	if zips {
		w.sent.Add("Vary", "Accept-Encoding")
	}
	for name, values := range w.sent {
		if name != "Set-Cookie" && name != "Content-Length" { // the gateway computes the length
			a.Headers[name] = strings.Join(values, ", ")
		}
	}
	if zips && r.Method != http.MethodHead && w.body.Len()+len(w.end) >= leastZipped {
		a.Headers["Content-Encoding"] = "gzip"
		a.Body, a.IsBase64Encoded = kept.zip(w.body.Bytes(), w.end), true
		return encode(a)
	}
	w.join()
	body := w.body.Bytes()
	if !typed && !coded && len(body) > 0 {
		a.Headers["Content-Type"] = http.DetectContentType(body)
	}
	switch {
	case r.Method == http.MethodHead:
	case coded || !utf8.Valid(body):
		a.Body, a.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	default:
		a.Body = string(body)
	}
	return encode(a)
}

// newlineToSpace keeps a value from starting a new header, as net/http does.
var newlineToSpace = strings.NewReplacer("\n", " ", "\r", " ")

// encode returns the JSON of an answer.
func encode(a events.APIGatewayV2HTTPResponse) []byte {
	for name, value := range a.Headers {
		a.Headers[name] = newlineToSpace.Replace(value)
	}
	var out bytes.Buffer
	out.Grow(len(a.Body) + len(a.Body)/8 + 1024)
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		panic(err) // strings always encode
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// refusal returns a complete answer with an error in OAuth's format. Both texts must be plain
// ASCII.
func refusal(status int, code, description string) []byte {
	return encode(events.APIGatewayV2HTTPResponse{
		StatusCode: status,
		Headers: map[string]string{
			"Content-Type":              "application/json",
			"Cache-Control":             "no-store",
			"Strict-Transport-Security": "max-age=31536000", // the gateway has no plain http
			"X-Content-Type-Options":    "nosniff",
		},
		Body: fmt.Sprintf(`{"error":%q,"error_description":%q}`, code, description),
	})
}
