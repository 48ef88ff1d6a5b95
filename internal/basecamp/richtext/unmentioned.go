package richtext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// maxUnmentioned is the largest number of words that Unmentioned returns.
const maxUnmentioned = 20

// atWord is a word that begins with an "@", or an e-mail address.
var atWord = lazyregexp.New(`[\pL\pN._%+-]*@[\pL\pN][\pL\pN\pM._'’-]{0,80}`)

// FirstWord returns the word at the start of text as Unmentioned returns it after an "@".
func FirstWord(text string) string {
	return strings.TrimPrefix(trimWord(atWord.FindString("@"+text)), "@")
}

func trimWord(word string) string { return strings.TrimRight(word, "._'’-") }

// Unmentioned returns the words of a field (Basecamp HTML) that contain an "@" and mention no one,
// such as "@media" and e-mail addresses, without duplicates and in order. It ignores bare URLs.
func Unmentioned(field string) []string {
	if !strings.Contains(field, "@") {
		return nil
	}
	var words []string
	for _, word := range atWord.FindAllString(shownIn(field), -1) {
		word = trimWord(word)
		if isAddress(word) && !slices.Contains(words, word) {
			words = append(words, word)
		}
		if len(words) == maxUnmentioned {
			break
		}
	}
	return words
}

// isAddress reports whether a word with an "@" could be meant for a person: "@media" or an e-mail
// address, but not "@2x".
func isAddress(word string) bool {
	user, name, _ := strings.Cut(word, "@")
	return user != "" || !strings.ContainsAny(name[:1], "0123456789")
}

// shownIn returns the text of a field, without attachments and bare URLs, with lines for its
// blocks.
func shownIn(field string) string {
	var text strings.Builder
	target := ""
	closed, all := attachmentsOf(field)
	for t := range tokens(without(closed, all, embeddedElement.blank)) {
		switch {
		case t.Type == html.StartTagToken && t.Data == "a":
			target = attr(t.node(), "href")
		case t.ends() && t.Data == "a":
			target = ""
		case t.Type == html.TextToken && (target == "" || !strings.HasSuffix(target, t.Data) || strings.HasPrefix(target, "mailto:")):
			text.WriteString(t.Data)
		case t.Type != html.TextToken && t.Data != "a" && t.Data != bcAttachment && !is(t.Data, reopens):
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// Attached returns the SGIDs of the attachments in a field (Basecamp HTML), in order. A mention is
// the attachment of a person.
func Attached(field string) []string {
	var sgids []string
	_, all := embedded(field)
	for _, e := range all {
		sgids = append(sgids, attr(e.tag, "sgid"))
	}
	return sgids
}

// labels are the parts of a plain text that Markdown would read as a mention or a file.
var labels = strings.NewReplacer("[Attachment:", `\[Attachment:`, "](person:", `]\(person:`, "](mention:", `]\(mention:`)

// Plain returns a plain text that Basecamp shows, such as an excerpt, so that a copy of it mentions
// no one and attaches no file.
func Plain(text string) string {
	text = plaintext.Clean(text)
	if !strings.ContainsAny(text, "@[") {
		return text
	}
	if shown := labels.Replace(plaintext.EscapeAt(text)); !refers(shown) {
		return shown
	}
	return labels.Replace(anyMark.ReplaceAllString(text, `$1$1\$2`)) // excerpts contain neither code nor links
}

// anyMark matches each "@", and what can begin the entity of one or a link that contains one: a
// backslash in a link escapes nothing.
var anyMark = lazyregexp.New(`(\\*)([@<&])`)

// refers reports whether a Markdown text mentions or addresses someone.
func refers(markdown string) bool {
	r := ReadRefs(markdown, "")
	return len(r.People)+len(r.Called)+len(Writing{}.Addressed(markdown)) > 0
}
