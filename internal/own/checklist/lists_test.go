package checklist_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

var wheels = []checklist.Todo{
	{Content: "True the front wheel", Status: checklist.InProgress, ActiveForm: "Truing the front wheel"},
	{Content: "True the rear wheel", Status: checklist.Pending, ActiveForm: "Truing the rear wheel"},
}

// workshop is a server's lists and their clock.
type workshop struct {
	*testing.T
	*checklist.Lists
	store *memory.Store
	now   time.Time
}

func open(t *testing.T) *workshop {
	w := &workshop{T: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	w.store = memory.New(w.clock)
	w.Lists = checklist.New(w.store, w.clock)
	return w
}

func (w *workshop) clock() time.Time { return w.now }

// of returns the context of a call by Ines Albrecht through a connection, and in a session if one
// is named.
func (w *workshop) of(connection, session string) context.Context {
	return identity.With(w.Context(), identity.Caller{Subject: "37s:1", Connection: connection, Session: session})
}

// stranger returns the context of a call by another person through the same connection and session.
// Real calls cannot be like this.
func (w *workshop) stranger() context.Context {
	return identity.With(w.Context(), identity.Caller{Subject: "37s:2", Connection: "desk"})
}

func (w *workshop) set(ctx context.Context, c checklist.Change) checklist.List {
	w.Helper()
	l, err := w.Set(ctx, c)
	if err != nil {
		w.Fatal(err)
	}
	return l
}

func (w *workshop) want(ctx context.Context, id string, revision int64, want []checklist.Todo) checklist.List {
	w.Helper()
	l, err := w.Get(ctx, id, revision)
	if err != nil {
		w.Fatal(err)
	}
	if diff := cmp.Diff(want, l.Todos, cmpopts.EquateEmpty()); diff != "" {
		w.Fatalf("list (-want +got):\n%s", diff)
	}
	return l
}

// wantEmpty stops the test unless the call reads a list that was never written.
func (w *workshop) wantEmpty(ctx context.Context) {
	w.Helper()
	if l := w.want(ctx, "", 0, nil); l.ID != "" || l.Revision != 0 {
		w.Fatalf("list %+v", l)
	}
}

func (w *workshop) wantFault(err error, code fault.Code, own string, words ...string) *fault.Error {
	w.Helper()
	f := fault.From(err)
	if f.Code != code || f.Own != own {
		w.Fatalf("got %v (%s), want %s (%s)", err, f.Own, code, own)
	}
	for _, word := range words {
		if !strings.Contains(f.Message, word) {
			w.Errorf("%q does not say %q", f.Message, word)
		}
	}
	return f
}

func TestLists_ASessionHasItsOwnList(t *testing.T) {
	w := open(t)
	first, second := w.of("desk", "s1"), w.of("desk", "s2")
	set := w.set(first, checklist.Change{Todos: wheels})
	if again := w.set(first, checklist.Change{Todos: wheels[:1]}); again.ID != set.ID || again.Revision != 2 {
		t.Errorf("%+v, then %+v", set, again)
	}
	w.want(first, "", 0, wheels[:1])
	w.wantEmpty(second)
	w.wantEmpty(w.of("phone", "s1"))
	if other := w.set(second, checklist.Change{Todos: wheels[1:]}); other.ID == set.ID {
		t.Error("two sessions share a list")
	}
	w.want(first, "", 0, wheels[:1])
	w.want(second, "", 0, wheels[1:])
}

func TestLists_WithoutASessionEverySetIsANewListAndGetFindsTheLast(t *testing.T) {
	w := open(t)
	desk, phone := w.of("desk", ""), w.of("phone", "")
	first := w.set(desk, checklist.Change{Todos: wheels})
	second := w.set(desk, checklist.Change{Todos: wheels[:1]})
	if first.ID == second.ID || second.Revision != 1 {
		t.Fatalf("%+v, then %+v", first, second)
	}
	w.want(desk, "", 0, wheels[:1])
	w.want(desk, first.ID, 0, wheels)
	w.wantEmpty(phone)
	w.set(desk, checklist.Change{ID: first.ID, Todos: wheels[1:]})
	w.want(desk, "", 0, wheels[1:])
	w.set(w.of("desk", "s1"), checklist.Change{Todos: wheels}) // a session's list is separate from all others
	w.want(desk, "", 0, wheels[1:])
	if err := w.Forget(w.of("desk", "s1"), "s1"); err != nil {
		t.Fatal(err)
	}
	w.want(desk, "", 0, wheels[1:])
}

func TestLists_TheIDSharesAListAmongAPersonsConnectionsAndSessions(t *testing.T) {
	w := open(t)
	for _, owner := range []context.Context{w.of("desk", ""), w.of("desk", "s1")} {
		mine := w.set(owner, checklist.Change{Todos: wheels})
		for i, ctx := range []context.Context{w.of("phone", ""), w.of("phone", "s2"), w.of("desk", "s3")} {
			w.want(ctx, mine.ID, 0, wheels)
			if l := w.set(ctx, checklist.Change{ID: mine.ID, Todos: wheels}); l.ID != mine.ID || l.Revision != int64(i)+2 {
				t.Errorf("%+v", l)
			}
		}
		if l := w.want(owner, "", 0, wheels); l.ID != mine.ID || l.Revision != 4 {
			t.Errorf("%+v", l)
		}
	}
}

func TestLists_AnIDDoesNotOpenAListToAnotherPerson(t *testing.T) {
	w := open(t)
	mine := w.set(w.of("desk", ""), checklist.Change{Todos: wheels})
	unknown := []string{mine.ID, strings.ToUpper(mine.ID), mine.ID[1:], mine.ID + "a", "../" + mine.ID[3:], strings.Repeat("a", 26), "1069479351", "desk"}
	for i, id := range unknown {
		callers := []context.Context{w.stranger()}
		if i > 0 {
			callers = append(callers, w.of("desk", ""), w.of("desk", "s1"))
		}
		for _, ctx := range callers {
			_, err := w.Get(ctx, id, 0)
			w.wantFault(err, fault.NotFound, "unknown_list", "todolist__set without list_id")
			for _, revision := range []*int64{nil, new(int64(0)), new(int64(1))} {
				_, err = w.Set(ctx, checklist.Change{ID: id, Todos: wheels[:1], IfRevision: revision})
				w.wantFault(err, fault.NotFound, "unknown_list")
			}
		}
	}
	w.wantEmpty(w.stranger())
	if heads, err := w.Live(w.stranger()); err != nil || len(heads) > 0 {
		t.Error(heads, err)
	}
	w.want(w.of("desk", ""), mine.ID, 0, wheels)
}

func TestLists_IDsCannotBeGuessed(t *testing.T) {
	w := open(t)
	form, seen := regexp.MustCompile(`^[a-z2-7]{26}$`), map[string]bool{}
	for _, session := range []string{"", "", "", "s1", "s2", "s11"} {
		for _, connection := range []string{"desk", "phone"} {
			id := w.set(w.of(connection, session), checklist.Change{Todos: wheels}).ID
			if !form.MatchString(id) || seen[id] {
				t.Errorf("id %q", id)
			}
			seen[id] = true
		}
	}
}

func TestSet_ThatFailsChangesNothing(t *testing.T) {
	w := open(t)
	ctx := w.of("desk", "s1")
	w.set(ctx, checklist.Change{Todos: wheels})
	_, err := w.Set(ctx, checklist.Change{Todos: append(wheels[:2:2], wheels[0])})
	w.wantFault(err, fault.InvalidInput, "multiple_in_progress", "todos[0] and todos[2]")
	if l := w.want(ctx, "", 0, wheels); l.Revision != 1 {
		t.Errorf("revision %d", l.Revision)
	}
	_, err = w.Set(w.of("desk", ""), checklist.Change{Todos: []checklist.Todo{{}}})
	w.wantFault(err, fault.InvalidInput, "empty_content")
	if heads, err := w.Live(ctx); err != nil || len(heads) != 1 {
		t.Error(heads, err)
	}
}

func TestSet_WithARevisionKeepsANewerOne(t *testing.T) {
	w := open(t)
	ctx := w.of("desk", "s1")
	_, err := w.Set(ctx, checklist.Change{Todos: wheels, IfRevision: new(int64(3))})
	f := w.wantFault(err, fault.Conflict, "conflict", "at revision 0, not 3", "list_id")
	if f.Resource == nil || *f.Resource != (fault.Resource{Type: "revision", ID: "0"}) {
		t.Errorf("resource %+v", f.Resource)
	}
	w.wantEmpty(ctx)
	w.set(ctx, checklist.Change{Todos: wheels, IfRevision: new(int64(0))})
	l := w.set(ctx, checklist.Change{Todos: wheels[:1], IfRevision: new(int64(1))})
	for _, late := range []int64{0, 1, 3} {
		for _, id := range []string{"", l.ID} {
			_, err := w.Set(ctx, checklist.Change{ID: id, Todos: wheels[1:], IfRevision: &late})
			f := w.wantFault(err, fault.Conflict, "conflict", "at revision 2, not", "if_revision 2")
			if f.Resource == nil || f.Resource.ID != "2" || f.Retryable {
				t.Errorf("%+v of %+v", f, f.Resource)
			}
		}
	}
	w.want(ctx, "", 0, wheels[:1])
	w.set(ctx, checklist.Change{Todos: wheels[1:]})
	w.want(ctx, "", 0, wheels[1:])
}

func TestSet_WithARevisionDoesNotCreateAList(t *testing.T) {
	w := open(t)
	ctx := w.of("desk", "")
	w.set(ctx, checklist.Change{Todos: wheels})
	_, err := w.Set(ctx, checklist.Change{Todos: nil, IfRevision: new(int64(1))})
	w.wantFault(err, fault.Conflict, "conflict", "name the list by its list_id")
	w.want(ctx, "", 0, wheels)
}

func TestGet_ReadsThePreviousRevisionButNoOlderOne(t *testing.T) {
	w := open(t)
	ctx := w.of("desk", "s1")
	_, err := w.Get(ctx, "", 1)
	w.wantFault(err, fault.NotFound, "unknown_revision", "at revision 0")
	l := w.set(ctx, checklist.Change{Todos: wheels})
	w.want(ctx, "", 1, wheels)
	w.set(ctx, checklist.Change{Todos: []checklist.Todo{}})
	w.set(ctx, checklist.Change{Todos: wheels[1:]})
	if before := w.want(ctx, l.ID, 2, nil); before.Revision != 2 {
		t.Errorf("revision %d", before.Revision)
	}
	if now := w.want(ctx, "", 3, wheels[1:]); now.Revision != 3 {
		t.Errorf("revision %d", now.Revision)
	}
	for _, revision := range []int64{1, 4, -1} {
		_, err := w.Get(ctx, "", revision)
		w.wantFault(err, fault.NotFound, "unknown_revision", "at revision 3")
	}
}

func TestLists_ExpireSevenDaysAfterTheirLastUse(t *testing.T) {
	const idle = 7 * 24 * time.Hour
	for _, session := range []string{"", "s1"} {
		w := open(t)
		ctx := w.of("desk", session)
		l := w.set(ctx, checklist.Change{Todos: wheels})
		for range 3 { // a read counts as use
			w.now = w.now.Add(idle - time.Second)
			w.want(ctx, "", 0, wheels)
			w.now = w.now.Add(idle - time.Second)
			w.want(ctx, l.ID, 0, wheels)
		}
		w.set(ctx, checklist.Change{ID: l.ID, Todos: wheels})
		w.now = w.now.Add(idle - time.Second)
		if heads, err := w.Live(ctx); err != nil || len(heads) != 1 { // listing does not count as use
			t.Error(heads, err)
		}
		w.now = w.now.Add(time.Second)
		if heads, err := w.Live(ctx); err != nil || len(heads) > 0 {
			t.Error(heads, err)
		}
		_, err := w.Get(ctx, l.ID, 0)
		w.wantFault(err, fault.NotFound, "unknown_list", "7 days")
		_, err = w.Set(ctx, checklist.Change{ID: l.ID, Todos: wheels})
		w.wantFault(err, fault.NotFound, "unknown_list")
		w.wantEmpty(ctx)
		w.set(ctx, checklist.Change{Todos: wheels[1:]})
		if l := w.want(ctx, "", 0, wheels[1:]); l.Revision != 1 || l.HasPrevious {
			t.Errorf("after it expired: %+v", l)
		}
	}
}

func TestGet_ExtendsALifeAtMostOnceADay(t *testing.T) {
	w := open(t)
	ctx := w.of("desk", "")
	l := w.set(ctx, checklist.Change{Todos: wheels})
	w.now = w.now.Add(24*time.Hour - time.Second)
	w.want(ctx, "", 0, wheels)
	if kept, err := w.store.Checklist(ctx, "37s:1", l.ID, ""); err != nil || !kept.ExpiresAt.Equal(l.ExpiresAt) {
		t.Errorf("expires at %s, want %s, %v", kept.ExpiresAt, l.ExpiresAt, err)
	}
	w.now = w.now.Add(time.Second)
	w.want(ctx, "", 0, wheels)
	if kept, err := w.store.Checklist(ctx, "37s:1", l.ID, ""); err != nil || !kept.ExpiresAt.Equal(w.now.Add(7*24*time.Hour)) {
		t.Errorf("expires at %s, %v", kept.ExpiresAt, err)
	}
}

func TestLive_ReturnsAllListsOfAPersonLastWrittenFirst(t *testing.T) {
	w := open(t)
	var want []string
	for _, ctx := range []context.Context{w.of("desk", "s1"), w.of("desk", ""), w.of("phone", "s2"), w.of("phone", "")} {
		w.now = w.now.Add(time.Second)
		want = append([]string{w.set(ctx, checklist.Change{Todos: wheels}).ID}, want...)
	}
	w.now = w.now.Add(time.Second)
	w.set(w.of("desk", ""), checklist.Change{ID: want[2], Todos: nil})
	want = []string{want[2], want[0], want[1], want[3]}
	w.set(w.stranger(), checklist.Change{Todos: wheels})
	heads, err := w.Live(w.of("desk", ""))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range heads {
		got = append(got, h.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if heads[0].Summary.Total != 0 || !heads[0].ExpiresAt.Equal(w.now.Add(7*24*time.Hour)) || heads[0].Revision != 2 || heads[1].Doing != wheels[0].ActiveForm || heads[1].Summary.InProgress != 1 {
		t.Errorf("heads %+v", heads)
	}
}

func TestForget_DeletesOnlyTheListOfThatSession(t *testing.T) {
	w := open(t)
	ended, lives, phone := w.of("desk", "s1"), w.of("desk", "s2"), w.of("phone", "s1")
	for _, ctx := range []context.Context{ended, lives, phone} {
		w.set(ctx, checklist.Change{Todos: wheels})
	}
	for range 2 {
		if err := w.Forget(ended, "s1"); err != nil {
			t.Fatal(err)
		}
	}
	w.wantEmpty(ended)
	w.want(lives, "", 0, wheels)
	w.want(phone, "", 0, wheels)
	if heads, err := w.Live(ended); err != nil || len(heads) != 2 {
		t.Error(heads, err)
	}
	w.set(ended, checklist.Change{Todos: wheels})
	if l := w.want(ended, "", 0, wheels); l.Revision != 1 || l.HasPrevious {
		t.Errorf("after it was deleted: %+v", l)
	}
}

func TestLists_AStoreThatIsDownIsRetryable(t *testing.T) {
	w := open(t)
	down := func(session string) context.Context {
		ctx, cancel := context.WithCancel(w.of("desk", session))
		cancel()
		return ctx
	}
	_, latest := w.Get(down(""), "", 0)
	_, session := w.Get(down("s1"), "", 0)
	_, named := w.Get(down(""), strings.Repeat("a", 26), 0)
	_, set := w.Set(down(""), checklist.Change{Todos: wheels})
	_, live := w.Live(down(""))
	for name, err := range map[string]error{
		"latest": latest, "session": session, "named": named, "set": set, "live": live, "forget": w.Forget(down("s1"), "s1"),
	} {
		f := w.wantFault(err, fault.UpstreamError, "", "try again")
		if !f.Retryable || strings.Contains(f.Message, "cancel") || !errors.Is(f, context.Canceled) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestLists_DoNotLookUpAMalformedID(t *testing.T) {
	w := open(t)
	ctx, cancel := context.WithCancel(w.of("desk", "s1"))
	cancel() // any lookup would fail
	for _, id := range []string{"1069479351", strings.Repeat("a", 2000), strings.Repeat("A", 26)} {
		_, err := w.Get(ctx, id, 0)
		w.wantFault(err, fault.NotFound, "unknown_list")
		_, err = w.Set(ctx, checklist.Change{ID: id, Todos: wheels})
		w.wantFault(err, fault.NotFound, "unknown_list")
	}
}

// unkept is a Store whose lists can be read but not extended.
type unkept struct{ checklist.Store }

func (unkept) KeepChecklist(context.Context, string, string, time.Time) error {
	return errors.New("the table is too busy")
}

func TestGet_SucceedsIfTheLifeCannotBeExtended(t *testing.T) {
	w := open(t)
	ctx := w.of("desk", "")
	w.set(ctx, checklist.Change{Todos: wheels})
	w.now = w.now.Add(6 * 24 * time.Hour)
	if l, err := checklist.New(unkept{w.store}, w.clock).Get(ctx, "", 0); err != nil || len(l.Todos) != len(wheels) {
		t.Error(l, err)
	}
}

func TestLists_WithoutACallerAreADefect(t *testing.T) {
	w := open(t)
	for _, ctx := range []context.Context{w.Context(), identity.With(w.Context(), identity.Caller{Connection: "desk", Session: "s1"})} {
		_, get := w.Get(ctx, "", 0)
		_, set := w.Set(ctx, checklist.Change{Todos: wheels})
		_, live := w.Live(ctx)
		for _, err := range []error{get, set, live, w.Forget(ctx, "s1")} {
			if !fault.Is(fault.From(err), fault.InternalError) || err == nil {
				t.Errorf("got %v", err)
			}
		}
	}
}
