package secrets

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEdition_RotatesAKeyInSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, oneKey)
		planted := time.Now()
		r := NewRing(s.wired(), ringName)

		time.Sleep(time.Hour)
		e := edition(t, s)
		id, err := e.Add()
		if err != nil || id != "k2" || e.Next() != "k2" {
			t.Fatalf("added %s, %v; the next key is %s", id, err, e.Next())
		}
		must(t, e.Save(t.Context()))
		added := time.Now()
		wantCurrent(t, r, "k1", firstKey)

		time.Sleep(Settled)
		e = edition(t, s)
		if err := e.Use("k2"); err != nil || e.Next() != "" {
			t.Fatalf("%v; the next key is %s", err, e.Next())
		}
		must(t, e.Save(t.Context()))
		switched := time.Now()
		time.Sleep(fresh)
		second := string(e.Keys()["k2"].Secret)
		wantCurrent(t, r, "k2", second)
		wantKey(t, r, "k1", firstKey)

		time.Sleep(fresh)
		e = edition(t, s)
		if !e.Added("k1").Equal(planted) || !e.Added("k2").Equal(added) || !e.Switched().Equal(switched) || !e.Stored().Equal(switched) {
			t.Errorf("k1 was added at %s, k2 at %s, switched at %s and stored at %s", e.Added("k1"), e.Added("k2"), e.Switched(), e.Stored())
		}
		must(t, e.Drop("k1"))
		must(t, e.Save(t.Context()))
		time.Sleep(fresh)
		wantCurrent(t, r, "k2", second)
		wantNoKey(t, r, "k1")
	})
}

func TestEdition_UsesNoIDTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, oneKey)
		for _, want := range []string{"k2", "k3"} {
			e := edition(t, s)
			id, err := e.Add()
			if err != nil || id != want {
				t.Errorf("added %s, %v; want %s", id, err, want)
			}
			must(t, e.Save(t.Context()))
			time.Sleep(Settled)
			e = edition(t, s)
			if err := e.Drop(id); err != nil {
				t.Error(err)
			}
			must(t, e.Save(t.Context()))
		}
	})
}

func TestEdition_OrdersKeysByNumber(t *testing.T) {
	s := withSecret(t, ringName, `{"current": "k9", "k9": "`+firstKey+`", "k10": "`+secondKey+`"}`)
	e := edition(t, s)
	if ids := e.IDs(); !slices.Equal(ids, []string{"k9", "k10"}) || e.Next() != "k10" {
		t.Errorf("keys %v, the next one is %q", ids, e.Next())
	}
}

func TestEdition_MakesLongKeysThatDiffer(t *testing.T) {
	s := withSecret(t, ringName, oneKey)
	var secrets []string
	for range 20 {
		e := edition(t, s)
		id, err := e.Add()
		secret := string(e.Keys()[id].Secret)
		if err != nil || len(secret) != 64 || slices.Contains(secrets, secret) {
			t.Errorf("the key has %d characters, %v", len(secret), err)
		}
		secrets = append(secrets, secret)
	}
}

func TestEdition_WaitsTenMinutesAfterEveryChange(t *testing.T) {
	for name, change := range map[string]func(*Edition) error{
		"use":  func(e *Edition) error { return e.Use("k3") },
		"drop": func(e *Edition) error { return e.Drop("k1") },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t)
			byHand := strings.Replace(twoKeys, "}", `, "k3": "`+firstKey+`"}`, 1) // without times
			s.plant(ringName, byHand)
			time.Sleep(Settled - time.Second)
			err := change(edition(t, s))
			if err == nil || !strings.Contains(err.Error(), "the key ring was changed at 00:00:00 UTC; wait until 00:10:00 UTC before k") {
				t.Errorf("%s: %v", name, err)
			}
			time.Sleep(time.Second)
			if err := change(edition(t, s)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestEdition_GoesByTheClockOfTheService(t *testing.T) {
	s := withSecret(t, ringName, twoKeys)
	s.secrets[ringName].versions[0].created = time.Now().Add(time.Hour) // this machine is behind
	if err := edition(t, s).Use("k1"); err == nil {
		t.Error("a ring that was changed just now is used")
	}
	s.will("GetSecretValue", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		text, _ := json.Marshal(map[string]any{"SecretString": twoKeys, "CreatedDate": time.Now().Add(time.Hour).Unix()})
		_, _ = w.Write(text)
	})
	if err := edition(t, s).Use("k1"); err != nil {
		t.Error(err)
	}
}

func TestEdition_RefusesKeysThatCannotBeUsedOrDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, twoKeys)
		time.Sleep(Settled)
		e := edition(t, s)
		wantText(t, e.Use("k3"), `the key ring has no key "k3"; its keys are k1, k2`)
		wantText(t, e.Use(""), `the key ring has no key ""; its keys are k1, k2`)
		wantText(t, e.Drop("current"), `the key ring has no key "current"; its keys are k1, k2`)
		wantText(t, e.Drop("k2"), `k2 is the current key; make another key current first`)
		if e.Current() != "k2" || len(e.Keys()) != 2 {
			t.Errorf("the ring is now %s of %d keys", e.Current(), len(e.Keys()))
		}
	})
}

func TestEdition_KeepsMembersThatItDoesNotKnow(t *testing.T) {
	s := withSecret(t, ringName, strings.Replace(oneKey, "{", `{"later": {"a": [1.50]}, "added": "long ago", "switched": 7, `, 1))
	e := extended(t, s)
	must(t, e.Save(t.Context()))
	var stored map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(s.secrets[ringName].live().SecretString), &stored))
	if got := string(stored["later"]); got != `{"a":[1.50]}` {
		t.Errorf("the unknown member is now %s", got)
	}
	if e := edition(t, s); e.Added("k1").IsZero() || e.Added("k2").IsZero() || !e.Switched().IsZero() {
		t.Errorf("k1 was added at %s, k2 at %s, switched at %s", e.Added("k1"), e.Added("k2"), e.Switched())
	}
}

func TestEdition_OneOfTwoOperatorsIsToldThatTheRingChanged(t *testing.T) {
	s := withSecret(t, ringName, oneKey)
	first, second := extended(t, s), extended(t, s)
	must(t, first.Save(t.Context()))
	if err := second.Save(t.Context()); !errors.Is(err, ErrRingChanged) {
		t.Errorf("the second operator is told %v", err)
	}
	want, got := first.Keys(), edition(t, s).Keys()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the ring is not that of the first operator")
	}
	must(t, edition(t, s).Save(t.Context()))
}

// A lost answer is one of a request that the service has carried out.
func TestEdition_ALostAnswerDoesNotFailTheSave(t *testing.T) {
	for _, operation := range []string{"PutSecretValue", "UpdateSecretVersionStage"} {
		synctest.Test(t, func(t *testing.T) {
			s := withSecret(t, ringName, oneKey)
			lost := false
			c := client("https://secretsmanager.example", wire(func(r *http.Request) (*http.Response, error) {
				answer, err := s.wire(r)
				if strings.HasSuffix(r.Header.Get("X-Amz-Target"), operation) && !lost {
					lost = true
					return nil, errors.New("connection reset by peer")
				}
				return answer, err
			}))
			e, err := ReadEdition(t.Context(), c, ringName)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Add(); err != nil {
				t.Fatal(err)
			}
			must(t, e.Save(t.Context()))
			if got := edition(t, s).IDs(); !lost || !slices.Equal(got, []string{"k1", "k2"}) || len(s.secrets[ringName].versions) != 2 {
				t.Errorf("the ring has %q in %d versions", got, len(s.secrets[ringName].versions))
			}
		})
	}
}

func TestEdition_AFailedSaveChangesNothing(t *testing.T) {
	for name, x := range failures {
		if name == "silence" {
			continue // an operator stops it
		}
		for _, operation := range []string{"PutSecretValue", "UpdateSecretVersionStage"} {
			synctest.Test(t, func(t *testing.T) {
				s := withSecret(t, ringName, oneKey)
				e := extended(t, s)
				s.will(operation, times(9, x.answer)...)
				err := e.Save(t.Context())
				wantText(t, err, "store the key ring fernhill/ring: "+operation+": "+x.want)
				if got := edition(t, s).IDs(); !slices.Equal(got, []string{"k1"}) {
					t.Errorf("the ring has %q", got)
				}
			})
		}
	}
}

func TestEdition_SaysIfItIsUnknownWhetherTheRingChanged(t *testing.T) {
	s := withSecret(t, ringName, oneKey)
	e := edition(t, s)
	s.will("UpdateSecretVersionStage", refuses("AccessDeniedException"))
	s.will("GetSecretValue", refuses("AccessDeniedException"))
	wantText(t, e.Save(t.Context()), "store the key ring fernhill/ring: it is unknown whether it changed, so look at its status: "+
		`UpdateSecretVersionStage: AccessDeniedException (status 400, request "request-7")`)
}

func TestReadEdition_FailsLikeARing(t *testing.T) {
	for name, x := range failures {
		if name == "silence" {
			continue // an operator stops it
		}
		synctest.Test(t, func(t *testing.T) {
			s := newService(t)
			s.will("GetSecretValue", times(9, x.answer)...)
			_, err := ReadEdition(t.Context(), s.wired(), ringName)
			wantText(t, err, "read the key ring fernhill/ring: GetSecretValue: "+x.want)
		})
	}
	s := newService(t)
	_, err := ReadEdition(t.Context(), s.wired(), ringName)
	wantText(t, err, "key ring fernhill/ring does not exist; check its ARN and the region")
	s.plant(ringName, `{"current": "k1"}`)
	_, err = ReadEdition(t.Context(), s.wired(), ringName)
	wantText(t, err, `key ring fernhill/ring: the member "current" does not name a key of the ring, such as k1; `+
		"store its previous version again, as docs/operate.md says")
}

func edition(t *testing.T, s *service) *Edition {
	t.Helper()
	e, err := ReadEdition(t.Context(), s.wired(), ringName)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// extended returns an edition with a new key, which is not saved.
func extended(t *testing.T, s *service) *Edition {
	t.Helper()
	e := edition(t, s)
	if _, err := e.Add(); err != nil {
		t.Fatal(err)
	}
	return e
}
