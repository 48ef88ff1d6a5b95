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
	errNotHTTP = errors.New("this function only answers API Gateway HTTP API events (payload version 2.0)")
	errBase64  = errors.New("isBase64Encoded is true, but the body is not valid base64")
)

// event is the part of an API Gateway HTTP API event (payload version 2.0) that this package uses.
type event struct {
	version   string
	path      string
	query     string
	cookies   []string
	header    http.Header
	values    []string // values of the headers, in one allocation
	body      []byte
	base64    bool
	method    string
	sourceIP  string
	domain    string
	requestID string
}

// request returns the event as the request that a server would have read from a connection. The
// body may share payload's memory.
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

// parse reads an event. It returns false if payload is not a JSON object whose members have the
// types of an event.
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

// setHeader stores one value per name. The gateway joins repeated headers with commas; splitting at
// commas would break headers like Accept and dates.
func (e *event) setHeader(name, value string) {
	name = textproto.CanonicalMIMEHeaderKey(name)
	if !fromCaller(name) {
		e.values = append(e.values, value)
		n := len(e.values)
		e.header[name] = e.values[n-1 : n : n]
	}
}

// fromCaller reports whether a header is one that callers can forge to change the host or address,
// or the length of a body that base64 may have changed.
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

// url returns the request's URL and keeps the path's percent-encoding for EscapedPath. The gateway
// decodes some paths itself, so url takes a path that does not decode literally.
func (e *event) url() *url.URL {
	u := &url.URL{Path: e.path, RawQuery: e.query}
	if path, err := url.PathUnescape(e.path); err == nil && path != e.path {
		u.Path, u.RawPath = path, e.path
	}
	return u
}

// remoteAddr returns the caller's address with a port, as net/http promises. The gateway does not
// report the port.
func (e *event) remoteAddr() string {
	if e.sourceIP == "" {
		return ""
	}
	return net.JoinHostPort(e.sourceIP, "0")
}
