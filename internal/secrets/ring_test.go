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
	ringName  = "fernhill/ring"
	firstKey  = planted + "-first-key-of-the-ring-with-64-characters-0123456789abcdef"
	secondKey = planted + "-second-key-of-the-ring-with-64-characters-0123456789abcde"
	thirdKey  = planted + "-third-key-of-the-ring-with-64-characters-0123456789abcdef"
	twoKeys   = secondKey + "\n" + firstKey
)

func TestRing_ReturnsTheFirstKeyAndEveryOther(t *testing.T) {
	s := withSecret(t, ringName, " \n"+twoKeys+"\r\n")
	r := NewRing(s.wired(), ringName)
	wantCurrent(t, r, secondKey)
	wantKey(t, r, firstKey)
	wantKey(t, r, secondKey)
	s.wants(t, "GetSecretValue")
}

func TestRing_ErrorsNameTheSecretAndTheWordAndWhatToDo(t *testing.T) {
	const second = "word 2 is not a key of 32 or more letters, digits, and + / = - _"
	for text, want := range map[string]string{
		"":                                "is empty",
		" \n":                             "is empty",
		firstKey + " " + firstKey[:31]:    second,
		firstKey + "\n..." + firstKey:     second,
		firstKey + ` {"k":"` + firstKey:   second,
		firstKey[:32] + "\t" + "\"" + `"`: second,
	} {
		s := withSecret(t, ringName, text)
		wantInvalid(t, NewRing(s.wired(), ringName), want)
	}
	wantCurrent(t, NewRing(withSecret(t, ringName, firstKey[:32]).wired(), ringName), firstKey[:32])
}

func TestRing_AMissingSecretIsNeverAMissingKey(t *testing.T) {
	s := newService(t)
	wantFailing(t, NewRing(s.wired(), ringName), missing)
	s.plant(ringName, firstKey)
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
	"cut off":   {says(200, `{"SecretString": "%s`, firstKey), `unreadable answer (status 200, request "request-7")`},
	"silence":   {never, "context deadline exceeded"},
}

func TestRing_AnUnreachableSecretIsNeverAMissingKey(t *testing.T) {
	for name, x := range failures {
		synctest.Test(t, func(t *testing.T) {
			s := withSecret(t, ringName, firstKey)
			s.will("GetSecretValue", times(9, x.answer)...)
			r := NewRing(s.wired(), ringName)
			start := time.Now()
			_, _, err := r.Current(t.Context())
			wantText(t, err, "read the key ring fernhill/ring: GetSecretValue: "+x.want)
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("%s took %s", name, took)
			}
			s.asked = nil
			if _, err := r.Key(t.Context(), fingerprint(firstKey)); err == nil || errors.Is(err, ErrNoKey) || len(s.asked) > 0 {
				t.Errorf("%s: asked %q at once, %v", name, s.asked, err)
			}
			s.instead = nil
			time.Sleep(5 * time.Second)
			wantKey(t, r, firstKey)
		})
	}
}

func TestRing_CachesItsSecretForFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, firstKey)
		r := NewRing(s.wired(), ringName)
		wantCurrent(t, r, firstKey)
		s.plant(ringName, twoKeys)
		time.Sleep(5*time.Minute - 1)
		wantCurrent(t, r, firstKey)
		wantKey(t, r, firstKey)
		s.wants(t, "GetSecretValue")
		time.Sleep(time.Nanosecond)
		wantCurrent(t, r, secondKey)
		s.wants(t, "GetSecretValue")
		s.plant(ringName, secondKey)
		time.Sleep(fresh)
		wantNoKey(t, r, firstKey)
	})
}

func TestRing_ServesWhatItKnowsWhileNoValidRingCanBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		downs := map[string]answer{
			"missing":   refuses("ResourceNotFoundException"),
			"scheduled": refuses("InvalidRequestException"),
			"no keys":   says(200, `{"SecretString": "oops"}`),
		}
		for name, x := range failures {
			downs[name] = x.answer
		}
		for name, down := range downs {
			s := withSecret(t, ringName, firstKey)
			r := NewRing(s.wired(), ringName)
			wantCurrent(t, r, firstKey)
			s.will("GetSecretValue", times(1000, down)...)
			for range 20 {
				time.Sleep(fresh)
				wantCurrent(t, r, firstKey)
				s.asked = nil
				wantKey(t, r, firstKey)
				s.wants(t)
				if _, err := r.Key(t.Context(), fingerprint(secondKey)); err == nil || errors.Is(err, ErrNoKey) {
					t.Errorf("%s: an unknown key is %v", name, err)
				}
			}
			s.instead = nil
			s.plant(ringName, twoKeys)
			time.Sleep(time.Minute)
			wantCurrent(t, r, secondKey)
		}
	})
}

func TestRing_AnUnknownKeyIsReadAtOnceAndThenOnceInFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, firstKey)
		r := NewRing(s.wired(), ringName)
		wantCurrent(t, r, firstKey)
		time.Sleep(5 * time.Second)
		s.plant(ringName, twoKeys)
		wantKey(t, r, secondKey) // another instance has sealed with it
		s.wants(t, "GetSecretValue", "GetSecretValue")

		for range 3 {
			for range 10 {
				wantNoKey(t, r, thirdKey)
				wantNoKey(t, r, "k4")
			}
			s.wants(t)
			time.Sleep(5*time.Second - 1)
			wantNoKey(t, r, thirdKey)
			s.wants(t)
			time.Sleep(time.Nanosecond)
			wantNoKey(t, r, thirdKey)
			s.wants(t, "GetSecretValue")
		}
		wantKey(t, r, firstKey)
		s.wants(t)
	})
}

func TestRing_IsReadOnceForConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, twoKeys)
		r := NewRing(s.wired(), ringName)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { wantCurrent(t, r, secondKey) })
			all.Go(func() { wantKey(t, r, firstKey) })
			all.Go(func() { wantNoKey(t, r, thirdKey) })
		}
		all.Wait()
		s.wants(t, "GetSecretValue")
	})
}

func TestRing_ACallerThatGivesUpDoesNotDelayTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, firstKey)
		r := NewRing(s.wired(), ringName)
		givesUp := func(ask func(context.Context) error) {
			s.will("GetSecretValue", never)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrNoKey) {
				t.Errorf("got %v", err)
			}
		}
		givesUp(func(ctx context.Context) error { _, _, err := r.Current(ctx); return err })
		wantCurrent(t, r, firstKey)
		s.plant(ringName, twoKeys)
		time.Sleep(5 * time.Second)
		givesUp(func(ctx context.Context) error { _, err := r.Key(ctx, fingerprint(secondKey)); return err })
		wantKey(t, r, secondKey)
	})
}

func TestRing_ACallerWaitsUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.will("GetSecretValue", never)
		r := NewRing(s.wired(), ringName)
		go func() { _, _, _ = r.Current(t.Context()) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := r.Key(ctx, fingerprint(firstKey))
		if took := time.Since(start); took != time.Second {
			t.Errorf("%v after %s", err, took)
		}
		wantText(t, err, "wait to read the key ring: context deadline exceeded")
	})
}

func fingerprint(key string) string { return Fingerprint([]byte(key)) }

func wantCurrent(t *testing.T, r *Ring, key string) {
	t.Helper()
	if id, got, err := r.Current(t.Context()); err != nil || string(got) != key || id != fingerprint(key) {
		t.Errorf("the current key is %s, %v; want %s", got, err, key)
	}
}

func wantKey(t *testing.T, r *Ring, key string) {
	t.Helper()
	if got, err := r.Key(t.Context(), fingerprint(key)); err != nil || string(got) != key {
		t.Errorf("the key is %s, %v; want %s", got, err, key)
	}
}

func wantNoKey(t *testing.T, r *Ring, key string) {
	t.Helper()
	if got, err := r.Key(t.Context(), fingerprint(key)); !errors.Is(err, ErrNoKey) || got != nil {
		t.Errorf("key %s is %s, %v", key, got, err)
	}
}

const missing = "key ring fernhill/ring: does not exist; check KEY_RING_SECRET, and restore the secret if its deletion is scheduled"

func wantInvalid(t *testing.T, r *Ring, why string) {
	t.Helper()
	wantFailing(t, r, "key ring fernhill/ring: "+why+"; store its previous version again, as docs/operate.md says")
}

func wantFailing(t *testing.T, r *Ring, want string) {
	t.Helper()
	_, _, err := r.Current(t.Context())
	wantText(t, err, want)
	_, err = r.Key(t.Context(), fingerprint(firstKey))
	wantText(t, err, want)
	if errors.Is(err, ErrNoKey) {
		t.Errorf("%v counts as a missing key", err)
	}
}

// A function may be frozen for longer than an operator waits before a key is dropped. The monotonic
// clock may stop meanwhile.
func TestCached_GoesByTheWallClock(t *testing.T) {
	reads := 0
	c := newCached("count", func(context.Context) (int, error) { reads++; return reads, nil })
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
