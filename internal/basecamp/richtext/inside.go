package richtext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// insideKey is the attribute that numbers an attachment whose content is parsed separately. It is
// written first, so it takes precedence over an attribute of the same name in the field.
const insideKey = "inside"

// maxInside is the depth of attachments within attachments. Deeper attachments are parsed in place,
// where the parser's own limit applies.
const maxInside = 10

// parseHTML returns a node that contains the elements of a field. It returns an error if the field
// is too long or too deep.
func parseHTML(field string) (root *html.Node, err error) {
	if len(field) > maxHTML {
		return nil, fmt.Errorf("parse rich text: field has %d bytes, which is too long", len(field))
	}
	root = &html.Node{Type: html.DocumentNode}
	return root, parseAttachments(root, field, 0)
}

// parseAttachments adds the elements of HTML to a node. It parses the content of an attachment
// separately, unless that is only text. Otherwise the parser would let the content change the
// elements around the attachment: a figure ends an open paragraph together with the attachment, and
// a link ends the link around it.
func parseAttachments(n *html.Node, field string, depth int) error {
	field, all := attachmentsOf(field)
	if len(all) == 0 || depth > maxInside {
		return parseInto(n, field)
	}
	var around strings.Builder
	var insides []string
	from := 0
	for _, e := range all {
		if e.from < from {
			continue
		}
		number, end := "", e.begin
		if inside := field[e.begin:e.end]; strings.Contains(inside, "<") {
			number, end = strconv.Itoa(len(insides)), e.end
			insides = append(insides, inside)
		}
		const name = "<bc-attachment"
		around.WriteString(field[from:e.from] + name + " " + insideKey + `="` + number + `"` + field[e.from+len(name):e.begin])
		from = end
	}
	if err := parseInto(n, around.String()+field[from:]); err != nil {
		return err
	}
	holders := make([]*html.Node, len(insides))
	for c := range n.Descendants() {
		if i, err := strconv.Atoi(attr(c, insideKey)); c.Data == bcAttachment && err == nil && i >= 0 && i < len(holders) {
			holders[i] = c
		}
	}
	if slices.Contains(holders, nil) { // in some places the parser ignores an attachment but keeps its text
		for n.FirstChild != nil {
			n.RemoveChild(n.FirstChild)
		}
		return parseInto(n, field)
	}
	for i, c := range holders {
		if err := parseAttachments(c, insides[i], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// parseInto adds the elements of HTML to a node.
func parseInto(n *html.Node, field string) error {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(defuse(field)), body, html.ParseOptionEnableScripting(false))
	if err != nil {
		return fmt.Errorf("parse rich text: %w", err)
	}
	for _, c := range nodes {
		n.AppendChild(c)
	}
	return nil
}
