package e2e

import (
	"fmt"
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

func TestAccount_DisconnectsOneClientThenAll(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := newPerson(t, "priya")
	apps, held := make([]*application, 3), make([]tokens, 3)
	for i := range apps {
		apps[i] = register(t, s, fmt.Sprint("Saddlebag ", i), "client_secret_basic", backHome)
		held[i] = apps[i].login(p, approve)
	}
	p.submit(p.account(s).formOf(t, "Disconnect Saddlebag 1"), nil)
	checkRevoked(t, s, apps[1], held[1])
	for _, i := range []int{0, 2} {
		if who := whoAmI(t, s, held[i].AccessToken); who.Name != "Priya Raman" {
			t.Errorf("Saddlebag %d acts for %+v", i, who)
		}
	}
	p.disconnectAll(s)
	checkRevoked(t, s, apps[0], held[0])
	checkRevoked(t, s, apps[2], held[2])

	again := apps[0].login(p, approve)
	if who := whoAmI(t, s, again.AccessToken); who.Name != "Priya Raman" {
		t.Errorf("after another login the client acts for %+v", who)
	}
}

// checkRevoked checks that the server refuses both tokens.
func checkRevoked(t *testing.T, s *server, app *application, held tokens) {
	t.Helper()
	message{method: "tools/list", bearer: held.AccessToken}.post(t, s).wants(t, http.StatusUnauthorized, 0)
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
