package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
)

// Flood saves clients and states in a Store that keeps a limited number of them, and then applies
// the limits.
type Flood func(t *testing.T, clients []authserver.Client, states []authserver.LoginState)

// Floods checks that registrations and sign-ins, which any web page can start on a local server,
// displace only their like. open returns a Store whose clock is now.
func Floods(t *testing.T, open func(t *testing.T, now func() time.Time) (authserver.Store, Flood)) {
	c := newClock()
	store, floods := open(t, c.Now)
	d := storeEnv{Store: store, clock: c}
	l := d.newLogin(newSubject())
	must(t, d.SaveClient(t.Context(), l.code.Client))
	d.finish(t, l)
	strange := newClient(c.Now())
	must(t, d.SaveClient(t.Context(), strange))
	kinds := map[string]authserver.LoginState{}
	for _, kind := range []string{"consent", "upstream", "choice", "link", "account", "seat", "owner"} {
		s := newStep(c.Now())
		s.Kind = kind
		must(t, d.AddLoginState(t.Context(), s))
		kinds[kind] = s
	}
	clients, states := make([]authserver.Client, flood), make([]authserver.LoginState, flood)
	for i := range flood {
		clients[i] = authserver.Client{ID: "c_" + newID(), ExpiresAt: strange.ExpiresAt}
		states[i] = authserver.LoginState{Kind: "consent", Key: newHash(), ExpiresAt: kinds["consent"].ExpiresAt}
	}
	floods(t, clients, states)

	t.Run("a client with a connection outlives ten thousand without", func(t *testing.T) {
		d.wantClient(t, l.code.Client)
		_, err := d.Client(t.Context(), strange.ID)
		wantErr(t, err, authserver.ErrNotFound)
		d.wantClient(t, clients[flood-1])
	})
	t.Run("sessions, seats and sign-ins that a user has begun outlive ten thousand others", func(t *testing.T) {
		for kind, s := range kinds {
			if kind == "consent" {
				d.wantNoStep(t, s.Key)
			} else {
				d.wantStep(t, s)
			}
		}
		d.wantStep(t, states[flood-1])
	})
	t.Run("a client with a connection that is saved again outlives the next ten thousand", func(t *testing.T) {
		renewed := l.code.Client
		renewed.ExpiresAt = renewed.ExpiresAt.Add(time.Hour)
		must(t, d.SaveClient(t.Context(), renewed))
		for i := range clients {
			clients[i].ID = "c_" + newID()
		}
		floods(t, clients, nil)
		d.wantClient(t, renewed)
	})
}

// flood is more than any store keeps of a kind.
const flood = 11_200
