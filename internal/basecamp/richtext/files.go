package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// File describes a file in a rich-text field. Basecamp returns the files of a field next to the
// field.
type File struct {
	SGID, Name, ContentType string
	URL                     string // where to download it; may be empty
}

// Files returns the files in a field (Basecamp HTML), in order, as their elements describe them.
// It omits files without a name.
func Files(field string) []File {
	if !strings.Contains(field, "filename") {
		return nil
	}
	var files []File
	for _, e := range embedded(field) {
		name := squeeze(attr(e.tag, "filename"))
		if kindOf(e.tag) != fileKind || name == "" {
			continue
		}
		files = append(files, File{attr(e.tag, "sgid"), name, contentType(e.tag), attr(e.tag, "href")})
	}
	return files
}

// NameFiles returns a field (Basecamp HTML) with names and content types added to files without a
// name. It finds the file by its SGID. The result is for reading only: updates use the original
// field.
func NameFiles(field string, files []File) string {
	if len(files) == 0 {
		return field
	}
	var b strings.Builder
	from := 0
	for at, name := range tags(field) {
		if at < from || !strings.EqualFold(name, "bc-attachment") {
			continue
		}
		end := min(tagEnd(field, at)+1, len(field))
		b.WriteString(field[from:at])
		b.WriteString(missing(field[at-len("<bc-attachment"):end], files))
		from = at
	}
	b.WriteString(field[from:])
	return b.String()
}

// missing returns the attributes to add to the start tag of an attachment.
func missing(start string, files []File) string {
	z := html.NewTokenizer(strings.NewReader(start))
	z.Next()
	token := z.Token()
	tag := &html.Node{Type: html.ElementNode, Data: token.Data, Attr: token.Attr}
	if attr(tag, "sgid") == "" || squeeze(attr(tag, "filename")) != "" || kindOf(tag) != fileKind {
		return ""
	}
	for _, f := range files {
		if f.SGID != attr(tag, "sgid") || f.Name == "" {
			continue
		}
		attributes := ` filename="` + html.EscapeString(f.Name) + `"`
		if contentType(tag) == "" && f.ContentType != "" {
			attributes += ` content-type="` + html.EscapeString(f.ContentType) + `"`
		}
		return attributes
	}
	return ""
}

// Attach returns the element of a file with an SGID, to add to a field.
func Attach(sgid string) string {
	return `<bc-attachment sgid="` + html.EscapeString(sgid) + `"></bc-attachment>`
}
