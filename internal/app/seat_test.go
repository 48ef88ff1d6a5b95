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
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
)

// piped is a server on a pipe whose user signs in.
type piped struct {
	*place
	in    *io.PipeWriter
	out   *bufio.Reader
	calls int
}

// openPipe starts a server on a pipe with a sign-in. Its pages are at the address, or at a free
// one.
func openPipe(t *testing.T, s storage, company *sandbox.Sandbox, addr string, set ...func(*config.Config)) *piped {
	t.Helper()
	upstream := httptest.NewServer(company)
	t.Cleanup(upstream.Close)
	if addr == "" {
		listener := must(net.Listen("tcp", "127.0.0.1:0"))
		addr = listener.Addr().String()
		listener.Close()
	}
	c := config.Config{
		BasecampURL: upstream.URL, LaunchpadURL: upstream.URL, PublicURL: "http://" + addr, Stdio: true, Loopback: true,
		ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret,
	}
	for _, change := range set {
		change(&c)
	}
	started := must(newLive(t.Context(), c, quiet, s))
	inReads, inWrites := io.Pipe()
	outReads, outWrites := io.Pipe()
	p := &piped{place: &place{Site: mcptest.Site{TB: t, URL: c.PublicURL}, sandbox: company}, in: inWrites, out: bufio.NewReader(outReads)}
	ended := make(chan error, 1)
	go func() { ended <- started.ServeStdio(t.Context(), quiet, "", false, inReads, outWrites) }()
	t.Cleanup(func() {
		inWrites.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return p
}

// signOns are a store for the users who sign in.
func signOns() storage { return inMemory(sandbox.ClientID, sandbox.ClientSecret) }

func newCompany() *sandbox.Sandbox { return sandbox.New(sandbox.Options{RateLimit: -1}) }

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
	if _, page := p.Visit(link, handle); !strings.Contains(page, "You can close") && !strings.Contains(page, "assistant") {
		p.Fatalf("the sign-in ends with %s", page)
	}
}

func TestSeat_SignsTheUserInByTheLinkOfTheFirstCall(t *testing.T) {
	company, stored := newCompany(), signOns()
	first := openPipe(t, stored, company, "")
	for _, call := range []string{"list_projects", "add_task"} { // every tool, so that nothing is stored for a stranger
		if got := first.tool(call, `{"title":"x"}`); !strings.Contains(got, "TOKEN_EXPIRED") || !shownLink.MatchString(got) {
			t.Fatalf("%s: %s", call, got)
		}
	}
	first.signsIn(first.tool("get_me", "{}"), "priya")
	first.says("Priya Raman")
	openPipe(t, stored, company, "").says("Priya Raman") // another start
	company.RevokeGrants(first.person("priya").IdentityID)
	first.signsIn(first.tool("get_me", "{}"), "priya") // the link repairs the seat
	first.says("Priya Raman")
	browser, _ := first.Visit(first.URL+"/oauth/start?for=account", "priya")
	first.Fill(browser, first.URL+"/account", "step", "all", "confirm", "yes")
	first.says("TOKEN_EXPIRED")
	first.signsIn(first.tool("get_me", "{}"), "ines") // another user may take the seat
	first.says("Ines Albrecht")
	// The account is no longer allowed.
	openPipe(t, stored, company, "", func(c *config.Config) { c.AllowedAccounts = []int64{1} }).says("/oauth/start?t=")
}

// says checks that get_me is answered with a text.
func (p *piped) says(text string) {
	p.Helper()
	if got := p.tool("get_me", "{}"); !strings.Contains(got, text) {
		p.Errorf("%s is not in %s", text, got)
	}
}

func TestSeat_SharesTheAddressWithAServerOfTheSameStore(t *testing.T) {
	company, stored := newCompany(), signOns()
	first := openPipe(t, stored, company, "")
	first.tool("get_me", "{}") // opens the address
	p := openPipe(t, stored, company, strings.TrimPrefix(first.URL, "http://"))
	p.signsIn(p.tool("get_me", "{}"), "ines")
	p.says("Ines Albrecht")
}

func TestNewLocal_RefusesOneSeatForAllUsersOfAStore(t *testing.T) {
	c := config.Config{BasecampURL: "https://3.basecampapi.com", Stdio: true, ClientID: "id", ClientSecret: "secret"}
	if _, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InAWS); err == nil || !strings.Contains(err.Error(), "-store aws") {
		t.Errorf("got %v", err)
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

func TestSeat_ShowsNoLinkIfAnotherProgramHasTheAddress(t *testing.T) {
	company, stored := newCompany(), signOns()
	genuine := openPipe(t, stored, company, "")
	genuine.tool("get_me", "{}") // opens its address
	for name, answer := range map[string]http.HandlerFunc{
		"another program":    http.NotFound,
		"answers everything": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("0", 64)) },
		"passes everything on": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, genuine.Get(http.DefaultClient, genuine.URL+r.URL.RequestURI()))
		},
	} {
		var received atomic.Value // the paths
		received.Store("")
		stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			received.Store(received.Load().(string) + " " + r.URL.RequestURI())
			answer(w, r)
		}))
		p := openPipe(t, stored, company, strings.TrimPrefix(stranger.URL, "http://"))
		p.says("cannot show its sign-in page")
		if got := p.tool("get_me", "{}"); shownLink.MatchString(got) {
			t.Errorf("%s: %s", name, got)
		}
		stranger.Close()
		if all := received.Load().(string); all == "" || strings.Contains(all, "/oauth/start") {
			t.Errorf("%s: it received %s", name, all)
		}
	}
	if got := openPipe(t, signOns(), company, "0.0.0.0:0").tool("get_me", "{}"); shownLink.MatchString(got) {
		t.Errorf("on all addresses: %s", got)
	}
}
