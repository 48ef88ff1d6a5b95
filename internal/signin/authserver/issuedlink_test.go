package authserver_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/signin/authserver"
)

const firstWords = "<li><bdi>read projects</bdi></li>\n<li><bdi>see your organizations</bdi></li>"

// grantedWords are the same in the order in which GitHub answers.
const grantedWords = "<li><bdi>see your organizations</bdi></li>\n<li><bdi>read projects</bdi></li>"

func TestLinkURL_LinksGitHubAfterItsUserSignedIn(t *testing.T) {
	h := newHubEnv(t)
	b := h.browser()
	address := h.linkURL("Ines Albrecht")
	secret := queryOf(t, address).Get("t")
	page := b.get(address)
	wantPage(t, "without a session", page, http.StatusOK, "Link GitHub", "First sign in with Basecamp")
	sent := b.submit(page)
	if strings.Contains(sent.location(), secret) {
		t.Errorf("the provider sees the link's secret: %s", sent.location())
	}
	stored, err := h.store.LoginState(t.Context(), authserver.HashOf("upstream\x00"+queryOf(t, sent.location()).Get("state")))
	if err != nil || strings.Contains(string(stored.Body), secret) {
		t.Errorf("the stored trip shows the link's secret: %s, %v", stored.Body, err)
	}
	if back := b.signIn(sent, "ines"); back.status != http.StatusFound || origin+back.location() != address {
		t.Fatalf("the sign-in leads to HTTP %d %q", back.status, back.location())
	}

	page = b.get(address)
	wantPage(t, "with the session", page, http.StatusOK, "Link GitHub", "as <bdi>Ines Albrecht</bdi>", firstWords, "It replaces nothing else")
	sent = b.submit(page)
	asked := queryOf(t, sent.location())
	if asked.Get("scope") != "read:project read:org" || asked.Get("prompt") != "select_account" || asked.Has("login") ||
		asked.Get("code_challenge_method") != "S256" || asked.Get("redirect_uri") != origin+"/oauth/github/callback" || asked.Has("t") {
		t.Errorf("GitHub is asked %v", asked)
	}
	wantPage(t, "the end", b.get(h.agree(sent, "handle", "ines-albrecht")), http.StatusOK,
		"GitHub is linked", "@ines-albrecht", "go back to your assistant", grantedWords)
	if r := h.held("Ines Albrecht"); r.Name != "ines-albrecht" || r.Subject != h.subject("Ines Albrecht") {
		t.Errorf("stored %+v", r)
	}
	wantPage(t, "the link again", b.get(address), http.StatusBadRequest, "This link has expired")
}

func TestLinkURL_LookingChangesNothing(t *testing.T) {
	h := newHubEnv(t)
	address := h.linkURL("Ines Albrecht")
	stranger, sam, ines := h.browser(), h.signedIn("samo"), h.signedIn("ines")
	before, asked := len(h.store.writes()), len(h.upstreamRequests())
	for _, b := range []*browser{stranger, sam, ines, ines} {
		b.get(address)
	}
	if wrote := h.store.writes()[before:]; len(wrote) > 0 || len(h.hub.Requests()) > 0 || len(h.upstreamRequests()) != asked {
		t.Errorf("wrote %v; requests to GitHub: %v", wrote, h.hub.Requests())
	}
	ines.get(h.agree(ines.offering(address), "handle", "ines-albrecht"))
	if h.held("Ines Albrecht").Name == "" {
		t.Error("the link was used up by looking")
	}
}

// A link that worked for every user would give the account of the one who follows it to the one who
// sent it.
func TestLinkURL_AnotherUserIsRefusedAtEveryStep(t *testing.T) {
	h := newHubEnv(t)
	address := h.linkURL("Ines Albrecht")
	secret := queryOf(t, address).Get("t")
	sam := h.signedIn("samo")
	wantRefused := func(what string, got shown) {
		t.Helper()
		wantPage(t, what, got, http.StatusForbidden, "belongs to another user")
		if strings.Contains(got.text, "Ines") {
			t.Errorf("%s: the page names the link's user: %s", what, got.text)
		}
	}
	wantRefused("the page", sam.get(address))
	wantRefused("the form", sam.submit(sam.get(origin+"/oauth/start"), "step", "link:"+secret))

	stranger := h.browser()
	wantRefused("the sign-in", stranger.signIn(stranger.offering(address), "priya"))
	if _, err := h.keeper().Status(t.Context(), h.subject("Priya Raman")); err == nil {
		t.Error("the sign-in of another user was stored")
	}
	if got := stranger.get(origin + "/account"); got.status != http.StatusFound {
		t.Errorf("another user got a session: HTTP %d", got.status)
	}

	ines := h.signedIn("ines")
	callbackURL := h.agree(ines.offering(address), "handle", "ines-albrecht")
	ines.start("samo") // another user signs in to the same browser meanwhile
	got := ines.get(callbackURL)
	wantPage(t, "the callback", got, http.StatusForbidden, "GitHub")
	if h.exchanged() != 0 {
		t.Error("the code was exchanged for another user")
	}
	for _, person := range []string{"Ines Albrecht", "Sam Okafor", "Priya Raman"} {
		if h.held(person).Name != "" {
			t.Errorf("a link was stored for %s", person)
		}
	}
}

func TestLinkURL_ASessionThatExpiredMeanwhileLeadsBackToTheLink(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	b.clock.pass(29 * time.Minute)
	address := h.linkURL("Ines Albrecht")
	page := b.get(address)
	b.clock.pass(2 * time.Minute)
	if got := b.submit(page); got.status != http.StatusSeeOther || origin+got.location() != address {
		t.Errorf("HTTP %d to %q", got.status, got.location())
	}
	wantPage(t, "the link", b.get(address), http.StatusOK, "First sign in with Basecamp")

	b = h.signedIn("ines")
	b.clock.pass(29 * time.Minute)
	callbackURL := h.agree(b.offering(h.linkURL("Ines Albrecht")), "handle", "ines-albrecht")
	b.clock.pass(2 * time.Minute)
	wantPage(t, "the callback", b.get(callbackURL), http.StatusBadRequest, "This sign-in has ended")
	if h.exchanged() != 0 || h.held("Ines Albrecht").Name != "" {
		t.Error("GitHub was linked without a session")
	}
}

func TestLinkURL_ExpiresAfterTenMinutes(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	address := h.linkURL("Ines Albrecht")
	page := b.get(address)
	b.clock.pass(10*time.Minute + time.Second)
	b.get(origin + "/oauth/start") // renews the form's cookie
	secret := queryOf(t, address).Get("t")
	for what, got := range map[string]shown{"the page": b.get(address), "the form": b.submit(page), "the sign-in": b.submit(page, "step", "identify:"+secret)} {
		wantPage(t, what, got, http.StatusBadRequest)
	}
}

// Browsers show the answer to the second press.
func TestLinkURL_PressingTheButtonTwiceLeadsToTheSamePlace(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	page := b.get(h.linkURL("Ines Albrecht"))
	first, second := b.submit(page), b.submit(page)
	if first.location() != second.location() {
		t.Fatalf("HTTP %d to %q and %q", second.status, first.location(), second.location())
	}
	callbackURL := h.agree(second, "handle", "ines-albrecht")
	wantPage(t, "the end", b.get(callbackURL), http.StatusOK, "GitHub is linked")
	wantPage(t, "a third press", b.submit(page), http.StatusBadRequest, "This link has expired")
	wantPage(t, "the callback again", b.get(callbackURL), http.StatusBadRequest)
	if h.exchanged() != 1 {
		t.Errorf("%d codes were exchanged", h.exchanged())
	}
}

func TestLinkURL_AStepUpAsksForAllThatIsGrantedAndWhatIsMissing(t *testing.T) {
	h := newHubEnv(t)
	old := h.link("Ines Albrecht", "ines-albrecht", "read:project", "read:org")
	b := h.signedIn("ines")
	page := b.get(h.linkURL("Ines Albrecht", "repo", "project"))
	wantPage(t, "the page", page, http.StatusOK, "<bdi>@ines-albrecht</bdi>",
		"GitHub has no smaller permission for this</bdi></li>\n<li><bdi>read and change projects</bdi></li>\n</ul>",
		"You have allowed this server to</h2>\n<ul class=\"claim\">\n<li><bdi>see your organizations</bdi></li>\n</ul>")
	sent := b.submit(page)
	asked := queryOf(t, sent.location())
	if asked.Get("scope") != "read:project read:org repo project" || asked.Get("login") != "ines-albrecht" || asked.Has("prompt") {
		t.Errorf("GitHub is asked %v", asked)
	}
	wantPage(t, "the end", b.get(h.agree(sent, "handle", "ines-albrecht")), http.StatusOK, "read and change projects", "see your organizations")
	if r := h.held("Ines Albrecht"); r.Scope != "project read:org repo" || r.Revision != 2 || h.hub.Alive(old) {
		t.Errorf("stored %+v; the replaced token works: %t", r, h.hub.Alive(old))
	}
}

func TestLinkURL_SaysWhatTheUserDidNotAllow(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	sent := b.offering(h.linkURL("Ines Albrecht", "project"))
	if scope := queryOf(t, sent.location()).Get("scope"); scope != "read:project read:org project" {
		t.Errorf("GitHub is asked for %q", scope)
	}
	got := b.get(h.agree(sent, "handle", "ines-albrecht", "choice", "1", "grant", "read:org"))
	wantPage(t, "the end", got, http.StatusOK, "GitHub is linked", "You allowed less than this server asked GitHub for.",
		"<ul class=\"claim\">\n<li><bdi>read and change projects</bdi></li>\n</ul>", "<h2>This server may</h2>\n<ul class=\"claim\">\n<li><bdi>see your organizations</bdi></li>\n</ul>")
}

func TestLinkURL_ADenialChangesNothing(t *testing.T) {
	h := newHubEnv(t)
	token := h.link("Ines Albrecht", "ines-albrecht", "read:project")
	b := h.signedIn("ines")
	before := h.held("Ines Albrecht")
	got := b.get(h.agree(b.offering(h.linkURL("Ines Albrecht", "project")), "cancel", "1"))
	wantPage(t, "from a call", got, http.StatusForbidden, "GitHub was not linked", "You did not allow this server to use GitHub", "Ask your assistant")
	got = b.get(h.agree(b.offering(origin+"/oauth/start?link=github"), "cancel", "1"))
	wantPage(t, "from the account page", got, http.StatusForbidden, "GitHub was not linked", `href="/account"`)
	if after := h.held("Ines Albrecht"); after != before || !h.hub.Alive(token) {
		t.Errorf("before %+v, after %+v", before, after)
	}
	denied := h.browser()
	address := h.linkURL("Ines Albrecht")
	cancelled := denied.submit(denied.get(denied.offering(address).location()), "cancel", "1")
	wantPage(t, "at Basecamp", denied.get(cancelled.location()), http.StatusForbidden, "Basecamp was not connected", "Open the link")
	wantPage(t, "the link afterwards", b.get(address), http.StatusOK)
}

func TestLinkURL_AFailureBeforeGitHubLeavesTheLinkUsable(t *testing.T) {
	for name, fail := range map[string]func(h *hubEnv){
		"the credentials cannot be read": func(h *hubEnv) {
			h.credentials = func(context.Context) (string, string, error) { return "", "", errors.New("out of reach") }
		},
		"GitHub has no credentials": func(h *hubEnv) { h.credentials = credentials("", "") },
		"the records are down":      func(h *hubEnv) { h.records.down = []string{"Record"} },
		"the link is not read":      func(h *hubEnv) { h.store.failing(1) },
		"the session is not read":   func(h *hubEnv) { h.store.failing(2) },
		"the trip is not stored":    func(h *hubEnv) { h.store.failing(3) },
	} {
		h := newHubEnv(t)
		b := h.signedIn("ines")
		address := h.linkURL("Ines Albrecht")
		page := b.get(address)
		fail(h)
		wantPage(t, name, b.submit(page), http.StatusServiceUnavailable)
		if !strings.HasPrefix(name, "the trip") { // the page itself stores nothing
			fail(h)
			wantPage(t, name+", the page", b.get(address), http.StatusServiceUnavailable)
		}
		h.credentials, h.records.down, h.store.failAt = credentials(githubsandbox.ClientID, githubsandbox.ClientSecret), nil, 0
		got := b.get(h.agree(b.submit(page), "handle", "ines-albrecht"))
		wantPage(t, name+", afterwards", got, http.StatusOK, "GitHub is linked")
	}
}

func TestLinkURL_AFailureOfTheStoreAnywhereIsAPage(t *testing.T) {
	journey := func(failAt int) (ended shown, calls int) {
		h := newHubEnv(t)
		b := h.browser()
		address := h.linkURL("Ines Albrecht")
		h.store.failing(failAt)
		steps := []func(shown) shown{
			func(shown) shown { return b.get(address) },
			b.press,
			func(at shown) shown { return b.signIn(at, "ines") },
			func(shown) shown { return b.get(address) },
			b.press,
			func(at shown) shown { return b.get(h.agree(at, "handle", "ines-albrecht")) },
		}
		for _, step := range steps {
			if ended = step(ended); ended.status >= http.StatusBadRequest {
				break
			}
		}
		if linked := h.held("Ines Albrecht").Name != ""; linked != (ended.status < http.StatusBadRequest) {
			t.Errorf("call %d: linked %t, and the page is %s", failAt, linked, ended.text)
		}
		return ended, h.store.calls
	}
	_, all := journey(-1)
	if all < 10 {
		t.Fatalf("a link takes %d calls", all)
	}
	for n := 1; n <= all; n++ {
		if ended, _ := journey(n); ended.status != http.StatusServiceUnavailable || strings.Contains(ended.text, errDown.Error()) {
			t.Errorf("call %d of %d: HTTP %d to %q: %s", n, all, ended.status, ended.location(), ended.text)
		}
	}
}

// press submits a page's form as it is.
func (b *browser) press(page shown) shown { return b.submit(page) }

func TestLinkURL_OfAProviderThatIsNoLongerConfiguredIsNotFound(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	address := h.linkURL("Ines Albrecht")
	page := b.get(address)
	h.Upstreams = h.Upstreams[:1]
	for what, got := range map[string]shown{
		"the page": b.get(address), "the form": b.submit(page),
		"the account page's link": b.get(origin + "/oauth/start?link=github"), "the callback": b.get(origin + "/oauth/github/callback?code=x&state=y"),
		"the form to unlink": b.submit(b.get(origin+"/account"), "step", "unlink:github"),
	} {
		wantPage(t, what, got, http.StatusNotFound)
	}
	if text := b.get(origin + "/account").text; strings.Contains(text, "GitHub") {
		t.Errorf("the account page shows GitHub: %s", text)
	}
}

func TestReconnect_LinksHaveKeysOfTheirOwn(t *testing.T) {
	h := newSignInEnv(t)
	secret := queryOf(t, h.link(h.subject("Ines Albrecht"))).Get("t")
	if _, err := h.store.LoginState(t.Context(), authserver.LinkKey+authserver.HashOf("link\x00"+secret)); err != nil {
		t.Error(err)
	}
	// A state that continues a sign-in is not taken from such a key.
	err := h.store.AddLoginState(t.Context(), authserver.LoginState{
		Key: authserver.LinkKey + authserver.HashOf("upstream\x00"+secret), Binding: authserver.HashOf(""), Body: []byte(`{"purpose":"connect"}`),
		ExpiresAt: h.clock.Now().Add(time.Minute),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.browser().get(origin+"/oauth/callback?code=c&state="+secret).want(t, http.StatusBadRequest)
}
