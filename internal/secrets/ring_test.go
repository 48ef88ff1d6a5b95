package secrets

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/envelope"
)

const (
	ringName  = "fernhill/ring"
	firstKey  = planted + "-first-key-of-the-ring-with-64-characters-0123456789abcdef"
	secondKey = planted + "-second-key-of-the-ring-with-64-characters-0123456789abcde"
	oneKey    = `{"current": "k1", "k1": "` + firstKey + `"}`
	twoKeys   = `{"current": "k2", "k1": "` + firstKey + `", "k2": "` + secondKey + `"}`
)

func TestRing_ReturnsTheCurrentKeyAndEveryOther(t *testing.T) {
	s := withSecret(t, ringName, twoKeys)
	r := NewRing(s.wired(), ringName)
	wantCurrent(t, r, "k2", secondKey)
	wantKey(t, r, "k1", firstKey)
	wantKey(t, r, "k2", secondKey)
	s.wants(t, "GetSecretValue")
}

func TestRing_IgnoresMembersThatAreNotKeys(t *testing.T) {
	s := newService(t)
	s.plant(ringName, " \n"+`{"K1": 1, "k": "", "k0": "x", "k01": 7, "key": [], "added": {"k1": "2026-11-23T03:00:00Z"}, "switched": null,
		"current": "k1", "k1": "`+firstKey+`"}`+"\n")
	r := NewRing(s.wired(), ringName)
	wantCurrent(t, r, "k1", firstKey)
	for _, id := range []string{"k", "k0", "k01", "key", "K1", "current", "added", ""} {
		wantNoKey(t, r, id)
	}
}

func TestRing_AcceptsAKeyOf32Characters(t *testing.T) {
	s := newService(t)
	shortest := firstKey[:32]
	s.plant(ringName, `{"current": "k1", "k1": "`+shortest+`"}`)
	wantCurrent(t, NewRing(s.wired(), ringName), "k1", shortest)
}

func TestRing_ErrorsNameTheSecretTheMemberAndWhatToDo(t *testing.T) {
	const form = `is not of the form {"current": "k1", "k1": "..."}`
	for text, want := range map[string]string{
		"":                    "is empty",
		" \n":                 "is empty",
		planted:               form,
		`"` + planted + `"`:   form,
		`["` + planted + `"]`: form,
		`null`:                form,
		`7`:                   form,
		oneKey + oneKey:       form,
		`{}`:                  `the member "current" is missing`,
		`{"Current": "k1", "k1": "` + firstKey + `"}`:               `the member "current" is missing`,
		`{"current": 1, "k1": "` + firstKey + `"}`:                  `the member "current" is not a string`,
		`{"current": null, "k1": "` + firstKey + `"}`:               `the member "current" is not a string`,
		`{"current": "", "k1": "` + firstKey + `"}`:                 `the member "current" does not name a key of the ring, such as k1`,
		`{"current": "k2", "k1": "` + firstKey + `"}`:               `the member "current" does not name a key of the ring, such as k1`,
		`{"current": "` + planted + `", "k1": "` + firstKey + `"}`:  `the member "current" does not name a key of the ring, such as k1`,
		`{"current": "key", "key": "` + firstKey + `"}`:             `the member "current" does not name a key of the ring, such as k1`,
		`{"current": "k1", "k1": ""}`:                               `the member "k1" has fewer than 32 characters`,
		`{"current": "k1", "k1": "` + planted + `"}`:                `the member "k1" has fewer than 32 characters`,
		`{"current": "k1", "k1": "` + firstKey + `", "k2": "..."}`:  `the member "k2" has fewer than 32 characters`,
		`{"current": "k1", "k1": "` + firstKey + `", "k2": null}`:   `the member "k2" is not a string`,
		`{"current": "k1", "k1": ["` + firstKey + `"]}`:             `the member "k1" is not a string`,
		`{"current": "k1", "k1": {"` + firstKey + `": "` + `"}}`:    `the member "k1" is not a string`,
		`{"current": "k1", "k1": "` + firstKey + `", "k12": 123.4}`: `the member "k12" is not a string`,
	} {
		s := withSecret(t, ringName, text)
		wantInvalid(t, NewRing(s.wired(), ringName), want)
	}
}

func TestRing_AMissingSecretIsNeverAMissingKey(t *testing.T) {
	s := newService(t)
	wantFailing(t, NewRing(s.wired(), ringName), missing)
	s.plant(ringName, oneKey)
	s.schedule(ringName)
	wantFailing(t, NewRing(s.wired(), ringName), missing)
	s.will("GetSecretValue", says(200, `{"SecretBinary": "e30="}`))
	wantInvalid(t, NewRing(s.wired(), ringName), "is empty")
}

// failures are the ways in which Secrets Manager does not return a ring, with the ends of the
// errors.
var failures = map[string]struct {
	answer answer
	want   string
}{
	"denied":    {refuses("AccessDeniedException"), `AccessDeniedException (status 400, request "request-7")`},
	"decrypted": {refuses("DecryptionFailure"), `DecryptionFailure (status 400, request "request-7")`},
	"throttled": {refuses("ThrottlingException"), `ThrottlingException (status 400, request "request-7")`},
	"5xx":       {says(503, planted), `unreadable answer (status 503, request "request-7")`},
	"garbage":   {says(200, planted), `unreadable answer (status 200, request "request-7")`},
	"cut off":   {says(200, `{"SecretString": "{\"current\": \"k1\", \"k1\": \"%s`, firstKey), `unreadable answer (status 200, request "request-7")`},
	"silence":   {never, "context deadline exceeded"},
}

func TestRing_AnUnreachableSecretIsNeverAMissingKey(t *testing.T) {
	for name, x := range failures {
		synctest.Test(t, func(t *testing.T) {
			s := withSecret(t, ringName, oneKey)
			s.will("GetSecretValue", times(9, x.answer)...)
			r := NewRing(s.wired(), ringName)
			start := time.Now()
			_, err := r.Current(t.Context())
			wantText(t, err, "read the key ring fernhill/ring: GetSecretValue: "+x.want)
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("%s took %s", name, took)
			}
			s.asked = nil
			if _, err := r.Key(t.Context(), "k1"); err == nil || errors.Is(err, envelope.ErrNoKey) || len(s.asked) > 0 {
				t.Errorf("%s: asked %q at once, %v", name, s.asked, err)
			}
			s.instead = nil
			time.Sleep(5 * time.Second)
			wantKey(t, r, "k1", firstKey)
		})
	}
}

func TestRing_CachesItsSecretForFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, oneKey)
		r := NewRing(s.wired(), ringName)
		wantCurrent(t, r, "k1", firstKey)
		s.plant(ringName, twoKeys)
		time.Sleep(5*time.Minute - 1)
		wantCurrent(t, r, "k1", firstKey)
		wantKey(t, r, "k1", firstKey)
		s.wants(t, "GetSecretValue")
		time.Sleep(time.Nanosecond)
		wantCurrent(t, r, "k2", secondKey)
		s.wants(t, "GetSecretValue")
	})
}

func TestRing_ServesWhatItKnowsWhileNoValidRingCanBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		downs := map[string]answer{
			"missing":   refuses("ResourceNotFoundException"),
			"scheduled": refuses("InvalidRequestException"),
			"no JSON":   says(200, `{"SecretString": "oops"}`),
			"no keys":   says(200, `{"SecretString": "{}"}`),
		}
		for name, x := range failures {
			downs[name] = x.answer
		}
		for name, down := range downs {
			s := withSecret(t, ringName, oneKey)
			r := NewRing(s.wired(), ringName)
			wantCurrent(t, r, "k1", firstKey)
			s.will("GetSecretValue", times(1000, down)...)
			for range 20 {
				time.Sleep(fresh)
				wantCurrent(t, r, "k1", firstKey)
				s.asked = nil
				wantKey(t, r, "k1", firstKey)
				s.wants(t)
				if _, err := r.Key(t.Context(), "k2"); err == nil || errors.Is(err, envelope.ErrNoKey) {
					t.Errorf("%s: an unknown key is %v", name, err)
				}
			}
			s.instead = nil
			s.plant(ringName, twoKeys)
			time.Sleep(time.Minute)
			wantCurrent(t, r, "k2", secondKey)
		}
	})
}

func TestRing_WaitsAtMostThreeSecondsAMinuteForAServiceThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, oneKey)
		r := NewRing(s.wired(), ringName)
		wantCurrent(t, r, "k1", firstKey)
		time.Sleep(fresh)
		s.will("GetSecretValue", times(1000, never)...)
		var waited time.Duration
		for start := time.Now(); time.Since(start) < 10*time.Minute; time.Sleep(time.Second) {
			asked := time.Now()
			wantCurrent(t, r, "k1", firstKey)
			wantKey(t, r, "k1", firstKey)
			waited += time.Since(asked)
		}
		if waited > 30*time.Second {
			t.Errorf("callers waited %s in ten minutes", waited)
		}
	})
}

func TestRing_ForgetsAKeyThatWasDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, twoKeys)
		r := NewRing(s.wired(), ringName)
		wantKey(t, r, "k1", firstKey)
		s.plant(ringName, `{"current": "k2", "k2": "`+secondKey+`"}`)
		time.Sleep(fresh)
		wantNoKey(t, r, "k1")
	})
}

func TestRing_AnUnknownKeyIsReadAtOnceAndThenOnceInFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, oneKey)
		r := NewRing(s.wired(), ringName)
		wantCurrent(t, r, "k1", firstKey)
		time.Sleep(5 * time.Second)
		s.plant(ringName, twoKeys)
		wantKey(t, r, "k2", secondKey) // another instance has sealed with it
		s.wants(t, "GetSecretValue", "GetSecretValue")

		for range 3 {
			for range 10 {
				wantNoKey(t, r, "k3")
				wantNoKey(t, r, "k4")
			}
			s.wants(t)
			time.Sleep(5*time.Second - 1)
			wantNoKey(t, r, "k3")
			s.wants(t)
			time.Sleep(time.Nanosecond)
			wantNoKey(t, r, "k3")
			s.wants(t, "GetSecretValue")
		}
		wantKey(t, r, "k1", firstKey)
		s.wants(t)
	})
}

func TestRing_IsReadOnceForConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, twoKeys)
		r := NewRing(s.wired(), ringName)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { wantCurrent(t, r, "k2", secondKey) })
			all.Go(func() { wantKey(t, r, "k1", firstKey) })
			all.Go(func() { wantNoKey(t, r, "k3") })
		}
		all.Wait()
		s.wants(t, "GetSecretValue")
	})
}

func TestRing_ACallerThatGivesUpDoesNotDelayTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, oneKey)
		r := NewRing(s.wired(), ringName)
		givesUp := func(ask func(context.Context) error) {
			s.will("GetSecretValue", never)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, envelope.ErrNoKey) {
				t.Errorf("got %v", err)
			}
		}
		givesUp(func(ctx context.Context) error { _, err := r.Current(ctx); return err })
		wantCurrent(t, r, "k1", firstKey)
		s.plant(ringName, twoKeys)
		time.Sleep(5 * time.Second)
		givesUp(func(ctx context.Context) error { _, err := r.Key(ctx, "k2"); return err })
		wantKey(t, r, "k2", secondKey)
	})
}

func TestRing_ACallerWaitsUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.will("GetSecretValue", never)
		r := NewRing(s.wired(), ringName)
		go func() { _, _ = r.Current(t.Context()) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := r.Key(ctx, "k1")
		if took := time.Since(start); took != time.Second {
			t.Errorf("%v after %s", err, took)
		}
		wantText(t, err, "wait to read the key ring: context deadline exceeded")
	})
}

func wantCurrent(t *testing.T, r *Ring, id, secret string) {
	t.Helper()
	got, err := r.Current(t.Context())
	if err != nil || got.ID != id || string(got.Secret) != secret {
		t.Errorf("the current key is %s, %v; want %s", got.ID, err, id)
	}
}

func wantKey(t *testing.T, r *Ring, id, secret string) {
	t.Helper()
	got, err := r.Key(t.Context(), id)
	if err != nil || got.ID != id || string(got.Secret) != secret {
		t.Errorf("key %s is %s, %v", id, got.ID, err)
	}
}

func wantNoKey(t *testing.T, r *Ring, id string) {
	t.Helper()
	if got, err := r.Key(t.Context(), id); !errors.Is(err, envelope.ErrNoKey) || len(got.Secret) > 0 {
		t.Errorf("key %s is %s, %v", id, got.ID, err)
	}
}

const missing = "key ring fernhill/ring: does not exist; check KEY_RING_SECRET, and restore the secret if its deletion is scheduled"

func wantInvalid(t *testing.T, r *Ring, why string) {
	t.Helper()
	wantFailing(t, r, "key ring fernhill/ring: "+why+"; store its previous version again, as docs/operate.md says")
}

func wantFailing(t *testing.T, r *Ring, want string) {
	t.Helper()
	_, err := r.Current(t.Context())
	wantText(t, err, want)
	_, err = r.Key(t.Context(), "k1")
	wantText(t, err, want)
	if errors.Is(err, envelope.ErrNoKey) {
		t.Errorf("%v counts as a missing key", err)
	}
}

// A function may be frozen for longer than an operator waits before a key is dropped. The monotonic
// clock may stop meanwhile.
func TestCached_GoesByTheWallClock(t *testing.T) {
	reads := 0
	c := newCached("count", func(context.Context) (int, error) { reads++; return reads, nil }, func(error) bool { return false })
	always := func(*int) bool { return true }
	if _, err := c.get(t.Context(), always); err != nil {
		t.Fatal(err)
	}
	if c.tried != c.tried.Round(0) { // also compares the monotonic clock
		t.Error("the time of the last read has a reading of the monotonic clock")
	}
	for want, away := range []time.Duration{0, 0, -fresh, time.Hour} {
		c.tried = c.tried.Add(away)
		if n, err := c.get(t.Context(), always); err != nil || *n != max(1, want) {
			t.Errorf("the clock moved by %s: read %d times, %v; want %d", -away, *n, err, max(1, want))
		}
	}
}
