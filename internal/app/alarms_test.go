package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/stacktest"
	"basecamp-mcp/internal/telemetry"
)

// watched is a deployment whose metrics are collected: both functions, behind a gateway.
type watched struct {
	*place
	failed atomic.Int64 // answers of the gateway with a 5xx
	called atomic.Int64 // requests to the MCP function
}

// resources are the names of the template's resources in the metrics.
var resources = map[string]string{"McpFunction": "fernhill-mcp", "OAuthFunction": "fernhill-oauth", "Table": "t", "Api": "fernhill"}

func watch(t *testing.T, s storage) *watched {
	t.Helper()
	demo := local.NewDemo()
	w := &watched{place: &place{T: t, log: &bytes.Buffer{}, storage: s, sandbox: demo.Sandbox}}
	var functions [2]http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		function := functions[1]
		if strings.HasPrefix(r.URL.Path, "/mcp") || strings.HasPrefix(r.URL.Path, "/tools") {
			function = functions[0]
			w.called.Add(1)
		}
		function.ServeHTTP(&counting{answer, &w.failed}, r)
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	for i, name := range []string{"McpFunction", "OAuthFunction"} {
		c := config.Config{BasecampURL: config.Sandbox, PublicURL: server.URL, Function: resources[name]}
		c.AWS.Table = resources["Table"]
		started, err := newLocalDemo(c, slog.New(slog.NewJSONHandler(&locked{w: w.log}, nil)), s, demo)
		if err != nil {
			t.Fatal(err)
		}
		functions[i] = started.Handler
	}
	return w
}

type counting struct {
	http.ResponseWriter
	failed *atomic.Int64
}

func (c *counting) WriteHeader(status int) {
	if status >= http.StatusInternalServerError {
		c.failed.Add(1)
	}
	c.ResponseWriter.WriteHeader(status)
}

// rings returns the alarms of the template that the metrics so far let ring, as if all were of one
// moment. Among them are the metrics of AWS: the gateway's answers with a 5xx, and the requests to
// the MCP function.
func (w *watched) rings() []string {
	w.Helper()
	now := time.Now()
	data := []stacktest.Datum{{
		Namespace: "AWS/ApiGateway", Name: "5xx", Dimensions: map[string]string{"ApiId": resources["Api"]}, Value: float64(w.failed.Load()), Time: now,
	}, {
		Namespace: "AWS/Lambda", Name: "Invocations", Dimensions: map[string]string{"FunctionName": resources["McpFunction"]}, Value: float64(w.called.Load()), Time: now,
	}}
	for line := range bytes.Lines(w.log.Bytes()) {
		found, err := stacktest.Data(line)
		if err != nil {
			w.Fatal(err)
		}
		for _, d := range found {
			d.Time = now
			data = append(data, d)
		}
	}
	var ringing []string
	for _, namespace := range []string{"basecamp-mcp", "AWS/ApiGateway"} {
		alarms, err := stacktest.Alarms(namespace, resources)
		if err != nil {
			w.Fatal(err)
		}
		for _, id := range slices.Sorted(maps.Keys(alarms)) {
			if alarms[id].Rings(data) {
				ringing = append(ringing, id)
			}
		}
	}
	return ringing
}

func (w *watched) want(ids ...string) {
	w.Helper()
	if diff := cmp.Diff(ids, w.rings()); diff != "" {
		w.Errorf("ringing (-want +got): %s", diff)
	}
}

func (w *watched) tool(bearer, name, arguments string) string {
	w.Helper()
	_, _, body := send(w.T, w.url+"/mcp/x/basecamp,github", bearer, "tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
	return body
}

// team has users with one account each.
var team = []string{"ines", "priya", "jonas", "hanna", "tomas"}

// atOnce makes the server repeat a request without a pause.
var atOnce = http.Header{"Retry-After": {"0"}}

func TestAlarm_RingsWhenBasecampDoesNotAnswer(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"503": {Status: http.StatusServiceUnavailable, Header: atOnce}, "garbage": {Garbage: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, inMemory("", ""))
			for range 8 {
				w.whoAmI("sandbox-priya")
			}
			w.sandbox.Inject(fault)
			for range 5 {
				w.want()
				w.whoAmI("sandbox-ines")
			}
			w.want("OutageAlarm")
		})
	}
}

func TestAlarm_RingsForADefect(t *testing.T) {
	w := watch(t, inMemory("", ""))
	w.sandbox.Inject(sandbox.Fault{Status: http.StatusNotAcceptable})
	w.want()
	w.whoAmI("sandbox-ines")
	w.want("FaultAlarm")
}

func TestAlarm_RingsWhenConnectionsEnd(t *testing.T) {
	w := watch(t, inMemory("", ""))
	for _, handle := range team {
		w.want()
		access, _ := w.logIn(handle)
		w.sandbox.RevokeGrants(w.person(handle).IdentityID)
		w.whoAmI(access)
	}
	w.want("SignOnAlarm")
}

func TestAlarm_RingsWhenASignOnRefusesCodes(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"a wrong secret": {Status: http.StatusUnauthorized, Body: `{"error":"invalid_client"}`},
		"no answer":      {Drop: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, inMemory("", ""))
			fault.PathPrefix = "/authorization/token"
			w.sandbox.Inject(fault)
			for range 3 {
				w.want()
				if answer := w.signIn(w.register("http://127.0.0.1/done"), "ines"); answer.Get("error") == "" {
					t.Fatalf("signed in: %v", answer)
				}
			}
			w.want("SignOnAlarm")
		})
	}
}

func TestAlarm_RingsWhenASignOnRefusesTheDeployment(t *testing.T) {
	w := watch(t, inMemory("", ""))
	access, _ := w.logIn("ines")
	w.expire("ines")
	w.sandbox.Inject(sandbox.Fault{PathPrefix: "/authorization/token", Status: http.StatusUnauthorized, Body: `{"error":"invalid_client"}`})
	w.want()
	w.whoAmI(access)
	w.want("SignOnAlarm")
}

// away is a service of AWS that cannot be reached, or answers every request with one error.
type away struct{ answer string }

func (a away) RoundTrip(*http.Request) (*http.Response, error) {
	if a.answer == "" {
		return nil, context.DeadlineExceeded
	}
	said := httptest.NewRecorder()
	said.Header().Set("X-Amzn-ErrorType", a.answer)
	said.WriteHeader(http.StatusBadRequest)
	return said.Result(), nil
}

// stores returns the stores in AWS while a service is away.
func (a away) stores(t *testing.T) storage {
	t.Helper()
	s, err := inAWS(deployment().AWS, quiet, a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var outages = map[string]away{
	"unreachable": {}, "throttled": {"ThrottlingException"}, "access denied": {"AccessDeniedException"}, "broken": {"InternalServiceErrorException"},
}

func TestAlarm_RingsWhenTheTableFails(t *testing.T) {
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			s := inMemory("", "")
			s.Auth = outage.stores(t).Auth
			w := watch(t, s)
			for range 5 {
				w.whoAmI("bcm_at_abcdefgh23456789_" + strings.Repeat("A", 43))
			}
			w.want("FaultAlarm", "FailingAlarm")
		})
	}
}

// failing stores tokens in memory, until Secrets Manager takes its place.
type failing struct {
	grant.Store
	away *atomic.Pointer[grant.Store]
}

func (f failing) now() grant.Store {
	if s := f.away.Load(); s != nil {
		return *s
	}
	return f.Store
}

func (f failing) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	if f.away.Load() != nil {
		version = "" // versions in memory have other names
	}
	return f.now().Load(ctx, subject, version)
}

func (f failing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	return f.now().Save(ctx, subject, writer, t)
}

func TestAlarm_RingsWhenSecretsManagerFails(t *testing.T) {
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			s := inMemory("", "")
			kept := failing{s.grants("37signals"), &atomic.Pointer[grant.Store]{}}
			s.grants = func(string) grant.Store { return kept }
			w := watch(t, s)
			var bearers []string
			for _, handle := range team {
				access, _ := w.logIn(handle)
				bearers = append(bearers, access)
			}
			w.want()
			down := outage.stores(t).grants("37signals")
			kept.away.Store(&down)
			for _, bearer := range bearers {
				if status, body := w.whoAmI(bearer); status != http.StatusOK || !strings.Contains(body, "UPSTREAM_ERROR") {
					t.Errorf("HTTP %d %s", status, body)
				}
			}
			w.want("FaultAlarm", "OutageAlarm")
			w.log.Reset()
			for _, handle := range []string{"mateusz", "lieke", "dele"} {
				if answer := w.signIn(w.register("http://127.0.0.1/done"), handle); answer.Get("error") != "temporarily_unavailable" {
					t.Errorf("signed in: %v", answer)
				}
			}
			w.want("FaultAlarm")
		})
	}
}

// The rows of one user are copied over those of another, as only a user of the table could do.
func TestAlarm_RingsWhenSealedTokensWereChanged(t *testing.T) {
	s := inMemory("", "")
	rows := &swapped{Rows: envelopetest.NewRows()}
	sealed := envelope.New(envelope.Config{
		Keys: envelopetest.NewRing(), Rows: rows, Stack: "fernhill", Refused: telemetry.TokensRefused,
	})
	s.grants = func(providerID string) grant.Store { return sealed.Of(providerID) }
	w := watch(t, s)
	ines, _ := w.logIn("ines")
	w.logIn("priya")
	w.want()
	rows.by = launchpad.Subject(w.person("priya").IdentityID)
	if status, body := w.whoAmI(ines); status != http.StatusOK || !strings.Contains(body, "TOKEN_EXPIRED") {
		t.Errorf("HTTP %d %s", status, body)
	}
	w.want("TamperAlarm")
}

// swapped has the rows of one user in the place of those of all others.
type swapped struct {
	envelope.Rows
	by string // the user; empty for none
}

func (s *swapped) Row(ctx context.Context, o envelope.Owner, version string) (envelope.Row, error) {
	if s.by == "" {
		return s.Rows.Row(ctx, o, version)
	}
	p, err := s.Pointer(ctx, envelope.Owner{Provider: o.Provider, Subject: s.by})
	if err != nil || len(p.Kept) == 0 {
		return envelope.Row{}, errors.New("the other user has no rows")
	}
	row, err := s.Rows.Row(ctx, envelope.Owner{Provider: o.Provider, Subject: s.by}, p.Kept[0].Version)
	row.Version = version
	return row, err
}

func TestAlarm_StaysQuietInNormalUse(t *testing.T) {
	w := watch(t, inMemory("", ""))
	var bearers []string
	for _, handle := range team {
		access, _ := w.logIn(handle)
		bearers = append(bearers, access)
	}
	for n := range 10 {
		bearer := bearers[n%len(bearers)]
		w.whoAmI(bearer)
		w.tool(bearer, "get_todo", fmt.Sprintf(`{"todo_id":"%d"}`, 404+n))
		w.tool(bearer, "get_todo", `{"todo_id":"`+strings.Repeat("9", 40)+`"}`)
		w.tool(bearer, "github_list_projects", `{}`) // of a user who never linked GitHub
		w.tool("sandbox-ines-readonly", "create_todos", `{"project":"Cargo Bike Launch","todos":[{"content":"Oil the chains"}]}`)
		send(t, w.url+"/mcp", "unknown", "tools/list", `{}`)
		w.token("grant_type", "authorization_code", "client_id", "unknown", "code", "unknown")
		w.sandbox.Inject(sandbox.Fault{Status: http.StatusTooManyRequests, Header: atOnce, Times: 1})
		w.whoAmI(bearer)
		w.sandbox.Inject(sandbox.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"600"}}, Times: 1})
		w.tool(bearer, "list_projects", `{}`)
		w.sandbox.Inject(sandbox.Fault{Status: http.StatusBadGateway, Header: atOnce, Times: 1})
		w.whoAmI(bearer)
	}
	w.expire("ines")
	w.whoAmI(bearers[0])
	w.sandbox.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable, Header: atOnce, Times: 3})
	w.tool(bearers[1], "list_projects", `{}`)
	w.sandbox.RevokeGrants(w.person(team[3]).IdentityID)
	w.whoAmI(bearers[3])
	w.sandbox.Inject(sandbox.Fault{PathPrefix: "/authorization/token", Status: http.StatusBadRequest, Body: `{"error":"invalid_grant"}`, Times: 1})
	w.signIn(w.register("http://127.0.0.1/done"), "ines") // with a code that has expired
	for _, code := range []string{"NOT_FOUND", "INVALID_INPUT", "RATE_LIMITED", "TOKEN_EXPIRED", "UPSTREAM_ERROR"} {
		if !strings.Contains(w.log.String(), `"outcome":"`+code+`"`) {
			t.Errorf("no call failed with %s: %s", code, regexp.MustCompile(`"outcome":"\w+"`).FindAllString(w.log.String(), -1))
		}
	}
	w.want()
}
