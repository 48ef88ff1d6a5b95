package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/store/items"
)

// Engine checks that an items.Engine does what its interface says. open returns an Engine whose
// clock is now; it may return the same table each time.
func Engine(t *testing.T, open func(t *testing.T, now func() time.Time) items.Engine) {
	check(t, func(t *testing.T) engineEnv {
		c := newClock()
		return engineEnv{open(t, c.Now), c, newID()}
	}, engineFacts)
}

// Races runs what twenty calls do at once, on all stores over an engine. Their other facts depend
// on no engine.
func Races(t *testing.T, open func(t *testing.T, now func() time.Time) *items.Store) {
	all := slices.Concat(stepFacts, redeemFacts, rotationFacts, taskFacts, callFacts, checklistFacts)
	check(t, opened(open), slices.DeleteFunc(all, func(f fact[env]) bool { return !strings.Contains(f.says, "twenty") }))
}

// engineEnv has an engine, its clock, and an owner without items.
type engineEnv struct {
	items.Engine
	clock *clock
	owner string
}

func (e engineEnv) key(name string) items.Key {
	return items.Key{Kind: "kind", Owner: e.owner, Name: name}
}

func (e engineEnv) item(name, body string) items.Item {
	return items.Item{Key: e.key(name), Body: []byte(strconv.Quote(body))}
}

func (e engineEnv) put(t *testing.T, all ...items.Item) {
	t.Helper()
	must(t, e.Write(t.Context(), func(tx items.Tx) error {
		for _, i := range all {
			if err := tx.Put(i); err != nil {
				return err
			}
		}
		return nil
	}))
}

// wants stops the test unless these are the names of the owner's items in a range.
func (e engineEnv) wants(t *testing.T, r items.Range, names ...string) {
	t.Helper()
	r.Kind, r.Owner = "kind", e.owner
	found, err := e.List(t.Context(), r)
	must(t, err)
	wantSame(t, namesOf(found), names)
}

func namesOf(found []items.Item) (names []string) {
	for _, i := range found {
		names = append(names, i.Name)
	}
	return names
}

// number adds to the number in an item, which is zero if there is none.
func (e engineEnv) number(tx items.Tx, name string, add int) (n int, err error) {
	found, err := tx.Find(e.key(name))
	if err != nil {
		return 0, err
	}
	if len(found) > 0 {
		n, err = strconv.Atoi(string(found[0].Body))
	}
	if err != nil || add == 0 {
		return n, err
	}
	return n + add, tx.Put(items.Item{Key: e.key(name), Body: []byte(strconv.Itoa(n + add))})
}

func (e engineEnv) wantNumber(t *testing.T, name string, want int) {
	t.Helper()
	found, err := e.Find(t.Context(), e.key(name))
	if err != nil || len(found) != 1 || string(found[0].Body) != strconv.Itoa(want) {
		t.Fatalf("%s is %v, %v; want %d", name, found, err, want)
	}
}

var errNo = errors.New("no")

var engineFacts = []fact[engineEnv]{
	{"an item is found as it was put, and replaced as a whole", func(t *testing.T, e engineEnv) {
		first, second := e.item("a", unicode), e.item("a", strings.Repeat("compressible ", 9_000))
		first.Expires = e.clock.Now().Add(time.Hour)
		for _, i := range []items.Item{first, second} {
			e.put(t, i)
			found, err := e.Find(t.Context(), i.Key)
			must(t, err)
			together, err := e.FindTogether(t.Context(), i.Key)
			must(t, err)
			wantSame(t, found, []items.Item{i})
			wantSame(t, together, found)
		}
	}},
	{"many items are found at once, without those that are missing", func(t *testing.T, e engineEnv) {
		var keys []items.Key
		var names []string
		for part := range 2 {
			var all []items.Item
			for i := range 60 {
				name := fmt.Sprintf("%d%02d", part, i)
				keys, names = append(keys, e.key(name), e.key("no"+name)), append(names, name)
				all = append(all, e.item(name, name))
			}
			e.put(t, all...)
		}
		found, err := e.Find(t.Context(), keys...)
		must(t, err)
		wantSame(t, slices.Sorted(slices.Values(namesOf(found))), names)
		found, err = e.FindTogether(t.Context(), keys[:6]...)
		must(t, err)
		wantSame(t, slices.Sorted(slices.Values(namesOf(found))), names[:3])
	}},
	{"kinds, owners and names are apart", func(t *testing.T, e engineEnv) {
		apart := []items.Key{
			e.key("a"), {Kind: "kind2", Owner: e.owner, Name: "a"}, {Kind: "kind", Owner: e.owner + "0", Name: "a"}, {Kind: "kind", Name: e.owner}, e.key("A"), e.key("aa"),
		}
		for i, k := range apart {
			e.put(t, items.Item{Key: k, Body: []byte(strconv.Itoa(i))})
		}
		for i, k := range apart {
			if found, err := e.Find(t.Context(), k); err != nil || len(found) != 1 || string(found[0].Body) != strconv.Itoa(i) {
				t.Errorf("%v is %v, %v", k, found, err)
			}
		}
		e.wants(t, items.Range{}, "A", "a", "aa")
	}},
	{"a removed item is gone, and removing a missing one is no error", func(t *testing.T, e engineEnv) {
		e.put(t, e.item("a", "1"), e.item("b", "1"))
		for range 2 {
			must(t, e.Write(t.Context(), func(tx items.Tx) error { return tx.Remove(e.key("a")) }))
		}
		e.wants(t, items.Range{}, "b")
		for range 2 { // read before
			must(t, e.Write(t.Context(), func(tx items.Tx) error {
				_, err := tx.Find(e.key("b"))
				return errors.Join(err, tx.Remove(e.key("b")))
			}))
		}
		e.wants(t, items.Range{})
	}},
	{"an expired item is missing everywhere, and its key is free", func(t *testing.T, e engineEnv) {
		brief := e.item("a", "1")
		brief.Expires = e.clock.Now().Add(time.Minute)
		e.put(t, brief, e.item("b", "1"))
		e.wants(t, items.Range{}, "a", "b")
		e.clock.set(brief.Expires)
		e.wants(t, items.Range{}, "b")
		for _, find := range []func(context.Context, ...items.Key) ([]items.Item, error){e.Find, e.FindTogether} {
			found, err := find(t.Context(), e.key("a"), e.key("b"))
			must(t, err)
			wantSame(t, namesOf(found), []string{"b"})
		}
		must(t, e.Write(t.Context(), func(tx items.Tx) error {
			if n, err := tx.Count("kind", e.owner); err != nil || n != 1 {
				return fmt.Errorf("counted %d, %w", n, err)
			}
			tx.New(e.key("a"))
			if n, err := e.number(tx, "a", 1); err != nil || n != 1 {
				return fmt.Errorf("the number is %d, %w", n, err)
			}
			return nil
		}))
		e.wantNumber(t, "a", 1)
	}},
	{"ranges are in the order of names, and have both ends and a limit", func(t *testing.T, e engineEnv) {
		var all []items.Item
		names := []string{"!", "a b", "a/1", "a/2", "a/é", "b\t1", "z", "~"}
		for _, name := range slices.Backward(names) {
			all = append(all, e.item(name, name))
		}
		e.put(t, all...)
		backward := slices.Clone(names)
		slices.Reverse(backward)
		e.wants(t, items.Range{}, names...)
		e.wants(t, items.Range{Descending: true}, backward...)
		e.wants(t, items.Range{From: "a/", Below: "a/\U0010FFFF"}, "a/1", "a/2", "a/é")
		e.wants(t, items.Range{From: "a/2"}, names[3:]...)
		e.wants(t, items.Range{Below: "a/2"}, names[:3]...)
		e.wants(t, items.Range{Below: "a/2", Descending: true, Limit: 2}, "a/1", "a b")
		e.wants(t, items.Range{Limit: 3}, names[:3]...)
		e.wants(t, items.Range{From: "c", Below: "b"})
		e.wants(t, items.Range{From: "c", Below: "d"})
	}},
	{"a limit counts no expired items, and a long list has several pages", func(t *testing.T, e engineEnv) {
		for page := range 3 {
			var all []items.Item
			for i := range 20 {
				one := e.item(fmt.Sprintf("%d%02d", page, i), newID()+strings.Repeat(newID(), 1_200)) // 60 need more than 1 MB
				one.Body = append(one.Body, strings.Repeat(" ", 100)...)
				if page == 0 {
					one.Expires = e.clock.Now().Add(time.Minute)
				}
				all = append(all, one)
			}
			e.put(t, all...)
		}
		found, err := e.List(t.Context(), items.Range{Kind: "kind", Owner: e.owner})
		must(t, err)
		if len(found) != 60 {
			t.Errorf("%d items", len(found))
		}
		e.clock.set(e.clock.Now().Add(time.Hour))
		e.wants(t, items.Range{Limit: 2}, "100", "101")
	}},
	{"a write that fails changes nothing, and its error is returned", func(t *testing.T, e engineEnv) {
		e.put(t, e.item("a", "1"))
		wantErr(t, e.Write(t.Context(), func(tx items.Tx) error {
			return errors.Join(tx.Put(e.item("b", "1")), tx.Remove(e.key("a")), tx.Put(e.item("c", "1")), errNo)
		}), errNo)
		e.wants(t, items.Range{}, "a")
	}},
	{"a write sees what it has done, and counts what was there before", func(t *testing.T, e engineEnv) {
		e.put(t, e.item("a", "1"), e.item("b", "1"))
		must(t, e.Write(t.Context(), func(tx items.Tx) error {
			n, err := tx.Count("kind", e.owner)
			if err != nil || n != 2 {
				return fmt.Errorf("counted %d, %w", n, err)
			}
			if err := errors.Join(tx.Remove(e.key("a")), tx.Put(e.item("b", "2")), tx.Put(e.item("c", "1"))); err != nil {
				return err
			}
			a, errA := tx.Find(e.key("a"))
			b, errB := tx.Find(e.key("b"))
			c, errC := tx.Find(e.key("c"))
			if err := errors.Join(errA, errB, errC); err != nil || len(a) != 0 || len(b) != 1 || string(b[0].Body) != `"2"` || len(c) != 1 {
				return fmt.Errorf("found %v, %v, %v, %w", a, b, c, err)
			}
			return tx.Remove(e.key("c"))
		}))
		e.wants(t, items.Range{}, "b")
	}},
	{"an item that is probably new is found if it exists", func(t *testing.T, e engineEnv) {
		e.put(t, e.item("a", "1"))
		err := e.Write(t.Context(), func(tx items.Tx) error {
			tx.New(e.key("a"))
			found, err := tx.Find(e.key("a"))
			if len(found) > 0 {
				return errNo
			}
			return errors.Join(err, tx.Put(e.item("a", "2")))
		})
		wantErr(t, err, errNo)
		found, err := e.Find(t.Context(), e.key("a"))
		must(t, err)
		wantSame(t, found, []items.Item{e.item("a", "1")})
	}},
	{"a cancelled context changes nothing", func(t *testing.T, e engineEnv) {
		e.put(t, e.item("a", "1"))
		_, find := e.Find(cancelled(t), e.key("a"))
		_, list := e.List(cancelled(t), items.Range{Kind: "kind", Owner: e.owner})
		write := e.Write(cancelled(t), func(tx items.Tx) error { return tx.Remove(e.key("a")) })
		if find == nil || list == nil || write == nil {
			t.Errorf("%v, %v, %v", find, list, write)
		}
		e.wants(t, items.Range{}, "a")
	}},
	{"of twenty who add an item, one does", func(t *testing.T, e engineEnv) {
		oneWinner(t, together(func(i int) error {
			return e.Write(t.Context(), func(tx items.Tx) error {
				tx.New(e.key("a"))
				if found, err := tx.Find(e.key("a")); err != nil || len(found) > 0 {
					return errors.Join(err, errNo)
				}
				return tx.Put(e.item("a", strconv.Itoa(i)))
			})
		}), errNo)
	}},
	{"twenty who add a letter to a text add all", func(t *testing.T, e engineEnv) {
		const letters = "abcdefghijklmnopqrst"
		must(t, errors.Join(together(func(i int) error {
			return e.Write(t.Context(), func(tx items.Tx) error {
				found, err := tx.Find(e.key("n"))
				text := letters[i : i+1]
				if len(found) > 0 && strings.Contains(string(found[0].Body), text) { // added, but the answer was lost
					return err
				}
				for _, f := range found {
					text += string(f.Body)
				}
				return errors.Join(err, tx.Put(items.Item{Key: e.key("n"), Body: []byte(text)}))
			})
		})...))
		found, err := e.Find(t.Context(), e.key("n"))
		must(t, err)
		wantSame(t, string(slices.Sorted(slices.Values(found[0].Body))), letters)
	}},
	{"of twenty who each write one of two items after reading both, one does", func(t *testing.T, e engineEnv) {
		oneWinner(t, together(func(i int) error {
			return e.Write(t.Context(), func(tx items.Tx) error {
				x, errX := e.number(tx, "x", 0)
				y, errY := e.number(tx, "y", 0)
				if x+y > 0 {
					return errNo
				}
				_, err := e.number(tx, []string{"x", "y"}[i%2], 1)
				return errors.Join(errX, errY, err)
			})
		}), errNo)
	}},
	{"of twenty who count before they add, as many do as there is room for", func(t *testing.T, e engineEnv) {
		done := 0
		for _, err := range together(func(i int) error {
			return e.Write(t.Context(), func(tx items.Tx) error {
				n, err := tx.Count("kind", e.owner)
				if err == nil && n >= rivals/2 {
					err = errNo
				}
				return errors.Join(err, tx.Put(e.item(fmt.Sprint(i), "1")))
			})
		}) {
			if err == nil {
				done++
			} else {
				wantErr(t, err, errNo)
			}
		}
		found, err := e.List(t.Context(), items.Range{Kind: "kind", Owner: e.owner})
		if err != nil || done != rivals/2 || len(found) != done {
			t.Errorf("%d were added and %d are there, %v", done, len(found), err)
		}
	}},
}
