package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/own/hub"
)

func hubRow(key string, revision int64) hub.Row {
	return hub.Row{Key: key, Body: []byte(`{"of":"` + key + `"}`), Revision: revision}
}

func (s env) wantRows(t *testing.T, subject, prefix string, want ...hub.Row) {
	t.Helper()
	found, err := s.HubRows(t.Context(), subject, prefix)
	must(t, err)
	wantSame(t, found, want)
}

var hubFacts = []fact[env]{
	{"rows belong to one person, and are found by a prefix in order", func(t *testing.T, s env) {
		subject, a, b, other := newSubject(), hubRow("L/orchard/todo:1|", 1), hubRow("L/orchard/todo:12|", 1), hubRow("I/%_|", 1)
		must(t, s.SaveHub(t.Context(), subject, b, other))
		must(t, s.SaveHub(t.Context(), subject, a))
		s.wantRows(t, subject, "", other, b, a)
		s.wantRows(t, subject, "L/orchard/todo:1", b, a)
		s.wantRows(t, subject, "L/orchard/todo:1|", a)
		s.wantRows(t, subject, "L/%")
		for _, stranger := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			s.wantRows(t, stranger, "")
			must(t, s.SaveHub(t.Context(), stranger, hubRow(a.Key, 1)))
		}
		s.wantRows(t, subject, "L/", b, a)
	}},
	{"rows are written together, each after the revision before its own", func(t *testing.T, s env) {
		subject, a, b := newSubject(), hubRow("a|", 1), hubRow("b|", 1)
		must(t, s.SaveHub(t.Context(), subject, a))
		for _, wrong := range []int64{1, 3} {
			wantErr(t, s.SaveHub(t.Context(), subject, b, hubRow("a|", wrong)), hub.ErrChanged)
			wantErr(t, s.SaveHub(t.Context(), subject, hubRow("a|", wrong), b), hub.ErrChanged)
		}
		wantErr(t, s.SaveHub(t.Context(), subject, hubRow("b|", 2)), hub.ErrChanged)
		s.wantRows(t, subject, "", a)
		a.Revision = 2
		must(t, s.SaveHub(t.Context(), subject, b, a))
		s.wantRows(t, subject, "", a, b)
	}},
	{"an expired row counts as removed", func(t *testing.T, s env) {
		subject, row := newSubject(), hubRow("a|", 1)
		row.ExpiresAt = s.clock.Now().Add(time.Hour)
		must(t, s.SaveHub(t.Context(), subject, row))
		wantErr(t, s.SaveHub(t.Context(), subject, row), hub.ErrChanged)
		s.wantRows(t, subject, "", row)
		s.clock.set(row.ExpiresAt)
		s.wantRows(t, subject, "")
		wantErr(t, s.SaveHub(t.Context(), subject, hubRow("a|", 2)), hub.ErrChanged)
		must(t, s.SaveHub(t.Context(), subject, hubRow("a|", 1)))
		s.wantRows(t, subject, "", hubRow("a|", 1))
	}},
}
