package richtext

import (
	"html"
	"strings"
)

// Embedded is a mention, a file or a preview of a web page in a field.
type Embedded struct {
	Mention, File bool   // neither: a preview
	Name          string // of the person, the file or the page
	SGID          string
	URL           string // of the file or the page; may be empty
	Caption       string // of a file
}

// Transplant returns a field (Basecamp HTML) for another item. Basecamp cannot use an attachment in
// two items, so replace returns the HTML that stands for each. Rules stay.
func Transplant(field string, replace func(Embedded) string) string {
	all := embedded(field)
	if len(all) == 0 {
		return field
	}
	field = closeAttachments(field)
	var b strings.Builder
	for _, e := range all {
		a := newAttachment(e)
		if a.kind == ruleKind {
			continue
		}
		part := Embedded{
			Mention: a.kind == mentionKind, File: a.kind == fileKind, SGID: a.sgid, URL: attr(e.tag, "href"),
			Name: squeeze(attr(e.tag, "filename")), Caption: squeeze(attr(e.tag, "caption")),
		}
		if part.Mention {
			part.Name = strings.TrimPrefix(a.label, "@")
		}
		before, after, _ := strings.Cut(field, e.raw)
		b.WriteString(before)
		b.WriteString(replace(part))
		field = after
	}
	b.WriteString(field)
	return b.String()
}

// Text returns plain text as HTML.
func Text(text string) string { return html.EscapeString(text) }
