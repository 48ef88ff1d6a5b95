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

// page is one kind of page. Its template is parsed at its first use, so that a process without
// pages does not parse any.
type page struct {
	name   string
	script template.JS
	alone  bool   // isolated from its opener, because a client's sign-in never shows this page
	nav    string // see document

	once   sync.Once
	parsed *template.Template
}

// document is the data of the layout.
type document struct {
	Style  template.CSS
	Script template.JS
	Nav    string // the path of the page in the menu of a user who is signed in; empty without a menu
	View   any
}

func (p *page) template() *template.Template {
	p.once.Do(func() {
		layout := template.New("layout.html").Funcs(template.FuncMap{
			"claim":      claim,
			"command":    command,
			"initials":   look.Initials,
			"letter":     letter,
			"at":         func(now, t time.Time) moment { return moment{t, now} },
			"day":        func(now, t time.Time) string { return moment{t, now}.day() },
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

// Ago says how long ago it was, or on which day if that is long ago.
func (m moment) Ago() string {
	past := m.now.Sub(m.Time)
	counted := func(unit time.Duration, one, many string) string {
		if n := int(past / unit); n > 1 {
			return fmt.Sprintf("%d %s ago", n, many)
		}
		return one
	}
	switch {
	case past < time.Minute && past > -time.Minute:
		return "just now"
	case past < 0 || past >= 7*24*time.Hour:
		return "on " + date(m.Time)
	case past < time.Hour:
		return counted(time.Minute, "a minute ago", "minutes")
	case past < 24*time.Hour:
		return counted(time.Hour, "an hour ago", "hours")
	}
	return counted(24*time.Hour, "a day ago", "days")
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

// https reports whether a URL of this server can be reached from the internet. A server on plain
// http runs on the user's own machine.
func https(url string) bool { return strings.HasPrefix(url, "https://") }

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
	settings := base64.StdEncoding.EncodeToString(settingsJSON(map[string]string{"url": address}))
	return template.URL("cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(name) + "&config=" + url.QueryEscape(settings))
}

// codeLink returns the link that adds a server to VS Code under a name. It asks its user first.
func codeLink(name, address string) template.URL {
	return template.URL("vscode:mcp/install?" + url.PathEscape(string(settingsJSON(map[string]string{"name": name, "type": "http", "url": address}))))
}

// settingsJSON returns a client's settings. Strings always encode.
func settingsJSON(settings map[string]string) []byte {
	encoded, err := json.Marshal(settings)
	if err != nil {
		panic(err)
	}
	return encoded
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

// text returns a text of any length in a form that is safe to show. What cannot be seen, or changes
// the direction of the text around it, is shown as its code.
func text(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '\n', c == '\t', strings.ContainsRune(joiners, c), unicode.IsGraphic(c) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c):
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "\\u{%X}", c)
		}
	}
	return strings.TrimSpace(b.String())
}

// quotes are the quotation marks that pages put around claims. Inside a claim they would end it.
const quotes = "\"“”„‟«»"

// joiners join letters or keep them apart. Persian and Hindi names need them.
const joiners = "\u200c\u200d"
