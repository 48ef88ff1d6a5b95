package richtext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The content of an attachment is parsed separately. Otherwise the parser would let it change the
// elements around the attachment: a figure ends an open paragraph together with the attachment, and
// a link ends the link around it.

// insideKey is the attribute that numbers the removed content of an attachment. It is written
// first, so it takes precedence over an attribute of the same name in the field.
const insideKey = "inside"

// maxInside is the depth of attachments within attachments. Deeper attachments are parsed in place,
// where the parser's own limit applies.
const maxInside = 50

// parseHTML returns a node that contains the elements of a field. It returns an error if the field
// is too long or too deep.
func parseHTML(field string) (root *html.Node, err error) {
	if len(field) > maxHTML {
		return nil, fmt.Errorf("parse rich text: field has %d bytes, which is too long", len(field))
	}
	l := lifter{}
	var all []embeddedElement
	l.field, all = attachmentsOf(defuse(field))
	root = &html.Node{Type: html.DocumentNode}
	if err := parseInto(root, l.lift(0, len(l.field), all, 0)); err != nil {
		return nil, err
	}
	for n := range root.Descendants() {
		i, err := strconv.Atoi(attr(n, insideKey))
		if n.Data != bcAttachment || err != nil || i < 0 || i >= len(l.insides) {
			continue
		}
		if err := parseInto(n, l.insides[i]); err != nil {
			return nil, err
		}
		l.insides[i] = ""
	}
	if slices.ContainsFunc(l.insides, func(s string) bool { return s != "" }) {
		// In some places the parser ignores an attachment but keeps its text.
		root = &html.Node{Type: html.DocumentNode}
		err = parseInto(root, l.field)
	}
	return root, err
}

// parseInto adds the elements of HTML to a node.
func parseInto(n *html.Node, field string) error {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(field), body, html.ParseOptionEnableScripting(false))
	if err != nil {
		return fmt.Errorf("parse rich text: %w", err)
	}
	for _, c := range nodes {
		n.AppendChild(c)
	}
	return nil
}

// lifter removes the content of attachments from a field.
type lifter struct {
	field   string
	insides []string
}

// lift returns a part of the field, which holds these attachments, with numbered, empty ones.
// Attachments that contain only text keep it.
func (l *lifter) lift(from, to int, all []embeddedElement, depth int) string {
	if len(all) == 0 || depth > maxInside {
		return l.field[from:to]
	}
	var b strings.Builder
	for len(all) > 0 {
		e, next := all[0], 1
		for next < len(all) && all[next].from < e.to {
			next++
		}
		number, inside := "", l.lift(e.begin, e.end, all[1:next], depth+1)
		if strings.Contains(inside, "<") {
			number = strconv.Itoa(len(l.insides))
			l.insides, inside = append(l.insides, inside), ""
		}
		const name = "<bc-attachment"
		b.WriteString(l.field[from:e.from] + name + " " + insideKey + `="` + number + `"` + l.field[e.from+len(name):e.begin] + inside + l.field[e.end:e.to])
		from, all = e.to, all[next:]
	}
	b.WriteString(l.field[from:to])
	return b.String()
}
