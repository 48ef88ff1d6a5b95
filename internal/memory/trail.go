package memory

import (
	"reflect"
	"slices"
	"sort"
	"time"

	"basecamp-mcp/internal/audit"
)

// trail has one user's latest entries in the order of their IDs. It is a ring: once it holds
// mostEntries, a new entry takes the place of the oldest one, and no other entry moves.
type trail struct {
	entries []audit.Entry // grows to mostEntries
	first   int           // the index of the oldest entry
}

// entry returns the place of the entry with a number, counted from the oldest.
func (t *trail) entry(i int) *audit.Entry { return &t.entries[(t.first+i)%len(t.entries)] }

// older returns how many entries have a smaller ID.
func (t *trail) older(id string) int {
	n := len(t.entries)
	if n == 0 || t.entry(n-1).ID < id { // the usual case: IDs are in the order of time
		return n
	}
	return sort.Search(n, func(i int) bool { return t.entry(i).ID >= id })
}

// add stores a copy of e, unless the trail is full of younger entries. It returns ErrTaken if
// another entry has its ID.
func (t *trail) add(e audit.Entry) error {
	i := t.older(e.ID)
	if i < len(t.entries) && t.entry(i).ID == e.ID {
		if reflect.DeepEqual(*t.entry(i), e) {
			return nil
		}
		return audit.ErrTaken
	}
	if len(t.entries) < mostEntries {
		t.entries = slices.Insert(t.entries, i, copyOfEntry(e)) // first is 0 until the ring is full
		return nil
	}
	if i == 0 {
		return nil
	}
	t.first = (t.first + 1) % mostEntries // the oldest entry is now the last one, and is overwritten
	for last := mostEntries - 1; last > i-1; last-- {
		*t.entry(last) = *t.entry(last - 1)
	}
	*t.entry(i - 1) = copyOfEntry(e)
	return nil
}

// entriesBefore returns copies of at most limit entries between two IDs, without these, newest
// first. An empty last ID means no bound.
func (t *trail) entriesBefore(last, oldest string, limit int) []audit.Entry {
	end := len(t.entries)
	if last != "" {
		end = t.older(last)
	}
	var found []audit.Entry
	for i := end - 1; i >= 0 && len(found) < limit; i-- {
		e := t.entry(i)
		if e.ID <= oldest {
			break
		}
		found = append(found, copyOfEntry(*e))
	}
	return found
}

// end returns the expiry of the last entry.
func (t *trail) end() time.Time { return t.entry(len(t.entries) - 1).Time.Add(audit.Retention) }

func copyOfEntry(e audit.Entry) audit.Entry {
	e.Arguments = slices.Clone(e.Arguments)
	return e
}
