package secrets

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// overwrite replaces the text of the ring, like an operator with the AWS CLI.
func overwrite(t *testing.T, s *service, text string) {
	t.Helper()
	_, err := s.wired().PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{SecretId: aws.String(ringName), SecretString: &text})
	if err != nil {
		t.Fatal(err)
	}
}

// restoration reads a Restoration, and checks whether it is useful and which keys it loses.
func restoration(t *testing.T, s *service, useful bool, lost ...string) *Restoration {
	t.Helper()
	r, err := ReadRestoration(t.Context(), s.wired(), ringName)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, k := range r.Lost {
		ids = append(ids, k.ID+string(k.Secret))
	}
	if strings.Join(ids, " ") != strings.Join(lost, " ") || r.Useful != useful {
		t.Errorf("useful: %v, lost: %d keys; want %v, %d", r.Useful, len(ids), useful, len(lost))
	}
	return r
}

func TestRestoration_ReplacesARingThatIsNotValid(t *testing.T) {
	for _, broken := range []string{planted, `{}`, `{"current": "k1", "k1": "short"}`, `{"current": "k2", "k1": "` + firstKey + `"}`} {
		s := withSecret(t, ringName, oneKey)
		overwrite(t, s, broken)
		if err := restoration(t, s, true).Save(t.Context()); err != nil {
			t.Error(err)
		}
		wantCurrent(t, NewRing(s.wired(), ringName), "k1", firstKey)
		_, err := ReadRestoration(t.Context(), s.wired(), ringName)
		if err == nil || !strings.HasPrefix(err.Error(), "the previous version of key ring fernhill/ring: ") {
			t.Errorf("a second restoration: %v", err)
		}
		wantQuiet(t, err)
	}
}

func TestRestoration_ReturnsADroppedKeyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, twoKeys)
		time.Sleep(Settled)
		e := edition(t, s)
		must(t, e.Drop("k1"))
		must(t, e.Save(t.Context()))
		if err := restoration(t, s, true).Save(t.Context()); err != nil {
			t.Error(err)
		}
		wantKey(t, NewRing(s.wired(), ringName), "k1", firstKey)
		restoration(t, s, false, "k1"+firstKey)
	})
}

func TestRestoration_NamesTheKeysThatItLoses(t *testing.T) {
	for text, x := range map[string]struct {
		useful bool
		lost   []string
	}{
		oneKey: {false, nil},
		`{"current": "k1", "k1": "` + firstKey + `", "k10": "` + secondKey + `", "k9": "` + secondKey + `"}`: {false, []string{"k9" + secondKey, "k10" + secondKey}},
		`{"current": "k1", "k1": "` + secondKey + `"}`:                                                       {true, []string{"k1" + secondKey}},
		`{"current": "k2", "k2": "` + secondKey + `"}`:                                                       {true, []string{"k2" + secondKey}},
	} {
		s := withSecret(t, ringName, oneKey)
		overwrite(t, s, text)
		restoration(t, s, x.useful, x.lost...)
	}
}

// Functions may still seal with a key of the version that was replaced.
func TestRestoration_IsAChangeAfterWhichKeysStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withSecret(t, ringName, twoKeys)
		time.Sleep(Settled)
		overwrite(t, s, oneKey)
		time.Sleep(Settled)
		must(t, restoration(t, s, true).Save(t.Context()))
		e := edition(t, s)
		for do, err := range map[string]error{"use": e.Use("k1"), "drop": e.Drop("k1")} {
			if err == nil || !strings.Contains(err.Error(), "wait until") {
				t.Errorf("%s after a restoration: %v", do, err)
			}
		}
		time.Sleep(Settled)
		if err := edition(t, s).Drop("k1"); err != nil {
			t.Error(err)
		}
	})
}

func TestRestoration_NeedsAPreviousVersion(t *testing.T) {
	s := newService(t)
	_, err := ReadRestoration(t.Context(), s.wired(), ringName)
	wantText(t, err, "key ring fernhill/ring does not exist; check its ARN and the region")
	s.plant(ringName, planted)
	_, err = ReadRestoration(t.Context(), s.wired(), ringName)
	wantText(t, err, "key ring fernhill/ring has no previous version")
}

func TestRestoration_NoticesAChangeInTheMeantime(t *testing.T) {
	s := withSecret(t, ringName, oneKey)
	overwrite(t, s, planted)
	r := restoration(t, s, true)
	overwrite(t, s, twoKeys)
	if err := r.Save(t.Context()); !errors.Is(err, ErrRingChanged) {
		t.Errorf("got %v", err)
	}
	wantCurrent(t, NewRing(s.wired(), ringName), "k2", secondKey)
}

func TestRestoration_ALostAnswerDoesNotFailTheSave(t *testing.T) {
	s := withSecret(t, ringName, oneKey)
	overwrite(t, s, planted)
	r := restoration(t, s, true)
	s.will("UpdateSecretVersionStage", func(w http.ResponseWriter, _ *http.Request) {
		put := s.last(t, "PutSecretValue")
		s.move(&request{SecretID: ringName, Stage: inUse, MoveTo: put.Token, RemoveFrom: r.old})
		w.WriteHeader(http.StatusBadGateway)
	})
	if err := r.Save(t.Context()); err != nil {
		t.Error(err)
	}
	wantCurrent(t, NewRing(s.wired(), ringName), "k1", firstKey)
}
