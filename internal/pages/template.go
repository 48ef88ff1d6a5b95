package pages

import (
	"embed"
	"html/template"
	"strings"
	"sync"
	"time"
)

var (
	//go:embed templates/*.html
	files embed.FS
	//go:embed templates/style.css
	style template.CSS
	//go:embed templates/copy.js
	copyScript template.JS // shows the copy buttons, which need it
	//go:embed templates/times.js
	timesScript template.JS // shows times in the time zone of the browser
	//go:embed templates/press.js
	pressScript template.JS // holds presses back that may have been meant for another page
)

// page is one kind of page. Its template is parsed at its first use, so that a process without
// pages does not parse any.
type page struct {
	name   string
	script template.JS
	alone  bool // isolated from its opener, because a client's sign-in never shows this page

	once   sync.Once
	parsed *template.Template
}

// document is the data of the layout.
type document struct {
	Style  template.CSS
	Script template.JS
	View   any
}

func (p *page) template() *template.Template {
	p.once.Do(func() {
		layout := template.New("layout.html").Funcs(template.FuncMap{
			"claim":      claim,
			"text":       text,
			"codeLink":   codeLink,
			"cursorLink": cursorLink,
			"date":       date,
			"https":      https,
			"bare":       func(url string) string { return strings.TrimPrefix(url, "https://") },
		})
		p.parsed = template.Must(layout.ParseFS(files, "templates/layout.html", "templates/fence.html", "templates/accounts.html", "templates/"+p.name+".html"))
	})
	return p.parsed
}

func date(t time.Time) string { return t.UTC().Format("2 January 2006") }

// https reports whether a URL of this server can be reached from the internet. A server on plain
// http runs on the user's own machine.
func https(url string) bool { return strings.HasPrefix(url, "https://") }
