package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

var (
	errNotHTTP = errors.New("this function only answers API Gateway HTTP API events (payload version 2.0)")
	errBase64  = errors.New("isBase64Encoded is true, but the body is not valid base64")
)

// request returns an API Gateway HTTP API event (payload version 2.0) as the request that a server
// would have read from a connection.
func request(ctx context.Context, payload []byte) (*http.Request, error) {
	var e events.APIGatewayV2HTTPRequest
	if !utf8.Valid(payload) || json.Unmarshal(payload, &e) != nil {
		return nil, errNotHTTP
	}
	from := e.RequestContext
	if e.Version != "2.0" || from.HTTP.Method == "" || !strings.HasPrefix(e.RawPath, "/") {
		return nil, errNotHTTP
	}
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
			return nil, errBase64
		}
	}
	if from.RequestID != "" {
		ctx = context.WithValue(ctx, requestIDKey{}, from.RequestID)
	}
	u := requestURL(e.RawPath, e.RawQueryString)
	r := &http.Request{
		Method:        from.HTTP.Method,
		URL:           u,
		RequestURI:    u.RequestURI(),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Host:          from.DomainName,
		Header:        make(http.Header, len(e.Headers)+1),
		Body:          http.NoBody,
		ContentLength: int64(len(body)),
	}
	if from.HTTP.SourceIP != "" { // net/http promises a port; the gateway does not report it
		r.RemoteAddr = net.JoinHostPort(from.HTTP.SourceIP, "0")
	}
	// The gateway joins repeated headers with commas. Splitting there would break Accept and dates.
	for name, value := range e.Headers {
		if name = textproto.CanonicalMIMEHeaderKey(name); !fromCaller(name) {
			r.Header[name] = []string{value}
		}
	}
	if len(e.Cookies) > 0 {
		r.Header["Cookie"] = []string{strings.Join(e.Cookies, "; ")}
	}
	if len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.WithContext(ctx), nil
}

// fromCaller reports whether a header is one that callers can forge to change the host or address,
// or the length of a body that base64 may have changed.
func fromCaller(name string) bool {
	return name == "Host" || name == "Forwarded" || name == "Content-Length" || strings.HasPrefix(name, "X-Forwarded-")
}

// requestURL keeps the path's percent-encoding for EscapedPath. The gateway decodes some paths
// itself, so a path that does not decode is taken literally.
func requestURL(path, query string) *url.URL {
	u := &url.URL{Path: path, RawQuery: query}
	if decoded, err := url.PathUnescape(path); err == nil && decoded != path {
		u.Path, u.RawPath = decoded, path
	}
	return u
}
