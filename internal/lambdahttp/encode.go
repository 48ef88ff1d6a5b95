package lambdahttp

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file writes the JSON of an answer by hand. That escapes a body of 80 KB once, directly into
// the bytes to send; encoding/json takes three passes.

// appendCookies writes the cookies. The gateway turns each into its own Set-Cookie header.
func appendCookies(out []byte, cookies []string) []byte {
	if len(cookies) == 0 {
		return out
	}
	out = append(out, `,"cookies":[`...)
	for i, cookie := range cookies {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendString(out, oneLine(cookie))
	}
	return append(out, ']')
}

// appendHeaders writes the headers and does not close their JSON object. It omits Content-Length,
// which the gateway computes.
func appendHeaders(out []byte, header http.Header) []byte {
	out = append(out, `,"headers":{`...)
	for name, values := range header {
		if len(values) > 0 && name != "Set-Cookie" && name != "Content-Length" {
			out = appendHeader(out, name, strings.Join(values, ", "))
		}
	}
	return out
}

func appendHeader(out []byte, name, value string) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	out = append(appendString(out, oneLine(name)), ':')
	return appendString(out, oneLine(value))
}

// oneLine replaces line breaks, so that a value cannot start a new header (net/http does the same),
// and invalid UTF-8.
func oneLine(value string) string {
	return newlineToSpace.Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

var newlineToSpace = strings.NewReplacer("\n", " ", "\r", " ")

// appendBody writes the body and closes the answer. A compressed or binary body is written as
// base64.
func appendBody(out, body []byte, coded bool) []byte {
	if coded || !utf8.Valid(body) {
		out = slices.Grow(out, base64.StdEncoding.EncodedLen(len(body))+64)
		out = append(out, `,"isBase64Encoded":true,"body":"`...)
		out = base64.StdEncoding.AppendEncode(out, body)
		return append(out, `"}`...)
	}
	escapes := bytes.Count(body, []byte{'"'}) + bytes.Count(body, []byte{'\\'}) + bytes.Count(body, []byte{'\n'})
	out = slices.Grow(out, len(body)+escapes+64)
	out = append(out, `,"isBase64Encoded":false,"body":`...)
	return append(appendString(out, body), '}')
}

// appendString writes s, which must be valid UTF-8, as a JSON string.
func appendString[S string | []byte](out []byte, s S) []byte {
	out = append(out, '"')
	start := 0
	for i := range len(s) {
		if b := s[i]; b < ' ' || b == '"' || b == '\\' {
			out = append(out, s[start:i]...)
			out = appendEscaped(out, b)
			start = i + 1
		}
	}
	out = append(out, s[start:]...)
	return append(out, '"')
}

func appendEscaped(out []byte, b byte) []byte {
	const hex = "0123456789abcdef"
	switch b {
	case '"', '\\':
		return append(out, '\\', b)
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	return append(out, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
}
