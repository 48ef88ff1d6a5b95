package githubtools

import (
	"net/http"
	"testing"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

// changesSince reads all changes of a year, or those after a place.
func (d *toolEnv) changesSince(place []byte) (all []hub.News, last hub.Changes) {
	d.Helper()
	wing, ctx := New(d.client(), nil, nil), identity.With(d.Context(), identity.Caller{Subject: d.login, Connection: "one"})
	last.Place = place
	for range 200 {
		last = wing.Changes(ctx, hub.ChangesOf{Since: time.Now().AddDate(-1, 0, 0), Place: last.Place, Items: 50, Bytes: 18_000})
		if all = append(all, last.News...); !last.More {
			return all, last
		}
	}
	d.Fatal("no end of the changes")
	return nil, last
}

func TestChanges_WithholdWhatOutsidersWrote(t *testing.T) {
	for _, locked := range []bool{true, false} {
		d := newToolEnv(t)
		d.locked = locked
		all, _ := d.changesSince(nil)
		seen := map[string]bool{}
		outsiders := 0
		for _, n := range all {
			if seen[n.Item+n.Board] {
				t.Errorf("told twice: %+v", n)
			}
			seen[n.Item+n.Board] = true
			if !n.Outsider {
				continue
			}
			outsiders++
			if locked && n.Title != github.Withheld && n.Excerpt != github.Withheld {
				t.Errorf("shown under lockdown: %+v", n)
			}
		}
		if outsiders == 0 || len(all) < 100 {
			t.Errorf("%d of %d are by outsiders", outsiders, len(all))
		}
	}
}

func TestChanges_LoseNothingByAFailureOfGitHub(t *testing.T) {
	whole, _ := newToolEnv(t).changesSince(nil)
	for name, f := range map[string]sandbox.Fault{
		"403": {Status: http.StatusForbidden, Body: `{"message":"no"}`}, "404": {Status: http.StatusNotFound, Body: `{"message":"Not Found"}`},
		"429": {Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}}, "502": {Status: http.StatusBadGateway}, "garbage": {Status: http.StatusOK, Body: "<html>"},
	} {
		d := newToolEnv(t)
		d.sandbox.Inject(f)
		got, last := d.changesSince(nil)
		if len(got) > 0 || len(last.Failed) == 0 {
			t.Errorf("%s: %d told, %d failures", name, len(got), len(last.Failed))
		}
		for _, part := range last.Failed {
			if fault.Is(part.Err, fault.InternalError) {
				t.Errorf("%s: %v", name, part.Err)
			}
		}
		d.sandbox.ClearFaults()
		if all, _ := d.changesSince(last.Place); len(all) != len(whole) {
			t.Errorf("%s: %d told afterwards, of %d", name, len(all), len(whole))
		}
	}
}
