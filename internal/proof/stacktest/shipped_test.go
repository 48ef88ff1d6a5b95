package stacktest_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/serve/lambdahttp/runtimetest"
)

// fleet is a function as Lambda runs it: several processes that each answer one event at a time.
type fleet struct {
	all  []*runtimetest.Function
	idle chan *runtimetest.Function
}

// fleetSize is enough to send the next request to another process.
const fleetSize = 2

func startFleet(tb testing.TB, bootstrap string, environment map[string]string) *fleet {
	tb.Helper()
	f := &fleet{idle: make(chan *runtimetest.Function, fleetSize)}
	for range fleetSize {
		function := runtimetest.Start(tb, bootstrap, pairs(environment)...)
		f.all = append(f.all, function)
		f.idle <- function
	}
	return f
}

// Invoke waits for an idle process. It takes the one that has been idle longest, so that processes
// take turns.
func (f *fleet) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	select {
	case function := <-f.idle:
		defer func() { f.idle <- function }()
		return function.Invoke(event)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fleets holds the fleets of a stack by function.
type fleets map[string]*fleet

// stop stops all processes. Their logs are complete only after that.
func (f fleets) stop() {
	for _, each := range f {
		for _, function := range each.all {
			function.Stop()
		}
	}
}

// String returns the logs.
func (f fleets) String() string {
	var said strings.Builder
	for _, each := range f {
		for _, function := range each.all {
			said.WriteString(function.Logs())
		}
	}
	return said.String()
}

// ship deploys the binaries as they are built for Lambda.
func (d *deployed) ship() fleets {
	d.Helper()
	running := fleets{}
	for function, source := range sources {
		running[function] = startFleet(d, runtimetest.Build(d, root, source), d.environment(d.services.behind(d.roles[function])))
		d.gateway.functions[function] = running[function]
	}
	d.log = running
	return running
}

// pairs returns variables in the form "NAME=value".
func pairs(environment map[string]string) (all []string) {
	for name, value := range environment {
		all = append(all, name+"="+value)
	}
	return all
}

// TestShipped_ServesAUserFromLoginToLogout goes through a client's life with the deployed binaries.
func TestShipped_ServesAUserFromLoginToLogout(t *testing.T) {
	integration(t)
	d := prepare(t)
	functions := d.ship()
	d.connectsAtStart(functions)
	d.findsItsWay()
	d.setUp()
	ines := d.LogIn("ines")
	d.callsWithoutConnecting(ines.Access)
	d.servesManyAtOnce(ines.Access, d.LogIn("priya").Access)

	functions.stop()
	for _, secret := range []string{ines.Access, ines.Refresh, d.upstreamToken("37signals/")} {
		if strings.Contains(functions.String(), secret) {
			t.Errorf("a token was logged: %s", functions)
		}
	}
}

// connectsAtStart checks that every process has connected to all its services before it asks for
// the first event.
func (d *deployed) connectsAtStart(functions fleets) {
	d.Helper()
	const services = 2 // DynamoDB, Secrets Manager
	for function, fleet := range functions {
		for _, process := range fleet.all {
			if err := process.Ready(); err != nil {
				d.Fatal(err, functions)
			}
		}
		if made := d.roles[function].connections.Load(); made != services*fleetSize {
			d.Errorf("%s made %d connections to AWS at start", function, made)
		}
	}
	if made := d.connections.Load(); made != fleetSize { // only the endpoint connects to Basecamp
		d.Errorf("%d connections to Basecamp were made at start", made)
	}
}

// callsWithoutConnecting makes the first call of each process, which must use the connections that
// were made at start. The call makes one request to Basecamp: the stand-in speaks HTTP/1.1, where
// requests at the same time need a connection each.
func (d *deployed) callsWithoutConnecting(access string) {
	d.Helper()
	made := func() int64 { return d.roles["McpFunction"].connections.Load() + d.connections.Load() }
	before := made()
	for range fleetSize {
		session{d, access, ""}.wantSaid("list_projects", "{}", "Cargo Bike Launch")
	}
	if after := made(); after != before {
		d.Errorf("%d connections were made by the first calls", after-before)
	}
}

// findsItsWay goes from the endpoint's URL to the authorization server, as clients do.
func (d *deployed) findsItsWay() {
	d.Helper()
	status, header, body := d.ask(http.MethodPost, "/mcp", "unknown-token", "", mcptest.Message("tools/list", `{}`))
	found := metadata.FindStringSubmatch(header.Get("WWW-Authenticate"))
	if status != http.StatusUnauthorized || found == nil {
		d.Fatalf("no challenge: HTTP %d %v %s", status, header, body)
	}
	if page := d.Get(&http.Client{}, found[1]); !strings.Contains(page, `"authorization_servers":["`+d.URL+`"]`) {
		d.Errorf("%s says %s", found[1], page)
	}
	if page := d.Get(&http.Client{}, d.URL+"/.well-known/oauth-authorization-server"); !strings.Contains(page, `"issuer":"`+d.URL+`"`) {
		d.Errorf("the authorization server says %s", page)
	}
}

var metadata = regexp.MustCompile(`resource_metadata="([^"]+)"`)

// servesManyAtOnce makes more concurrent calls than there are processes. Each caller must receive
// its own answer.
func (d *deployed) servesManyAtOnce(ines, priya string) {
	d.Helper()
	var all sync.WaitGroup
	for access, name := range map[string]string{ines: "Ines Albrecht", priya: "Priya Raman"} {
		for range 4 * fleetSize {
			all.Go(func() { d.wantMe(access, name) })
		}
	}
	all.Wait()
}

func (d *deployed) wantShutOut(access string) {
	d.Helper()
	if status, _, body := d.ask(http.MethodPost, "/mcp", access, "", mcptest.Message("ping", `{}`)); status != http.StatusUnauthorized {
		d.Errorf("the answer to a revoked token is HTTP %d %s", status, body)
	}
}
