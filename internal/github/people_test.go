package github

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

func TestPeople_TheRequestsOfOneUserRunOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := map[string]int{}, map[string]int{}
		c := client(t, Config{Transport: transport(func(r *http.Request) (*http.Response, error) {
			who := r.Header.Get("Authorization")
			mu.Lock()
			running[who]++
			running["all"]++
			most[who], most["all"] = max(most[who], running[who]), max(most["all"], running["all"])
			mu.Unlock()
			timer := time.NewTimer(time.Second)
			<-timer.C
			mu.Lock()
			running[who]--
			running["all"]--
			mu.Unlock()
			return transportOf(says(200, issueJSON))(r)
		})})
		var all sync.WaitGroup
		for _, person := range []string{"nora", "ines"} {
			for range 3 {
				all.Go(func() { _, _ = c.Issue(as(t.Context(), person), shop, 12) })
			}
		}
		start := time.Now()
		all.Wait()
		if diff := cmp.Diff(map[string]int{"Bearer gho_nora": 1, "Bearer gho_ines": 1, "all": 2}, most); diff != "" || time.Since(start) != 3*time.Second {
			t.Errorf("took %s %s", time.Since(start), diff)
		}
	})
}

func TestPeople_AUserWhoWaitsTooLongForATurnSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := client(t, Config{Transport: transport(func(r *http.Request) (*http.Response, error) { requests++; return hang(r) })})
		var all sync.WaitGroup
		all.Go(func() { _, _ = c.Issue(withTimeout(t, 10*time.Second), shop, 12) })
		synctest.Wait()
		f := wantFault(t, errOf(c.CreateIssue(withTimeout(t, time.Second), shop, Fields{"title": "Bell"})), fault.UpstreamError)
		if requests != 1 || f.MayHaveHappened || !f.Retryable {
			t.Errorf("%d requests, %+v", requests, f)
		}
		all.Wait()
	})
}

func TestPeople_AUserWritesFiveTimesAtOnceAndThenOnceASecond(t *testing.T) {
	for unlimited, want := range map[bool]time.Duration{false: 3 * time.Second, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			c := client(t, Config{Unlimited: unlimited, Transport: transportOf(says(201, issueJSON))})
			start := time.Now()
			for range 8 {
				if _, err := c.CreateIssue(t.Context(), shop, Fields{"title": "Bell"}); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Issue(t.Context(), shop, 12); err != nil { // reads wait for nothing
					t.Fatal(err)
				}
			}
			if took := time.Since(start); took != want {
				t.Errorf("unlimited %t: took %s", unlimited, took)
			}
			if _, err := c.CreateIssue(as(t.Context(), "ines"), shop, Fields{"title": "Bell"}); err != nil || time.Since(start) != want {
				t.Errorf("another user waited %s, %v", time.Since(start)-want, err)
			}
		})
	}
}

func TestPeople_AWriteThatWouldWaitBeyondTheCallersTimeIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := answering(t, counted(&requests, says(200, `{"data": {"deleteProjectV2": {}}}`)))
		for range 5 {
			if err := c.DeleteProject(t.Context(), "PVT_7"); err != nil {
				t.Fatal(err)
			}
		}
		f := wantFault(t, c.DeleteProject(withTimeout(t, time.Second), "PVT_7"), fault.RateLimited)
		if requests != 5 || f.RetryAfter != time.Second || *f.RateLimit.RetryAfter != 1 || f.MayHaveHappened {
			t.Errorf("%d requests, %+v", requests, f)
		}
	})
}

func TestPeople_ALimitedUserAsksNothingOfThatResourceUntilTheReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rest, graphql int
		c := answering(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/graphql" {
				graphql++
				says(200, itemsAnswer("", itemJSON))(w, r)
				return
			}
			if rest++; rest == 1 {
				says(403, "", "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100")(w, r)
				return
			}
			says(200, issueJSON)(w, r)
		})
		read := func(person string) error {
			return errOf(c.Issue(as(withTimeout(t, time.Second), person), shop, 12))
		}
		wantFault(t, read("nora"), fault.RateLimited)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		<-ctx.Done()
		f := wantFault(t, read("nora"), fault.RateLimited)
		want := &fault.RateLimit{Limit: new(5000), Remaining: new(int), Reset: new(int64(946685100))}
		if diff := cmp.Diff(want, f.RateLimit); diff != "" || rest != 1 || f.RetryAfter != 200*time.Second || f.Upstream.Status != 0 || !f.Retryable {
			t.Errorf("%d requests, %+v %s", rest, f, diff)
		}
		limited := time.Now()
		for range 8 {
			wantFault(t, errOf(c.CreateIssue(t.Context(), shop, Fields{"title": "Bell"})), fault.RateLimited)
		}
		if rest != 1 || time.Since(limited) != 0 {
			t.Errorf("writes waited %s and sent %d requests", time.Since(limited), rest-1)
		}
		if err := errOf(c.Items(t.Context(), "PVT_7", 10, "")); err != nil || graphql != 1 {
			t.Errorf("the other resource: %v", err)
		}
		if err := read("ines"); err != nil || rest != 2 {
			t.Errorf("another user: %v after %d requests", err, rest)
		}
		reset, done := context.WithTimeout(t.Context(), 200*time.Second)
		defer done()
		<-reset.Done()
		if err := read("nora"); err != nil || rest != 3 {
			t.Errorf("after the reset: %v after %d requests", err, rest)
		}
	})
}

func TestPeople_ARequestThatWaitsForItsTurnIsNotSentAfterTheOneBeforeItMetTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := client(t, Config{Transport: transport(func(r *http.Request) (*http.Response, error) {
			requests++
			timer := time.NewTimer(time.Second)
			<-timer.C
			return transportOf(says(403, `{"message": "secondary rate limit"}`))(r)
		})})
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if f := fault.From(errOf(c.Issue(t.Context(), shop, 12))); f.Code != fault.RateLimited || f.RetryAfter != time.Minute || f.RateLimit != nil {
					t.Errorf("%+v", f)
				}
			})
		}
		all.Wait()
		if requests != 1 {
			t.Errorf("%d requests", requests)
		}
	})
}

func TestPeople_ASuccessThatSpendsTheLastRequestStopsTheUserToo(t *testing.T) {
	for resource, want := range map[string]int{"core": 1, "": 1, "search": 2} {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			c := answering(t, counted(&requests, says(200, issueJSON, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100", "X-RateLimit-Resource", resource)))
			for range 2 {
				_, _ = c.Issue(t.Context(), shop, 12)
			}
			if requests != want {
				t.Errorf("resource %q: %d requests", resource, requests)
			}
		})
	}
}

func TestPeople_AWrongResetDoesNotLockAUserOutForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(t, inTurn(says(429, "", "Retry-After", "86400"), says(200, issueJSON)))
		wantFault(t, errOf(c.Issue(t.Context(), shop, 12)), fault.RateLimited)
		ctx, cancel := context.WithTimeout(t.Context(), longestBan)
		defer cancel()
		<-ctx.Done()
		if _, err := c.Issue(t.Context(), shop, 12); err != nil {
			t.Error(err)
		}
	})
}

func TestPeople_AreForgottenAboveTheMaximumExceptThoseWithARunningCall(t *testing.T) {
	p := newPeople(time.Now, true)
	leave, err := p.enter(t.Context(), "busy", core, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxPeople + 100 {
		done, err := p.enter(t.Context(), fmt.Sprint(i), core, true)
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	if len(p.persons) != maxPeople || p.recent.Len() != maxPeople || p.persons["busy"] == nil || p.persons["5"] != nil {
		t.Errorf("%d users in the map, %d in the list", len(p.persons), p.recent.Len())
	}
	leave()
}
