package grant_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// rush has many calls ask for a token at once, by several Keepers in turn, and gives what they got.
func (h *house) rush(calls int, refused string, keepers ...*grant.Keeper) []string {
	h.Helper()
	tokens := make([]string, calls)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			token, err := keepers[i%len(keepers)].AccessToken(h.Context(), ines, refused)
			if err != nil {
				h.Errorf("call %d: %v", i, err)
			}
			tokens[i] = token
		})
	}
	all.Wait()
	return tokens
}

func (h *house) four() []*grant.Keeper {
	return []*grant.Keeper{h.another(), h.another(), h.another(), h.another()}
}

// dawdle makes everybody take their time, and never the same, so that calls overlap in many ways.
func (h *house) dawdle() {
	pause := func() { time.Sleep(rand.N(50 * time.Millisecond)) }
	h.signOn.takes = 2 * time.Second
	h.records.onRead = func(string) error { pause(); return nil }
	h.records.onWrite = func(grant.Record) error { pause(); return nil }
	h.store.onLoad = func(string) error { pause(); return nil }
	h.store.onSave = func(provider.Tokens) error { pause(); return nil }
}

// B-61: one refresh, however many find the token stale, in one Lambda or in four.
func TestRefresh_IsSentOnceForTwentyCallsAtOnce_B61(t *testing.T) {
	for name, lambdas := range map[string]func(h *house) []*grant.Keeper{
		"one":  func(h *house) []*grant.Keeper { return []*grant.Keeper{h.Keeper} },
		"four": (*house).four,
	} {
		for left, mayBeOld := range map[time.Duration]bool{time.Hour: true, 30 * time.Second: false, -time.Hour: false} {
			in(t, func(h *house) {
				h.stale(left)
				h.dawdle()
				for _, token := range h.rush(20, "", lambdas(h)...) {
					if token != "secret-access-2" && (!mayBeOld || token != "secret-access-1") {
						h.Errorf("%s, %s left: token %s", name, left, token)
					}
				}
				h.asked(1)
				h.settled(2)
				h.rush(20, "", lambdas(h)...)
				h.asked(1)
			})
		}
	}
}

// B-47, B-61: so it is when Basecamp refuses a token to many.
func TestRefusal_OfOneTokenToTwentyCallsIsMendedByOneRefresh_B47(t *testing.T) {
	in(t, func(h *house) {
		h.dawdle()
		for _, token := range h.rush(20, "secret-access-1", h.four()...) {
			if token != "secret-access-2" {
				h.Errorf("token %s", token)
			}
		}
		h.asked(1)
		h.settled(2)
	})
}

func TestRefresh_TheLoserUsesTheOldTokenWithoutWaiting(t *testing.T) {
	in(t, func(h *house) {
		h.stale(61 * time.Second)
		h.write(ines, leasedFor(30*time.Second))
		begin := time.Now()
		if got := h.token(ines, ""); got != "secret-access-1" || time.Since(begin) != 0 {
			h.Errorf("token %s after %s", got, time.Since(begin))
		}
		h.asked(0)
	})
}

func TestRefresh_TheLoserOfARaceAdoptsTheWinnersToken(t *testing.T) {
	for name, left := range map[string]time.Duration{"a minute left": time.Minute, "expired": -time.Hour} {
		in(t, func(h *house) {
			h.stale(left)
			h.signOn.takes = 3 * time.Second
			winner := h.another()
			go func() { _, _ = winner.AccessToken(h.Context(), ines, "") }()
			time.Sleep(time.Second)
			begin := time.Now()
			if got := h.token(ines, ""); got != "secret-access-2" || time.Since(begin) > 3*time.Second {
				h.Errorf("%s: token %s after %s", name, got, time.Since(begin))
			}
			h.asked(1)
		})
	}
}

func TestRefresh_TheLoserGivesUpAfterEightSecondsAndSaysWhenToComeBack(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.write(ines, leasedFor(30*time.Second))
		begin, reads := time.Now(), h.records.reads
		f := h.fails(ines, "", fault.UpstreamError)
		if took := time.Since(begin); took != 8*time.Second || f.RetryAfter != 22*time.Second {
			h.Errorf("after %s: come back after %s", took, f.RetryAfter)
		}
		if polls := h.records.reads - reads; polls > 15 {
			h.Errorf("%d reads", polls)
		}
		time.Sleep(f.RetryAfter)
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("token %s", got)
		}
		h.asked(1)
	})
}

func TestRefresh_TheLoserWaitsNoLongerThanItsOwnTime(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.write(ines, leasedFor(30*time.Second))
		ctx, cancel := context.WithTimeout(h.Context(), 2*time.Second)
		defer cancel()
		begin := time.Now()
		if _, err := h.AccessToken(ctx, ines, ""); !fault.Is(err, fault.UpstreamError) || time.Since(begin) != 2*time.Second {
			h.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

// A reconnect writes without the lease, and the refresh that was running is dropped.
func TestRefresh_LosesAgainstAReconnect(t *testing.T) {
	for name, left := range map[string]time.Duration{"stale": time.Hour, "expired": -time.Hour} {
		in(t, func(h *house) {
			h.stale(left)
			h.signOn.takes = 2 * time.Second
			time.AfterFunc(time.Second, func() { h.connect(ines) }) // is given secret-access-2
			if got := h.token(ines, ""); got != "secret-access-2" {
				h.Errorf("%s: token %s", name, got)
			}
			h.asked(1)
			h.settled(2)
			if got := h.stored(ines).AccessToken; got != "secret-access-2" {
				h.Errorf("%s: stored %s", name, got)
			}
		})
	}
}

// The fence: one who was away longer than the lease lasts writes nothing over what came after.
func TestRefresh_OfASlowWinnerOverwritesNothing(t *testing.T) {
	in(t, func(h *house) {
		h.stale(time.Hour)
		slow := h.another()
		h.store.saved = func() {
			h.store.saved = nil
			h.write(ines, func(c *grant.Record) { c.Lease, c.LeaseUntil = "another", time.Now().Add(30*time.Second) })
		}
		got, err := slow.AccessToken(h.Context(), ines, "")
		if err != nil || got != "secret-access-1" {
			h.Errorf("token %s, %v", got, err)
		}
		if c := h.status(ines); c.Revision != 1 || c.Lease != "another" {
			h.Errorf("connection %+v", c)
		}
	})
}

func TestRefresh_ThatAPersonDisconnectedDuring_LeavesNothingBehind(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.signOn.takes = 2 * time.Second
		time.AfterFunc(time.Second, func() {
			if err := h.another().Disconnect(h.Context(), ines); err != nil {
				h.Error(err)
			}
		})
		h.fails(ines, "", fault.TokenExpired)
		h.asked(1)
		h.gone(ines)
	})
}

func (h *house) gone(subject string) {
	h.Helper()
	if c, err := h.records.Records.Record(h.Context(), subject); !errors.Is(err, grant.ErrNotFound) {
		h.Errorf("record %+v, %v", c, err)
	}
	if t, err := h.store.Store.Load(h.Context(), subject, ""); !errors.Is(err, grant.ErrNotFound) {
		h.Errorf("tokens of revision %d, %v", t.Revision, err)
	}
}

func leasedFor(d time.Duration) func(c *grant.Record) {
	return func(c *grant.Record) { c.Lease, c.LeaseUntil = "somebody", time.Now().Add(d) }
}
