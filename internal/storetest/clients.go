package storetest

import (
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
)

var clientFacts = []fact[storeEnv]{
	{"a client is returned as it was saved", func(t *testing.T, d storeEnv) {
		full := newClient(d.clock.Now())
		document := newClient(d.clock.Now())
		document.ID = longURL()
		document.CreatedAt = document.CreatedAt.Add(700 * time.Millisecond)
		sparse := authserver.Client{ID: "c_" + newID(), RedirectURIs: []string{}, ExpiresAt: full.ExpiresAt}
		for _, c := range []authserver.Client{full, document, sparse} {
			must(t, d.SaveClient(t.Context(), c))
			d.wantClient(t, c)
		}
	}},
	{"saving a client again replaces all of it", func(t *testing.T, d storeEnv) {
		c := newClient(d.clock.Now())
		must(t, d.SaveClient(t.Context(), c))
		c = authserver.Client{ID: c.ID, Name: "Fernhill Desk", RedirectURIs: c.RedirectURIs[:1], AuthMethod: "none", ExpiresAt: c.ExpiresAt}
		must(t, d.SaveClient(t.Context(), c))
		d.wantClient(t, c)
	}},
	{"a client that was never saved is not found", func(t *testing.T, d storeEnv) {
		_, err := d.Client(t.Context(), "c_"+newID())
		wantErr(t, err, authserver.ErrNotFound)
	}},
	{"an ID matches only itself, including case", func(t *testing.T, d storeEnv) {
		c := newClient(d.clock.Now())
		c.ID = longURL()
		must(t, d.SaveClient(t.Context(), c))
		d.wantClient(t, c)
		for _, other := range []string{strings.ToUpper(c.ID), c.ID[:len(c.ID)-1], c.ID + "/"} {
			_, err := d.Client(t.Context(), other)
			wantErr(t, err, authserver.ErrNotFound)
		}
	}},
	{"a client is found until it expires, and again after it is saved again", func(t *testing.T, d storeEnv) {
		c := newClient(d.clock.Now())
		must(t, d.SaveClient(t.Context(), c))
		d.clock.set(c.ExpiresAt.Add(-time.Second))
		d.wantClient(t, c)
		d.clock.set(c.ExpiresAt)
		_, err := d.Client(t.Context(), c.ID)
		wantErr(t, err, authserver.ErrNotFound)

		c.ExpiresAt = c.ExpiresAt.Add(time.Hour)
		must(t, d.SaveClient(t.Context(), c))
		d.wantClient(t, c)
	}},
}

func (d storeEnv) wantClient(t *testing.T, want authserver.Client) {
	t.Helper()
	got, err := d.Client(t.Context(), want.ID)
	must(t, err)
	wantSame(t, got, want)
}

// longURL returns the longest allowed URL of a client ID metadata document.
func longURL() string {
	url := "https://" + newID() + ".example/Client/"
	return url + strings.Repeat("x", 2048-len(url))
}
