package secrets

import (
	"errors"
	"net/http"
	"slices"
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

func TestRestoreRing_ReplacesARingThatIsNotValid(t *testing.T) {
	for _, broken := range []string{planted, `{}`, `{"current": "k1", "k1": "short"}`, `{"current": "k2", "k1": "` + firstKey + `"}`} {
		s := newService(t)
		s.plant(ringName, oneKey)
		overwrite(t, s, broken)
		if restored, err := RestoreRing(t.Context(), s.wired(), ringName); err != nil || !restored {
			t.Errorf("restored: %v, %v", restored, err)
		}
		wantCurrent(t, NewRing(s.wired(), ringName), "k1", firstKey)
		_, err := RestoreRing(t.Context(), s.wired(), ringName)
		if err == nil || !strings.HasPrefix(err.Error(), "the previous version of key ring fernhill/ring: ") {
			t.Errorf("a second restore: %v", err)
		}
		wantQuiet(t, err)
		wantCurrent(t, NewRing(s.wired(), ringName), "k1", firstKey)
	}
}

func TestRestoreRing_ReturnsADroppedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.plant(ringName, twoKeys)
		time.Sleep(Settled)
		e := edition(t, s)
		if err := e.Drop("k1"); err != nil {
			t.Fatal(err)
		}
		mustSave(t, e)
		if restored, err := RestoreRing(t.Context(), s.wired(), ringName); err != nil || !restored {
			t.Errorf("restored: %v, %v", restored, err)
		}
		wantKey(t, NewRing(s.wired(), ringName), "k1", firstKey)
		restored, err := RestoreRing(t.Context(), s.wired(), ringName)
		wantText(t, err, "the previous version of key ring fernhill/ring does not have k1; drop it first, or use another key")
		if restored {
			t.Error("a second restore drops the key again")
		}
		wantKey(t, NewRing(s.wired(), ringName), "k1", firstKey)
	})
}

func TestRestoreRing_NeverRemovesAKey(t *testing.T) {
	for text, lost := range map[string]string{
		twoKeys: "k2",
		`{"current": "k1", "k1": "` + secondKey + `", "k3": "` + secondKey + `"}`: "k1, k3",
	} {
		s := newService(t)
		s.plant(ringName, oneKey)
		overwrite(t, s, text)
		restored, err := RestoreRing(t.Context(), s.wired(), ringName)
		wantText(t, err, "the previous version of key ring fernhill/ring does not have "+lost+"; drop it first, or use another key")
		if restored {
			t.Errorf("%s were removed", lost)
		}
	}
}

func TestRestoreRing_LeavesARingThatHasAllKeys(t *testing.T) {
	s := newService(t)
	s.plant(ringName, twoKeys)
	overwrite(t, s, strings.Replace(twoKeys, `"k2"`, `"k1"`, 1))
	if restored, err := RestoreRing(t.Context(), s.wired(), ringName); err != nil || restored {
		t.Errorf("restored: %v, %v", restored, err)
	}
	wantCurrent(t, NewRing(s.wired(), ringName), "k1", firstKey)
	if slices.Contains(s.asked, "UpdateSecretVersionStage") {
		t.Error("it changed the ring")
	}
}

func TestRestoreRing_NeedsAPreviousVersion(t *testing.T) {
	s := newService(t)
	_, err := RestoreRing(t.Context(), s.wired(), ringName)
	wantText(t, err, "key ring fernhill/ring does not exist; check its ARN and the region")
	s.plant(ringName, planted)
	_, err = RestoreRing(t.Context(), s.wired(), ringName)
	wantText(t, err, "key ring fernhill/ring has no previous version")
}

func TestRestoreRing_NoticesAChangeInTheMeantime(t *testing.T) {
	s := newService(t)
	s.plant(ringName, oneKey)
	overwrite(t, s, planted)
	s.will("UpdateSecretVersionStage", func(w http.ResponseWriter, r *http.Request) {
		s.secrets[ringName].versions = append(s.secrets[ringName].versions, &request{Token: "another", SecretString: twoKeys})
		s.secrets[ringName].current = "another"
		refuses("InvalidParameterException")(w, r)
	})
	if _, err := RestoreRing(t.Context(), s.wired(), ringName); !errors.Is(err, ErrRingChanged) {
		t.Errorf("got %v", err)
	}
	wantCurrent(t, NewRing(s.wired(), ringName), "k2", secondKey)
}
