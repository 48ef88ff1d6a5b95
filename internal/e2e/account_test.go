package e2e

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Both clients register the same name and redirect URI, so the server sees one client. Only the
// logins keep the two users apart.
func TestAccount_AUserWhoDisconnectsDoesNotDisconnectAnotherUserOfTheSameClient(t *testing.T) {
	t.Parallel()
	s := start(t)
	marguerite, mateusz := newPerson(t, "marguerite"), newPerson(t, "mateusz")
	var hers *scripted
	var his *mcpGoSession
	var both sync.WaitGroup
	both.Go(func() { hers, _ = scriptLogin("client2.mjs", "auto")(t, s, marguerite, approve).(*scripted) })
	both.Go(func() { his, _ = mcpGoLogin(t, s, mateusz, approve).(*mcpGoSession) })
	both.Wait()
	if hers == nil || his == nil {
		t.Fatal("one of the two users could not log in")
	}
	both.Go(func() {
		for range 10 {
			wantsMe(t, hers, "Marguerite Osei", "read", "write")
		}
	})
	both.Go(func() {
		for range 10 {
			wantsMe(t, his, "Mateusz Wójcik", "read", "write")
		}
	})
	both.Wait()

	revoked, app := hers.tokens(), register(t, s, "e2e", "none", backHome)
	page := marguerite.account(s)
	if buttons := page.buttons(); !slices.Equal(buttons, []string{"Disconnect e2e", "Disconnect everything"}) {
		t.Errorf("her account page has the buttons %q", buttons)
	}
	if page = marguerite.submit(page.formOf(t, "Disconnect e2e"), nil); !slices.Equal(page.buttons(), []string{"Disconnect everything"}) {
		t.Errorf("after disconnecting, %q has the buttons %q", page.title, page.buttons())
	}
	checkRevoked(t, s, app, revoked)
	if r, err := hers.call("get_me", nil); err == nil || !strings.HasPrefix(hers.wantsLogin, s.at("/authorize?")) {
		t.Errorf("her client does not ask to log in again: %v %s", err, r.text())
	}
	wantsMe(t, his, "Mateusz Wójcik", "read", "write")
	his.spoil()
	wantsMe(t, his, "Mateusz Wójcik", "read", "write")
}

// checkRevoked checks that the server refuses both tokens.
func checkRevoked(t *testing.T, s *server, app *application, held tokens) {
	t.Helper()
	message{method: "tools/list", bearer: held.AccessToken}.post(t, s).wants(t, http.StatusUnauthorized)
	if got := app.refresh(held.RefreshToken); got.Error != "invalid_grant" {
		t.Errorf("the refresh token returns the error %q", got.Error)
	}
}

// buttons returns the labels of the buttons in the page's forms.
func (p webpage) buttons() (labels []string) {
	for _, f := range p.forms {
		labels = append(labels, f.buttons...)
	}
	return labels
}
