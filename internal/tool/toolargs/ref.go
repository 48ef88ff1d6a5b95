package toolargs

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// maxRefLength is the maximum length of a reference in bytes. Names and URLs are shorter.
const maxRefLength = 1000

// Ref is a reference to an item in the form that a model knows: an ID (an integer or a string of
// digits), a name, or a URL of the provider. Exactly one field is set, or none if the argument is
// absent.
type Ref struct {
	ID   int64
	Name string
	URL  string
}

// URLs are the addresses of a provider's items.
type URLs struct {
	Name  string   // one of them, with its article, as messages call it: "an Orchard URL"
	Hosts []string // an address at one of these hosts may leave out its scheme
}

// ParseRef reads a reference from text.
func (u URLs) ParseRef(text string) Ref { return ParseRef(u.complete(text)) }

// complete adds the scheme to an address that leaves it out. It returns any other text unchanged.
func (u URLs) complete(text string) string {
	if slices.ContainsFunc(u.Hosts, func(host string) bool { return strings.HasPrefix(text, host+"/") }) {
		return "https://" + text
	}
	return text
}

// IsZero reports whether the argument is absent.
func (r Ref) IsZero() bool { return r == Ref{} }

// String returns the reference in the caller's spelling, for messages.
func (r Ref) String() string {
	switch {
	case r.ID != 0:
		return strconv.FormatInt(r.ID, 10)
	case r.URL != "":
		return r.URL
	}
	return r.Name
}

// Refs are several references. A single reference in place of a list counts as a list of one. Refs
// is nil if the argument is absent, and empty but not nil for an empty list.
type Refs []Ref

// UnmarshalJSON reads an ID as an integer or as digits. It does not use floating point, so IDs
// above 2^53 keep their value.
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

// writtenID matches an ID as spreadsheets and people write it. A shorter one may be a name: 2.0.
var writtenID = lazyregexp.New(`^#?([0-9]{7,19})(\.0+)?$`)

// ParseRef reads a reference from text. A URL has its scheme; [URLs.ParseRef] also reads others.
func ParseRef(text string) Ref {
	if parts := writtenID.FindStringSubmatch(text); parts != nil {
		text = parts[1]
	}
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Ref{ID: id}
	}
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
		return Ref{URL: text}
	}
	return Ref{Name: text}
}

// badRef returns what is wrong with the value of a reference, or "".
func (u URLs) badRef(value any) string {
	want := "must be a positive integer, a name or " + cmp.Or(u.Name, "a URL") + ", got "
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	text = strings.TrimSpace(text) + number.String()
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case !isText && !isNumber:
		return want + show(value)
	case text == "":
		return want + "an empty string"
	case len(text) > maxRefLength && isText:
		return want + strconv.Itoa(len(text)) + " bytes"
	case err == nil && n > 0: // an ID
		return ""
	case isText && strings.Trim(strings.TrimLeft(text, "+-"), "0123456789") != "": // a name or a URL
		return ""
	case isNumber:
		return want + plaintext.Word(text)
	}
	return want + show(text)
}

// Change is what an update may do to a field: leave it, if the argument is absent, or set it. null
// counts as absent, because some clients send null for every argument that they do not use. If the
// limits tag says "none", the text none sets the field to T's zero value, or to an empty list. The
// schema is T's, and never required.
type Change[T any] struct {
	Given bool
	To    T
}

// ValueOr returns the new value of the field; old is the current one.
func (c Change[T]) ValueOr(old T) T {
	if c.Given {
		return c.To
	}
	return old
}

// IsZero reports whether the argument is absent.
func (c Change[T]) IsZero() bool { return !c.Given }

// UnmarshalJSON reads an argument that is present. After validation, null means that it is cleared.
func (c *Change[T]) UnmarshalJSON(data []byte) error {
	*c = Change[T]{Given: true}
	if string(data) == "null" { // a Ref would read it as a name
		return nil
	}
	return json.Unmarshal(data, &c.To)
}

func (Change[T]) valueType() reflect.Type { return reflect.TypeFor[T]() }

// change is any Change, whatever its type.
type change interface{ valueType() reflect.Type }
