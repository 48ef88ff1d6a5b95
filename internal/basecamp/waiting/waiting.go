// Package waiting finds the texts that wait for an answer of a person: they ask, are addressed to
// the person, and the person has said nothing there since. It knows only what it is given, and says
// what it lacks.
package waiting

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/naming"
)

// Thread is an item and what was written about it.
type Thread struct {
	ID        int64
	Kind      string // todo, message, ...
	Title     string
	URL       string
	Bucket    basecamp.Bucket
	By        basecamp.Person // zero if the item was not read
	Assignees []basecamp.Person
	Done      bool
}

// Text is the text of an item, or a comment or a line about it.
type Text struct {
	ID      int64
	Kind    string
	Thread  int64 // its own ID for the text of an item
	By      basecamp.Person
	At      time.Time
	Title   string        // plain text, which can ask as well
	Body    basecamp.HTML // or plain text with Plain
	Plain   bool
	Boosts  int
	Context bool // whether it only says who answered
}

// Boost is who boosted a text, and when.
type Boost struct {
	By int64
	At time.Time
}

// Talk is what people wrote.
type Talk struct {
	since    time.Time
	threads  map[int64]Thread
	texts    map[int64]Text
	byThread map[int64][]int64 // the IDs of texts, oldest first
	boosts   map[int64][]Boost
	people   map[int64]richtext.Person
	speeches map[int64]speech
	called   *naming.Names[int64] // of people; nil: to be made
}

// New returns a talk. Its texts written before since do not wait for an answer.
func New(since time.Time) *Talk {
	return &Talk{since, map[int64]Thread{}, map[int64]Text{}, map[int64][]int64{}, map[int64][]Boost{}, map[int64]richtext.Person{}, map[int64]speech{}, nil}
}

// Know adds people, so that their names in texts mean them.
func (t *Talk) Know(people ...basecamp.Person) {
	for _, p := range people {
		if old := t.people[p.ID]; p.ID == 0 || p.Type == "Integration" || old.Name != "" && (old.SGID != "" || p.AttachableSGID == "") {
			continue
		}
		t.people[p.ID] = richtext.Person{ID: p.ID, Name: p.Name, SGID: p.AttachableSGID}
		t.called = nil
	}
}

// AddThread adds an item. One that was read replaces one that was not.
func (t *Talk) AddThread(th Thread) {
	if old, known := t.threads[th.ID]; known && th.By.ID == 0 {
		th.By, th.Assignees, th.Done = old.By, append(th.Assignees, old.Assignees...), old.Done
	}
	t.Know(th.By)
	t.Know(th.Assignees...)
	t.threads[th.ID] = th
}

// Add adds a text. Its thread is added before.
func (t *Talk) Add(x Text) {
	t.Know(x.By)
	if old, known := t.texts[x.ID]; known {
		x.Context = x.Context && old.Context
	} else {
		t.byThread[x.Thread] = append(t.byThread[x.Thread], x.ID)
	}
	t.texts[x.ID] = x
	delete(t.speeches, x.ID)
}

// Boosted adds who boosted a text: all boosts on it.
func (t *Talk) Boosted(text int64, boosts []Boost) {
	t.boosts[text] = append(t.boosts[text], boosts...)
}

// Thread returns an item.
func (t *Talk) Thread(id int64) Thread { return t.threads[id] }

// Name returns the name of a person.
func (t *Talk) Name(id int64) string { return t.people[id].Name }

// Wait is a text that waits for people.
type Wait struct {
	Text
	For    []int64
	Says   string  // the sentence that asks
	Unread bool    // whether its item, which was not read, says for whom it waits
	Boosts []int64 // texts whose boosts, which were not read, may answer it
}

// Waits returns the texts that wait for a person, or with from those of the person that wait for
// others, the newest first.
func (t *Talk) Waits(person int64, from bool) (all []Wait) {
	for id := range t.byThread {
		slices.SortFunc(t.byThread[id], func(a, b int64) int {
			return cmp.Or(t.texts[a].At.Compare(t.texts[b].At), cmp.Compare(a, b))
		})
	}
	for _, x := range t.texts {
		if x.Context || x.At.Before(t.since) || (x.By.ID == person) != from {
			continue
		}
		says, unread := t.asks(x)
		w := Wait{Text: x, Unread: unread}
		for _, who := range slices.Sorted(maps.Keys(says)) {
			if from == (who == person) || t.answered(x, who, &w) {
				continue
			}
			w.For, w.Says = append(w.For, who), cmp.Or(w.Says, says[who])
		}
		if len(w.For) > 0 || unread && !t.answered(x, person, &w) {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b Wait) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) })
	return all
}

// answered reports whether a person said something in the thread after a text. It notes the boosts
// that it would have to know.
func (t *Talk) answered(x Text, person int64, w *Wait) bool {
	var unread []int64
	for _, id := range append(slices.Clone(t.byThread[x.Thread]), x.Thread) {
		other := t.texts[id]
		if other.By.ID == person && other.At.After(x.At) {
			return true
		}
		boosts, read := t.boosts[id]
		for _, b := range boosts {
			if b.By == person && b.At.After(x.At) {
				return true
			}
		}
		if other.Boosts > 0 && !read && (id == x.ID || id == x.Thread || other.At.After(x.At)) {
			unread = append(unread, id)
		}
	}
	slices.SortFunc(unread, func(a, b int64) int { return cmp.Compare(btoi(b == x.ID), btoi(a == x.ID)) })
	w.Boosts = slices.Compact(unread)
	return false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
