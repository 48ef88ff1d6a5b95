package richtext

import (
	"slices"
	"strings"
)

// Append puts addition, made by Writing.HTML, behind field (Basecamp HTML), as a block of its own. The field stays as it is, byte
// for byte; elements that it left open are closed, and a tag that it broke off is left out.
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
		b.WriteString("<div><br></div>") // paragraphs have no space between them
	}
	b.WriteString(addition)
	return b.String()
}

// endsInText reports whether a field ends with a paragraph of Basecamp's editor, or with text in no block.
func endsInText(field string) bool {
	field = strings.TrimRight(field, " \n")
	name, isTag := strings.CutSuffix(field, ">")
	name = name[strings.LastIndexByte(name, '<')+1:]
	return !isTag || name == "/div" || !isBlock(strings.TrimPrefix(name, "/"))
}
