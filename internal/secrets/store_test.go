package secrets

import (
	"context"
	"errors"
	"slices"
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
	save(t, New(s.wired(), "", ""))
	for name, want := range map[string]map[string]string{
		inesSecret: {"app": "basecamp-mcp", "stack": "fernhill-stack"}, strings.TrimPrefix(inesSecret, "fernhill/"): {"app": "basecamp-mcp"},
	} {
		if diff := cmp.Diff(want, s.secrets[name].tags); diff != "" {
			t.Error(diff)
		}
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

func TestSave_GoesOnInAnyStateOfTheSecretAndSaysWhyItCannot(t *testing.T) {
	const put, create, restore, remove = "PutSecretValue", "CreateSecret", "RestoreSecret", "DeleteSecret"
	denied, full := refuses("AccessDeniedException"), refuses("LimitExceededException")
	for name, c := range map[string]struct {
		prepare func(s *service)
		asks    []string
		fails   string // empty: the version is there
	}{
		"it exists":               {func(*service) {}, []string{put}, ""},
		"its deletion is planned": {func(s *service) { s.schedule(inesSecret) }, []string{put, restore, put}, ""},
		"another call has just made it": {func(s *service) { s.will(put, refuses("ResourceNotFoundException")) },
			[]string{put, create, put}, ""},
		"its name is taken for a while": {func(s *service) { delete(s.secrets, inesSecret); s.doomed[inesSecret] = 7 },
			slices.Repeat([]string{put, restore, create}, 3), ""},
		// The SDK takes the answer for a throttle.
		"it is full": {func(s *service) { s.most, s.lingers = 1, 2; s.will(put, times(2, full)...) },
			[]string{put, put, put, remove, create, create, create}, ""},
		"it must not be restored": {func(s *service) { s.schedule(inesSecret); s.will(restore, denied) },
			[]string{put, restore}, `RestoreSecret: AccessDeniedException`},
		"it is full and must not be deleted": {func(s *service) { s.most = 1; s.will(remove, denied) },
			[]string{put, put, put, remove}, `the secret takes no more versions today: DeleteSecret: AccessDeniedException`},
		"its name stays taken": {func(s *service) { s.most, s.lingers = 1, 1000 },
			append([]string{put, put, put, remove}, slices.Repeat([]string{create}, 6)...), `CreateSecret: InvalidRequestException`},
		"the account is full": {func(s *service) { delete(s.secrets, inesSecret); s.will(create, times(9, full)...) },
			[]string{put, create, create, create}, `CreateSecret: LimitExceededException`},
		"the version has other content": {func(s *service) {
			s.secrets[inesSecret].versions[0].Token = versionID(ines, tokens.Revision, "writer")
		}, []string{put}, `this version was saved before with other content: PutSecretValue: ResourceExistsException`},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, store := newStore(t)
			s.plant(inesSecret, "{}")
			c.prepare(s)
			version, err := store.Save(t.Context(), ines, "writer", tokens)
			if !slices.Equal(s.asked, c.asks) {
				t.Errorf("%s: asked for %q, want %q", name, s.asked, c.asks)
			}
			if c.fails != "" {
				wantText(t, err, "save tokens: "+c.fails+` (status 400, request "request-7")`)
				return
			}
			must(t, err)
			wantLoad(t, store, version)
		})
	}
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
