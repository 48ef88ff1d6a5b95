package richtext

import (
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/lazyregexp"
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
	_, all := embedded(field)
	for _, e := range all {
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
	for t := range tokens(field) {
		if t.starts() && t.Data == bcAttachment {
			at := t.from + len("<bc-attachment")
			b.WriteString(field[from:at] + missing(t.node(), files))
			from = at
		}
	}
	return b.String() + field[from:]
}

// missing returns the attributes to add to the start tag of an attachment.
func missing(tag *html.Node, files []File) string {
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

// FileLine is a line such as "[Attachment: plan.pdf (application/pdf)]" in a Markdown text: the
// form in which Markdown shows a file. An address in parentheses may follow the brackets.
type FileLine struct {
	Label   string // name and content type, without escapes
	Address string // where to download the file; may be empty
}

var (
	fileTarget  = lazyregexp.New(`^\((https://[^\s()<>]+)\)`)
	fileLine    = lazyregexp.New(`(?:^|[^\\])\[(Attachment: (?:\\.|[^\\\[\]\n])*)\]`)
	sizeCaption = lazyregexp.New(`^ \*[0-9.,]+ (?:bytes?|[KMGT]B)\*`) // Basecamp shows the size itself
	labelType   = lazyregexp.New(` \([a-z0-9.+-]+/[^()]+\)$`)
)

// Name returns the file's name in the line.
func (l FileLine) Name() string { return strings.TrimSuffix(l.Label, labelType.FindString(l.Label)) }

// Shows reports whether Markdown shows a file of this name and content type by the line.
func (l FileLine) Shows(name, contentType string) bool {
	name = squeeze(name)
	return l.Label == fileLabel(name, strings.ToLower(squeeze(contentType))) || l.Label == name
}

// Attach returns the element of a file with an SGID and a caption, which may be empty, to add to a
// field.
func Attach(sgid, caption string) string {
	if caption != "" {
		caption = ` caption="` + html.EscapeString(caption) + `"`
	}
	return `<bc-attachment sgid="` + html.EscapeString(sgid) + `"` + caption + `></bc-attachment>`
}
