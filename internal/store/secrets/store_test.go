package secrets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

const (
	ines = "37s:9007199254740995"
	// inesSecret is the name of her secret.
	inesSecret = "fernhill/user/orchard/2ivfenuhg5jbblysgr4orn4dgle4cad7"
)

var tokens = provider.Tokens{
	Revision: 7, AccessToken: "access-" + planted, RefreshToken: "refresh-" + planted,
	ExpiresAt:  time.Date(2026, 10, 19, 8, 30, 0, 0, time.UTC),
	ObtainedAt: time.Date(2026, 10, 5, 8, 30, 0, 0, time.UTC),
}

// The record has the version ID, so another release must give the same ID to the same write.
func TestSave_MakesOneSecretAUserWithoutTheSubjectInItsName(t *testing.T) {
	s := newService(t)
	const want = "ec4dbbb5-607b-5002-8b9b-9afd75f5578b"
	if id, err := s.store().Save(t.Context(), ines, "writer", tokens); err != nil || id != want {
		t.Fatalf("version %s, %v; want %s", id, err, want)
	}
	made := s.secrets[inesSecret].versions[0]
	text := `{"v":1,"rev":7,"access_token":"access-` + planted + `","refresh_token":"refresh-` + planted +
		`","expires_at":"2026-10-19T08:30:00Z","obtained_at":"2026-10-05T08:30:00Z"}`
	if tags := fmt.Sprint(made.Tags); made.Token != want || made.SecretString != text || tags != "[{app basecamp-mcp} {stack fernhill}]" {
		t.Errorf("version %q with tags %s: %s", made.Token, tags, made.SecretString)
	}
	for _, other := range []string{versionID("37s:9", 7, "writer"), versionID(ines, 8, "writer"), versionID(ines, 7, "another")} {
		if other == want {
			t.Error("another write has the same name")
		}
	}
}

func TestSave_GoesOnInAnyStateOfTheSecretAndSaysWhyItCannot(t *testing.T) {
	const put, create, restore, remove = "PutSecretValue", "CreateSecret", "RestoreSecret", "DeleteSecret"
	denied, full, missing := refuses("AccessDeniedException"), refuses("LimitExceededException"), refuses("ResourceNotFoundException")
	existing := func(s *Store) *Store { return s.Existing() }
	for name, c := range map[string]struct {
		prepare func(s *service)
		store   func(*Store) *Store // nil: the store that may do everything
		asks    []string
		fails   string // empty: the version is there
	}{
		"it exists":                      {asks: []string{put}},
		"its deletion is planned":        {prepare: func(s *service) { s.secrets[inesSecret].scheduled = true }, asks: []string{put, restore, put}},
		"another call has just made it":  {prepare: func(s *service) { s.will(put, 1, missing) }, asks: []string{put, create, put}},
		"its name is taken for a while":  {prepare: func(s *service) { delete(s.secrets, inesSecret); s.doomed[inesSecret] = 7 }, asks: slices.Repeat([]string{put, restore, create}, 3)},
		"it is full, as after throttles": {prepare: func(s *service) { s.most, s.lingers = 1, 2; s.will(put, 2, full) }, asks: []string{put, put, put, remove, create, create, create}},
		"it must not be restored": {
			prepare: func(s *service) { s.secrets[inesSecret].scheduled = true; s.will(restore, 1, denied) },
			asks:    []string{put, restore}, fails: `RestoreSecret: AccessDeniedException`,
		},
		"it is full and must not be deleted": {
			prepare: func(s *service) { s.most = 1; s.will(remove, 1, denied) },
			asks:    []string{put, put, put, remove}, fails: `the secret takes no more versions today: DeleteSecret: AccessDeniedException`,
		},
		"its name stays taken": {
			prepare: func(s *service) { s.most, s.lingers = 1, 1000 },
			asks:    append([]string{put, put, put, remove}, slices.Repeat([]string{create}, 6)...), fails: `CreateSecret: InvalidRequestException`,
		},
		"the account is full": {
			prepare: func(s *service) { delete(s.secrets, inesSecret); s.will(create, 9, full) },
			asks:    []string{put, create, create, create}, fails: `CreateSecret: LimitExceededException`,
		},
		"the version has other content": {
			prepare: func(s *service) { s.secrets[inesSecret].versions[0].Token = versionID(ines, tokens.Revision, "writer") },
			asks:    []string{put}, fails: `this version was saved before with other content: PutSecretValue: ResourceExistsException`,
		},
		// The MCP function's role allows GetSecretValue and PutSecretValue.
		"existing": {store: existing, asks: []string{put}},
		"existing, which never did": {
			prepare: func(s *service) { delete(s.secrets, inesSecret) },
			store:   existing, asks: []string{put}, fails: `PutSecretValue: ResourceNotFoundException`,
		},
		"existing, which is being deleted": {
			prepare: func(s *service) { s.secrets[inesSecret].scheduled = true },
			store:   existing, asks: []string{put}, fails: `PutSecretValue: InvalidRequestException`,
		},
		"existing, which is full": {
			prepare: func(s *service) { s.most = 1 },
			store:   existing, asks: []string{put, put, put}, fails: `the secret takes no more versions today: PutSecretValue: LimitExceededException`,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t)
			s.plant(inesSecret, "{}")
			if c.prepare != nil {
				c.prepare(s)
			}
			store := s.store()
			if c.store != nil {
				store = c.store(store)
			}
			version, err := store.Save(t.Context(), ines, "writer", tokens)
			if diff := cmp.Diff(c.asks, s.asked); diff != "" {
				t.Errorf("%s: asked (-want +got) %s", name, diff)
			}
			if c.fails != "" {
				wantText(t, err, "save tokens: "+c.fails+` (status 400, request "request-7")`)
				return
			}
			if got, failed := store.Load(t.Context(), ines, version); err != nil || failed != nil || got != tokens {
				t.Errorf("%s: %v, then %+v, %v", name, err, got, failed)
			}
		})
	}
}

func TestLoad_WaitsForARecentSave(t *testing.T) {
	for name, c := range map[string]struct {
		version string
		late    int
		limit   time.Duration
		took    time.Duration
		want    error
	}{
		"of a version":               {versionID(ines, 7, "writer"), 3, time.Minute, 1500 * time.Millisecond, nil},
		"of the newest":              {"", 3, time.Minute, 1500 * time.Millisecond, nil},
		"that was never made":        {"", 4, time.Minute, 1500 * time.Millisecond, grant.ErrNotFound},
		"for as long as there is":    {"", 4, time.Second, time.Second, context.DeadlineExceeded},
		"in another kind of store":   {"7.k.writer", 0, time.Minute, 0, grant.ErrNotFound},
		"of a version that is older": {versionID(ines, 6, "writer"), 0, time.Minute, 1500 * time.Millisecond, grant.ErrNotFound},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t)
			s.late = c.late
			if _, err := s.store().Save(t.Context(), ines, "writer", tokens); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), c.limit)
			defer cancel()
			start := time.Now()
			if _, err := s.store().Load(ctx, ines, c.version); !errors.Is(err, c.want) || time.Since(start) != c.took {
				t.Errorf("%s: %v after %s", name, err, time.Since(start))
			}
		})
	}
}

func TestLoad_ErrorsContainNoStoredText(t *testing.T) {
	const other = "holds something that is not tokens"
	for text, want := range map[string]string{
		``:                                other,
		planted:                           other,
		`{"` + planted + `": 1}`:          other,
		`{"v": 1, "access_token": ""}`:    other,
		`{"v": 0, "access_token": "abc"}`: other,
		`{"v": 1, "access_token": "a", "expires_at": "` + planted + `"}`: other,
		`{"v": 2, "access_token": "abc"}`:                                "holds layout 2, and this version of the program knows 1",
	} {
		s := newService(t)
		s.plant(inesSecret, text)
		_, err := s.store().Load(t.Context(), ines, "")
		wantText(t, err, "load tokens: secret "+inesSecret+": "+want)
	}
}

func TestDelete_IsImmediateAndOnlyOfWhatMayBeDeleted(t *testing.T) {
	s := newService(t)
	s.plant(inesSecret, "{}")
	for _, store := range []*Store{s.store().Existing(), s.store()} {
		if err := store.Delete(t.Context(), ines); err != nil || (s.secrets[inesSecret] != nil) != store.existing {
			t.Errorf("%v", err)
		}
	}
	s.will("DeleteSecret", 1, refuses("ResourceNotFoundException"))
	if err := s.store().Delete(t.Context(), ines); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	s.wants(t, "DeleteSecret", "DeleteSecret")
}
