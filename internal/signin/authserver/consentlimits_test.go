package authserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/signin/provider"
)

func TestConsent_LimitsTheClientFromItsFirstCall(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	b.connected("ines")
	id := h.seen("Ines Albrecht")[cargo]
	for name, test := range map[string]struct {
		changes []string
		want    string
	}{
		"nothing chosen": {nil, `{}`},
		"one project":    {[]string{"places", "named", "projects-write", fmt.Sprint(id)}, fmt.Sprintf(`{"read":{"projects":[%d]}}`, id)},
		"some of all":    {[]string{"places", "read", "no_pings", "on"}, `{"write":{},"no_pings":true}`},
	} {
		fields := altered(successful(t, b.get(b.asking()), "approve"), test.changes...)
		wrong := b.posts("/authorize", altered(fields, "places", "x"))
		wantPage(t, name, wrong, http.StatusOK, "Choose one of these lines.", "<details open>")
		corrected := altered(successful(t, wrong, "approve"), "places", fields.Get("places"))
		status, tokens := h.redeem(b.signIn(b.posts("/authorize", corrected), "ines").answer(t).Get("code"))
		if status != http.StatusOK {
			t.Fatalf("%s: HTTP %d %v", name, status, tokens)
		}
		if got := h.fenceOf(tokens["access_token"].(string)).Text(); got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestConsent_RefusesAProjectThatTheUserDoesNotSee(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	approved := altered(successful(t, b.get(b.asking()), "approve"), "places", "named", "projects-read", "99")
	if got := b.signIn(b.posts("/authorize", approved), "ines").answer(t); got.Get("error") != "access_denied" || !strings.Contains(got.Get("error_description"), "project 99") {
		t.Errorf("%v", got)
	}
	h.Projects = func(context.Context, string, int64) ([]provider.Project, error) { return nil, errors.New("down") }
	approved = altered(successful(t, b.get(b.asking()), "approve"), "places", "named", "projects-read", "99")
	if got := b.signIn(b.posts("/authorize", approved), "ines").answer(t); got.Get("code") == "" {
		t.Errorf("when the projects are not known: %v", got)
	}
}

func TestConsent_ListsTheProjectsOfAUserWhoIsSignedInHere(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	b.start("ines")
	field := fmt.Sprint("p", h.seen("Ines Albrecht")[cargo])
	fields := altered(successful(t, b.get(b.asking()), "approve"), "places", "named", field, "write")
	if wrong := successful(t, b.posts("/authorize", altered(fields, "places", "x")), "approve"); wrong.Get(field) != "write" {
		t.Errorf("the choice is lost: %v", wrong)
	}
	_, tokens := h.redeem(b.signIn(b.posts("/authorize", fields), "ines").answer(t).Get("code"))
	if got := h.fenceOf(tokens["access_token"].(string)); got.Read == nil || len(got.Read.Projects) != 1 {
		t.Errorf("held to %s", got.Text())
	}
	h.sandbox.Inject(faultOf("/projects.json", http.StatusServiceUnavailable))
	if fields := successful(t, b.get(b.asking()), "approve"); fields.Has("listed") {
		t.Errorf("while the projects cannot be read: %v", fields)
	}
}

func TestConsent_AnotherFenceIsAnotherAnswer(t *testing.T) {
	b := newSignInEnv(t).browser()
	fields := successful(t, b.get(b.asking()), "approve")
	first := b.posts("/authorize", altered(fields, "no_pings", "on"))
	if again := b.posts("/authorize", altered(fields, "no_pings", "on")); again.location() != first.location() {
		t.Errorf("the same answer leads to %q", again.location())
	}
	if got := b.posts("/authorize", fields).answer(t); got.Get("error") != "access_denied" {
		t.Errorf("a wider fence: %v", got)
	}
}
