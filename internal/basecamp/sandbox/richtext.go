package sandbox

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"basecamp-mcp/internal/text/lazyregexp"
)

var (
	embedded  = lazyregexp.New(`(?is)<bc-attachment\b([^>]*)>(?:.*?</bc-attachment>)?`)
	attribute = lazyregexp.New(`([a-zA-Z-]+)="([^"]*)"`)
	scripted  = lazyregexp.New(`(?is)<(script|style|iframe|object)\b[^>]*>.*?</(script|style|iframe|object)\s*>`)
	scripts   = []string{"<script", "<style", "<iframe", "<object"}
	tag       = lazyregexp.New(`(?s)</?([a-zA-Z][a-zA-Z0-9-]*)\b[^>]*>`)
)

// allowedTags are the tags that rich text can contain. Other tags are removed, and their content
// stays.
var allowedTags = func() map[string]bool {
	allowed := map[string]bool{}
	for name := range strings.FieldsSeq(`div p span br hr h1 h2 h3 h4 h5 h6 strong b em i u s strike del ins mark sup sub q
		code kbd pre a ol ul li dl dt dd blockquote table thead tbody tr th td details summary figure figcaption img video
		bc-attachment`) {
		allowed[name] = true
	}
	return allowed
}()

// richText returns HTML as Basecamp stores it: without unknown tags, and with complete attachments.
func (s *Sandbox) richText(a *account, text string) string {
	lower := strings.ToLower(text) // the replacements are slow, and most texts need neither
	if slices.ContainsFunc(scripts, func(start string) bool { return strings.Contains(lower, start) }) {
		text = scripted.ReplaceAllString(text, "")
	}
	if strings.Contains(lower, "<bc-attachment") {
		text = embedded.ReplaceAllStringFunc(text, func(element string) string { return s.writeOut(a, element) })
	}
	return tag.ReplaceAllStringFunc(text, func(element string) string {
		if allowedTags[tagName(element)] {
			return element
		}
		return ""
	})
}

// tagName returns the lower-case name in a start tag or an end tag.
func tagName(element string) string {
	name := strings.TrimPrefix(element[1:], "/")
	end := strings.IndexFunc(name, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	return strings.ToLower(strings.TrimRight(name[:end], "-"))
}

// writeOut returns a complete <bc-attachment>: the mention of a person, or a file with its name.
// For an unknown sgid it returns "".
func (s *Sandbox) writeOut(a *account, element string) string {
	attrs := attributes(element)
	if p := personBySGID(a, attrs["sgid"]); p != nil {
		return mention(a, p)
	}
	f := a.attachments[attrs["sgid"]]
	if f == nil {
		return ""
	}
	return f.element(a, attrs["caption"], attrs["presentation"])
}

// mention returns a person as an element of rich text.
func mention(a *account, p *Person) string {
	return fmt.Sprintf(`<bc-attachment sgid="%s" content-type="application/vnd.basecamp.mention"><figure>`+
		`<img srcset="%[3]s?dppx=2 2x, %[3]s?dppx=3 3x" src="%[3]s" class="avatar" title="%[4]s" width="20" height="20">`+
		`<figcaption>%[2]s</figcaption></figure></bc-attachment>`,
		p.SGID, html.EscapeString(p.first()),
		fmt.Sprintf("%s/%d/people/%s/avatar", liveAPI, a.ID, p.Avatar), html.EscapeString(p.Name))
}

// element returns a file as an element of rich text.
func (r *recording) element(a *account, caption, presentation string) string {
	t := r.File
	var extra strings.Builder
	if t.Width > 0 {
		fmt.Fprintf(&extra, ` width="%d" height="%d"`, t.Width, t.Height)
	}
	if caption != "" {
		fmt.Fprintf(&extra, ` caption="%s"`, html.EscapeString(caption))
	}
	if presentation != "" {
		fmt.Fprintf(&extra, ` presentation="%s"`, html.EscapeString(presentation))
	}
	if caption == "" {
		caption = t.Filename
	}
	preview := fmt.Sprintf("%s/%d/blobs/%s/previews/full", liveAPI, a.ID, t.Key)
	image := ""
	if t.Width > 0 {
		image = fmt.Sprintf(`<img srcset="%[1]s?dppx=2 2x, %[1]s?dppx=3 3x" src="%[1]s">`, preview)
	}
	return fmt.Sprintf(`<bc-attachment sgid="%s" content-type="%s" url="%s" href="%s" filename="%s"%s>`+
		`<figure>%s<figcaption>%s</figcaption></figure></bc-attachment>`,
		r.attachableSGID(), t.ContentType, preview, t.downloadURL(a), html.EscapeString(t.Filename), extra.String(), image,
		html.EscapeString(caption))
}

func attributes(element string) map[string]string {
	start, _, _ := strings.Cut(element, ">")
	attrs := map[string]string{}
	for _, pair := range attribute.FindAllStringSubmatch(start, -1) {
		attrs[strings.ToLower(pair[1])] = html.UnescapeString(pair[2])
	}
	return attrs
}

func personBySGID(a *account, id string) *Person {
	return first(a.people, func(p *Person) bool { return id != "" && p.SGID == id })
}

// inline returns the files in a rich text, in order.
func (c *call) inline(text string) []view {
	return c.each("inline", c.embedded(text))
}

func (c *call) embedded(text string) []*recording {
	if !strings.Contains(text, "<bc-attachment") { // the search below is slow
		return nil
	}
	var found []*recording
	for _, element := range embedded.FindAllString(text, -1) {
		if t := c.account.attachments[attributes(element)["sgid"]]; t != nil {
			found = append(found, t)
		}
	}
	return found
}

// mentioned returns the people whom a stored rich text mentions, without duplicates.
func mentioned(a *account, text string) []*Person {
	if !strings.Contains(text, "<bc-attachment") { // the search below is slow
		return nil
	}
	var people []*Person
	seen := map[*Person]bool{}
	for _, element := range embedded.FindAllString(text, -1) {
		if p := personBySGID(a, attributes(element)["sgid"]); p != nil && !seen[p] {
			seen[p] = true
			people = append(people, p)
		}
	}
	return people
}

// plain returns a rich text without its markup, as excerpts and search use it. Blocks become lines,
// and space is collapsed.
func plain(text string) string {
	var b strings.Builder
	for text != "" {
		before, rest, found := strings.Cut(text, "<")
		b.WriteString(html.UnescapeString(before))
		if !found {
			break
		}
		element, after, closed := strings.Cut(rest, ">")
		if !closed {
			b.WriteString("<" + rest)
			break
		}
		if breaks(element) {
			b.WriteByte('\n')
		}
		text = after
	}
	lines := apply(strings.Split(b.String(), "\n"), func(line string) string { return strings.Join(strings.Fields(line), " ") })
	return strings.Join(filter(lines, func(line string) bool { return line != "" }), "\n")
}

var breaking = strings.Fields("br div p li h1 h2 h3 h4 h5 h6 pre blockquote tr td th")

// breaks reports whether a tag, without its brackets, ends a line.
func breaks(element string) bool {
	name := strings.ToLower(strings.Trim(element, "/ "))
	name, _, _ = strings.Cut(name, " ")
	return slices.Contains(breaking, name)
}
