package storetest

import (
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/broker"
)

var clientFacts = []fact[desk]{
	{"a client comes back as it was saved", func(t *testing.T, d desk) {
		full := newClient(d.clock.Now())
		document := newClient(d.clock.Now())
		document.ID = longURL()
		document.CreatedAt = document.CreatedAt.Add(700 * time.Millisecond)
		sparse := broker.Client{ID: "c_" + newID(), RedirectURIs: []string{}, ExpiresAt: full.ExpiresAt}
		for _, c := range []broker.Client{full, document, sparse} {
			must(t, d.SaveClient(t.Context(), c))
			d.wantClient(t, c)
		}
	}},
	{"saving a client again replaces it whole", func(t *testing.T, d desk) {
		c := newClient(d.clock.Now())
		must(t, d.SaveClient(t.Context(), c))
		c = broker.Client{ID: c.ID, Name: "Fernhill Desk", RedirectURIs: c.RedirectURIs[:1], AuthMethod: "none", ExpiresAt: c.ExpiresAt}
		must(t, d.SaveClient(t.Context(), c))
		d.wantClient(t, c)
	}},
	{"a client that nobody saved is not found", func(t *testing.T, d desk) {
		_, err := d.Client(t.Context(), "c_"+newID())
		wantErr(t, err, broker.ErrNotFound)
	}},
	{"an id is itself alone, to the letter", func(t *testing.T, d desk) {
		c := newClient(d.clock.Now())
		c.ID = longURL()
		must(t, d.SaveClient(t.Context(), c))
		d.wantClient(t, c)
		for _, other := range []string{strings.ToUpper(c.ID), c.ID[:len(c.ID)-1], c.ID + "/"} {
			_, err := d.Client(t.Context(), other)
			wantErr(t, err, broker.ErrNotFound)
		}
	}},
	{"a client is there until it expires, and then not, until it is saved again", func(t *testing.T, d desk) {
		c := newClient(d.clock.Now())
		must(t, d.SaveClient(t.Context(), c))
		d.clock.set(c.ExpiresAt.Add(-time.Second))
		d.wantClient(t, c)
		d.clock.set(c.ExpiresAt)
		_, err := d.Client(t.Context(), c.ID)
		wantErr(t, err, broker.ErrNotFound)

		c.ExpiresAt = c.ExpiresAt.Add(time.Hour)
		must(t, d.SaveClient(t.Context(), c))
		d.wantClient(t, c)
	}},
}

// wantClient reads a client, which may come late.
func (d desk) wantClient(t *testing.T, want broker.Client) {
	t.Helper()
	soon(t, func() error {
		got, err := d.Client(t.Context(), want.ID)
		if err != nil {
			return err
		}
		return same(got, want)
	})
}

// longURL is the id of a metadata document, as long as they may be (C2).
func longURL() string {
	url := "https://" + newID() + ".example/Client/"
	return url + strings.Repeat("x", 2048-len(url))
}
