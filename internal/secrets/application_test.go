package secrets

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

const (
	applicationSecret = "fernhill/launchpad"
	filled            = `{"client_id": "4711", "client_secret": "` + planted + `"}`
)

func TestApplication_ReportsMissingCredentials(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "is empty",
		" \n":                  "is empty",
		planted:                `is not of the form {"client_id": "...", "client_secret": "..."}`,
		`["` + planted + `"]`:  `is not of the form {"client_id": "...", "client_secret": "..."}`,
		`{"client_id": 4711}`:  `is not of the form {"client_id": "...", "client_secret": "..."}`,
		`{}`:                   "has no client_id yet",
		`{"client_id": "  "}`:  "has no client_id yet",
		`{"client_id":"4711"}`: "has no client_secret yet",
		`{"client_id":"...","client_secret":"..."}`:              "has no client_id yet",
		`{"client_id":"4711","client_secret":"..."}`:             "has no client_secret yet",
		`{"client_secret": "` + planted + `"}`:                   "has no client_id yet",
		`{"client_id": "` + planted + `", "client_secret": " "}`: "has no client_secret yet",
	} {
		s := withSecret(t, applicationSecret, text)
		wantUnconfigured(t, NewApplication(s.wired(), applicationSecret), want)
	}
	s := newService(t)
	wantUnconfigured(t, NewApplication(s.wired(), applicationSecret), "does not exist")
	s.plant(applicationSecret, filled)
	s.schedule(applicationSecret)
	wantUnconfigured(t, NewApplication(s.wired(), applicationSecret), "does not exist")
	s.will("GetSecretValue", says(200, `{"SecretBinary": "e30="}`))
	wantUnconfigured(t, NewApplication(s.wired(), applicationSecret), "is empty")
}

func TestApplication_ReadsAgainAfterFiveSecondsUntilItIsConfigured(t *testing.T) {
	for _, text := range []string{"", `{"client_id": "4711"}`} {
		synctest.Test(t, func(t *testing.T) {
			s := withSecret(t, applicationSecret, text)
			a := NewApplication(s.wired(), applicationSecret)
			for range 3 {
				if _, _, err := a.Credentials(t.Context()); !errors.Is(err, ErrNotConfigured) {
					t.Errorf("got %v", err)
				}
			}
			s.plant(applicationSecret, "\n"+`{"client_id": " 4711\n", "client_secret": "`+planted+` "}`+"\n")
			time.Sleep(5*time.Second - 1)
			if _, _, err := a.Credentials(t.Context()); !errors.Is(err, ErrNotConfigured) {
				t.Errorf("before the five seconds: %v", err)
			}
			s.wants(t, "GetSecretValue")
			time.Sleep(time.Nanosecond)
			wantCredentials(t, a, "4711", planted)
			s.wants(t, "GetSecretValue")
			s.plant(applicationSecret, "{}")
			time.Sleep(fresh)
			wantUnconfigured(t, a, "has no client_id yet")
		})
	}
}

// The tests of Ring hold when a secret is read again.
func TestApplication_AnUnreachableSecretIsAnotherErrorAndChangesNothing(t *testing.T) {
	for name, x := range failures {
		synctest.Test(t, func(t *testing.T) {
			s := withSecret(t, applicationSecret, filled)
			s.will("GetSecretValue", times(9, x.answer)...)
			a := NewApplication(s.wired(), applicationSecret)
			_, _, err := a.Credentials(t.Context())
			if errors.Is(err, ErrNotConfigured) {
				t.Errorf("%s counts as not configured", name)
			}
			wantText(t, err, "read the application's credentials: GetSecretValue: "+x.want)
			clear(s.instead)
			time.Sleep(again)
			wantCredentials(t, a, "4711", planted)
			s.will("GetSecretValue", times(9, x.answer)...)
			time.Sleep(fresh)
			wantCredentials(t, a, "4711", planted)
		})
	}
}

func wantCredentials(t *testing.T, a *Application, id, secret string) {
	t.Helper()
	gotID, gotSecret, err := a.Credentials(t.Context())
	if err != nil || gotID != id || gotSecret != secret {
		t.Errorf("got %q and %q, %v; want %q and %q", gotID, gotSecret, err, id, secret)
	}
}

func wantUnconfigured(t *testing.T, a *Application, why string) {
	t.Helper()
	id, secret, err := a.Credentials(t.Context())
	if !errors.Is(err, ErrNotConfigured) || id+secret != "" {
		t.Errorf("got %q and %q, %v", id, secret, err)
	}
	wantText(t, err, "the application is not configured: secret "+applicationSecret+" "+why)
}
