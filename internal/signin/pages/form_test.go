package pages

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var someForm = Form{Action: "/somewhere", Step: "the-step", Token: "the-token", Shown: "the-time"}

// sent returns the fields that a form sends when an unchanged form is submitted with a button.
func sent(form, button *html.Node) map[string]string {
	fields := map[string]string{}
	for n := range form.Descendants() {
		if n.DataAtom != atom.Input {
			continue
		}
		if kind := value(n, "type"); (kind == "checkbox" || kind == "radio") && !has(n, "checked") {
			continue
		}
		fields[value(n, "name")] = value(n, "value")
	}
	if name := value(button, "name"); name != "" {
		fields[name] = value(button, "value")
	}
	return fields
}

// forms returns the fields that each button of a page sends.
func forms(t *testing.T, p written) []map[string]string {
	t.Helper()
	var all []map[string]string
	for _, form := range p.all(atom.Form) {
		if value(form, "method") != "post" || value(form, "action") != "/somewhere" || has(form, "enctype") {
			t.Errorf("form %v", form.Attr)
		}
		for n := range form.Descendants() {
			if n.DataAtom == atom.Button {
				all = append(all, sent(form, n))
			}
		}
	}
	return all
}

func TestForms_SendTheFieldsThatTheServerReads(t *testing.T) {
	common := func(more ...string) map[string]string {
		fields := map[string]string{"step": "the-step", "csrf": "the-token", "shown": "the-time"}
		for i := 0; i < len(more); i += 2 {
			fields[more[i]] = more[i+1]
		}
		return fields
	}
	for _, test := range []struct {
		name string
		view View
		want []map[string]string
	}{
		{"consent", Consent{Form: someForm, WantsWrite: true}, []map[string]string{
			common("decision", "deny", "scope", "write"), common("decision", "approve", "scope", "write"),
		}},
		{"consent to read", Consent{Form: someForm}, []map[string]string{common("decision", "deny"), common("decision", "approve")}},
		{"choose", Choose{Form: someForm, Accounts: []Account{{ID: 4101, Name: "Fernhill Bikes", Used: true, Default: true}, {ID: 4102, Name: "Fernhill Workshop", Used: true}, {ID: 4103, Suspended: true}}}, []map[string]string{
			common("account", "4101", "use4101", "on", "use4102", "on"),
		}},
		{"start", Start{Form: someForm}, []map[string]string{common()}},
		{"reconnect", Start{Form: someForm, Reconnect: true}, []map[string]string{common()}},
		{"overview", Overview{Form: someForm, Clients: []Connection{{ID: "one"}, {ID: "two"}}}, []map[string]string{
			common("step", "one"), common("step", "two"), common("step", "all"),
		}},
		{"overview of a link", Overview{Form: someForm, Providers: []Provider{
			{Name: "Basecamp"}, {Name: "Otherworks", ConnectedAt: time.Unix(1, 0), Link: &LinkState{Unlink: someForm.For("unlink:other")}},
			{Name: "Thirdworks", Link: &LinkState{Unlink: someForm.For("unlink:third")}},
		}}, []map[string]string{common("step", "unlink:other"), common("step", "all")}},
		{"changes", Changes{Form: someForm, Runs: []Run{{Step: "u1 u2", Changes: []Change{{ID: "u2", Undoable: true}, {ID: "u1", Undoable: true}}}, {Changes: []Change{{ID: "u0"}}}}}, []map[string]string{
			common("step", "u1 u2"), common("step", "u2"), common("step", "u1"),
		}},
		{"link", Link{Form: someForm}, []map[string]string{common()}},
		{"sign in first", SignInFirst{Form: someForm}, []map[string]string{common()}},
		{"linked", Linked{}, nil},
		{"disconnect everything", DisconnectAll{Form: someForm}, []map[string]string{common("confirm", "yes")}},
		{"landing", Landing{}, nil},
		{"connected", Connected{}, nil},
		{"failure", Failure{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, forms(t, write(t, test.view))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestForms_CarryTheirSecretsUnchanged(t *testing.T) {
	secret := strings.Repeat(`a"<&+é`, 100)
	for _, fields := range forms(t, write(t, Start{Form: Form{"/somewhere", secret, secret, secret}})) {
		if fields["step"] != secret || fields["csrf"] != secret || fields["shown"] != secret {
			t.Errorf("fields %v", fields)
		}
	}
}

func TestFailure_HasItsStatus(t *testing.T) {
	for status, want := range map[int]int{http.StatusForbidden: http.StatusForbidden, 0: http.StatusInternalServerError} {
		if got := write(t, Failure{Status: status}).status; got != want {
			t.Errorf("Status %d: sent with %d", status, got)
		}
	}
}

func TestFailure_LinksOnlyToThisServer(t *testing.T) {
	for link, want := range map[string][]string{
		"/": {"/"}, "/oauth/start": {"/oauth/start"}, "/account": {"/account"}, "": nil, "javascript:alert(1)": nil, "//evil.example": nil, `/\evil.example`: nil,
		"https://evil.example/": nil, "oauth/start": nil,
	} {
		var got []string
		for _, a := range write(t, Failure{Link: link}).all(atom.A) {
			if value(a, "class") == "button" {
				got = append(got, value(a, "href"))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
