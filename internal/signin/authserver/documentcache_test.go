package authserver_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestDocumentCache_FollowsTheHeadersWithinLimits(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	const date = "Mon, 04 May 2026 09:30:00 GMT" // the registry's clock
	for _, c := range []struct {
		want    time.Duration
		headers []string
	}{
		{5 * time.Minute, nil},
		{5 * time.Minute, []string{"Cache-Control", "max-age=0"}},
		{5 * time.Minute, []string{"Cache-Control", "max-age=299"}},
		{301 * time.Second, []string{"Cache-Control", "max-age=301"}},
		{time.Hour, []string{"Cache-Control", "public, max-age=3600, must-revalidate"}},
		{time.Hour, []string{"Cache-Control", `Public,MAX-AGE="3600"`}},
		{2 * time.Hour, []string{"Cache-Control", "max-age=3600, s-maxage=7200"}},
		{50 * time.Minute, []string{"Cache-Control", "max-age=3600", "Age", "600"}},
		{5 * time.Minute, []string{"Cache-Control", "max-age=3600", "Age", "86400"}},
		{time.Hour, []string{"Cache-Control", "max-age=3600", "Age", "-600"}},
		{24 * time.Hour, []string{"Cache-Control", "max-age=31536000"}},
		{24 * time.Hour, []string{"Cache-Control", "max-age=99999999999999999999999"}},
		{5 * time.Minute, []string{"Cache-Control", "max-age=-1"}},
		{5 * time.Minute, []string{"Cache-Control", "max-age=long"}},
		{5 * time.Minute, []string{"Cache-Control", "max-age=60", "Expires", "Tue, 05 May 2026 09:30:00 GMT"}},
		{time.Hour, []string{"Expires", "Mon, 04 May 2026 10:30:00 GMT"}},
		{30 * time.Minute, []string{"Expires", "Mon, 04 May 2026 10:30:00 GMT", "Date", "Mon, 04 May 2026 10:00:00 GMT"}},
		{24 * time.Hour, []string{"Expires", "Fri, 31 Dec 9999 23:59:59 GMT", "Date", date}},
		{5 * time.Minute, []string{"Expires", "Mon, 01 Jan 0001 00:00:00 GMT", "Age", "9999999"}},
		{5 * time.Minute, []string{"Expires", "0"}},
		{0, []string{"Cache-Control", "no-store"}},
		{0, []string{"Cache-Control", "No-Cache"}},
		{0, []string{"Cache-Control", "max-age=3600, private"}},
		{0, []string{"Cache-Control", `private="x-a, x-b", max-age=3600`}},
	} {
		host, fetched := serving(func() *http.Response { return page(documentBody, c.headers...) })
		g := newRegistry(host)
		wantFound(t, g, documentID)
		wants := int32(1)
		if c.want > 0 {
			*g.now = g.now.Add(c.want - time.Second)
		} else {
			wants++
			if len(g.store.writes()) > 0 {
				t.Errorf("%v: was stored", c.headers)
			}
		}
		wantFound(t, g, documentID)
		if fetched.Load() != wants {
			t.Errorf("%v: fetched %d times before %v", c.headers, fetched.Load(), c.want)
		}
		*g.now = g.now.Add(2 * time.Second)
		wantFound(t, g, documentID)
		if fetched.Load() != wants+1 {
			t.Errorf("%v: fetched %d times after %v", c.headers, fetched.Load(), c.want)
		}
	}
}

func TestDocumentCache_DoesNotStoreFailures(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	broken := true
	host, _ := serving(func() *http.Response {
		if broken {
			return page("{}", "Cache-Control", "max-age=3600")
		}
		return page(documentBody)
	})
	g := newRegistry(host)
	wantInvalid(t, g, "an empty document")
	broken = false
	wantFound(t, g, documentID)
}

func TestDocumentCache_UsesADocumentThatCannotBeStored(t *testing.T) {
	host, _ := serving(func() *http.Response { return page(documentBody) })
	g := newRegistry(host)
	g.store.failing(2) // it is looked for, and then stored
	wantFound(t, g, documentID)
}

func TestDocumentCache_ConcurrentRequestsShareOneFetch(t *testing.T) { // draft-ietf-oauth-client-id-metadata-document
	synctest.Test(t, func(t *testing.T) {
		served := make(chan struct{})
		host, fetched := serving(func() *http.Response { <-served; return page(documentBody, "Cache-Control", "no-store") })
		g := newRegistry(host)
		var found atomic.Int32
		for range 20 {
			go func() {
				if c, status, _ := g.Lookup(t.Context(), documentID); status == 0 && c.Name == "Rimless" {
					found.Add(1)
				}
			}()
		}
		synctest.Wait()
		close(served)
		synctest.Wait()
		if found.Load() != 20 || fetched.Load() != 1 {
			t.Errorf("%d found it with %d fetches", found.Load(), fetched.Load())
		}
	})
}

// draft-ietf-oauth-client-id-metadata-document.
func TestDocumentCache_ConcurrentRequestsSurviveACancelledOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := make(chan struct{})
		g := newRegistry(hosting(func(r *http.Request) (*http.Response, error) {
			select {
			case <-served:
				return page(documentBody), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}))
		impatient, giveUp := context.WithCancel(t.Context())
		var first, second int
		go func() { _, first, _ = g.Lookup(impatient, documentID) }()
		synctest.Wait()
		second = -1
		go func() { _, second, _ = g.Lookup(t.Context(), documentID) }()
		synctest.Wait()
		giveUp()
		synctest.Wait()
		if first != http.StatusTooManyRequests || second != -1 {
			t.Errorf("the first received %d, the second %d", first, second)
		}
		close(served)
		synctest.Wait()
		if second != 0 || len(g.store.writes()) != 1 {
			t.Errorf("the second received %d", second)
		}
	})
}

func TestDocumentCache_LimitsConcurrentFetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := make(chan struct{})
		host, fetched := serving(func() *http.Response { <-served; return page(documentBody) })
		g := newRegistry(host)
		var turnedAway atomic.Int32
		for i := range 50 {
			go func() {
				if _, status, _ := g.Lookup(t.Context(), fmt.Sprintf("https://rimless.example/%d.json", i)); status == http.StatusTooManyRequests {
					turnedAway.Add(1)
				}
			}()
		}
		synctest.Wait()
		if fetched.Load() != 4 || turnedAway.Load() != 46 {
			t.Errorf("%d fetched, %d turned away", fetched.Load(), turnedAway.Load())
		}
		close(served)
		synctest.Wait()
		wantFound(t, g, documentID) // a slot is free again
	})
}
