package tools

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// workspace is the desk's own, for what several tools share.
func (d *desk) workspace() (*workspace, context.Context) {
	return newWorkspace(d.client, time.Now), identity.With(d.Context(), d.who)
}

// The hard case of "this Friday": the same words at the same moment are another day in Bengaluru than in Toronto.
func TestDate_CountsDaysWhereTheCallerLives(t *testing.T) {
	at(t, func(d *desk) { // it is Saturday, 1 January 2000, midnight UTC
		for _, c := range []struct{ who, text, want string }{
			{"Priya Raman", "today", "2000-01-01"},
			{"Marguerite Osei", "today", "1999-12-31"},
			{"Priya Raman", "Friday", "2000-01-07"},
			{"Marguerite Osei", "friday", "1999-12-31"},
			{"Marguerite Osei", "tomorrow", "2000-01-01"},
			{"Priya Raman", "sunday", "2000-01-02"},
			{"Priya Raman", " 2026-02-28 ", "2026-02-28"},
		} {
			ws, ctx := d.as(c.who).workspace()
			if got, err := ws.date(ctx, "due_on", c.text); err != nil || got != c.want {
				t.Errorf("%s says %q: %s, %v; want %s", c.who, c.text, got, err, c.want)
			}
		}
		ws, ctx := d.workspace()
		for _, bad := range []string{"", "2026-02-30", "next friday", "31.01.2026", "2026-1-31", "soon"} {
			if got, err := ws.date(ctx, "due_on", bad); !fault.Is(err, fault.InvalidInput) {
				t.Errorf("%q is %s, %v", bad, got, err)
			}
		}
	})
}

func TestMoment_WithoutAnOffsetIsTheCallersTimeOrTheNamedZones(t *testing.T) {
	at(t, func(d *desk) {
		for _, c := range []struct{ who, text, zone, want string }{
			{"Ines Albrecht", "2026-07-01T09:00", "", "2026-07-01T07:00:00Z"},
			{"Ines Albrecht", "2026-01-01 09:00", "", "2026-01-01T08:00:00Z"},
			{"Priya Raman", "2026-07-01T09:00", "", "2026-07-01T03:30:00Z"},
			{"Priya Raman", "2026-07-01T09:00", "America/Toronto", "2026-07-01T13:00:00Z"},
			{"Priya Raman", "2026-07-01T09:00:00+02:00", "America/Toronto", "2026-07-01T07:00:00Z"},
			{"Priya Raman", "2026-07-01", "", "2026-06-30T18:30:00Z"},
		} {
			ws, ctx := d.as(c.who).workspace()
			got, err := ws.momentIn(ctx, "starts_at", c.text, c.zone)
			if err != nil || got.UTC().Format(time.RFC3339) != c.want {
				t.Errorf("%s says %q %q: %s, %v; want %s", c.who, c.text, c.zone, got, err, c.want)
			}
		}
		ws, ctx := d.workspace()
		for _, zone := range []string{"Berlin", "Local", "../etc/passwd"} {
			if _, err := ws.momentIn(ctx, "starts_at", "2026-07-01T09:00", zone); !fault.Is(err, fault.InvalidInput) {
				t.Errorf("zone %q: %v", zone, err)
			}
		}
	})
}
