package richtext

import "strings"

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
	field, all := embedded(field)
	var b strings.Builder
	from := 0
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
		b.WriteString(field[from:e.from] + replace(part))
		from = e.to
	}
	return b.String() + field[from:]
}
