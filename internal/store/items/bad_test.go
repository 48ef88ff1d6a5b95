package items_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/memory"
)

// keys are the keys of a deployment, by ID. The current one is "k".
type keys map[string][]byte

func newKeys() keys { return keys{"k": make([]byte, 32)} }

var errLocked = errors.New("the keyring does not answer")

func (k keys) Current(context.Context) (string, []byte, error) {
	if k == nil {
		return "", nil, errLocked
	}
	return "k", k["k"], nil
}

func (k keys) Key(_ context.Context, id string) ([]byte, error) {
	if k == nil {
		return nil, errLocked
	}
	return k[id], nil
}

// plant puts an item without a store.
func plant(t *testing.T, e items.Engine, k items.Key, body string) {
	t.Helper()
	must(t, e.Write(t.Context(), func(tx items.Tx) error { return tx.Put(items.Item{Key: k, Body: []byte(body)}) }))
}

func TestStore_NamesAnItemThatIsUnreadableAndServesTheOthers(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		key  items.Key
		read func(s *items.Store) error
	}{
		{items.Key{Kind: "client", Name: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}, func(s *items.Store) error { _, err := s.Client(ctx, "x"); return err }},
		{items.Key{Kind: "state", Name: "x"}, func(s *items.Store) error { _, err := s.LoginState(ctx, "x"); return err }},
		{items.Key{Kind: "state", Name: "x"}, func(s *items.Store) error { _, err := s.TakeLoginState(ctx, "x", ""); return err }},
		{items.Key{Kind: "code", Name: "x"}, func(s *items.Store) error { _, err := s.Code(ctx, "x"); return err }},
		{items.Key{Kind: "marks", Name: "f1"}, func(s *items.Store) error { _, _, _, err := s.Access(ctx, "f1", "a", ""); return err }},
		{items.Key{Kind: "marks", Name: "f1"}, func(s *items.Store) error { return s.Confirm(ctx, "f1", 2) }},
		{items.Key{Kind: "access", Owner: "f1", Name: "a"}, func(s *items.Store) error { _, _, _, err := s.Access(ctx, "f1", "a", ""); return err }},
		{items.Key{Kind: "refresh", Owner: "f1", Name: "r"}, func(s *items.Store) error { _, _, err := s.Refresh(ctx, "f1", "r"); return err }},
		{items.Key{Kind: "family", Name: "f1"}, func(s *items.Store) error { _, _, _, err := s.Access(ctx, "f1", "a", ""); return err }},
		{items.Key{Kind: "family", Name: "f1"}, func(s *items.Store) error { return s.SetFence(ctx, "f1", fence.Fence{}, fence.Fence{}) }},
		{items.Key{Kind: "grant", Owner: "p", Name: "37s:1"}, func(s *items.Store) error { _, err := s.Records("p").Record(ctx, "37s:1"); return err }},
		{items.Key{Kind: "tokens", Owner: "p\t37s:1", Name: "index"}, func(s *items.Store) error { _, err := s.Grants("p").Load(ctx, "37s:1", ""); return err }},
		{items.Key{Kind: "checklist", Owner: "37s:1", Name: "x"}, func(s *items.Store) error { _, err := s.Checklist(ctx, "37s:1", "x", ""); return err }},
		{items.Key{Kind: "task", Owner: "37s:1", Name: "x"}, func(s *items.Store) error { _, err := s.DeleteTask(ctx, "37s:1", "x"); return err }},
		{items.Key{Kind: "hub", Owner: "37s:1", Name: "x"}, func(s *items.Store) error { return s.SaveHub(ctx, "37s:1", hub.Row{Key: "x", Revision: 1}) }},
	} {
		e := memory.NewEngine(time.Now)
		s := items.New(e, items.Options{})
		connect(t, s, "f1", "37s:1")
		connect(t, s, "f2", "37s:2")
		for _, body := range []string{"", "\x00", "[1]", `{"Name":`} {
			plant(t, e, c.key, body)
			err := c.read(s)
			if !errors.Is(err, items.ErrUnreadable) || !strings.Contains(err.Error(), fmt.Sprintf("of kind %q: %q %q", c.key.Kind, c.key.Owner, c.key.Name)) {
				t.Errorf("%+v with %q: %v", c.key, body, err)
			}
		}
		if _, _, _, err := s.Access(ctx, "f2", "a", ""); err != nil {
			t.Fatalf("after %+v: another item: %v", c.key, err)
		}
	}
}

func TestLists_LeaveOutAnUnreadableItemWithOneWarning(t *testing.T) {
	ctx, now := t.Context(), time.Now()
	var log bytes.Buffer
	e := memory.NewEngine(time.Now)
	s := items.New(e, items.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	connect(t, s, "f1", "37s:1")
	connect(t, s, "f2", "37s:1")
	must(t, s.AddTask(ctx, "37s:1", task.Task{ID: "1"}, 9))
	must(t, s.SaveHub(ctx, "37s:1", hub.Row{Key: "1", Revision: 1}))
	_, err := s.SaveChecklist(ctx, checklist.Draft{Subject: "37s:1", ID: "1", ExpiresAt: now.Add(time.Hour)})
	must(t, err)
	must(t, s.AddLine(ctx, "37s:1", calls.Entry{ID: "1", Time: now}))
	_, err = s.ClaimCall(ctx, "37s:1", calls.Record{Entry: calls.Entry{ID: "3", Time: now}, State: calls.Done}, nil)
	must(t, err)
	for k, list := range map[items.Key]func() (int, error){
		{Kind: "audit", Owner: "37s:1", Name: "2"}: func() (int, error) { all, err := s.Entries(ctx, "37s:1", "3", 1); return len(all), err },
		{Kind: "call", Owner: "37s:1", Name: "4"}:  func() (int, error) { all, err := s.WritingCalls(ctx, "37s:1", "", "", 1); return len(all), err },
		{Kind: "family", Name: "f2"}:               func() (int, error) { all, err := s.FamiliesOf(ctx, "37s:1"); return len(all), err },
		{Kind: "task", Owner: "37s:1", Name: "2"}: func() (int, error) {
			all, total, err := s.Tasks(ctx, "37s:1", task.Filter{Status: task.All, Limit: 9})
			return len(all) * total, err
		},
		{Kind: "hub", Owner: "37s:1", Name: "2"}:       func() (int, error) { all, err := s.HubRows(ctx, "37s:1", ""); return len(all), err },
		{Kind: "checklist", Owner: "37s:1", Name: "2"}: func() (int, error) { all, err := s.Checklists(ctx, "37s:1"); return len(all), err },
	} {
		plant(t, e, k, `["planted"]`)
		log.Reset()
		n, err := list()
		said := log.String()
		if n != 1 || err != nil || strings.Count(said, "level=WARN") != 1 || !strings.Contains(said, k.Kind) || !strings.Contains(said, k.Name) || strings.Contains(said, "planted") {
			t.Errorf("%v: %d, %v, logged %s", k, n, err, said)
		}
	}
}

// What the MCP function can write must not keep a user from seeing and ending connections.
func TestFamiliesOf_IgnoresForgedItems(t *testing.T) {
	e := memory.NewEngine(time.Now)
	s := items.New(e, items.Options{})
	connect(t, s, "own", "37s:1")
	connect(t, s, "other", "37s:2")
	plant(t, e, items.Key{Kind: "login", Owner: "37s:1", Name: "other"}, "{}")
	plant(t, e, items.Key{Kind: "marks", Name: "own"}, "x")
	for _, subject := range []string{"37s:1", "37s:2"} {
		if families, err := s.FamiliesOf(t.Context(), subject); err != nil || len(families) != 1 || families[0].Subject != subject {
			t.Errorf("%s: %+v, %v", subject, families, err)
		}
	}
}

// A copy of the items is useless without the keys, and so is an item in another place.
func TestGrants_AreBoundToTheirDeploymentProviderUserAndVersion(t *testing.T) {
	e := memory.NewEngine(time.Now)
	store := func(stack string) *items.Store { return items.New(e, items.Options{Keys: newKeys(), Stack: stack}) }
	one := store("fernhill").Grants("37signals")
	want := provider.Tokens{Revision: 1, AccessToken: strings.Repeat("planted", 20)}
	version, err := one.Save(t.Context(), "37s:1", "w", want)
	must(t, err)
	stored := func(provider, subject, version string) items.Key {
		return items.Key{Kind: "tokens", Owner: provider + "\t" + subject, Name: version}
	}
	found, err := e.Find(t.Context(), stored("37signals", "37s:1", version))
	must(t, err)
	body := string(found[0].Body)
	if strings.Contains(body, "planted") {
		t.Error("the item has the token")
	}
	plant(t, e, stored("37signals", "37s:1", "9"+version[1:]), "x")
	for _, moved := range []struct {
		stack, provider, subject, version string
	}{
		{"meadow", "37signals", "37s:1", version},
		{"fernhill", "37signals", "37s:2", version},
		{"fernhill", "github", "37s:1", version},
		{"fernhill", "37signals", "37s:1", "2" + version[1:]},
		{"fernhill", "37signals", "37s:1", "9" + version[1:]}, // unreadable
		{"fernhill", "37signals", "37s:1", "x"},
	} {
		if moved.version[0] != '9' {
			plant(t, e, stored(moved.provider, moved.subject, moved.version), body)
		}
		if _, err := store(moved.stack).Grants(moved.provider).Load(t.Context(), moved.subject, moved.version); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("%+v: %v", moved, err)
		}
	}
	if got, err := one.Load(t.Context(), "37s:1", version); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	plant(t, e, stored("37signals", "37s:1", "index"), "x")
	must(t, one.Delete(t.Context(), "37s:1"))
	if _, err := one.Load(t.Context(), "37s:1", ""); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("after its deletion: %v", err)
	}
}

func TestGrants_OfALostKeyAreMissingAndThoseOfAKeyThatCannotBeReachedAreNot(t *testing.T) {
	e := memory.NewEngine(time.Now)
	var log bytes.Buffer
	with := func(k keys) items.Grants {
		return items.New(e, items.Options{Keys: k, Log: slog.New(slog.NewTextHandler(&log, nil))}).Grants("37signals")
	}
	tokens := provider.Tokens{Revision: 1, AccessToken: "a"}
	version, err := with(newKeys()).Save(t.Context(), "37s:1", "w", tokens)
	must(t, err)
	if _, err := with(keys{}).Load(t.Context(), "37s:1", version); !errors.Is(err, grant.ErrNotFound) || !strings.Contains(log.String(), "the user must sign in again") {
		t.Errorf("a lost key: %v, logged %s", err, &log)
	}
	if _, err := with(nil).Load(t.Context(), "37s:1", version); !errors.Is(err, errLocked) || errors.Is(err, grant.ErrNotFound) {
		t.Errorf("a key out of reach: %v", err)
	}
	if _, err := with(nil).Save(t.Context(), "37s:1", "x", tokens); !errors.Is(err, errLocked) {
		t.Errorf("a save with a key out of reach: %v", err)
	}
	another := newKeys()
	another["k"][0] = 1
	if _, err := with(another).Load(t.Context(), "37s:1", version); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("another key of that ID: %v", err)
	}
}

// connect adds a family of a user, with the tokens a and r.
func connect(t *testing.T, s *items.Store, id, subject string) {
	t.Helper()
	now := time.Now()
	end := now.Add(time.Hour)
	code := authserver.Code{Hash: authserver.HashOf(fmt.Sprint(now.UnixNano())), Family: id, Permit: authserver.Permit{Subject: subject}, ExpiresAt: end}
	f := authserver.Family{ID: id, Permit: authserver.Permit{Subject: subject}, Generation: 1, CreatedAt: now, ExpiresAt: end, EndsAt: end}
	must(t, s.AddCode(t.Context(), code))
	must(t, s.Redeem(t.Context(), code, now, f, authserver.Access{Hash: "a", ExpiresAt: end}, authserver.Refresh{Hash: "r", Generation: 1, ExpiresAt: end}))
}
