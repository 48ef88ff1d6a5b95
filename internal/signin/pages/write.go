package pages

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"basecamp-mcp/internal/signin/look"
)

// View is what a page shows.
type View interface{ page() page }

func (v Landing) page() page {
	return page{Name: "landing", Script: copyScript, alone: true, Menu: v.SignedIn}
}
func (Consent) page() page       { return page{Name: "consent", Script: pressScript} }
func (Choose) page() page        { return page{Name: "choose", Script: pressScript} }
func (Start) page() page         { return page{Name: "start", Script: pressScript, alone: true} }
func (Connected) page() page     { return page{Name: "connected", alone: true} }
func (SignInFirst) page() page   { return page{Name: "signinfirst", Script: pressScript, alone: true} }
func (Linked) page() page        { return page{Name: "linked", alone: true} }
func (Link) page() page          { return signedIn("link", pressScript) }
func (Overview) page() page      { return signedIn("overview", pressScript+timesScript) }
func (Changes) page() page       { return signedIn("changes", pressScript+timesScript) }
func (Limits) page() page        { return signedIn("limits", pressScript) }
func (NewMachine) page() page    { return signedIn("newmachine", pressScript) }
func (Machine) page() page       { return signedIn("machine", copyScript) }
func (DisconnectAll) page() page { return signedIn("disconnect", pressScript) }
func (Failure) page() page       { return page{Name: "failure"} }

func signedIn(name string, script template.JS) page {
	return page{Name: name, Script: script, alone: true, Menu: true}
}

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
		status = cmp.Or(of.Status, http.StatusInternalServerError)
		if !isPath(of.Link) {
			of.Link = ""
		}
		v = of
	}
	p := v.page()
	var body bytes.Buffer
	if err := p.template().Execute(&body, document{template.CSS(look.Style), p, v}); err != nil {
		panic(fmt.Errorf("render a page: %w", err))
	}
	setHeaders(w.Header(), string(p.Script), p.alone)
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // fails only if the browser has gone away
}

// isPath reports whether a link stays on this server. Browsers read // and /\ as the start of
// another host.
func isPath(link string) bool {
	return strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") && !strings.Contains(link, `\`)
}
