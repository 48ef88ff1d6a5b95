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

// parseHTML parses a field in which every attachment has an end tag.
func parseHTML(field string) ([]*html.Node, error) {
	if strings.Count(field, "<") <= 2 { // no attachment contains a tag
		return parseFragment(field)
	}
	lifted, insides := lift(field)
	if len(insides) == 0 {
		return parseFragment(field)
	}
	nodes, err := parseFragment(lifted)
	if err != nil {
		return nil, err
	}
	g := grafter{insides: insides}
	if err := g.graft(nodes); err != nil {
		return nil, err
	}
	if g.grafted < len(insides) { // in some places the parser ignores an attachment but keeps its text
		return parseFragment(field)
	}
	return nodes, nil
}

func parseFragment(field string) ([]*html.Node, error) {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(field), body, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("parse rich text: %w", err)
	}
	return nodes, nil
}

// lift returns the field with numbered, empty attachments, and the removed content of each of them.
// Attachments that contain only text keep it.
func lift(field string) (lifted string, insides []string) {
	if !mayHoldAttachment(field) {
		return field, nil
	}
	type layer struct {
		start string // start tag
		text  strings.Builder
	}
	layers := []*layer{{}}
	at := 0
	for t := range tokens(field) {
		raw := field[t.from:t.to]
		at = t.to
		top := layers[len(layers)-1]
		if t.Data != bcAttachment || !t.starts() && !t.ends() {
			top.text.WriteString(raw)
			continue
		}
		switch {
		case t.starts() && len(layers) > maxInside:
			return field, nil
		case t.starts():
			layers = append(layers, &layer{start: raw})
		case len(layers) == 1:
			top.text.WriteString(raw)
		default:
			layers = layers[:len(layers)-1]
			number, inside := "", top.text.String()
			if strings.Contains(inside, "<") {
				number, inside = strconv.Itoa(len(insides)), ""
				insides = append(insides, top.text.String())
			}
			const name = "<bc-attachment"
			below := &layers[len(layers)-1].text
			below.WriteString(name + " " + insideKey + `="` + number + `"` + top.start[len(name):] + inside + raw)
		}
	}
	if len(layers) > 1 {
		return field, nil
	}
	return layers[0].text.String() + field[at:], insides
}

// mayHoldAttachment reports whether the tag of an attachment can be in a field. Most fields have
// none, and a search takes a tenth of the time of a tokenizer.
func mayHoldAttachment(field string) bool {
	return strings.Contains(strings.ToLower(field), bcAttachment)
}

// grafter puts the parsed content of attachments back.
type grafter struct {
	insides []string
	grafted int
}

func (g *grafter) graft(nodes []*html.Node) error {
	for _, n := range nodes {
		if i, err := strconv.Atoi(attr(n, insideKey)); n.Data == bcAttachment && err == nil && i >= 0 && i < len(g.insides) && g.insides[i] != "" {
			inside, err := parseFragment(g.insides[i])
			if err != nil {
				return err
			}
			g.insides[i] = ""
			g.grafted++
			for _, c := range inside {
				n.AppendChild(c)
			}
		}
		if err := g.graft(slices.Collect(n.ChildNodes())); err != nil {
			return err
		}
	}
	return nil
}
