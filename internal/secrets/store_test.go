package secrets

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

const (
	ines = "37s:9007199254740995"
	// inesSecret is the name of her secret.
	inesSecret = "fernhill/user/2ivfenuhg5jbblysgr4orn4dgle4cad7"
)

var tokens = provider.Tokens{
	Revision: 7, AccessToken: "access-" + planted, RefreshToken: "refresh-" + planted,
	ExpiresAt:  time.Date(2026, 10, 19, 8, 30, 0, 0, time.UTC),
	ObtainedAt: time.Date(2026, 10, 5, 8, 30, 0, 0, time.UTC),
}

func TestSave_MakesOneSecretAUserWithoutTheSubjectInItsName(t *testing.T) {
	s := newService(t)
	version := save(t, New(s.wired(), "fernhill/", "fernhill-stack"))
	s.wants(t, "PutSecretValue", "CreateSecret")
	in := s.last(t, "CreateSecret")
	if in.Name != inesSecret || in.Token != version {
		t.Errorf("secret %q, version %q", in.Name, in.Token)
	}
	want := `{"v":1,"rev":7,"access_token":"access-` + planted + `","refresh_token":"refresh-` + planted +
		`","expires_at":"2026-10-19T08:30:00Z","obtained_at":"2026-10-05T08:30:00Z"}`
	if diff := cmp.Diff(want, in.SecretString); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"app": "basecamp-mcp", "stack": "fernhill-stack"}, s.secrets[inesSecret].tags); diff != "" {
		t.Error(diff)
	}
}

func TestSave_WithoutAStackTagsOnlyTheApp(t *testing.T) {
	s := newService(t)
	save(t, New(s.wired(), "", ""))
	if diff := cmp.Diff(map[string]string{"app": "basecamp-mcp"}, s.secrets["user/2ivfenuhg5jbblysgr4orn4dgle4cad7"].tags); diff != "" {
		t.Error(diff)
	}
}

// The record has the version ID, so another release must give the same ID to the same write.
func TestSave_NamesAVersionByUserRevisionAndWriter(t *testing.T) {
	const want = "ec4dbbb5-607b-5002-8b9b-9afd75f5578b"
	if got := versionID(ines, 7, "writer"); got != want {
		t.Errorf("version %s, want %s", got, want)
	}
	for _, other := range []string{versionID("37s:9", 7, "writer"), versionID(ines, 8, "writer"), versionID(ines, 7, "another")} {
		if other == want {
			t.Error("another write has the same name")
		}
	}
}

func TestSave_TakesOneRequestIfTheSecretExists(t *testing.T) {
	s := withSecret(t, inesSecret, "{}")
	store := New(s.wired(), "fernhill/", "")
	save(t, store)
	s.wants(t, "PutSecretValue")
	save(t, store)
	if n := len(s.secrets[inesSecret].versions); n != 2 {
		t.Errorf("%d versions after saving the same twice, want one more than before", n)
	}
}

func TestSave_ReportsAVersionWithOtherContent(t *testing.T) {
	s, store := newStore(t)
	save(t, store)
	other := tokens
	other.AccessToken = "another"
	s.asked = nil
	_, err := store.Save(t.Context(), ines, "writer", other)
	wantText(t, err, `save tokens: this version was saved before with other content: `+
		`PutSecretValue: ResourceExistsException (status 400, request "request-7")`)
	s.wants(t, "PutSecretValue")
}

func TestSave_RejectsLargeTokensWithoutARequest(t *testing.T) {
	s, store := newStore(t)
	fits := tokens
	text, err := grant.EncodeTokens(tokens)
	if err != nil {
		t.Fatal(err)
	}
	fits.RefreshToken += strings.Repeat("r", 65_536-len(text))
	if _, err := store.Save(t.Context(), ines, "writer", fits); err != nil {
		t.Errorf("65,536 bytes: %v", err)
	}
	s.asked = nil
	fits.RefreshToken += "r"
	if _, err := store.Save(t.Context(), ines, "writer", fits); !errors.Is(err, grant.ErrTooLarge) {
		t.Errorf("65,537 bytes: %v", err)
	}
	s.wants(t)
}

func TestSave_CancelsAScheduledDeletion(t *testing.T) {
	s, store := newStore(t)
	s.plant(inesSecret, "{}")
	s.schedule(inesSecret)
	version := save(t, store)
	s.wants(t, "PutSecretValue", "RestoreSecret", "PutSecretValue")
	wantLoad(t, store, version)
}

func TestSave_ReportsAMissingPermissionToRestore(t *testing.T) {
	s := withSecret(t, inesSecret, "{}")
	s.schedule(inesSecret)
	s.will("RestoreSecret", refuses("AccessDeniedException"))
	_, err := New(s.wired(), "fernhill/", "").Save(t.Context(), ines, "writer", tokens)
	wantText(t, err, `save tokens: RestoreSecret: AccessDeniedException (status 400, request "request-7")`)
	s.wants(t, "PutSecretValue", "RestoreSecret")
}

func TestSave_WaitsUntilADeletedNameIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStore(t)
		s.lingers = 7 // three calls a try
		save(t, store)
		must(t, store.Delete(t.Context(), ines))
		start := time.Now()
		version := save(t, store)
		if took := time.Since(start); took != 750*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		wantLoad(t, store, version)
	})
}

func TestSave_ReplacesASecretThatAcceptsNoMoreVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStore(t)
		s.most, s.lingers = 2, 3
		for revision := range int64(7) {
			next := tokens
			next.Revision = revision
			version, err := store.Save(t.Context(), ines, "writer", next)
			if err != nil {
				t.Fatalf("login %d of the day: %v", revision, err)
			}
			got, err := store.Load(t.Context(), ines, version)
			if err != nil || !cmp.Equal(got, next) {
				t.Errorf("login %d of the day: got %v, %v", revision, got, err)
			}
		}
	})
}

func TestSave_ToAReplacedSecretNeverRestoresTheOldOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStore(t)
		s.most, s.lingers = 1, 2
		s.plant(inesSecret, "{}")
		s.will("PutSecretValue", times(2, refuses("LimitExceededException"))...)
		save(t, store)
		s.wants(t, "PutSecretValue", "PutSecretValue", "PutSecretValue", // the SDK takes it for a throttle
			"DeleteSecret", "CreateSecret", "CreateSecret", "CreateSecret")
	})
}

func TestSave_ToAFullSecretThatItMayNotDeleteReportsBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.most = 1
		s.plant(inesSecret, "{}")
		s.will("DeleteSecret", refuses("AccessDeniedException"))
		_, err := New(s.wired(), "fernhill/", "").Save(t.Context(), ines, "writer", tokens)
		wantText(t, err, `save tokens: the secret takes no more versions today: `+
			`DeleteSecret: AccessDeniedException (status 400, request "request-7")`)
		if n := len(s.secrets[inesSecret].versions); n != 1 {
			t.Errorf("%d versions left", n)
		}
	})
}

func TestSave_GivesUpOnANameThatStaysTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStore(t)
		s.most, s.lingers = 1, 1000
		s.plant(inesSecret, "{}")
		_, err := store.Save(t.Context(), ines, "writer", tokens)
		wantText(t, err, `save tokens: CreateSecret: InvalidRequestException (status 400, request "request-7")`)
		if n := len(s.inputs["CreateSecret"]); n != 6 {
			t.Errorf("tried %d times", n)
		}
	})
}

func TestSave_DeletesNothingWhenTheAccountIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.will("CreateSecret", times(9, refuses("LimitExceededException"))...)
		_, err := New(s.wired(), "fernhill/", "").Save(t.Context(), ines, "writer", tokens)
		wantText(t, err, `save tokens: CreateSecret: LimitExceededException (status 400, request "request-7")`)
		s.wants(t, "PutSecretValue", "CreateSecret", "CreateSecret", "CreateSecret")
	})
}

func TestSave_AllowsTwoConcurrentCreations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStore(t)
		s.plant(inesSecret, "{}")
		s.will("PutSecretValue", refuses("ResourceNotFoundException"))
		version := save(t, store)
		s.wants(t, "PutSecretValue", "CreateSecret", "PutSecretValue")
		wantLoad(t, store, version)
	})
}

func TestLoad_WaitsForARecentSave(t *testing.T) {
	for _, version := range []string{"", versionID(ines, 7, "writer")} {
		synctest.Test(t, func(t *testing.T) {
			s, store := newStore(t)
			s.late = 3
			save(t, store)
			start := time.Now()
			wantLoad(t, store, version)
			if took := time.Since(start); took != 1500*time.Millisecond {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func TestLoad_DoesNotCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStore(t)
		if _, err := store.Load(t.Context(), ines, ""); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		s.wants(t, "GetSecretValue", "GetSecretValue", "GetSecretValue", "GetSecretValue")
		wantLoad(t, store, save(t, store))
	})
}

func TestLoad_WaitsBeforeItReportsThatTokensAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := New(newService(t).wired(), "fernhill/", "").Load(ctx, ines, "")
		if errors.Is(err, grant.ErrNotFound) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		wantText(t, err, "load tokens: context deadline exceeded")
	})
}

func TestLoad_IgnoresASecretThatIsScheduledForDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStore(t)
		save(t, store)
		s.schedule(inesSecret)
		if _, err := store.Load(t.Context(), ines, ""); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
}

func TestLoad_DoesNotRequestAVersionOfAnotherKindOfStore(t *testing.T) {
	s := newService(t)
	if _, err := New(s.wired(), "fernhill/", "").Load(t.Context(), ines, "7 writer"); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	s.wants(t)
}

func TestLoad_ErrorsContainNoStoredText(t *testing.T) {
	for text, want := range map[string]string{
		``:                                "holds something that is not tokens",
		planted:                           "holds something that is not tokens",
		`[]`:                              "holds something that is not tokens",
		`{"` + planted + `": 1}`:          "holds something that is not tokens",
		`{"v": 1, "access_token": ""}`:    "holds something that is not tokens",
		`{"v": 1, "access_token": 4711}`:  "holds something that is not tokens",
		`{"v": 0, "access_token": "abc"}`: "holds something that is not tokens",
		`{"v": 1, "access_token": "a", "expires_at": "` + planted + `"}`: "holds something that is not tokens",
		`{"v": 2, "access_token": "abc"}`:                                "holds layout 2, and this version of the program knows 1",
	} {
		s := withSecret(t, inesSecret, text)
		_, err := New(s.wired(), "fernhill/", "").Load(t.Context(), ines, "")
		if errors.Is(err, grant.ErrNotFound) {
			t.Errorf("%q counts as nothing", text)
		}
		wantText(t, err, "load tokens: secret "+inesSecret+": "+want)
	}
}

func TestDelete_IsImmediate(t *testing.T) {
	s, store := newStore(t)
	save(t, store)
	must(t, store.Delete(t.Context(), ines))
	if in := s.last(t, "DeleteSecret"); !in.Force || in.SecretID != inesSecret {
		t.Errorf("asked %+v", in)
	}
	s.will("DeleteSecret", refuses("ResourceNotFoundException"))
	if err := store.Delete(t.Context(), ines); err != nil {
		t.Errorf("of nothing: %v", err)
	}
}

// newStore returns a store in a new service.
func newStore(t *testing.T) (*service, *Store) {
	s := newService(t)
	return s, New(s.wired(), "fernhill/", "")
}

func save(t *testing.T, s *Store) (version string) {
	t.Helper()
	version, err := s.Save(t.Context(), ines, "writer", tokens)
	if err != nil {
		t.Fatal(err)
	}
	return version
}

func wantLoad(t *testing.T, s *Store, version string) {
	t.Helper()
	got, err := s.Load(t.Context(), ines, version)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tokens, got); diff != "" {
		t.Error(diff)
	}
}

func wantText(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	wantQuiet(t, err)
}

func wantQuiet(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(err.Error(), planted) {
		t.Errorf("the error shows a secret: %v", err)
	}
}
