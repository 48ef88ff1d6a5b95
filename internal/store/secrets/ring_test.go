package secrets

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	firstKey  = planted + "-first-key-of-the-ring-with-64-characters-0123456789abcdef"
	secondKey = planted + "-second-key-of-the-ring-with-64-characters-0123456789abcde"
	thirdKey  = planted + "-third-key-of-the-ring-with-64-characters-0123456789abcdef"
	twoKeys   = secondKey + "\n" + firstKey
)

// newRing returns a ring in a service that has its secret.
func newRing(t *testing.T, text string) (*service, *Ring) {
	s := newService(t)
	s.plant(kept, text)
	return s, NewRing(s.client(), kept)
}

func TestRing_IsReadAgainAfterFiveMinutesAndSoonerForAnUnknownKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newRing(t, "")
		for i, c := range []struct {
			after time.Duration
			holds string // empty: as before
			key   string // empty: the current one
			want  string // empty: the ring does not have it
			reads int
		}{
			{0, firstKey[:32] + " \r\n", "", firstKey[:32], 1},
			{5*time.Minute - 1, " \n" + twoKeys + "\r\n", "", firstKey[:32], 0},
			{1, "", "", secondKey, 1},
			{0, "", firstKey, firstKey, 0},
			{0, "", secondKey, secondKey, 0},
			{5*time.Second - 1, "", thirdKey, "", 0},
			{1, "", thirdKey, "", 1},
			{0, "", "another", "", 0},
			{5*time.Second - 1, "", thirdKey, "", 0},
			{1, thirdKey + " " + twoKeys, thirdKey, thirdKey, 1}, // another instance has sealed with it
			{0, "", "", thirdKey, 0},
			{fresh, secondKey, "", secondKey, 1},
			{0, "", firstKey, "", 0},
		} {
			time.Sleep(c.after)
			if c.holds != "" {
				s.plant(kept, c.holds)
			}
			id, key, err := r.Current(t.Context())
			if c.key != "" {
				id = fingerprint(c.key)
				key, err = r.Key(t.Context(), id)
			}
			if string(key) != c.want || c.want != "" && id != fingerprint(c.want) || len(s.asked) != c.reads {
				t.Errorf("step %d: key %s %q, %v, after %d reads", i, id, key, err, len(s.asked))
			}
			if c.want == "" {
				wantText(t, err, "key ring fernhill/kept has no key with fingerprint "+id+": put it back into the ring")
			}
			s.asked = nil
		}
	})
}

func TestRing_ServesWhatItKnowsWhileNoValidRingCanBeRead(t *testing.T) {
	downs := map[string]answer{
		"missing": refuses("ResourceNotFoundException"), "scheduled": refuses("InvalidRequestException"), "no keys": holds("oops"),
	}
	for name, x := range failures {
		downs[name] = x.answer
	}
	for name, down := range downs {
		synctest.Test(t, func(t *testing.T) {
			s, r := newRing(t, firstKey)
			wantCurrent(t, r, firstKey)
			for range 3 {
				s.always = down
				time.Sleep(fresh)
				start := time.Now()
				wantCurrent(t, r, firstKey)
				if took := time.Since(start); took > timeout {
					t.Errorf("%s: took %s", name, took)
				}
				s.asked = nil
				if _, err := r.Key(t.Context(), fingerprint(firstKey)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if _, err := r.Key(t.Context(), fingerprint(secondKey)); err == nil {
					t.Errorf("%s: there is an unknown key", name)
				}
				s.wants(t)
			}
			s.always = nil
			s.plant(kept, twoKeys)
			time.Sleep(stale)
			wantCurrent(t, r, secondKey)
		})
	}
}

func TestRing_IsReadOnceForConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newRing(t, twoKeys)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { wantCurrent(t, r, secondKey) })
			all.Go(func() { _, _ = r.Key(t.Context(), fingerprint(thirdKey)) })
		}
		all.Wait()
		s.wants(t, "GetSecretValue")
	})
}

func TestRing_ACallerThatGivesUpDoesNotDelayTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newRing(t, firstKey)
		s.will("GetSecretValue", 1, never)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() {
			if _, _, err := r.Current(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the first gave up with %v", err)
			}
		}()
		synctest.Wait()
		brief, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		_, err := r.Key(brief, fingerprint(firstKey))
		wantText(t, err, "wait to read the key ring fernhill/kept: context deadline exceeded")
		time.Sleep(time.Second)
		wantCurrent(t, r, firstKey)
	})
}

// A function may be frozen for longer than an operator waits before a key is dropped. The monotonic
// clock may stop meanwhile.
func TestRing_GoesByTheWallClock(t *testing.T) {
	s, r := newRing(t, firstKey)
	for want, moved := range []time.Duration{0, fresh, -time.Hour} {
		r.tried = r.tried.Add(-moved)
		wantCurrent(t, r, firstKey)
		if len(s.asked) != want+1 || r.tried != r.tried.Round(0) { // also compares the monotonic clock
			t.Errorf("the clock moved by %s: read %d times", moved, len(s.asked))
		}
	}
}

func fingerprint(key string) string { return Fingerprint([]byte(key)) }

func wantCurrent(t *testing.T, r *Ring, key string) {
	t.Helper()
	if id, got, err := r.Current(t.Context()); err != nil || string(got) != key || id != fingerprint(key) {
		t.Errorf("the current key is %s, %v; want %s", got, err, key)
	}
}
