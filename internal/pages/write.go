package pages

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

var (
	landing       = page{name: "landing", script: copyScript, alone: true}
	consent       = page{name: "consent", script: pressScript}
	choose        = page{name: "choose", script: pressScript}
	again         = page{name: "again", script: pressScript}
	start         = page{name: "start", script: pressScript, alone: true}
	connected     = page{name: "connected", alone: true}
	link          = page{name: "link", script: pressScript, alone: true}
	signInFirst   = page{name: "signinfirst", script: pressScript, alone: true}
	linked        = page{name: "linked", alone: true}
	overview      = page{name: "overview", script: pressScript + timesScript, alone: true}
	limits        = page{name: "limits", script: pressScript, alone: true}
	disconnectAll = page{name: "disconnect", script: pressScript, alone: true}
	newMachine    = page{name: "newmachine", script: pressScript, alone: true}
	machine       = page{name: "machine", script: copyScript, alone: true}
	failed        = page{name: "failure"}
)

// Write sends the page.
func (v Landing) Write(w http.ResponseWriter) { landing.write(w, http.StatusOK, v) }

// Write sends the page. Its form has decision=approve or deny, and scope=write if the user allows
// write access, and the fields of the Fence.
func (v Consent) Write(w http.ResponseWriter) { consent.write(w, http.StatusOK, v) }

// Write sends the page. Its form has account, the ID of the chosen account.
func (v Choose) Write(w http.ResponseWriter) { choose.write(w, http.StatusOK, v) }

// Write sends the page. Its form has the fields of the first form. The page may be part of a
// client's sign-in: callers isolate it elsewhere.
func (v Again) Write(w http.ResponseWriter) { again.write(w, http.StatusOK, v) }

// Write sends the page. Its form has only the fields that every form has.
func (v Start) Write(w http.ResponseWriter) { start.write(w, http.StatusOK, v) }

// Write sends the page.
func (v Connected) Write(w http.ResponseWriter) { connected.write(w, http.StatusOK, v) }

// Write sends the page. Its form has only the fields that every form has.
func (v Link) Write(w http.ResponseWriter) { link.write(w, http.StatusOK, v) }

// Write sends the page. Its form has only the fields that every form has.
func (v SignInFirst) Write(w http.ResponseWriter) { signInFirst.write(w, http.StatusOK, v) }

// Write sends the page.
func (v Linked) Write(w http.ResponseWriter) { linked.write(w, http.StatusOK, v) }

// Write sends the page. It has a form for each app, for each linked account, and one for
// everything; their step differs.
func (v Overview) Write(w http.ResponseWriter) { overview.write(w, http.StatusOK, v) }

// Write sends the page. Its form has was, and the fields of the Fence.
func (v Limits) Write(w http.ResponseWriter) { limits.write(w, http.StatusOK, v) }

// Write sends the page. Its form has name, days, account, write, "toolset NAME" for each toolset,
// proof=token, secret or key, and key.
func (v NewMachine) Write(w http.ResponseWriter) {
	status := http.StatusOK
	if v.Wrong != "" {
		status = http.StatusUnprocessableEntity
	}
	newMachine.write(w, status, v)
}

// Write sends the page, which is shown once.
func (v Machine) Write(w http.ResponseWriter) { machine.write(w, http.StatusOK, v) }

// Write sends the page. Its form has confirm=yes.
func (v DisconnectAll) Write(w http.ResponseWriter) { disconnectAll.write(w, http.StatusOK, v) }

// Write sends the page with its Status, and without a Link that leads away from this server. The
// page may be part of a client's sign-in: callers isolate it elsewhere.
func (v Failure) Write(w http.ResponseWriter) {
	if !isPath(v.Link) {
		v.Link = ""
	}
	if v.Status == 0 {
		v.Status = http.StatusInternalServerError
	}
	failed.write(w, v.Status, v)
}

// write renders the whole page before it sends anything. It panics if the template fails: that is
// a bug.
func (p *page) write(w http.ResponseWriter, status int, view any) {
	var body bytes.Buffer
	if err := p.template().Execute(&body, document{style, p.script, view}); err != nil {
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
