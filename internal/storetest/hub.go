package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/hub"
)

type hubEnv struct {
	hub.Store
	clock *clock
}

// Hub checks a store of links.
func Hub(t *testing.T, open func(t *testing.T, now func() time.Time) hub.Store) {
	check(t, func(t *testing.T) hubEnv {
		c := newClock()
		return hubEnv{open(t, c.Now), c}
	}, hubFacts)
}

func hubRow(key string, revision int64) hub.Row {
	return hub.Row{Key: key, Body: []byte(`{"of":"` + key + `"}`), Revision: revision}
}

func (d hubEnv) want(t *testing.T, subject, prefix string, want ...hub.Row) {
	t.Helper()
	found, err := d.HubRows(t.Context(), subject, prefix)
	must(t, err)
	if len(found) != len(want) {
		t.Fatalf("%d rows, want %d", len(found), len(want))
	}
	for i := range want {
		wantSame(t, found[i], want[i])
	}
}

var hubFacts = []fact[hubEnv]{
	{"rows belong to one person, and are found by a prefix in order", func(t *testing.T, d hubEnv) {
		subject, a, b, other := newSubject(), hubRow("L/orchard/todo:1|", 1), hubRow("L/orchard/todo:12|", 1), hubRow("I/%_|", 1)
		must(t, d.SaveHub(t.Context(), subject, b, other))
		must(t, d.SaveHub(t.Context(), subject, a))
		d.want(t, subject, "", other, b, a)
		d.want(t, subject, "L/orchard/todo:1", b, a)
		d.want(t, subject, "L/orchard/todo:1|", a)
		d.want(t, subject, "L/%")
		for _, stranger := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			d.want(t, stranger, "")
			must(t, d.SaveHub(t.Context(), stranger, hubRow(a.Key, 1)))
		}
		d.want(t, subject, "L/", b, a)
	}},
	{"who is who is kept for one person and one account", func(t *testing.T, d hubEnv) {
		subject, one, other := newSubject(), hubRow("P/1|", 1), hubRow("P/12|", 1)
		must(t, d.SaveHub(t.Context(), subject, one, other))
		d.want(t, subject, "P/1|", one)
		d.want(t, subject, "P/", other, one)
		d.want(t, subject, "L/")
		stranger, theirs := newSubject(), hubRow("P/1|", 1)
		d.want(t, stranger, "P/")
		theirs.Body = []byte(`{"all":[]}`)
		must(t, d.SaveHub(t.Context(), stranger, theirs))
		d.want(t, subject, "P/1|", one)
		d.want(t, stranger, "P/", theirs)
	}},
	{"rows are written together, each after the revision before its own", func(t *testing.T, d hubEnv) {
		subject, a, b := newSubject(), hubRow("a|", 1), hubRow("b|", 1)
		must(t, d.SaveHub(t.Context(), subject, a))
		for _, wrong := range []int64{1, 3} {
			wantErr(t, d.SaveHub(t.Context(), subject, b, hubRow("a|", wrong)), hub.ErrChanged)
			wantErr(t, d.SaveHub(t.Context(), subject, hubRow("a|", wrong), b), hub.ErrChanged)
		}
		wantErr(t, d.SaveHub(t.Context(), subject, hubRow("b|", 2)), hub.ErrChanged)
		d.want(t, subject, "", a)
		a.Revision = 2
		must(t, d.SaveHub(t.Context(), subject, b, a))
		d.want(t, subject, "", a, b)
	}},
	{"an expired row counts as removed", func(t *testing.T, d hubEnv) {
		subject, row := newSubject(), hubRow("a|", 1)
		row.ExpiresAt = d.clock.Now().Add(time.Hour)
		must(t, d.SaveHub(t.Context(), subject, row))
		wantErr(t, d.SaveHub(t.Context(), subject, row), hub.ErrChanged)
		d.want(t, subject, "", row)
		d.clock.set(row.ExpiresAt)
		d.want(t, subject, "")
		wantErr(t, d.SaveHub(t.Context(), subject, hubRow("a|", 2)), hub.ErrChanged)
		must(t, d.SaveHub(t.Context(), subject, hubRow("a|", 1)))
		d.want(t, subject, "", hubRow("a|", 1))
	}},
	{"of concurrent writes of a row one succeeds", func(t *testing.T, d hubEnv) {
		subject := newSubject()
		oneWinner(t, together(func(int) error { return d.SaveHub(t.Context(), subject, hubRow("a|", 1), hubRow("b|", 1)) }), hub.ErrChanged)
		oneWinner(t, together(func(int) error { return d.SaveHub(t.Context(), subject, hubRow("a|", 2), hubRow("c|", 1)) }), hub.ErrChanged)
		d.want(t, subject, "", hubRow("a|", 2), hubRow("b|", 1), hubRow("c|", 1))
	}},
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, d hubEnv) {
		subject := newSubject()
		wantUnreachable(t, d.SaveHub(cancelled(t), subject, hubRow("a|", 1)), hub.ErrChanged)
		_, err := d.HubRows(cancelled(t), subject, "")
		wantUnreachable(t, err, hub.ErrChanged)
		d.want(t, subject, "")
	}},
}
