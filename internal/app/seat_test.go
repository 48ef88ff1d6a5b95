package app

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
)

// freeAddr returns a loopback address on which no program listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	return listener.Addr().String()
}

// piped is a server on a pipe whose user signs in.
type piped struct {
	*place
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
	calls int
}

// openPipe starts a server on a pipe with a sign-in. Its pages are at the address.
func openPipe(t *testing.T, s storage, company *sandbox.Sandbox, upstream, addr string, set ...func(*config.Config)) *piped {
	t.Helper()
	c := config.Config{
		BasecampURL: upstream, LaunchpadURL: upstream, PublicURL: "http://" + addr, Stdio: true, Loopback: true,
		ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret,
	}
	for _, change := range set {
		change(&c)
	}
	started := must(newLive(t.Context(), c, quiet, s))
	inReads, inWrites := io.Pipe()
	outReads, outWrites := io.Pipe()
	p := &piped{place: &place{T: t, url: c.PublicURL, sandbox: company}, in: inWrites, out: bufio.NewReader(outReads), ended: make(chan error, 1)}
	go func() { p.ended <- started.ServeStdio(t.Context(), quiet, "", false, inReads, outWrites) }()
	t.Cleanup(func() {
		inWrites.Close()
		if err := <-p.ended; err != nil {
			t.Error(err)
		}
	})
	return p
}

// tool calls a tool and returns the answer.
func (p *piped) tool(name, arguments string) string {
	p.Helper()
	p.calls++
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", p.calls, name, arguments); err != nil {
		p.Fatal(err)
	}
	line := must(p.out.ReadString('\n'))
	return line
}

var shownLink = regexp.MustCompile(`http://[0-9.:]+/oauth/start\?t=[A-Za-z0-9_-]+`)

// signsIn opens the link in an answer and signs a user in.
func (p *piped) signsIn(answer, handle string) {
	p.Helper()
	link := shownLink.FindString(answer)
	if link == "" {
		p.Fatalf("no link in %s", answer)
	}
	if page, _ := p.get(visitor(), link); !strings.Contains(page, "works there as you") && !strings.Contains(page, "Reconnect") {
		p.Errorf("the page of the link: %s", page)
	}
	browser := visitor()
	back := p.fill(browser, p.fill(browser, link), "handle", handle)
	if page, _ := p.get(browser, back); !strings.Contains(page, "You can close") && !strings.Contains(page, "assistant") {
		p.Fatalf("the sign-in ends with %s", page)
	}
}

func seatedUpstream(t *testing.T) (*sandbox.Sandbox, string) {
	t.Helper()
	company := sandbox.New(sandbox.Options{RateLimit: -1})
	upstream := httptest.NewServer(company)
	t.Cleanup(upstream.Close)
	return company, upstream.URL
}

func TestSeat_SignsTheUserInByTheLinkOfTheFirstCall(t *testing.T) {
	company, upstream := seatedUpstream(t)
	stored := inMemory(sandbox.ClientID, sandbox.ClientSecret)
	first := openPipe(t, stored, company, upstream, freeAddr(t))
	for _, call := range []string{"list_projects", "add_task"} { // every tool, so that nothing is stored for a stranger
		if got := first.tool(call, `{"title":"x"}`); !strings.Contains(got, "TOKEN_EXPIRED") || !shownLink.MatchString(got) {
			t.Fatalf("%s: %s", call, got)
		}
	}
	first.signsIn(first.tool("get_me", "{}"), "priya")
	if got := first.tool("get_me", "{}"); !strings.Contains(got, "Priya Raman") {
		t.Errorf("after the sign-in: %s", got)
	}
	second := openPipe(t, stored, company, upstream, freeAddr(t))
	if got := second.tool("get_me", "{}"); !strings.Contains(got, "Priya Raman") {
		t.Errorf("another start: %s", got)
	}
}

func TestSeat_NeedsAnotherSignInAfterEverythingWasDisconnected(t *testing.T) {
	company, upstream := seatedUpstream(t)
	p := openPipe(t, inMemory(sandbox.ClientID, sandbox.ClientSecret), company, upstream, freeAddr(t))
	p.signsIn(p.tool("get_me", "{}"), "ines")
	browser := visitor()
	back := p.fill(browser, p.fill(browser, p.url+"/oauth/start?for=account"), "handle", "ines")
	p.get(browser, back)
	form := p.fill(browser, p.url+"/account", "step", "all", "confirm", "yes")
	if got := p.tool("get_me", "{}"); !strings.Contains(got, "TOKEN_EXPIRED") {
		t.Fatalf("after %s: %s", form, got)
	}
	p.signsIn(p.tool("get_me", "{}"), "priya") // another user may take the seat
	if got := p.tool("get_me", "{}"); !strings.Contains(got, "Priya Raman") {
		t.Error(got)
	}
}

func TestSeat_IsRepairedByALinkWhenTheGrantIsDead(t *testing.T) {
	company, upstream := seatedUpstream(t)
	p := openPipe(t, inMemory(sandbox.ClientID, sandbox.ClientSecret), company, upstream, freeAddr(t))
	p.signsIn(p.tool("get_me", "{}"), "ines")
	company.RevokeGrants(p.person("ines").IdentityID)
	p.signsIn(p.tool("get_me", "{}"), "ines")
	if got := p.tool("get_me", "{}"); !strings.Contains(got, "Ines Albrecht") {
		t.Error(got)
	}
}

func TestSeat_SharesTheAddressWithAServerOfTheSameStore(t *testing.T) {
	company, upstream := seatedUpstream(t)
	addr := freeAddr(t)
	stored := inMemory(sandbox.ClientID, sandbox.ClientSecret)
	openPipe(t, stored, company, upstream, addr).tool("get_me", "{}") // opens the address
	p := openPipe(t, stored, company, upstream, addr)
	p.signsIn(p.tool("get_me", "{}"), "ines")
	if got := p.tool("get_me", "{}"); !strings.Contains(got, "Ines Albrecht") {
		t.Error(got)
	}
}

func TestSeat_SaysWhenAnotherProgramHasTheAddress(t *testing.T) {
	company, upstream := seatedUpstream(t)
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	p := openPipe(t, inMemory(sandbox.ClientID, sandbox.ClientSecret), company, upstream, strings.TrimPrefix(stranger.URL, "http://"))
	if got := p.tool("get_me", "{}"); shownLink.MatchString(got) || !strings.Contains(got, "cannot show its sign-in page") {
		t.Error(got)
	}
	open := openPipe(t, inMemory(sandbox.ClientID, sandbox.ClientSecret), company, upstream, "0.0.0.0:0")
	if got := open.tool("get_me", "{}"); shownLink.MatchString(got) {
		t.Errorf("on all addresses: %s", got)
	}
}

func TestNewLocal_RefusesOneSeatForAllUsersOfAStore(t *testing.T) {
	c := config.Config{BasecampURL: "https://3.basecampapi.com", Stdio: true, ClientID: "id", ClientSecret: "secret"}
	if _, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InAWS); err == nil || !strings.Contains(err.Error(), "-store aws") {
		t.Errorf("got %v", err)
	}
}

func TestSeat_NeedsAnotherSignInWhenTheAccountIsNoLongerAllowed(t *testing.T) {
	company, upstream := seatedUpstream(t)
	stored := inMemory(sandbox.ClientID, sandbox.ClientSecret)
	first := openPipe(t, stored, company, upstream, freeAddr(t))
	first.signsIn(first.tool("list_projects", `{"limit":1}`), "ines")
	for _, allowed := range []bool{true, false} {
		p := openPipe(t, stored, company, upstream, freeAddr(t), func(c *config.Config) {
			if !allowed {
				c.AllowedAccounts = []int64{1}
			}
		})
		if answer := p.tool("list_projects", `{"limit":1}`); shownLink.MatchString(answer) == allowed {
			t.Errorf("the account is allowed: %t; got %s", allowed, answer)
		}
	}
}

// A client of the earlier era sends its name only in the handshake.
func TestPipe_TheTrailNamesTheClientOfAHandshake(t *testing.T) {
	demo := local.NewDemo()
	s := inMemory("", "")
	c := config.Config{BasecampURL: config.Sandbox, PublicURL: "http://127.0.0.1:8787", Stdio: true, Loopback: true}
	started := must(newLocalDemo(c, quiet, s, demo))
	var answers strings.Builder
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Plumcot","version":"2"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_me","arguments":{}}}
`)
	if err := started.ServeStdio(t.Context(), quiet, "", false, in, &answers); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answers.String(), "Ines Albrecht") {
		t.Fatal(answers.String())
	}
	caller := must(demo.Users().Authenticate(t.Context(), started.Bearer))
	entries, err := s.Calls.Entries(t.Context(), caller.Subject, "", 10)
	if err != nil || len(entries) != 1 || entries[0].Client != "Plumcot/2" {
		t.Errorf("the trail has %+v, %v", entries, err)
	}
}

func TestSeat_ShowsNoLinkToAProgramThatOnlyPretendsToShareTheStore(t *testing.T) {
	company, upstream := seatedUpstream(t)
	stored := inMemory(sandbox.ClientID, sandbox.ClientSecret)
	genuine := openPipe(t, stored, company, upstream, freeAddr(t))
	genuine.tool("get_me", "{}") // opens its address
	for name, answer := range map[string]http.HandlerFunc{
		"answers everything": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("0", 64)) },
		"passes everything on": func(w http.ResponseWriter, r *http.Request) {
			response, err := http.Get(genuine.url + r.URL.RequestURI())
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			w.WriteHeader(response.StatusCode)
			_, _ = io.Copy(w, response.Body)
		},
	} {
		var mu sync.Mutex
		var received []string
		stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			received = append(received, r.URL.RequestURI())
			mu.Unlock()
			answer(w, r)
		}))
		p := openPipe(t, stored, company, upstream, strings.TrimPrefix(stranger.URL, "http://"))
		if got := p.tool("get_me", "{}"); shownLink.MatchString(got) || !strings.Contains(got, "cannot show its sign-in page") {
			t.Errorf("%s: %s", name, got)
		}
		stranger.Close()
		if all := strings.Join(received, " "); len(received) == 0 || strings.Contains(all, "/oauth/start") {
			t.Errorf("%s: it received %s", name, all)
		}
	}
}
