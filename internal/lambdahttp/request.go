package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"unicode/utf8"
)

var (
	errNotHTTP = errors.New("this function answers API Gateway HTTP API events (payload version 2.0) only")
	errBase64  = errors.New("the body is said to be base64 and is not")
)

// event is what we read of an API Gateway HTTP API event, payload version 2.0.
type event struct {
	version   string
	path      string
	query     string
	cookies   []string
	header    http.Header
	values    []string // the headers' values, in one piece of memory
	body      []byte
	base64    bool
	method    string
	sourceIP  string
	domain    string
	requestID string
}

// request is the event as the request a server would have read from a connection. The body may share payload's memory.
func request(ctx context.Context, payload []byte) (*http.Request, error) {
	e, ok := parse(payload)
	if !ok || !e.isHTTP() {
		return nil, errNotHTTP
	}
	body, err := e.decodedBody()
	if err != nil {
		return nil, err
	}
	if e.requestID != "" {
		ctx = context.WithValue(ctx, requestIDKey{}, e.requestID)
	}
	u := e.url()
	r := &http.Request{
		Method:        e.method,
		URL:           u,
		RequestURI:    u.RequestURI(),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Host:          e.domain,
		Header:        e.header,
		Body:          http.NoBody,
		ContentLength: int64(len(body)),
		RemoteAddr:    e.remoteAddr(),
	}
	if len(e.cookies) > 0 {
		r.Header["Cookie"] = []string{strings.Join(e.cookies, "; ")}
	}
	if len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.WithContext(ctx), nil
}

// parse reads an event; false when payload is no JSON object with members of the types an event has.
func parse(payload []byte) (e event, ok bool) {
	if !utf8.Valid(payload) {
		return e, false
	}
	s := scanner{data: payload}
	e.header, e.values = make(http.Header, 16), make([]string, 0, 16)
	s.object(func(name []byte) {
		switch string(name) {
		case "version":
			e.version = s.string()
		case "rawPath":
			e.path = s.string()
		case "rawQueryString":
			e.query = s.string()
		case "cookies":
			s.array(func() { e.cookies = append(e.cookies, s.string()) })
		case "headers":
			s.object(func(name []byte) { e.setHeader(string(name), s.string()) })
		case "requestContext":
			s.object(func(name []byte) { e.context(&s, name) })
		case "body":
			if !s.null() {
				e.body = s.text()
			}
		case "isBase64Encoded":
			e.base64 = s.bool()
		default:
			s.skip()
		}
	})
	return e, s.end()
}

func (e *event) context(s *scanner, name []byte) {
	switch string(name) {
	case "domainName":
		e.domain = s.string()
	case "requestId":
		e.requestID = s.string()
	case "http":
		s.object(func(name []byte) {
			switch string(name) {
			case "method":
				e.method = s.string()
			case "sourceIp":
				e.sourceIP = s.string()
			default:
				s.skip()
			}
		})
	default:
		s.skip()
	}
}

// setHeader keeps one value a name: the gateway joins repeated headers with commas, and splitting them again would tear
// Accept and dates apart.
func (e *event) setHeader(name, value string) {
	name = textproto.CanonicalMIMEHeaderKey(name)
	if !fromCaller(name) {
		e.values = append(e.values, value)
		n := len(e.values)
		e.header[name] = e.values[n-1 : n : n]
	}
}

// fromCaller tells the headers in which anybody may claim to be reached or to come from anywhere, and the length of a
// body that base64 may have changed.
func fromCaller(name string) bool {
	return name == "Host" || name == "Forwarded" || name == "Content-Length" || strings.HasPrefix(name, "X-Forwarded-")
}

func (e *event) isHTTP() bool {
	return e.version == "2.0" && e.method != "" && strings.HasPrefix(e.path, "/")
}

func (e *event) decodedBody() ([]byte, error) {
	if !e.base64 {
		return e.body, nil
	}
	body, err := base64.StdEncoding.AppendDecode(nil, e.body)
	if err != nil {
		return nil, errBase64
	}
	return body, nil
}

// url keeps the path's own percent-encoding for EscapedPath. The gateway decodes some paths itself, so one that does not
// decode is taken as it is.
func (e *event) url() *url.URL {
	u := &url.URL{Path: e.path, RawQuery: e.query}
	if path, err := url.PathUnescape(e.path); err == nil && path != e.path {
		u.Path, u.RawPath = path, e.path
	}
	return u
}

// remoteAddr has a port, as net/http promises; the gateway does not say which it was.
func (e *event) remoteAddr() string {
	if e.sourceIP == "" {
		return ""
	}
	return net.JoinHostPort(e.sourceIP, "0")
}
