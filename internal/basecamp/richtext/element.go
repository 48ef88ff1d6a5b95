package richtext

import (
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

// scan reads a field and calls onTag for each tag and onText for each text between tags. Texts are
// not decoded, and texts of hidden elements are skipped. It returns the index where the field stops
// being HTML: the start of a tag or comment without an end.
func scan(field string, onText func(from, to int), onTag func(name string, end bool, from, to int)) (until int) {
	z := html.NewTokenizer(strings.NewReader(field))
	hidden := false
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return until
		}
		from := until
		until += len(z.Raw())
		switch kind {
		case html.TextToken:
			if !hidden {
				onText(from, until)
			}
		case html.CommentToken:
			if until == len(field) && !strings.HasSuffix(field, "-->") {
				return from
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := z.TagName()
			hidden = kind == html.StartTagToken && isHidden(string(name))
			onTag(string(name), kind == html.EndTagToken, from, until)
		}
	}
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
