package richtext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Append returns field (Basecamp HTML) with addition, made by Writing.HTML, after it as a separate
// block. The bytes of the field do not change. Append closes elements that the field left open, and
// drops an incomplete tag at its end.
func Append(field, addition string) string {
	if strings.TrimSpace(field) == "" || addition == "" {
		return field + addition
	}
	field = closeAttachments(field)
	tags, open, until := elements(field)
	var b strings.Builder
	b.WriteString(field[:until])
	for _, i := range slices.Backward(open) {
		b.WriteString("</" + tags[i].name + ">")
	}
	if strings.HasPrefix(addition, "<div>") && endsInText(b.String()) {
		b.WriteString("<div><br></div>") // Basecamp shows paragraphs without space between them
	}
	b.WriteString(addition)
	return b.String()
}

// endsInText reports whether a field ends with a paragraph of Basecamp's editor, or with text
// outside any block.
func endsInText(field string) bool {
	field = strings.TrimRight(field, " \n")
	name, isTag := strings.CutSuffix(field, ">")
	name = name[strings.LastIndexByte(name, '<')+1:]
	return !isTag || name == "/div" || !isBlock(strings.TrimPrefix(name, "/"))
}

// FromPlain returns a plain text as a field to edit. ToPlain returns it unchanged.
func FromPlain(text string) string {
	return "<div>" + strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") + "</div>"
}

// ToPlain returns the plain text of a field that FromPlain made, after edits whose replacements
// FromPlain made.
func ToPlain(field string) string {
	text := strings.NewReplacer("<br>", "\n", "<div>", "", "</div>", "").Replace(field)
	return html.UnescapeString(text)
}
