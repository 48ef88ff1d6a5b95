package pages

import (
	"crypto/sha256"
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
)

var (
	//go:embed templates/*.html
	files embed.FS
	// Its contrasts are those of WCAG 2.2, 1.4.3 and 1.4.11.
	//
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

// setHeaders sets the headers of every page. They forbid framing, scripts that are not in the
// policy, and caching (MCP Security Best Practices, "Consent UI"). The policy has no form-action:
// browsers apply it to every redirect after a form, and these lead to the provider's sign-on and
// to the client. Strict-Transport-Security is set by the server, which knows whether it is on
// https.
func setHeaders(h http.Header, script string, alone bool) {
	policy := "default-src 'none'; style-src " + hash(string(style)) + "; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
	if script != "" {
		policy += "; script-src " + hash(script)
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

// hash returns the source expression of an inline style or script in a policy (CSP Level 3,
// 2.3.1).
func hash(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

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
