package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

func TestRequest_LimitsItsAttempts(t *testing.T) {
	for attempts, want := range map[int]int{0: 3, 1: 1, 2: 2} {
		for _, status := range []int{429, 503} {
			synctest.Test(t, func(t *testing.T) {
				var requests int
				r := requestFor(newAccount("nora"), http.MethodPut, itemURL)
				r.Attempts = attempts
				if err := write(t.Context(), answering(counted(&requests, says(status, ""))), r); err == nil || requests != want {
					t.Errorf("%d attempts at status %d: %d requests, %v", attempts, status, requests, err)
				}
			})
		}
	}
}

func TestConfig_AServerErrorCanBeFinal(t *testing.T) {
	for status, want := range map[int]int{500: 1, 502: 3} {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			c := answering(counted(&requests, says(status, "")))
			c.config.ServerErrorIsFinal = true
			f := wantFault(t, get(t.Context(), c), fault.UpstreamError)
			if requests != want || !f.Retryable {
				t.Errorf("status %d: %d requests, %+v", status, requests, f)
			}
		})
	}
}

func TestAdmit_IsCalledForEachAttemptAndEndsWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var admitted, running int
		r := requestFor(newAccount("nora"), http.MethodGet, itemURL)
		r.Admit = func(context.Context) (func(), error) {
			admitted++
			running++
			return func() { running-- }, nil
		}
		answers := inTurn(says(503, ""), says(401, ""), says(200, `{"id": 5}`))
		c := answering(func(w http.ResponseWriter, r *http.Request) {
			if running != 1 {
				t.Errorf("%d admitted requests run", running)
			}
			answers(w, r)
		})
		if _, err := c.Do(t.Context(), r); err != nil || admitted != 3 || running != 0 {
			t.Errorf("%v: %d admitted, %d still run", err, admitted, running)
		}
	})
}

func TestAdmit_ItsFaultIsTheResultAndNothingIsSent(t *testing.T) {
	var requests int
	r := requestFor(newAccount("nora"), http.MethodPost, itemURL)
	r.Admit = func(context.Context) (func(), error) { return nil, fault.New(fault.RateLimited, "wait for the reset") }
	f := wantFault(t, write(t.Context(), answering(counted(&requests, says(200, ""))), r), fault.RateLimited)
	if requests != 0 || f.MayHaveHappened || f.Message != "wait for the reset" || f.Resource.ID != "5" {
		t.Errorf("%d requests, %+v", requests, f)
	}
}

// judging returns a request whose successes say what is wrong in code.
func judging(method string, effect Effect) Request {
	r := requestFor(newAccount("nora"), method, itemURL)
	r.Effect, r.Attempts = effect, 2
	r.Judge = func(a Answer) *fault.Error {
		var said struct{ Code fault.Code }
		_ = json.Unmarshal(a.Body, &said)
		if said.Code == "" {
			return nil
		}
		f := fault.New(said.Code, "refused")
		f.Upstream = &fault.Upstream{Message: "refused in a success", DocumentationURL: "https://acme.example/limits", Type: "NO"}
		return f
	}
	return r
}

func TestJudge_TurnsASuccessIntoAFaultOfTheAnswer(t *testing.T) {
	c := answering(says(200, `{"code": "NOT_FOUND"}`, "X-Request-Id", "req-1"))
	_, err := c.Do(t.Context(), judging(http.MethodPost, ByMethod))
	f := wantFault(t, err, fault.NotFound)
	want := &fault.Upstream{
		Provider: "acme", Status: 200, Message: "refused in a success", RequestID: "req-1",
		DocumentationURL: "https://acme.example/limits", Type: "NO",
	}
	if diff := cmp.Diff(want, f.Upstream); diff != "" || f.MayHaveHappened || f.Resource.ID != "5" {
		t.Errorf("%+v %s", f, diff)
	}
}

func TestJudge_AnUpstreamErrorLeavesAWriteInDoubtAndIsSentAgainOnlyIfThatIsSafe(t *testing.T) {
	for effect, want := range map[Effect]struct {
		requests  int
		doubt     bool
		retryable bool
	}{ByMethod: {1, true, false}, Repeatable: {2, true, true}, Reads: {2, false, true}} {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			c := answering(counted(&requests, says(200, `{"code": "UPSTREAM_ERROR"}`)))
			_, err := c.Do(t.Context(), judging(http.MethodPost, effect))
			f := wantFault(t, err, fault.UpstreamError)
			if requests != want.requests || f.MayHaveHappened != want.doubt || f.Retryable != want.retryable {
				t.Errorf("effect %d: %d requests, %+v", effect, requests, f)
			}
		})
	}
}

func TestJudge_PassesWhatItFindsNoFaultWith(t *testing.T) {
	got, err := Ask(t.Context(), answering(says(200, `{"id": 5}`)), judging(http.MethodPost, Reads), func(a Answer) (v item, err error) {
		err = json.Unmarshal(a.Body, &v)
		return v, err
	})
	if err != nil || got.ID != 5 {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = Ask(t.Context(), answering(says(200, `{"id": 5}`)), judging(http.MethodPost, ByMethod), func(Answer) (item, error) {
		return item{}, errors.New("not an item")
	})
	if f := wantFault(t, err, fault.UpstreamError); !f.MayHaveHappened {
		t.Errorf("%+v", f)
	}
}

// ownFigures is a user of a provider that reads the figures of a rate limit itself.
type ownFigures struct {
	*account
	said fault.RateLimit
}

func (o ownFigures) Fault(Answer) *fault.Error {
	f := fault.New(fault.RateLimited, "slow down")
	f.RateLimit, f.RetryAfter = &o.said, time.Minute
	return f
}

func TestRateLimit_TheProvidersOwnFiguresReplaceTheHeaders(t *testing.T) {
	left := 3
	for _, x := range []struct{ said, want *fault.RateLimit }{
		{&fault.RateLimit{Remaining: &left}, &fault.RateLimit{Remaining: &left}},
		{&fault.RateLimit{}, nil},
	} {
		c := answering(says(429, "", "Retry-After", "0", "X-RateLimit-Remaining", "-1"))
		nora := newAccount("nora")
		r := requestFor(nora, http.MethodGet, itemURL)
		r.Call = ownFigures{nora, *x.said}
		_, err := c.Do(withTimeout(t, time.Second), r)
		f := wantFault(t, err, fault.RateLimited)
		if diff := cmp.Diff(x.want, f.RateLimit); diff != "" || f.RetryAfter != time.Minute {
			t.Errorf("wait %s, %s", f.RetryAfter, diff)
		}
	}
}

func TestFollowWrites_SendsAWriteAgainToItsNewAddressOnceWithinTheOrigin(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another origin received a request") }))
	defer other.Close()
	for _, x := range []struct {
		status, requests int
		to               string
		ok               bool
	}{
		{307, 2, "/items/6", true}, {308, 2, "/items/6", true}, {301, 1, "/items/6", false}, {302, 1, "/items/6", false},
		{307, 2, "/items/5", false}, {307, 1, other.URL + "/items/6", false},
	} {
		for _, method := range []string{http.MethodPost, http.MethodPatch} {
			var requests int
			c, address := serving(t, counted(&requests, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/items/5" {
					http.Redirect(w, r, x.to, x.status)
					return
				}
				if r.Method != method || r.Header.Get("Authorization") != "Bearer token-1" || r.ContentLength != 12 {
					t.Errorf("%s became %s with %q and %d bytes", method, r.Method, r.Header.Get("Authorization"), r.ContentLength)
				}
				says(200, `{"id": 6}`)(w, r)
			}))
			config := c.config
			config.FollowWrites = true
			err := write(t.Context(), New(config), requestFor(newAccount("nora"), method, address+"/items/5"))
			if (err == nil) != x.ok || requests != x.requests {
				t.Errorf("%s %d to %s: %d requests, %v", method, x.status, x.to, requests, err)
			}
			if err == nil {
				continue
			}
			if f := wantFault(t, err, fault.UpstreamError); f.MayHaveHappened != (x.status < 307) {
				t.Errorf("%s %d to %s: may have happened %t", method, x.status, x.to, f.MayHaveHappened)
			}
		}
	}
}

func TestNextURL_FollowsALinkOnlyBelowTheBase(t *testing.T) {
	base, _ := url.Parse("https://api.acme.example/v3/")
	const from = "https://api.acme.example/v3/items?page=1"
	for link, want := range map[string]string{
		"": "", `<` + from + `>; rel="prev"`: "",
		`<https://api.acme.example/v3/collections/7/items?page=2&after=Y%3D>; rel="next"`: "https://api.acme.example/v3/collections/7/items?page=2&after=Y%3D",
		`<items?page=2#top>; rel="next"`:                           "https://api.acme.example/v3/items?page=2",
		`<https://API.acme.example:443/v3/items?page=2>; rel=next`: "https://API.acme.example:443/v3/items?page=2",
	} {
		next, err := NextURL(answerOf(t, 200, from, "Link", link), base)
		got := ""
		if next != nil {
			got = next.String()
		}
		if err != nil || got != want {
			t.Errorf("%q leads to %q, %v", link, got, err)
		}
	}
	for _, target := range []string{
		"https://evil.example/v3/items?page=2", "http://api.acme.example/v3/items?page=2", "https://api.acme.example:444/v3/items",
		"https://nora@api.acme.example/v3/items?page=2", "https://api.acme.example/items?page=2", "https://api.acme.example/v3",
		"/v3/../admin", "/v3/%2e%2e/admin", "/v3/..%2fadmin", `/v3/..\admin`, "https:opaque", "//evil.example/v3/items", "%zz", from,
	} {
		next, err := NextURL(answerOf(t, 200, from, "Link", "<"+target+`>; rel="next"`), base)
		if err == nil {
			t.Errorf("%q leads to %s", target, next)
		}
	}
	if _, err := NextURL(answerOf(t, 200, from, "Link", `<https://api.acme.example/v3/items; rel="next"`), base); err == nil {
		t.Error("a malformed header ends the list")
	}
}
