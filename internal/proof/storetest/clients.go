package storetest

import (
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

var clientFacts = []fact[env]{
	{"a client is returned as it was saved", func(t *testing.T, d env) {
		full := newClient(d.clock.Now())
		document := newClient(d.clock.Now())
		document.ID = "https://" + newID() + ".example/" + strings.Repeat("x", 2000)
		document.CreatedAt = document.CreatedAt.Add(700 * time.Millisecond)
		sparse := authserver.Client{ID: "c_" + newID(), RedirectURIs: []string{}, ExpiresAt: full.ExpiresAt}
		for _, c := range []authserver.Client{full, document, sparse} {
			must(t, d.SaveClient(t.Context(), c))
			d.wantClient(t, c)
		}
	}},
	{"a client is found until it expires, and again after it is saved again", func(t *testing.T, d env) {
		c := newClient(d.clock.Now())
		_, err := d.Client(t.Context(), c.ID)
		wantErr(t, err, authserver.ErrNotFound)
		must(t, d.SaveClient(t.Context(), c))
		d.clock.set(c.ExpiresAt.Add(-time.Second))
		d.wantClient(t, c)
		d.clock.set(c.ExpiresAt)
		_, err = d.Client(t.Context(), c.ID)
		wantErr(t, err, authserver.ErrNotFound)

		c.ExpiresAt = c.ExpiresAt.Add(time.Hour)
		must(t, d.SaveClient(t.Context(), c))
		d.wantClient(t, c)
	}},
}

func (s env) wantClient(t *testing.T, want authserver.Client) {
	t.Helper()
	got, err := s.Client(t.Context(), want.ID)
	must(t, err)
	wantSame(t, got, want)
}
