package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// uses counts what is asked of the stores of GitHub's grants.
type uses struct{ records, grants atomic.Int64 }

// on returns s with counted stores of GitHub's grants.
func (u *uses) on(s storage) storage {
	records, grants := s.records, s.grants
	s.records = func(id string) grant.Records {
		if id == githubauth.ProviderID {
			return countedRecords{records(id), u}
		}
		return records(id)
	}
	s.grants = func(id string) grant.Store {
		if id == githubauth.ProviderID {
			return countedGrants{grants(id), u}
		}
		return grants(id)
	}
	return s
}

type countedRecords struct {
	grant.Records
	uses *uses
}

func (c countedRecords) Record(ctx context.Context, subject string) (grant.Record, error) {
	c.uses.records.Add(1)
	return c.Records.Record(ctx, subject)
}

type countedGrants struct {
	grant.Store
	uses *uses
}

func (c countedGrants) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	c.uses.grants.Add(1)
	return c.Store.Load(ctx, subject, version)
}

func TestGitHub_CostsCallsOfBasecampNoReads(t *testing.T) {
	for name, handle := range map[string]string{"linked": "ines", "not linked": "priya"} {
		for _, w := range []way{handshake, stateless, bridged} {
			var used uses
			p := openOn(t, config.Config{}, used.on(inMemory("", "")))
			a := p.agentOf(handle, w)
			for range 5 {
				a.must("get_me", args{})
				a.must("list_projects", args{})
			}
			if used.records.Load() != 0 || used.grants.Load() != 0 {
				t.Errorf("%s, %s: %d records and %d tokens of GitHub's are read", name, w, used.records.Load(), used.grants.Load())
			}
		}
	}
}

func TestGitHub_ThatFailsCostsCallsOfBasecampNoReads(t *testing.T) {
	var used uses
	p := openOn(t, config.Config{}, used.on(inMemory("", "")))
	a := p.agentOf("priya", stateless)
	for range 3 {
		if _, _, body := send(t, p.URL+"/mcp/x/github", a.bearer, "tools/call", `{"name":"github_list_projects","arguments":{}}`); !strings.Contains(body, "not_linked") {
			t.Errorf("GitHub's tool: %s", body)
		}
		failed := used.records.Load()
		a.must("list_projects", args{})
		if failed == 0 || used.records.Load() != failed {
			t.Errorf("%d records are read for GitHub's tool, and %d after Basecamp's", failed, used.records.Load())
		}
	}
}

// An instance starts while GitHub does not answer. Its first request is often about Basecamp.
func TestWarmUps_DoNotWaitForGitHub(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(release) })
	services := httptest.NewServer(&recordedServices{})
	t.Cleanup(services.Close)
	c := withGitHub()
	c.BasecampURL, c.AWS.DynamoDB, c.AWS.SecretsManager = services.URL, services.URL, services.URL
	c.GitHub.URL, c.GitHub.APIURL = silent.URL, silent.URL
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, warmUp := range must(MCP(c, quiet)).WarmUps {
		warmUp(ctx)
	}
	if ctx.Err() != nil {
		t.Error("a warm-up waits until its time is up")
	}
}
