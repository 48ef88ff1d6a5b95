package richtext

import (
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// element says what an element of HTML is, and what Markdown makes of it.
type element struct {
	is      kind
	becomes string // the formatting that the converter knows
	lost    string // what is lost if a text is written anew from its Markdown
}

// kind is a set of what an element may be.
type kind uint8

const (
	startsLine  kind = 1 << iota
	structures       // would lose its meaning in a heading or table cell
	holdsItems       // is a list
	neverEnds        // has no end tag
	hides            // has content that readers do not see
	showsObject      // shows something other than text
	reopens          // is opened again in the next block by a parser; not "a", which is opened at most once
)

// elements holds the elements with a meaning for this package, by name.
var elements = func() map[string]element {
	all := map[string]element{}
	for _, row := range []struct {
		names string
		element
	}{
		{"address article aside body center dd dialog div fieldset figure footer form header hgroup html legend li listing main nav", element{is: startsLine}},
		{"optgroup option p plaintext search section select tbody td textarea tfoot th thead title tr xmp", element{is: startsLine}},
		{"blockquote h1 h2 h3 h4 h5 h6 pre table", element{is: startsLine | structures}},
		{"ol ul", element{is: startsLine | structures | holdsItems}},
		{"dir menu", element{is: startsLine | holdsItems}},
		{"hr", element{is: startsLine | structures | neverEnds}},
		{"dl", element{is: startsLine | structures, lost: "the definition list"}},
		{"dt summary", element{is: startsLine, becomes: "strong"}},
		{"caption", element{is: startsLine, becomes: "strong", lost: "the table's caption"}},
		{"figcaption", element{is: startsLine, lost: "the caption"}},
		{"details", element{is: startsLine, lost: "the folded part"}},
		{"h7 h8", element{lost: "the heading"}},
		{"b strong", element{is: reopens, becomes: "strong"}},
		{"em i", element{is: reopens, becomes: "em"}},
		{"s strike", element{is: reopens, becomes: "del"}},
		{"del", element{becomes: "del"}},
		{"code nobr", element{is: reopens}},
		{"u", element{is: reopens, lost: "the underline of"}},
		{"ins", element{lost: "the underline of"}},
		{"mark", element{lost: "the highlight of"}},
		{"kbd", element{lost: "the key"}},
		{"samp", element{lost: "the sample output"}},
		{"var", element{lost: "the variable"}},
		{"tt", element{is: reopens, lost: "the typewriter text"}},
		{"q", element{lost: "the quotation"}},
		{"big small", element{is: reopens, lost: "the size of"}},
		{"font", element{is: reopens, lost: "the font of"}},
		{"ruby", element{lost: "the reading aids of"}},
		{"area base br col link meta source track wbr", element{is: neverEnds}},
		{"noembed noframes script style", element{is: hides}},
		{"iframe", element{is: hides | showsObject, lost: "the embedded page"}},
		{"img", element{is: neverEnds | showsObject, lost: "the picture"}},
		{"embed", element{is: neverEnds | showsObject, lost: "the embedded object"}},
		{"object", element{is: showsObject, lost: "the embedded object"}},
		{"audio", element{is: showsObject, lost: "the recording"}},
		{"video", element{is: showsObject, lost: "the video"}},
		{"input", element{is: neverEnds | showsObject}},
		{"button math svg", element{is: showsObject}},
	} {
		for name := range strings.FieldsSeq(row.names) {
			all[name] = row.element
		}
	}
	return all
}()

// is reports whether the element of a name is one of the kinds.
func is(name string, kinds kind) bool { return elements[name].is&kinds != 0 }

func isBlock(name string) bool     { return is(name, startsLine) }
func isStructure(name string) bool { return is(name, structures) }
func isList(name string) bool      { return is(name, holdsItems) }

// token is a part of a field as the tokenizer reads it.
type token struct {
	html.Token
	from, to int
	hidden   bool // a text that readers do not see
	partner  int  // for partsOf, the index of the tag that closes or opens the element, or -1
}

// starts reports whether the token is a start tag.
func (t token) starts() bool {
	return t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken
}

// ends reports whether the token is an end tag.
func (t token) ends() bool { return t.Type == html.EndTagToken }

// shows reports whether the token is a text that readers see.
func (t token) shows() bool { return t.Type == html.TextToken && !t.hidden }

// name returns the name of a tag, or "" for another token.
func (t token) name() string {
	if t.starts() || t.ends() {
		return t.Data
	}
	return ""
}

// node returns a tag as an element without content.
func (t token) node() *html.Node {
	return &html.Node{Type: html.ElementNode, Data: t.Data, Attr: t.Attr}
}

// tokens yields the parts of a field in order. It ends where the field stops being HTML: at the
// start of a tag or comment without an end.
func tokens(field string) iter.Seq[token] {
	return func(yield func(token) bool) {
		z := html.NewTokenizer(strings.NewReader(field))
		t := token{partner: -1}
		for z.Next() != html.ErrorToken {
			t.from, t.to = t.to, t.to+len(z.Raw())
			t.hidden = t.starts() && is(t.Data, hides)
			t.Token = z.Token()
			isCut := t.Type == html.CommentToken && t.to == len(field) && !strings.HasSuffix(field, "-->")
			if isCut || !yield(t) {
				return
			}
		}
	}
}

// partsOf returns the tokens of a field, each tag with its partner, and the indexes of the tags
// that are still open at its end.
func partsOf(field string) (parts []token, open []int) {
	for t := range tokens(field) {
		i := len(parts)
		parts = append(parts, t)
		switch {
		case is(t.Data, neverEnds):
		case t.starts():
			if n := len(open); n > 0 && impliesEnd(parts[open[n-1]].Data, t.Data) {
				open = open[:n-1]
			}
			open = append(open, i)
		case t.ends():
			if at := lastOf(parts, open, t.Data); at >= 0 {
				parts[i].partner, parts[open[at]].partner = open[at], i
				open = open[:at]
			}
		}
	}
	return parts, open
}

// maxOpen is the number of open elements that an end tag is compared with. It bounds the time for
// any field.
const maxOpen = 1000

func lastOf(parts []token, open []int, name string) int {
	for i := len(open) - 1; i >= max(0, len(open)-maxOpen); i-- {
		if parts[open[i]].Data == name {
			return i
		}
	}
	return -1
}

// impliesEnd reports whether an element ends at the start of the next one, without an end tag.
func impliesEnd(name, next string) bool {
	switch name {
	case "p":
		return isBlock(next)
	case "li", "tr", "td", "th", "dt", "dd", "option":
		return next == name
	}
	return false
}
