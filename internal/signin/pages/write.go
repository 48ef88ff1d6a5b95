package pages

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"basecamp-mcp/internal/signin/look"
)

var (
	landing       = page{name: "landing", script: copyScript, alone: true}
	consent       = page{name: "consent", script: pressScript}
	choose        = page{name: "choose", script: pressScript}
	start         = page{name: "start", script: pressScript, alone: true}
	connected     = page{name: "connected", alone: true}
	link          = page{name: "link", script: pressScript, alone: true, nav: "/"}
	signInFirst   = page{name: "signinfirst", script: pressScript, alone: true}
	linked        = page{name: "linked", alone: true}
	overview      = page{name: "overview", script: pressScript + timesScript, alone: true, nav: "/account"}
	limits        = page{name: "limits", script: pressScript, alone: true, nav: "/"}
	disconnectAll = page{name: "disconnect", script: pressScript, alone: true, nav: "/"}
	changes       = page{name: "changes", script: pressScript + timesScript, alone: true, nav: "/account/changes"}
	newMachine    = page{name: "newmachine", script: pressScript, alone: true, nav: "/"}
	machine       = page{name: "machine", script: copyScript, alone: true, nav: "/"}
	failed        = page{name: "failure"}
)

// View is what a page shows.
type View interface{ page() *page }

func (Landing) page() *page       { return &landing }
func (Consent) page() *page       { return &consent }
func (Choose) page() *page        { return &choose }
func (Start) page() *page         { return &start }
func (Connected) page() *page     { return &connected }
func (Link) page() *page          { return &link }
func (SignInFirst) page() *page   { return &signInFirst }
func (Linked) page() *page        { return &linked }
func (Overview) page() *page      { return &overview }
func (Changes) page() *page       { return &changes }
func (Limits) page() *page        { return &limits }
func (NewMachine) page() *page    { return &newMachine }
func (Machine) page() *page       { return &machine }
func (DisconnectAll) page() *page { return &disconnectAll }
func (Failure) page() *page       { return &failed }

// Write sends the page of a view. It renders the whole page before it sends anything, and panics if
// the template fails: that is a bug.
func Write(w http.ResponseWriter, v View) {
	status := http.StatusOK
	switch of := v.(type) {
	case NewMachine:
		if of.Wrong != "" {
			status = http.StatusUnprocessableEntity
		}
	case Failure:
		if status = of.Status; status == 0 {
			status = http.StatusInternalServerError
		}
		if !isPath(of.Link) {
			of.Link = ""
		}
		v = of
	}
	p := v.page()
	nav := p.nav
	if front, ok := v.(Landing); ok && front.SignedIn {
		nav = "/"
	}
	var body bytes.Buffer
	if err := p.template().Execute(&body, document{template.CSS(look.Style), p.script, nav, v}); err != nil {
		panic(fmt.Errorf("render a page: %w", err))
	}
	setHeaders(w.Header(), string(p.script), p.alone)
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // fails only if the browser has gone away
}

// isPath reports whether a link stays on this server. Browsers read // and /\ as the start of
// another host.
func isPath(link string) bool {
	return strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") && !strings.Contains(link, `\`)
}
