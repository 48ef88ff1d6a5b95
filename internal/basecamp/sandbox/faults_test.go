package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

func TestFault_FailsTheGivenNumberOfMatchingRequests(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	s.Inject(Fault{Method: "GET", PathPrefix: "/projects", Times: 2, Status: 503, Header: http.Header{"Retry-After": {"7"}}, Body: `{"error":"down"}`})
	c.get("/people.json").want(200)
	for range 2 {
		if r := c.get("/projects.json").want(503); r.Header.Get("Retry-After") != "7" || r.object().text("error") != "down" {
			t.Errorf("%v %s", r.Header, r.body)
		}
	}
	c.get("/projects.json").want(200)
}

func TestFault_WithoutTimesLastsUntilCleared(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	s.Inject(Fault{Status: 500})
	for range 5 {
		c.get("/projects.json").want(500)
	}
	s.ClearFaults()
	c.get("/projects.json").want(200)
}

func TestFault_GarbageIsBrokenJSONWith200(t *testing.T) {
	s := newSandbox(t)
	s.Inject(Fault{Garbage: true, Times: 1})
	r := ines(t, s).get("/projects.json").want(200)
	if json.Valid(r.body) {
		t.Errorf("valid: %s", r.body)
	}
}

func TestFault_DropIsAConnectionError(t *testing.T) {
	s := newSandbox(t)
	s.Inject(Fault{Drop: true, Times: 1})
	if _, err := s.Transport().RoundTrip(ines(t, s).request("GET", "/projects.json", nil)); err == nil {
		t.Error("no error")
	}
}

func TestFault_HangEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{RateLimit: -1})
		s.Inject(Fault{Hang: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := s.Transport().RoundTrip(ines(t, s).request("GET", "/projects.json", nil).WithContext(ctx))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
	})
}

func TestFault_DelayOnlySlowsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{RateLimit: -1})
		s.Inject(Fault{Delay: 3 * time.Second, Times: 1})
		began := time.Now()
		ines(t, s).get("/projects.json").want(200)
		if took := time.Since(began); took != 3*time.Second {
			t.Error(took)
		}
	})
}

func TestFault_AfterEffectHidesASuccessfulWrite(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	comments := fmt.Sprintf("/recordings/%d/comments.json", s.Find("Message", "We have a date"))
	before := len(c.all("%s", comments))
	s.Inject(Fault{Method: "POST", Times: 1, Status: 502, AfterEffect: true})
	c.post(comments, object{"content": "Did this arrive?"}).want(502)
	s.Inject(Fault{Method: "POST", Times: 1, Drop: true, AfterEffect: true})
	if _, err := s.Transport().RoundTrip(c.request("POST", comments, object{"content": "And this?"})); err == nil {
		t.Error("no error")
	}
	if got := len(c.all("%s", comments)); got != before+2 {
		t.Errorf("%d comments, want %d", got, before+2)
	}
}

func TestTransport_DoesNotStartACanceledRequest(t *testing.T) {
	s := newSandbox(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Transport().RoundTrip(ines(t, s).request("GET", "/projects.json", nil).WithContext(ctx))
	if !errors.Is(err, context.Canceled) || len(s.Requests()) != 0 {
		t.Errorf("%v, %d requests", err, len(s.Requests()))
	}
}

// newLedger returns a ledger in memory.
func newLedger() *Ledger {
	states := map[string][]byte{}
	return &Ledger{
		Save: func(token string, state []byte) { states[token] = state },
		Load: func(token string) []byte { return states[token] },
	}
}

func (s *Sandbox) statusFor(token string) int {
	r, _ := http.NewRequest(http.MethodGet, "https://launchpad.37signals.com/authorization.json", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	return answered(func() reply {
		s.authenticate(r)
		return ok(nil)
	}).status
}

func (s *Sandbox) refreshed(token string) int {
	return s.exchange(url.Values{
		"grant_type": {"refresh_token"}, "client_id": {ClientID}, "client_secret": {ClientSecret}, "refresh_token": {token},
	}).status
}

// issue returns new tokens of a person.
func (s *Sandbox) issue(t *testing.T, p *Person) (access, refresh string) {
	t.Helper()
	var tokens object
	if err := json.Unmarshal(s.newTokens(p).answer().body, &tokens); err != nil {
		t.Fatal(err)
	}
	return tokens.text("access_token"), tokens.text("refresh_token")
}

func TestLedger_ARestartEndsNoLogin(t *testing.T) {
	now, ledger := time.Now(), newLedger()
	open := func() *Sandbox { return New(Options{Now: func() time.Time { return now }, Ledger: ledger}) }
	first := open()
	access, refresh := first.issue(t, first.identities()[0])

	if got := open().statusFor(access); got != http.StatusOK {
		t.Errorf("the access token after a restart: %d", got)
	}
	if got := open().refreshed(refresh); got != http.StatusOK {
		t.Errorf("the refresh token after a restart: %d", got)
	}
	for name, got := range map[string]int{
		"a token that was never issued":         open().statusFor("sandbox-access-ABCDEFGH"),
		"a refresh token as an access token":    open().statusFor(refresh),
		"no token":                              open().statusFor(""),
		"the token of a sandbox with no ledger": New(Options{}).statusFor(access),
	} {
		if got != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := open().refreshed(access); got != http.StatusBadRequest {
		t.Errorf("an access token as a refresh token: %d", got)
	}
	now = now.Add(tokenLife + time.Second)
	if got := open().statusFor(access); got != http.StatusUnauthorized {
		t.Errorf("the access token after its life: %d", got)
	}
}

func TestLedger_RevokedTokensStayRevoked(t *testing.T) {
	ledger := newLedger()
	first := New(Options{Ledger: ledger})
	owner := first.identities()[0]
	access, refresh := first.issue(t, owner)
	first.RevokeGrants(owner.IdentityID)
	again := New(Options{Ledger: ledger})
	if got := again.statusFor(access); got != http.StatusUnauthorized {
		t.Errorf("the access token: %d", got)
	}
	if got := again.refreshed(refresh); got != http.StatusBadRequest {
		t.Errorf("the refresh token: %d", got)
	}
}
