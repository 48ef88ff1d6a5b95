package richtext

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// policy allows the rich text that Basecamp documents, and no other elements than those listed
// here. It is part of the tests only, because HTML never writes anything that it would remove, and
// it would add a fifth to the time in which a process starts.
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
