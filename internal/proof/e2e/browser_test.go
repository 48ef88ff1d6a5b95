package e2e

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium that clients/browser.mjs controls.
type browser struct {
	*dialogue
	javaScript bool
}

// sight is what a browser shows.
type sight struct {
	URL, Heading string
	Focus        string   // the element that has the keyboard focus
	Buttons      []string // visible buttons
	Status       string   // text for screen readers
	Cookies      []cookie // all cookies of the browser
	Problems     []string // errors and warnings since the browser started
	Failed       string   // why the command failed
}

type cookie struct {
	Name             string
	Secure, HTTPOnly bool
	SameSite         string
}

func browse(t *testing.T, javaScript bool) *browser {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("%v; run make integration, which installs it", err)
	}
	return &browser{talk(t, "browser.mjs", chromium, fmt.Sprint(javaScript)), javaScript}
}

func (b *browser) does(command, argument string) (seen sight) {
	b.t.Helper()
	if err := b.ask(map[string]string{command: argument}, &seen); err != nil || seen.Failed != "" {
		b.t.Fatalf("%s %s: %v %s", command, argument, err, seen.Failed)
	}
	return seen
}

func (b *browser) goes(address string) sight { b.t.Helper(); return b.does("goto", address) }
func (b *browser) presses(key string) sight  { b.t.Helper(); return b.does("pressOn", key) }

func (b *browser) clicks(name string) sight { b.t.Helper(); return b.does("clickOn", name) }

// agrees clicks on a page that gives access: without JavaScript, it has a box to tick as well.
func (b *browser) agrees(name string) sight {
	b.t.Helper()
	if !b.javaScript {
		return b.does("tickAndClickOn", name)
	}
	return b.clicks(name)
}

// tabs presses the tab key until an element has the focus, and returns every element that had it.
func (b *browser) tabs(until string) (passed []string) {
	b.t.Helper()
	for range 20 {
		focus := b.does("press", "Tab").Focus
		passed = append(passed, focus)
		if strings.HasPrefix(focus, until) {
			return passed
		}
	}
	b.t.Fatalf("the tab key does not lead to %q, but to %q", until, passed)
	return nil
}

// wants checks the heading and, if any are named, the buttons of a page. It also checks that the
// browser reports no policy violation, script error or missing file, and axe no problem.
func (b *browser) wants(seen sight, heading string, buttons ...string) {
	b.t.Helper()
	if seen.Heading != heading || buttons != nil && !slices.Equal(seen.Buttons, buttons) {
		b.t.Errorf("at %s: %q with the buttons %q", seen.URL, seen.Heading, seen.Buttons)
	}
	if len(seen.Problems) > 0 {
		b.t.Errorf("the browser reports problems: %q", seen.Problems)
	}
	if b.javaScript {
		b.does("axe", "WCAG and best practices")
	}
}

// With JavaScript it is over HTTPS, as deployed, where the browser enforces the rules of the prefix
// __Host- on cookies: RFC 6265bis section 4.1.3.2.
func TestBrowser_LogsInAndDisconnects(t *testing.T) {
	t.Parallel()
	for name, javaScript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := browse(t, javaScript)
			s, site := startBehind(t, javaScript) // which the client and the browser know
			app, arrived := listening(t, s)
			looksAtTheFrontPage(t, site, b, javaScript)

			deployed := *app
			deployed.s = site
			begun := deployed.begins()
			asked := b.goes(begun.url)
			b.wants(asked, "Let “Walk” use your Basecamp?", "Deny", "Approve")
			b.does("fits", "390x844")
			b.does("fits", "1280x800")
			b.wants(b.agrees("Approve"), "Choose who you are")
			b.does("unfold", "Somebody else")
			end := b.clicks("Marguerite Osei")
			if !strings.HasPrefix(end.URL, app.redirect+"?") || end.Heading != "Back in the program" {
				t.Errorf("the login ends at %s: %q", end.URL, end.Heading)
			}
			back := arrived.next(t)
			got := app.redeem(back.Get("code"), begun.verifier)
			if who := whoAmI(t, s, got.AccessToken); who.Name != "Marguerite Osei" || back.Get("state") != begun.state {
				t.Errorf("logged in as %+v, %q", who, got.Error)
			}

			b.wants(b.goes(site.at("/account")), "Sign in to see your connected apps", "Continue to Basecamp")
			b.agrees("Continue to Basecamp")
			b.does("unfold", "Somebody else")
			seen := b.clicks("Marguerite Osei")
			b.wants(seen, "Connected apps", "Disconnect Walk", "Disconnect everything")
			for _, c := range append(asked.Cookies, seen.Cookies...) {
				if strings.HasPrefix(c.Name, "__Host-") != javaScript || c.Secure != javaScript || !c.HTTPOnly || c.SameSite != "Lax" {
					t.Errorf("a cookie is %+v", c)
				}
			}
			if len(asked.Cookies) == 0 || len(seen.Cookies) == 0 {
				t.Error("the browser has no cookies")
			}
			gone := b.clicks("Disconnect Walk")
			b.wants(gone, "Connected apps")
			if !strings.HasPrefix(gone.Status, "Disconnected.") {
				t.Errorf("the status is %q, want it to say that the client is disconnected", gone.Status)
			}
			message{method: "tools/list", bearer: got.AccessToken}.post(t, s).wants(t, http.StatusUnauthorized)
			if got := app.refresh(got.RefreshToken); got.Error != "invalid_grant" {
				t.Errorf("the refresh token returns the error %q", got.Error)
			}
		})
	}
}

// startBehind starts the program, and a proxy with HTTPS in front of it if it is to have one.
func startBehind(t *testing.T, https bool) (s, front *server) {
	t.Helper()
	if !https {
		s = start(t)
		return s, s
	}
	proxy := httptest.NewUnstartedServer(nil)
	t.Cleanup(proxy.Close)
	address := "127.0.0.1:" + freePort(t)
	s = startWith(t, []string{"-addr", address}, "PUBLIC_URL=https://"+proxy.Listener.Addr().String())
	proxy.Config.Handler = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // Chromium does not trust the certificate
	proxy.StartTLS()
	return &server{url: "http://" + address + "/mcp", process: s.process}, &server{url: proxy.URL + "/mcp"}
}

// listening registers a client that runs on the user's machine and listens for the redirect.
func listening(t *testing.T, s *server) (*application, arrivals) {
	t.Helper()
	arrived := make(arrivals, 1)
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			arrived <- r.URL.Query()
		}
		_, _ = io.WriteString(w, "<!doctype html><title>Walk</title><h1>Back in the program</h1>")
	}))
	t.Cleanup(listener.Close)
	return register(t, s, "Walk", listener.URL+"/callback"), arrived
}

// arrivals are the queries with which browsers reached a client.
type arrivals chan url.Values

func (a arrivals) next(t *testing.T) url.Values {
	t.Helper()
	select {
	case answer := <-a:
		return answer
	case <-time.After(patience):
		t.Fatal("the browser is not redirected to the client")
		return nil
	}
}

// looksAtTheFrontPage also uses the button that needs JavaScript. Without JavaScript, the page has
// no such button.
func looksAtTheFrontPage(t *testing.T, s *server, b *browser, javaScript bool) {
	t.Helper()
	front := b.goes(s.at("/"))
	if slices.Contains(front.Buttons, "Copy") != javaScript || front.Heading != "Basecamp for your AI assistant" {
		t.Errorf("the front page %q has the buttons %q", front.Heading, front.Buttons)
	}
	if javaScript {
		b.does("click", "Copy: Address")
		b.does("read", "Copied")
	}
	for client, link := range map[string]string{"Cursor": "Add it to Cursor with one click", "VS Code": "Add it to VS Code with one click"} {
		b.does("tab", client)
		b.does("link", link)
	}
	b.does("unspoken", "body *")
	b.wants(b.goes(s.at("/")), "Basecamp for your AI assistant")
}

func TestBrowser_LogsInWithTheKeyboardOnly(t *testing.T) {
	t.Parallel()
	s, b := start(t), browse(t, true)
	app, arrived := listening(t, s)
	begun := app.begins()
	b.goes(begun.url)
	b.tabs("Write as you")
	b.does("press", "Space") // unticks it
	if passed := b.tabs("Approve"); !slices.Equal(passed, []string{"Limit what it may do", "Access for this server", "Deny", "Approve"}) {
		t.Errorf("the tab key leads to %q", passed)
	}
	b.presses("Enter")
	b.tabs("Somebody else")
	b.does("press", "Enter")
	b.tabs("MOMarguerite Osei") // with initials
	b.presses("Enter")
	if got := app.redeem(arrived.next(t).Get("code"), begun.verifier); got.Scope != "read" {
		t.Errorf("the scope is %q %s", got.Scope, got.Error)
	}

	denied := app.begins()
	b.goes(denied.url)
	b.tabs("Deny")
	b.presses("Enter")
	if back := arrived.next(t); back.Get("error") != "access_denied" || back.Get("state") != denied.state {
		t.Errorf("denied with %q", back)
	}

	b.goes(s.at("/account"))
	b.tabs("Continue to Basecamp")
	b.presses("Enter")
	b.tabs("Somebody else")
	b.does("press", "Enter")
	b.tabs("MOMarguerite Osei") // with initials
	b.presses("Enter")
	passed := b.tabs("Disconnect everything")
	if !slices.Contains(passed, "Limits of Walk") || !slices.Contains(passed, "Disconnect Walk") {
		t.Errorf("the tab key leads to %q", passed)
	}
	b.wants(b.presses("Enter"), "Disconnect everything?")
	b.tabs("Disconnect everything")
	b.wants(b.presses("Enter"), "Connected apps", "Disconnect everything")
}
