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
	copyScript template.JS // shows the copy buttons, which are of no use without it
)

// page is one kind of page. Its template is parsed when it is needed first, and not named before: a process that shows no
// pages neither parses any nor has the code for it.
type page struct {
	name   string
	script template.JS
	alone  bool // no client's login passes here

	once   sync.Once
	parsed *template.Template
}

// document is what the layout is given.
type document struct {
	Style  template.CSS
	Script template.JS
	View   any
}

func (p *page) template() *template.Template {
	p.once.Do(func() {
		layout := template.New("layout.html").Funcs(template.FuncMap{"claim": claim, "date": date, "https": https})
		p.parsed = template.Must(layout.ParseFS(files, "templates/layout.html", "templates/"+p.name+".html"))
	})
	return p.parsed
}

func date(t time.Time) string { return t.UTC().Format("2 January 2006") }

// https reports whether a URL of ours can be reached from the internet. What cannot is somebody's own machine.
func https(url string) bool { return strings.HasPrefix(url, "https://") }
