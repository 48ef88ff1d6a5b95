package richtext

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

const (
	bcAttachment = "bc-attachment"
	mentionType  = "application/vnd.basecamp.mention"
)

// attachment adds a bc-attachment. Its content type says whether it is a mention, a file, a gallery
// of files, a rule or a preview of a web page. The labels in brackets are not links, because
// clients download files with a tool and not from a URL. See the page rich_text of Basecamp's API
// documentation.
func (t *tree) attachment(n *html.Node) {
	kind := contentType(n)
	switch {
	case kind == mentionType:
		t.mention(n)
	case strings.Contains(kind, "horizontal-rule"):
		t.rule()
	case isEmbed(kind):
		t.embed(n)
	case attr(n, "filename") == "" && find(n, named(bcAttachment)) != nil:
		t.boundary()
		t.children(n)
		t.boundary()
	default:
		t.file(n)
	}
}

func contentType(n *html.Node) string {
	return strings.ToLower(squeeze(attr(n, "content-type")))
}

// isEmbed reports whether a content type is one of Basecamp's own that is neither a person nor a
// file.
func isEmbed(kind string) bool {
	vendors := []string{"application/vnd.basecamp.", "application/vnd.actiontext.", "vnd.rubyonrails."}
	return slices.ContainsFunc(vendors, func(vendor string) bool { return strings.HasPrefix(kind, vendor) })
}

// mention adds "[@Name]".
func (t *tree) mention(n *html.Node) {
	name, rest := mentionedIn(n)
	t.label("@", mentionName(name))
	for _, c := range rest {
		t.add(c)
	}
}

// mentionedIn returns the name in a mention, and what else it holds. The name is the figure's
// caption, the picture's alt text or the text inside.
func mentionedIn(n *html.Node) (name string, rest []*html.Node) {
	name, rest = figure(n)
	if img := find(n, named("img")); name == "" && img != nil {
		name = squeeze(attr(img, "alt"))
	}
	if text := words(n); name == "" && len(text) <= maxName {
		name, rest = text, nil
	}
	return name, rest
}

// maxName is the longest text, in bytes, that counts as the name of the mentioned person.
const maxName = 200

// mentionName returns a name in the form that follows the "@" of a mention.
func mentionName(name string) string {
	return cmp.Or(strings.TrimSpace(strings.TrimPrefix(name, "@")), "someone")
}

// file adds a label on its own line, followed by the caption of the file.
func (t *tree) file(n *html.Node) {
	caption, rest := figure(n)
	caption = cmp.Or(caption, squeeze(attr(n, "caption")))
	name := squeeze(attr(n, "filename"))
	if name == "" {
		name, caption = caption, ""
	}
	t.boundary()
	t.label("Attachment: ", fileLabel(name, contentType(n)))
	if caption = withoutName(caption, name); caption != "" {
		t.space = true
		t.format(format{name: "em"}, func() { t.text(caption) })
	}
	t.boundary()
	outer := t.preview
	t.preview = true
	for _, c := range rest {
		if c.Type != html.ElementNode || words(c) != name {
			t.add(c)
		}
	}
	t.preview = outer
}

// withoutName returns a caption without the file's name. The editor writes the name before the
// size: "plan.pdf 12 KB".
func withoutName(caption, name string) string {
	rest, ok := strings.CutPrefix(caption, name)
	if ok && (rest == "" || rest[0] == ' ') {
		return strings.TrimSpace(rest)
	}
	return caption
}

// figure returns the text of an attachment's figure, and the other nodes inside the attachment. An
// end tag in the wrong place can put text there that does not belong to the attachment.
func figure(n *html.Node) (text string, rest []*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.ElementNode && isFigure(c):
			text = strings.TrimSpace(text + " " + words(c))
		case !isPreview(c):
			rest = append(rest, c)
		}
	}
	return text, rest
}

// isFigure reports whether an element is a figure, its caption, or an element around a figure that
// contains no other attachment.
func isFigure(n *html.Node) bool {
	if n.Data == "figure" || n.Data == "figcaption" {
		return true
	}
	return isBlock(n.Data) && find(n, named("figure")) != nil && find(n, named(bcAttachment)) == nil
}

// isPreview reports whether a node inside an attachment shows no words: a picture or player with an
// address of Basecamp's own.
func isPreview(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.Data {
	case "img", "picture", "video", "audio", "source", "iframe", "embed", "object":
		return true
	case "br", bcAttachment:
		return false
	}
	return words(n) == "" && find(n, named(bcAttachment)) == nil
}

// fileLabel returns the text after "Attachment: " in the label of a file.
func fileLabel(name, kind string) string {
	name = cmp.Or(name, "file")
	if kind == "" {
		return name
	}
	return name + " (" + kind + ")"
}

// embed adds the text and the links of a preview. If the preview is empty, embed adds a link made
// from its attributes.
func (t *tree) embed(n *html.Node) {
	t.boundary()
	defer t.boundary()
	if words(n) != "" {
		t.children(n)
		return
	}
	href := webTarget(attr(n, "href"))
	title := attr(n, "filename")
	if squeeze(title) == "" {
		title = attr(n, "href")
	}
	t.linked(href, n, func() { t.text(title) })
	if caption := attr(n, "caption"); caption != title {
		t.space = true
		t.text(caption)
	}
}
