package authserver_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/signin/grant"
)

func TestAccount_LinksGitHubAndSaysWhatItMay(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	page := b.get(origin + "/account")
	wantPage(t, "not linked", page, http.StatusOK, ">GitHub</h3>", "Not linked. If you link GitHub, this server asks for permission to",
		firstWords, `href="/oauth/start?link=github">Link GitHub</a>`)
	if strings.Contains(page.text, "Unlink GitHub") {
		t.Errorf("offers to unlink: %s", page.main())
	}
	page = b.get(origin + "/oauth/start?link=github")
	wantPage(t, "the question", page, http.StatusOK, "This links your GitHub account to you", firstWords)
	back := b.get(h.agree(b.submit(page), "handle", "ines-albrecht"))
	if back.status != http.StatusFound || back.location() != "/account" {
		t.Fatalf("the link ends with HTTP %d to %q", back.status, back.location())
	}
	wantPage(t, "linked", b.get(origin+"/account"), http.StatusOK, `role="status">GitHub is linked.</p>`, "✓ Linked as <bdi>@ines-albrecht</bdi> since",
		grantedWords, "Unlink GitHub", "deletes this server’s access to Basecamp and GitHub")
	if again := b.get(origin + "/account"); strings.Contains(again.text, `role="status"`) {
		t.Errorf("the notice is shown twice: %s", again.main())
	}

	b.get(h.agree(b.offering(origin+"/oauth/start?link=github"), "handle", "ines-albrecht", "choice", "1", "grant", "read:org"))
	wantPage(t, "with less", b.get(origin+"/account"), http.StatusOK, "GitHub is linked, but you allowed less than this server asked for.")
}

func TestAccount_ABrokenLinkCanBeLinkedAgain(t *testing.T) {
	h := newHubEnv(t)
	token := h.link("Ines Albrecht", "ines-albrecht", "project", "read:org")
	h.hub.Revoke("ines-albrecht")
	if _, err := h.Upstreams[1].Keeper.AccessToken(t.Context(), h.subject("Ines Albrecht"), token); err == nil {
		t.Fatal("a revoked token works")
	}
	b := h.signedIn("ines")
	wantPage(t, "the account page", b.get(origin+"/account"), http.StatusOK, "GitHub no longer accepts this server’s access to <bdi>@ines-albrecht</bdi>",
		`href="/oauth/start?link=github">Link GitHub again</a>`, "Unlink GitHub", "✓ Connected as <bdi>Ines Albrecht</bdi>")
	page := b.get(origin + "/oauth/start?link=github")
	wantPage(t, "the question", page, http.StatusOK, "asks GitHub for permission to</h2>\n<ul class=\"claim\">\n<li><bdi>read and change projects</bdi></li>")
	sent := b.submit(page)
	if asked := queryOf(t, sent.location()); asked.Get("scope") != "project read:org" || asked.Get("login") != "ines-albrecht" {
		t.Errorf("GitHub is asked %v", asked)
	}
	b.get(h.agree(sent, "handle", "ines-albrecht"))
	if r := h.held("Ines Albrecht"); r.Status != grant.Active {
		t.Errorf("stored %+v", r)
	}
}

func TestUnlink_EndsOnlyTheLink(t *testing.T) {
	for name, prepare := range map[string]func(h *hubEnv){
		"GitHub answers": func(*hubEnv) {},
		"GitHub is down": func(h *hubEnv) { h.hub.Inject(githubsandbox.Fault{PathPrefix: "/applications/", Drop: true}) },
		"a wrong secret": func(h *hubEnv) { h.credentials = credentials(githubsandbox.ClientID, "wrong") },
		"no credentials": func(h *hubEnv) {
			h.credentials = func(context.Context) (string, string, error) { return "", "", errors.New("out of reach") }
		},
	} {
		h := newHubEnv(t)
		b := h.browser()
		access, _ := b.connected("ines")
		b.start("ines")
		token := h.link("Ines Albrecht", "ines-albrecht", "project")
		other := h.link("Sam Okafor", "sam-okafor", "project")
		page := b.get(origin + "/account")
		prepare(h)
		if got := b.submit(page, "step", "unlink:github"); got.status != http.StatusSeeOther || got.location() != "/account" {
			t.Errorf("%s: HTTP %d to %q: %s", name, got.status, got.location(), got.main())
		}
		wantPage(t, name, b.get(origin+"/account"), http.StatusOK, "GitHub is unlinked. This server deleted its access.", "Not linked.", "✓ Connected as")
		_, gone := h.tokens.Store.Load(t.Context(), h.subject("Ines Albrecht"), "")
		if h.held("Ines Albrecht").Name != "" || !errors.Is(gone, grant.ErrNotFound) {
			t.Errorf("%s: the link is left", name)
		}
		if revoked := !h.hub.Alive(token); revoked != (name == "GitHub answers") {
			t.Errorf("%s: the token was revoked: %t", name, revoked)
		}
		if _, err := h.keeper().Status(t.Context(), h.subject("Ines Albrecht")); err != nil || !b.accepts(access) {
			t.Errorf("%s: Basecamp's grant: %v; the client's token works: %t", name, err, b.accepts(access))
		}
		if h.held("Sam Okafor").Name == "" || !h.hub.Alive(other) {
			t.Errorf("%s: another user's link ended", name)
		}
		b.submit(page, "step", "unlink:github")
		wantPage(t, name+", twice", b.get(origin+"/account"), http.StatusOK, "Not linked.")
	}
}

func TestUnlink_NeedsTheFormOfTheSession(t *testing.T) {
	h := newHubEnv(t)
	h.link("Ines Albrecht", "ines-albrecht", "project")
	b := h.signedIn("ines")
	page := b.get(origin + "/account")
	foreign := b.filled(page, "step", "unlink:github")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	for what, test := range map[string]struct {
		got  shown
		want int
	}{
		"another site":        {b.send(foreign), http.StatusForbidden},
		"no token":            {b.submit(page, "step", "unlink:github", "csrf", ""), http.StatusBadRequest},
		"no session":          {b.browser().submit(page, "step", "unlink:github"), http.StatusBadRequest},
		"another user":        {h.signedIn("samo").submit(page, "step", "unlink:github"), http.StatusBadRequest},
		"Basecamp":            {b.submit(page, "step", "unlink:37signals"), http.StatusNotFound},
		"an unknown provider": {b.submit(page, "step", "unlink:elsewhere"), http.StatusNotFound},
		"no provider":         {b.submit(page, "step", "unlink:"), http.StatusNotFound},
		"an unfinished change": {func() shown {
			h.records.down = []string{"DeleteRecord"}
			return b.submit(page, "step", "unlink:github")
		}(), http.StatusServiceUnavailable},
	} {
		wantPage(t, what, test.got, test.want)
	}
	if h.held("Ines Albrecht").Name == "" {
		t.Error("the link ended")
	}
	h.records.down, h.tokens.down = nil, []string{"Delete"}
	b.clock.pass(time.Second)
	b.submit(page, "step", "unlink:github").want(t, http.StatusServiceUnavailable)
	h.tokens.down = nil
	if got := b.submit(page, "step", "unlink:github"); got.location() != "/account" {
		t.Errorf("again: HTTP %d to %q", got.status, got.location())
	}
	if _, err := h.tokens.Store.Load(t.Context(), h.subject("Ines Albrecht"), ""); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("tokens are left: %v", err)
	}
}

func TestConsent_SaysThatTheAccessCoversGitHub(t *testing.T) {
	h := newHubEnv(t)
	wantPage(t, "with GitHub", h.browser().get(h.asking()), http.StatusOK, "If you link GitHub here, the app gets the same access there.")
	h.Upstreams = h.Upstreams[:1]
	if page := h.browser().get(h.asking()); strings.Contains(page.text, "GitHub") {
		t.Errorf("without GitHub: %s", page.main())
	}
}

func TestLanding_NamesTheCallbackToRegisterForGitHub(t *testing.T) {
	h := newHubEnv(t)
	const callback = ">" + origin + "/oauth/github/callback<"
	front := func() string { return h.browser().get(origin + "/").main() }
	if page := front(); strings.Contains(page, "GitHub") {
		t.Errorf("with credentials: %s", page)
	}
	h.credentials = credentials("", "")
	for _, want := range []string{callback, "finish setting up GitHub", githubsandbox.URL[len("https://"):] + "/settings/applications/new", "put the secret", origin + "/mcp"} {
		if page := front(); !strings.Contains(page, want) {
			t.Errorf("%q is not in %s", want, page)
		}
	}
	wantPage(t, "a link meanwhile", h.signedIn("ines").get(origin+"/oauth/start?link=github"), http.StatusServiceUnavailable,
		"GitHub is not set up yet", "not registered with GitHub")
	h.credentials = func(context.Context) (string, string, error) { return "", "", errors.New("out of reach") }
	if page := front(); strings.Contains(page, "GitHub") || !strings.Contains(page, origin+"/mcp") {
		t.Errorf("with credentials out of reach: %s", page)
	}
	h.credentials, h.Demo = credentials("", ""), true
	if page := front(); strings.Contains(page, callback) {
		t.Errorf("in the demo: %s", page)
	}
}
