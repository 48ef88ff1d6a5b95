package sandbox

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A view is a JSON object of an answer, with its fields in order. Its values are what appendJSON
// knows, and times are in Basecamp's format.
type view []field

type field struct {
	name  string
	value any
}

// absent is the value of a field that an object does not have.
type absent struct{}

// An encoded value is JSON already.
type encoded []byte

// present returns a value for a field that an object has only under a condition.
func present(condition bool, value any) any {
	if condition {
		return value
	}
	return absent{}
}

// appendJSON appends a value as JSON. What views consist of is written without reflection.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return appendText(b, v)
	case kind:
		return appendText(b, string(v))
	case status:
		return appendText(b, string(v))
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case bool:
		return strconv.AppendBool(b, v)
	case time.Time:
		return v.UTC().AppendFormat(b, `"2006-01-02T15:04:05.000Z"`)
	case view:
		return appendObject(b, v)
	case []view:
		return appendList(b, v)
	case []encoded:
		return appendList(b, v)
	case encoded:
		return append(b, v...)
	case []any:
		return appendList(b, v)
	case map[string]any:
		var sorted view
		for _, name := range slices.Sorted(maps.Keys(v)) {
			sorted = append(sorted, field{name, v[name]})
		}
		return appendObject(b, sorted)
	}
	return appendAny(b, value)
}

func appendObject(b []byte, v view) []byte {
	b = append(b, '{')
	first := true
	for _, f := range v {
		if f.value == (absent{}) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(appendText(b, f.name), ':')
		b = appendJSON(b, f.value)
	}
	return append(b, '}')
}

func appendList[T any](b []byte, items []T) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, item)
	}
	return append(b, ']')
}

// appendText appends a string. Most need nothing but quotes.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if at := s[i]; at < ' ' || at == '"' || at == '\\' || at == 0xe2 && strings.HasPrefix(s[i+1:], "\x80") {
			return appendAny(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendAny appends a value as encoding/json writes it, without escaped HTML. The values of answers
// have no type that it refuses.
func appendAny(b []byte, value any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
