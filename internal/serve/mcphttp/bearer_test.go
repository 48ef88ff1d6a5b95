package mcphttp

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/identity"
)

const metadata = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"

// wantChallenge checks that both headers carry the challenge, and the body its parts.
func wantChallenge(t *testing.T, w *httptest.ResponseRecorder, want string) {
	t.Helper()
	h := w.Header()
	if got := strings.Join(h["WWW-Authenticate"], "|"); got != want {
		t.Errorf("WWW-Authenticate\n got %s\nwant %s", got, want)
	}
	if got := h.Get(challengeHeader); got != want {
		t.Errorf("%s is %s", challengeHeader, got)
	}
	var body map[string]string
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("the body is no JSON: %v", err)
	}
	for _, part := range []string{"resource_metadata", "scope"} {
		if !strings.Contains(want, part+`="`+body[part]+`"`) {
			t.Errorf("the body's %s is %q", part, body[part])
		}
	}
	if body["error"] == "" || body["error_description"] == "" {
		t.Errorf("the body names no error: %v", body)
	}
}

func TestBearer_ARefusalSaysWhatIsWrongWithTheToken(t *testing.T) {
	const (
		none    = ``
		invalid = `error="invalid_token", error_description="the access token is not valid here; log in again", `
		several = `error="invalid_request", error_description="send one token, in one Authorization header", `
	)
	for _, test := range []struct {
		path, says string
		status     int
		given      []string // in Authorization headers
	}{
		{"/mcp", none, http.StatusUnauthorized, nil},
		{"/mcp", none, http.StatusUnauthorized, []string{"Basic aW5lczo="}},
		{"/mcp", none, http.StatusUnauthorized, []string{"Bearerines"}},
		{"/mcp", none, http.StatusUnauthorized, []string{"DPoP ines"}},
		{"/mcp", none, http.StatusUnauthorized, []string{"ines"}},
		{"/mcp", none, http.StatusUnauthorized, []string{""}},
		{"/mcp", invalid, http.StatusUnauthorized, []string{"Bearer unknown"}},
		{"/mcp", invalid, http.StatusUnauthorized, []string{"Bearer "}},
		{"/mcp", invalid, http.StatusUnauthorized, []string{"Bearer"}},
		{"/mcp", invalid, http.StatusUnauthorized, []string{"Bearer ines,Bearer ines"}}, // joined by a gateway
		{"/mcp", invalid, http.StatusUnauthorized, []string{"Bearer ines ines"}},
		{"/mcp", invalid, http.StatusUnauthorized, []string{`Bearer "ines"`}},
		{"/mcp", invalid, http.StatusUnauthorized, []string{"Bearer inés"}},
		{"/mcp", invalid, http.StatusUnauthorized, []string{"Bearer =="}},
		{"/mcp", several, http.StatusBadRequest, []string{"Bearer ines", "Bearer ines"}},
		{"/mcp?access_token=ines", several, http.StatusBadRequest, nil},
		{"/mcp?access_token=ines", several, http.StatusBadRequest, []string{"Bearer ines"}},
		{"/mcp?access_token", several, http.StatusBadRequest, []string{"Bearer ines"}},
		{"/mcp", "", http.StatusOK, []string{"bearer ines"}},
		{"/mcp", "", http.StatusOK, []string{"BEARER  ines"}},
	} {
		for _, method := range []string{"POST", "GET", "HEAD", "DELETE", "PUT"} {
			if test.status == http.StatusOK && method != "POST" {
				continue
			}
			g, c := newGuard()
			r := request{path: test.path, method: method, token: "-"}.http()
			for _, value := range test.given {
				r.Header.Add("Authorization", value)
			}
			w := serve(g, r)
			if w.Code != test.status {
				t.Errorf("%s %s %q: HTTP %d", method, test.path, test.given, w.Code)
			}
			if test.status != http.StatusOK {
				wantNothingReached(t, c)
			}
			if test.status != http.StatusOK && method != "HEAD" {
				wantChallenge(t, w, `Bearer `+test.says+`resource_metadata="`+metadata+`", scope="read write"`)
			}
		}
	}
}

func TestBearer_AFailedCheckIsA503WithoutAChallenge(t *testing.T) {
	g, c := newGuard()
	var log bytes.Buffer
	g.Log = slog.New(slog.NewTextHandler(&log, nil))
	w := request{token: "down"}.send(g)
	wantStatus(t, w, http.StatusServiceUnavailable)
	if w.Header().Get("Retry-After") == "" || w.Header()["WWW-Authenticate"] != nil {
		t.Errorf("headers %v", w.Header())
	}
	if strings.Contains(w.Body.String(), "dynamo") {
		t.Errorf("the cause reached the client: %s", w.Body)
	}
	if !strings.Contains(log.String(), errDown.Error()) || strings.Contains(log.String(), "Bearer") {
		t.Errorf("log: %s", log.String())
	}
	wantNothingReached(t, c)
}

func TestChallenge_NamesTheMetadataOfTheURLTheClientUses(t *testing.T) {
	for path, want := range map[string]string{
		"/mcp":                      "/mcp",
		"/mcp/readonly":             "/mcp/readonly",
		"/mcp/x/tasks,basecamp":     "/mcp/x/tasks,basecamp",
		"/mcp/x/tasks%2Cbasecamp":   "/mcp/x/tasks%2Cbasecamp",
		"/mcp/x/tasks/readonly?a=b": "/mcp/x/tasks/readonly",
		"/mcp/x/nosuch":             "/mcp",
		"/mcp/nowhere":              "/mcp",
		"/mcp/x/%22,realm=%22x":     "/mcp",
	} {
		w := request{path: path, token: "-"}.refused(t, http.StatusUnauthorized)
		wantChallenge(t, w, `Bearer resource_metadata="`+origin+`/.well-known/oauth-protected-resource`+want+`", scope="read write"`)
	}
}

func TestChallenge_IsSpelledAsInTheSpecificationOnTheWire(t *testing.T) {
	w := request{token: "-"}.refused(t, http.StatusUnauthorized)
	var wire bytes.Buffer
	if err := w.Result().Header.Write(&wire); err != nil || !strings.Contains(wire.String(), "\nWWW-Authenticate: Bearer ") {
		t.Errorf("the header reads %s (%v)", wire.String(), err)
	}
}

// oneRead returns the state of the token and of the session in one read.
type oneRead struct {
	tokens
	asked []string
	ended bool
}

func (o *oneRead) Authenticate(_ context.Context, bearer, session string) (identity.Caller, bool, error) {
	o.asked = append(o.asked, session)
	c, err := o.caller(bearer)
	return c, o.ended, err
}

func TestAuthenticate_ReadsTokenAndSessionTogether(t *testing.T) {
	g, _ := newGuard()
	id := open(t, g, "ines")
	read := &oneRead{}
	g.Authenticator = read
	wantStatus(t, request{header: map[string]string{sessionHeader: id}}.send(g), http.StatusOK)
	read.ended = true
	wantStatus(t, request{header: map[string]string{sessionHeader: id}}.send(g), http.StatusNotFound)
	wantStatus(t, request{header: map[string]string{sessionHeader: "no-id-of-ours"}}.send(g), http.StatusNotFound)
	if diff := cmp.Diff([]string{id, id, ""}, read.asked); diff != "" {
		t.Errorf("asked for other sessions (-want +got):\n%s", diff)
	}
}

func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"", "Bearer", "Bearer ines", "bearer  a==", "Basic x", "Bearer a,Bearer b", "Bearer \x00", "Bearer é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		r.Header["Authorization"] = []string{value}
		token, err := bearer(r)
		if err != nil {
			if token != "" {
				t.Errorf("%q gave %q with %v", value, token, err)
			}
			return
		}
		if token == "" || strings.ContainsAny(token, " ,\"\\\r\n\x00") || !strings.HasSuffix(value, " "+token) {
			t.Errorf("%q gave the token %q", value, token)
		}
		if !strings.EqualFold(strings.TrimRight(strings.TrimSuffix(value, token), " "), "Bearer") {
			t.Errorf("%q was taken for the Bearer scheme", value)
		}
	})
}
