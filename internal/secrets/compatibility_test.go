package secrets

import (
	_ "embed"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/provider"
)

// earlierRelease is a secret as the release before providers wrote it.
//
//go:embed testdata/earlier_release.json
var earlierRelease []byte

func TestEarlierRelease_TokensAreRead(t *testing.T) {
	var stored struct{ Name, VersionID, SecretString string }
	if err := json.Unmarshal(earlierRelease, &stored); err != nil {
		t.Fatal(err)
	}
	const user = "37s:1007299144"
	noon := time.Date(2026, 11, 23, 12, 0, 0, 123456789, time.UTC)
	service := newService(t)
	service.secrets[stored.Name] = &secret{versions: []*request{{Token: stored.VersionID, SecretString: stored.SecretString}}}
	s := New(service.served(t), "fernhill/", "")
	want := provider.Tokens{
		Revision: 3, AccessToken: "access", RefreshToken: "refresh", ExpiresAt: noon.Add(14 * 24 * time.Hour), ObtainedAt: noon,
	}
	for _, version := range []string{"", stored.VersionID} {
		got, err := s.Load(t.Context(), user, version)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("version %q: %v, -want +got:\n%s", version, err, diff)
		}
	}
	if again, err := s.Save(t.Context(), user, "writer", want); err != nil || again != stored.VersionID {
		t.Errorf("saved again as %s, %v; want %s", again, err, stored.VersionID)
	}
}
