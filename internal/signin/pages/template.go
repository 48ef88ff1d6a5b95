package pages

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"basecamp-mcp/internal/signin/look"
	"basecamp-mcp/internal/text/lazyregexp"
)

var (
	//go:embed templates/*.html
	files embed.FS
	//go:embed templates/copy.js
	copyScript template.JS // shows the copy buttons, which need it
	//go:embed templates/times.js
	timesScript template.JS // shows times in the time zone of the browser
	//go:embed templates/press.js
	pressScript template.JS // holds presses back that may have been meant for another page
)

// page is one kind of page.
type page struct {
	Name   string
	Script template.JS
	alone  bool // isolated from its opener, because a client's sign-in never shows this page
	Menu   bool // it has the menu of a user who is signed in
}

// document is the data of the layout.
type document struct {
	Style template.CSS
	Page  page
	View  any
}

// parsed has the templates of pages by name. Each is parsed at its first use, so that a process
// without pages does not parse any.
var parsed sync.Map

func (p page) template() *template.Template {
	if t, ok := parsed.Load(p.Name); ok {
		return t.(*template.Template)
	}
	layout := template.New("layout.html").Funcs(template.FuncMap{
		"claim":      claim,
		"command":    command,
		"initials":   look.Initials,
		"letter":     letter,
		"at":         func(now, t time.Time) moment { return moment{t, now} },
		"day":        func(now, t time.Time) string { return moment{t, now}.day() },
		"codeLink":   codeLink,
		"cursorLink": cursorLink,
		"date":       date,
		"starts":     strings.HasPrefix,
		"contains":   strings.Contains,
		"bare":       func(url string) string { return strings.TrimPrefix(url, "https://") },
	})
	t := template.Must(layout.ParseFS(files, "templates/layout.html", "templates/fence.html", "templates/accounts.html", "templates/"+p.Name+".html"))
	parsed.Store(p.Name, t)
	return t
}

func date(t time.Time) string { return t.UTC().Format("2 January 2006") }

// letter returns the letter of an app's sign.
func letter(name string) string {
	for _, c := range look.Initials(name) {
		return string(c)
	}
	return "·"
}

// moment is a time on a page that was made at a later one.
type moment struct {
	time.Time
	now time.Time
}

// Ago says how long ago it was, or on which day if that is a week ago or later.
func (m moment) Ago() string {
	past := m.now.Sub(m.Time)
	if past < -time.Minute || past >= 7*24*time.Hour {
		return "on " + date(m.Time)
	}
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := int(past / unit.length); {
		case n == 1:
			return "1 " + unit.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}

// day returns the words for the day of a time, in UTC.
func (m moment) day() string {
	switch midnight := m.now.UTC().Truncate(24 * time.Hour); {
	case !m.Before(midnight):
		return "Today"
	case !m.Before(midnight.Add(-24 * time.Hour)):
		return "Yesterday"
	}
	return m.UTC().Format("Monday 2 January")
}

// setHeaders sets the headers of every page. They forbid framing, scripts that are not in the
// policy, and caching (MCP Security Best Practices, "Consent UI"). The policy has no form-action:
// browsers apply it to every redirect after a form, and these lead to the provider's sign-on and
// to the client. Strict-Transport-Security is set by the server, which knows whether it is on
// https.
func setHeaders(h http.Header, script string, alone bool) {
	policy := "default-src 'none'; style-src " + look.Hash(look.Style) + "; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
	if script != "" {
		policy += "; script-src " + look.Hash(script)
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	if alone {
		Isolate(h)
	}
	h.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
}

// Isolate separates a page from the window that opened it. The pages of a client's sign-in are not
// isolated: a web client may wait for its popup to return, and its callback page needs
// window.opener.
func Isolate(h http.Header) { h.Set("Cross-Origin-Opener-Policy", "same-origin") }

// box is a text to copy, with its label.
type box struct {
	Label string
	Text  template.HTML
}

// command returns a box whose lines break only between words: people who copy by hand would take
// another break for a part of the text. $URL stands for the address of a front page, which ends
// differently while the page's switch for further providers is on.
func command(label, line string, front ...Landing) box {
	address := ""
	for _, v := range front {
		address = template.HTMLEscapeString(v.URL)
		if len(v.Further) > 0 {
			address += `<span class="further">/all</span>`
		}
	}
	return box{label, template.HTML(word.ReplaceAllStringFunc(line, func(w string) string {
		return `<span class="whole">` + strings.ReplaceAll(template.HTMLEscapeString(w), "$URL", address) + `</span>`
	}))}
}

// word is a word in which browsers would break a line (Unicode Standard Annex 14).
var word = lazyregexp.New(`[^ \n]*[^A-Za-z0-9 \n=._:"][^ \n]*`)

// cursorLink returns the link that adds a server to Cursor under a name. It asks its user first.
func cursorLink(name, address string) template.URL {
	settings, _ := json.Marshal(map[string]string{"url": address}) // strings always encode
	return template.URL("cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(name) + "&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString(settings)))
}

// codeLink returns the link that adds a server to VS Code under a name. It asks its user first.
func codeLink(name, address string) template.URL {
	settings, _ := json.Marshal(map[string]string{"name": name, "type": "http", "url": address}) // strings always encode
	return template.URL("vscode:mcp/install?" + url.PathEscape(string(settings)))
}

// claim returns a name that users or clients chose themselves in a form that is safe to show: at
// most limit characters on one line, without invisible characters and without characters that
// change the direction of the text around them. It returns "" if nothing visible remains.
func claim(limit int, s string) string {
	seen := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case strings.ContainsRune(joiners, c):
			return c
		case strings.ContainsRune(quotes, c):
			return '\''
		case !unicode.IsGraphic(c), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c):
			return -1
		}
		return c
	}, s)
	line := []rune(strings.Join(strings.Fields(seen), " "))
	switch {
	case strings.Trim(string(line), " "+joiners) == "":
		return ""
	case len(line) > limit:
		return string(line[:limit]) + "…"
	}
	return string(line)
}

// quotes are the quotation marks that pages put around claims. Inside a claim they would end it.
const quotes = "\"“”„‟«»"

// joiners join letters or keep them apart. Persian and Hindi names need them.
const joiners = "\u200c\u200d"
