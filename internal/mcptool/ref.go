package mcptool

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxRefLength is longer than any Basecamp name or URL, in bytes.
const maxRefLength = 1000

// Ref names a thing the way a model may know it: by id (an integer or a string of digits), by name, or by its Basecamp
// URL. Exactly one of the fields is set, none when the argument was left out.
type Ref struct {
	ID   int64
	Name string
	URL  string
}

// IsZero reports whether no reference was given.
func (r Ref) IsZero() bool { return r == Ref{} }

// String is the reference as it was given, for messages.
func (r Ref) String() string {
	switch {
	case r.ID != 0:
		return strconv.FormatInt(r.ID, 10)
	case r.URL != "":
		return r.URL
	}
	return r.Name
}

// Refs are several references. One alone, given instead of a list, is taken for a list of one. It is nil when the argument was
// left out, and empty but not nil for an empty list.
type Refs []Ref

// UnmarshalJSON reads an id as an integer or as digits, without a detour over floating point, so that ids above 2^53
// arrive whole.
func (r *Ref) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		text = strings.TrimSpace(text)
	}
	*r = ParseRef(text)
	return nil
}

// ParseRef reads a reference from text.
func ParseRef(text string) Ref {
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Ref{ID: id}
	}
	switch {
	case strings.HasPrefix(text, "https://"), strings.HasPrefix(text, "http://"):
		return Ref{URL: text}
	case strings.HasPrefix(text, "3.basecamp.com/"), strings.HasPrefix(text, "app.basecamp.com/"):
		return Ref{URL: "https://" + text}
	}
	return Ref{Name: text}
}

// badRef says what is wrong with the value of a reference, "" when nothing is.
func badRef(value any) string {
	const want = "must be a positive integer, a name or a Basecamp URL"
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
			return ""
		}
		return want + ", got " + shorten(text)
	case string:
		text = strings.TrimSpace(v)
	default:
		return want + ", got " + show(value)
	}
	if text == "" {
		return want + ", got an empty string"
	}
	if len(text) > maxRefLength {
		return want + ", got " + strconv.Itoa(len(text)) + " bytes"
	}
	if strings.Trim(strings.TrimLeft(text, "+-"), "0123456789") != "" { // a name or a URL
		return ""
	}
	if n, err := strconv.ParseInt(text, 10, 64); err != nil || n <= 0 {
		return want + ", got " + show(text)
	}
	return ""
}
