package sandbox

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"sync"
)

const (
	liveAPI   = "https://3.basecampapi.com"
	appOrigin = "https://3.basecamp.com"
)

// url returns a URL of the API, with the host of the client's request.
func (c *call) url(format string, args ...any) string {
	return c.base + fmt.Sprintf(format, args...)
}

// appURL returns a URL of the web application.
func (c *call) appURL(format string, args ...any) string {
	return c.appBase + fmt.Sprintf(format, args...)
}

// place returns the path of a recording within its project's bucket.
func (r *recording) place() string {
	if slices.Contains(lineKinds, r.Type) {
		return fmt.Sprintf("/buckets/%d/chats/%d/lines/%d", r.Bucket.ID, r.Parent.ID, r.ID)
	}
	if r.Type == kindAttachment {
		return r.Parent.place()
	}
	return fmt.Sprintf("/buckets/%d/%s/%d", r.Bucket.ID, kinds()[r.Type].Path, r.ID)
}

// anchor returns the path at which the web application shows a recording. Comments, replies and
// subtasks are anchors on the page of their parent.
func (r *recording) anchor() string {
	switch r.Type {
	case kindComment, kindStep, kindReply:
		return fmt.Sprintf("%s#__recording_%d", r.Parent.anchor(), r.ID)
	case kindAttachment:
		return r.Parent.anchor()
	case kindTextLine, kindRichLine, kindUploadLine:
		return fmt.Sprintf("%s@%d", r.Parent.anchor(), r.ID)
	}
	return r.place()
}

// sgid returns a signed id as Basecamp issues them: long, opaque, and constant for the same item.
func sgid(model string, id int64, purpose string) string {
	gid := fmt.Sprintf(`{"_rails":{"data":"gid://bc3/%s/%d?expires_in","pur":"%s"}}`, model, id, purpose)
	h := fnv.New128a()
	_, _ = h.Write([]byte(gid))
	sum := h.Sum(nil)
	return fmt.Sprintf("%s--%x%x", base64.RawURLEncoding.EncodeToString([]byte(gid)), sum, sum[:4])
}

// A shape is what an object of an answer looks like: its documented fields in order.
type shape struct {
	fields []part
	shared int // number of fields before the bar
}

// A part is a field of a shape. Its value is fixed, or that of a path of names, or a text in which
// each second piece is such a path.
type part struct {
	field  string
	fixed  encoded
	path   string
	object string // the form in which the value is shown, if not the usual one of its type
	pieces []string
	left   bool // out, if it is empty
	null   bool // if it is empty
}

//go:embed views.txt
var viewsText string

// shapes returns the shapes of views.txt by the names of their objects.
var shapes = sync.OnceValue(func() map[string]shape {
	all := map[string]shape{}
	var at string
	for line := range strings.Lines(viewsText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if line[0] != ' ' {
			at, words = words[0], words[1:]
		}
		s := all[at]
		for _, word := range words {
			switch other, isGroup := strings.CutPrefix(word, "+"); {
			case word == "|":
				s.shared = len(s.fields)
			case isGroup:
				s.fields = append(s.fields, all[other].fields...)
			default:
				s.fields = append(s.fields, parsePart(word))
			}
		}
		all[at] = s
	}
	return all
})

func parsePart(word string) part {
	var p part
	word, p.left = strings.CutSuffix(word, "?")
	word, p.null = strings.CutSuffix(word, "!")
	var value string
	var found bool
	p.field, value, found = strings.Cut(word, "=")
	pieces := strings.Split(strings.ReplaceAll(value, "}", "{"), "{")
	switch {
	case !found:
		p.field, p.object, _ = strings.Cut(word, ":")
		p.path = p.field
	case json.Valid([]byte(value)):
		p.fixed = encoded(value)
	case len(pieces) == 3 && pieces[0] == "" && pieces[2] == "":
		p.path = pieces[1]
		if !strings.HasPrefix(p.path, "#") {
			p.path, p.object, _ = strings.Cut(p.path, ":")
		}
	default:
		p.pieces = pieces
	}
	return p
}

// as returns something in the form of an object.
func (c *call) as(object string, of any) view { return c.fill(shapes()[object].fields, of) }

func (c *call) each(object string, rs []*recording) []view {
	return apply(rs, func(r *recording) view { return c.as(object, r) })
}

func (c *call) fill(parts []part, of any) view {
	v := make(view, 0, len(parts))
	for _, p := range parts {
		value := c.part(p, of)
		switch empty := (p.left || p.null) && isEmpty(value); {
		case empty && p.null:
			value = nil
		case empty:
			continue
		}
		v = append(v, field{p.field, value})
	}
	return v
}

func isEmpty(value any) bool {
	v := reflect.ValueOf(value)
	return value == nil || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func (c *call) part(p part, of any) any {
	switch {
	case p.fixed != nil:
		return p.fixed
	case p.pieces == nil:
		return c.shown(p.object, c.value(of, p.path))
	}
	var text strings.Builder
	for i, piece := range p.pieces {
		if i%2 == 0 {
			text.WriteString(piece)
			continue
		}
		value := c.value(of, piece)
		if value == (absent{}) {
			return value
		}
		_, _ = fmt.Fprint(&text, value)
	}
	return text.String()
}

// value returns what a path of names stands for.
func (c *call) value(of any, path string) any {
	switch path {
	case "api":
		return c.base
	case "web":
		return c.appBase
	case "account":
		return c.account.ID
	case "self":
		return of
	}
	if k, counts := strings.CutPrefix(path, "#"); counts {
		return len(c.active(of.(*recording).within(kind(k))))
	}
	name, rest, further := strings.Cut(path, ".")
	t := c.s.tables[reflect.TypeOf(of)]
	var value any
	if compute := t.values[name]; compute != nil {
		value = compute(c, of)
	} else {
		index, known := t.fields[strings.ReplaceAll(name, "_", "")]
		if !known {
			panic(fmt.Sprintf("sandbox: views.txt: %T has no %s", of, name))
		}
		value = reflect.ValueOf(of).Elem().Field(index).Interface()
	}
	switch {
	case !further:
		return value
	case reflect.ValueOf(value).IsNil():
		return absent{}
	}
	return c.value(value, rest)
}

// shown returns a value as it is shown in an answer: objects in the form of their type, unless it
// is to be another. Nothing is shown of an object that is not there.
func (c *call) shown(object string, value any) any {
	of := reflect.TypeOf(value)
	if of == nil {
		return nil
	}
	if of.Kind() == reflect.Slice {
		if _, known := c.s.tables[of.Elem()]; known {
			items := reflect.ValueOf(value)
			all := make([]any, items.Len())
			for i := range all {
				all[i] = c.shown(object, items.Index(i).Interface())
			}
			return all
		}
	}
	t, known := c.s.tables[of]
	switch {
	case of.Kind() == reflect.Pointer && reflect.ValueOf(value).IsNil():
		return absent{}
	case !known:
		return value
	}
	switch object = cmp.Or(object, t.object); object {
	case "full":
		return c.show(value.(*recording))
	case "envelope":
		return c.envelope(value.(*recording))
	case "person":
		return c.person(value.(*Person))
	}
	return c.as(object, value)
}

// show returns a recording in full, and envelope what all recordings have.
func (c *call) show(r *recording) view { return c.as(string(r.Type), r) }

func (c *call) envelope(r *recording) view {
	s := shapes()[string(r.Type)]
	return c.fill(s.fields[:s.shared], r)
}

// documents reports whether recordings of a kind have a documented field.
func (k kind) documents(name string) bool {
	return slices.ContainsFunc(shapes()[string(k)].fields, func(p part) bool { return p.field == name })
}

// headline returns the title. A recording without a title is named after its parent or the
// beginning of its text.
func (r *recording) headline() string {
	switch r.Type {
	case kindComment, kindReply:
		return "Re: " + r.Parent.Title
	case kindAnswer:
		return "Answer to “" + r.Parent.Title + "”"
	case kindTextLine:
		return shorten(r.Body, 100)
	case kindRichLine:
		return shorten(plain(r.Body), 100)
	case kindUploadLine:
		return r.File.Filename
	}
	return cmp.Or(r.Title, kinds()[r.Type].Title)
}

// shorten cuts text after the given number of characters.
func shorten(s string, length int) string {
	runes := []rune(strings.TrimSpace(s))
	if len(runes) <= length {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:length-1])) + "…"
}
