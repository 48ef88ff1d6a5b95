package lambdahttp

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// read reads any value and returns it like encoding/json, except that numbers stay text.
func (s *scanner) read() any {
	switch s.peek() {
	case '"':
		return string(s.text())
	case '{':
		m := map[string]any{}
		s.object(func(name []byte) { m[string(name)] = s.read() })
		return m
	case '[':
		l := []any{}
		s.array(func() { l = append(l, s.read()) })
		return l
	case 'n':
		s.null()
		return nil
	case 't', 'f':
		return s.bool()
	}
	return json.Number(s.scalar())
}

func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		small, "null", "{}", `[1,-2.5e+3,true,false,null]`, `"\u00e9\ud83d\ude00\ud83d\u0041\b\f\n\r\t\/\"\\"`, `{"a":{"b":[{}]},}`,
		`"\ud800"`, `"\u12"`, `"\`, "\"\x01\"", "01", "tru", `{"a" "b"}`, "[1,]", " \t\r\n1 ", "\xff", `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{data: data}
		got := s.read()
		if !utf8.Valid(data) { // parse rejects invalid UTF-8 first
			return
		}
		var want any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		valid := dec.Decode(&want) == nil && json.Valid(data)
		if deep(want) > deepest {
			return
		}
		if s.end() != valid {
			t.Fatalf("accepted: %v, by encoding/json: %v: %q", s.end(), valid, data)
		}
		if valid {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q: %s", data, diff)
			}
		}
	})
}

func FuzzHandler(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"version":"2.0","rawPath":"/%zz","requestContext":{"http":{"method":"PUT"}},"body":"/9j/","isBase64Encoded":true}`))
	f.Add([]byte(`{"version":"2.0","rawPath":"/","cookies":["a=b",null],"headers":{"a b":"\u0000"},"requestContext":{"http":{"method":"\n"}}}`))
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), r.Header)
		_, _ = io.WriteString(w, r.RequestURI+r.URL.EscapedPath()+r.RemoteAddr)
		_, _ = io.Copy(w, r.Body)
	}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		out, err := h.Invoke(t.Context(), payload)
		if err != nil || !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%v: %q", err, out)
		}
	})
}

// deep returns how deeply a value is nested.
func deep(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			deepest = max(deepest, deep(x))
		}
	case []any:
		for _, x := range v {
			deepest = max(deepest, deep(x))
		}
	default:
		return 0
	}
	return deepest + 1
}
