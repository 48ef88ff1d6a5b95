package richtext

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// tag is a start or end tag and its position in a field.
type tag struct {
	name     string
	end      bool
	from, to int
	partner  int // index of the tag that closes or opens the element, or -1
}

// token is a part of a field as the tokenizer reads it.
type token struct {
	html.Token
	from, to int
}

// starts reports whether the token is a start tag.
func (t token) starts() bool {
	return t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken
}

// ends reports whether the token is an end tag.
func (t token) ends() bool { return t.Type == html.EndTagToken }

// node returns a tag as an element without content.
func (t token) node() *html.Node {
	return &html.Node{Type: html.ElementNode, Data: t.Data, Attr: t.Attr}
}

// tokens yields the parts of a field in order.
func tokens(field string) iter.Seq[token] {
	return func(yield func(token) bool) {
		z := html.NewTokenizer(strings.NewReader(field))
		for at := 0; z.Next() != html.ErrorToken; {
			t := token{from: at, to: at + len(z.Raw())}
			at, t.Token = t.to, z.Token()
			if !yield(t) {
				return
			}
		}
	}
}

// scan reads a field and calls onTag for each tag and onText for each text between tags. Texts are
// not decoded, and texts of hidden elements are skipped. It returns the index where the field stops
// being HTML: the start of a tag or comment without an end.
func scan(field string, onText func(from, to int), onTag func(name string, end bool, from, to int)) (until int) {
	hidden := false
	for t := range tokens(field) {
		switch {
		case t.Type == html.TextToken && !hidden:
			onText(t.from, t.to)
		case t.Type == html.CommentToken && t.to == len(field) && !strings.HasSuffix(field, "-->"):
			return t.from
		case t.starts() || t.ends():
			hidden = t.Type == html.StartTagToken && isHidden(t.Data)
			onTag(t.Data, t.ends(), t.from, t.to)
		}
		until = t.to
	}
	return until
}

// elements returns the tags of a field, each with its partner, and the indexes of the tags that are
// still open at its end. It skips elements that never have an end tag. It also returns the
// index where the field stops being HTML, like scan.
func elements(field string) (tags []tag, open []int, until int) {
	until = scan(field, func(int, int) {}, func(name string, end bool, from, to int) {
		if isVoid(name) {
			return
		}
		i := len(tags)
		tags = append(tags, tag{name: name, end: end, from: from, to: to, partner: -1})
		if !end {
			if n := len(open); n > 0 && impliesEnd(tags[open[n-1]].name, name) {
				open = open[:n-1]
			}
			open = append(open, i)
			return
		}
		at := lastOf(tags, open, name)
		if at < 0 {
			return
		}
		tags[i].partner, tags[open[at]].partner = open[at], i
		open = open[:at]
	})
	return tags, open, until
}

// maxOpen is the number of open elements that an end tag is compared with. It bounds the time for
// any field.
const maxOpen = 1000

func lastOf(tags []tag, open []int, name string) int {
	for i := len(open) - 1; i >= max(0, len(open)-maxOpen); i-- {
		if tags[open[i]].name == name {
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

func isVoid(name string) bool {
	return slices.Contains([]string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}, name)
}

// isObject reports whether an element shows something other than text.
func isObject(name string) bool {
	switch name {
	case "img", "video", "audio", "iframe", "embed", "object", "svg", "math", "input", "button":
		return true
	}
	return false
}
