package pages

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

var (
	landing   = page{name: "landing", script: copyScript, alone: true}
	consent   = page{name: "consent"}
	choose    = page{name: "choose"}
	start     = page{name: "start", alone: true}
	connected = page{name: "connected", alone: true}
	overview  = page{name: "overview", alone: true}
	failed    = page{name: "failure"}
)

// Write sends the page.
func (v Landing) Write(w http.ResponseWriter) { landing.write(w, http.StatusOK, v) }

// Write sends the page. Its form has decision=approve or deny, and scope=write when the person allows changes.
func (v Consent) Write(w http.ResponseWriter) { consent.write(w, http.StatusOK, v) }

// Write sends the page. Its form has account, the id of the one that was chosen.
func (v Choose) Write(w http.ResponseWriter) { choose.write(w, http.StatusOK, v) }

// Write sends the page. Its form has nothing but what every form has.
func (v Start) Write(w http.ResponseWriter) { start.write(w, http.StatusOK, v) }

// Write sends the page.
func (v Connected) Write(w http.ResponseWriter) { connected.write(w, http.StatusOK, v) }

// Write sends the page. It has a form for each connection, and one for all, which differ in their step.
func (v Overview) Write(w http.ResponseWriter) { overview.write(w, http.StatusOK, v) }

// Write sends the page with its Status. It may be shown amid a login, so the caller isolates it elsewhere. A Link that leads away from this server is left out.
func (v Failure) Write(w http.ResponseWriter) {
	if !isPath(v.Link) {
		v.Link = ""
	}
	if v.Status == 0 {
		v.Status = http.StatusInternalServerError
	}
	failed.write(w, v.Status, v)
}

// write renders the whole page before anything is sent. A template that cannot be rendered is a bug, and panics as one.
func (p *page) write(w http.ResponseWriter, status int, view any) {
	var body bytes.Buffer
	if err := p.template().Execute(&body, document{style, p.script, view}); err != nil {
		panic(fmt.Errorf("render a page: %w", err))
	}
	setHeaders(w.Header(), string(p.script), p.alone)
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // whoever asked is gone
}

// isPath reports whether a link stays on this server. Browsers take // and /\ for the beginning of another host.
func isPath(link string) bool {
	return strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") && !strings.Contains(link, `\`)
}
