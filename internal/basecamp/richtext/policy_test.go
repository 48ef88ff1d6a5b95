package richtext

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// policy is what may leave this package as rich text: what Basecamp documents, and no more of it than is written here. It finds
// nothing to take from what HTML writes, and so has its place here: it would add a fifth to the start of a process.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("div", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "strike", "code", "pre", "blockquote",
		"ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?i:https?|mailto|tel):`)).OnElements("a")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]+$`)).OnElements("ol")
	p.AllowAttrs("data-language").Matching(regexp.MustCompile(`^[\w+#.-]+$`)).OnElements("pre")
	p.AllowAttrs("sgid").OnElements("bc-attachment")
	return p
})
