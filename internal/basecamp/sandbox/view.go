package sandbox

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
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
	if slices.Contains(lineKinds, r.kind) {
		return fmt.Sprintf("/buckets/%d/chats/%d/lines/%d", r.bucket.id, r.parent.id, r.id)
	}
	if r.kind == kindAttachment {
		return r.parent.place()
	}
	return fmt.Sprintf("/buckets/%d/%s/%d", r.bucket.id, kinds[r.kind].path, r.id)
}

// anchor returns the path at which the web application shows a recording. Comments, replies and
// subtasks are anchors on the page of their parent.
func (r *recording) anchor() string {
	switch r.kind {
	case kindComment, kindStep, kindReply:
		return fmt.Sprintf("%s#__recording_%d", r.parent.anchor(), r.id)
	case kindAttachment:
		return r.parent.anchor()
	case kindTextLine, kindRichLine, kindUploadLine:
		return fmt.Sprintf("%s@%d", r.parent.anchor(), r.id)
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

// A part is a field of a shape. Its value is fixed, or that of a name, or a text in which each
// second piece is the name of a value.
type part struct {
	field  string
	fixed  encoded
	name   string
	pieces []string
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
	name, value, found := strings.Cut(word, "=")
	pieces := strings.Split(strings.ReplaceAll(value, "}", "{"), "{")
	switch {
	case !found:
		return part{field: name, name: name}
	case json.Valid([]byte(value)):
		return part{field: name, fixed: encoded(value)}
	case len(pieces) == 3 && pieces[0] == "" && pieces[2] == "":
		return part{field: name, name: pieces[1]}
	}
	return part{field: name, pieces: pieces}
}

// fieldsOf has the values of a type of objects, by name.
type fieldsOf[T any] map[string]func(*call, T) any

// show returns the fields of an object.
func (all fieldsOf[T]) show(c *call, parts []part, of T) view {
	v := make(view, 0, len(parts))
	for _, p := range parts {
		v = append(v, field{p.field, all.value(c, p, of)})
	}
	return v
}

func (all fieldsOf[T]) value(c *call, p part, of T) any {
	switch {
	case p.fixed != nil:
		return p.fixed
	case p.name != "":
		return all.named(c, p.name, of)
	}
	var text strings.Builder
	for i, piece := range p.pieces {
		if i%2 == 0 {
			text.WriteString(piece)
		} else {
			_, _ = fmt.Fprint(&text, all.named(c, piece, of))
		}
	}
	return text.String()
}

func (all fieldsOf[T]) named(c *call, name string, of T) any {
	switch name {
	case "api":
		return c.base
	case "web":
		return c.appBase
	case "account":
		return c.account.id
	}
	if k, counts := strings.CutPrefix(name, "#"); counts {
		return len(c.active(any(of).(*recording).within(kind(k))))
	}
	return all[name](c, of)
}

// as returns a recording in the form of an object.
func (c *call) as(object string, r *recording) view {
	return c.s.fields.show(c, shapes()[object].fields, r)
}

func (c *call) each(object string, rs []*recording) []view {
	return apply(rs, func(r *recording) view { return c.as(object, r) })
}

// show returns a recording in full, envelope what all recordings have, and reference what others
// say of it.
func (c *call) show(r *recording) view { return c.as(string(r.kind), r) }

func (c *call) envelope(r *recording) view {
	s := shapes()[string(r.kind)]
	return c.s.fields.show(c, s.fields[:s.shared], r)
}

func (c *call) reference(r *recording) view { return c.as("reference", r) }

// documents reports whether recordings of a kind have a documented field.
func (k kind) documents(name string) bool {
	return slices.ContainsFunc(shapes()[string(k)].fields, func(p part) bool { return p.field == name })
}

// headline returns the title. A recording without a title is named after its parent or the
// beginning of its text.
func (r *recording) headline() string {
	switch r.kind {
	case kindComment, kindReply:
		return "Re: " + r.parent.title
	case kindAnswer:
		return "Answer to “" + r.parent.title + "”"
	case kindTextLine:
		return shorten(r.body, 100)
	case kindRichLine:
		return shorten(plain(r.body), 100)
	case kindUploadLine:
		return r.file.name
	}
	return cmp.Or(r.title, kinds[r.kind].title)
}

// shorten cuts text after the given number of characters.
func shorten(s string, length int) string {
	runes := []rune(strings.TrimSpace(s))
	if len(runes) <= length {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:length-1])) + "…"
}
