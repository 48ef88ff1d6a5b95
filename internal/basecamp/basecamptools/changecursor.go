package basecamptools

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"basecamp-mcp/internal/aesgcm"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

const (
	changeCursorLife = 30 * 24 * time.Hour
	// changeOverlap is how long before the end of the last reading the next one begins. What
	// becomes visible later than that after its own time is missed.
	changeOverlap = time.Minute
	mostTold      = 40 // items that a cursor remembers
)

// changeFilter is what a cursor is about. A call that goes on need not repeat it.
type changeFilter struct {
	Project       int64    `json:"p,omitempty"`
	Kinds         []string `json:"k,omitempty"`
	Mine          bool     `json:"m,omitempty"`
	IncludeMe     bool     `json:"i,omitempty"`
	ExcludePerson bool     `json:"x,omitempty"`
	GitHub        bool     `json:"g,omitempty"` // also what changed there
}

// changeState is where a series of calls stands. A cursor holds it, sealed.
type changeState struct {
	Made     int64            `json:"m"` // seconds
	Filter   changeFilter     `json:"f,omitzero"`
	Feed     feedPlace        `json:"p,omitempty"`
	After    int64            `json:"a,omitempty"` // the last event of the feed that was told
	Polled   int64            `json:"o"`           // when the feed was read last, in milliseconds
	Unnamed  bool             `json:"u,omitempty"` // the feed no longer accepts the filter, so it is read without
	Readings [readings]window `json:"w"`
	Told     told             `json:"t,omitempty"`
	Since    int64            `json:"s,omitempty"` // where GitHub's begins, in seconds
	GitHub   json.RawMessage  `json:"g,omitempty"` // where GitHub's ended; nil before the first reading
}

// feedPlace is where the feed goes on: p and a position, or s and the ID of an event. It is empty
// if there is no feed.
type feedPlace string

// The readings by time, beside the feed.
const (
	eventReading = iota // the timeline, where there is no feed
	listReading         // the lists of items by their last change
	trashReading
	readings
)

// window is a reading by time. Times are in milliseconds.
type window struct {
	Read  int64 // what changed before was told
	Ran   int64 // when the last reading ended
	All   bool  // also of what the feed says
	Until int64 // a reading that goes on: it ends where Read will be
	High  int64 // and what changed before this is not told yet
	Pages []int // on which page of each list that is
}

// MarshalJSON writes a list, without the zeros at its end.
func (w window) MarshalJSON() ([]byte, error) {
	list := []int64{w.Read, w.Ran, w.Until, w.High, 0}
	if w.All {
		list[4] = 1
	}
	for _, page := range w.Pages {
		list = append(list, int64(page))
	}
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (w *window) UnmarshalJSON(data []byte) error {
	var list []int64
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	at := func(i int) int64 { return append(list, make([]int64, 5)...)[i] }
	*w = window{Read: at(0), Ran: at(1), Until: at(2), High: at(3), All: at(4) == 1}
	for _, page := range list[min(5, len(list)):] {
		w.Pages = append(w.Pages, int(page))
	}
	return nil
}

// told has when the items that were told last had changed, in half seconds. The last bit says that
// the feed told it.
type told map[int64]int64

// MarshalJSON writes the newest ones as differences: IDs from the one before, times from the first.
func (t told) MarshalJSON() ([]byte, error) {
	ids := slices.SortedFunc(maps.Keys(t), func(a, b int64) int { return int(min(max(t[b]-t[a], -1), 1)) })
	ids = slices.Sorted(slices.Values(ids[:min(mostTold, len(ids))]))
	flat := make([]int64, 0, 2*len(ids))
	for i, id := range ids {
		before, first := int64(0), int64(0)
		if i > 0 {
			before, first = ids[i-1], t[ids[0]]
		}
		flat = append(flat, id-before, t[id]-first)
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *told) UnmarshalJSON(data []byte) error {
	var flat []int64
	if err := json.Unmarshal(data, &flat); err != nil || len(flat)%2 != 0 {
		return fmt.Errorf("what was told: %d numbers: %w", len(flat), err)
	}
	*t = told{}
	id, first := int64(0), int64(0)
	for i := 0; i < len(flat); i += 2 {
		id += flat[i]
		(*t)[id] = flat[i+1] + first
		if i == 0 {
			first = flat[1]
		}
	}
	return nil
}

// knows reports whether a change of an item was told.
func (t told) knows(id int64, at time.Time) bool {
	last, ok := t[id]
	return ok && at.Unix() <= last>>1+1
}

// knowsByTime does the same for what was not told from the feed, whose events are told in their
// order.
func (t told) knowsByTime(id int64, at time.Time) bool { return t[id]&1 == 0 && t.knows(id, at) }

// note remembers that a change was told, from the feed or by its time.
func (t told) note(id int64, at time.Time, fromFeed bool) {
	seconds := at.Unix() << 1
	if fromFeed {
		seconds |= 1
	}
	t[id] = max(t[id], seconds)
}

// seal returns the state as a cursor for the caller.
func (s changeState) seal(ctx context.Context, now time.Time) (string, error) {
	s.Made = now.Unix()
	if s.Feed != "" {
		s.Readings[eventReading] = window{} // only without a feed
	}
	plain, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	box, label := changeBox(ctx)
	var short bytes.Buffer
	w, _ := flate.NewWriter(&short, flate.BestCompression) // fails only for an unknown level
	_, _ = w.Write(plain)                                  // a buffer takes it all
	_ = w.Close()
	return base64.RawURLEncoding.EncodeToString(box.Seal(nil, nil, short.Bytes(), label)), nil
}

// openCursor returns the state in a cursor of the caller.
func openCursor(ctx context.Context, cursor string, now time.Time) (s changeState, err error) {
	box, label := changeBox(ctx)
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		var plain []byte
		if plain, err = box.Open(nil, nil, sealed, label); err == nil {
			err = json.NewDecoder(flate.NewReader(bytes.NewReader(plain))).Decode(&s)
		}
	}
	switch {
	case err != nil:
		return s, badChangeCursor("this cursor was changed, or belongs to another person, account or connection")
	case now.Sub(time.Unix(s.Made, 0)) > changeCursorLife:
		return s, badChangeCursor("this cursor is older than 30 days")
	}
	if s.Told == nil {
		s.Told = told{}
	}
	return s, nil
}

func badChangeCursor(problem string) error {
	return fault.Invalid("cursor", "%s; give since instead, and go on with the cursor of that answer", problem)
}

// changeBox returns what seals the cursors of the caller's connection, and whom they belong to.
func changeBox(ctx context.Context) (cipher.AEAD, []byte) {
	caller, _ := identity.From(ctx)
	return aesgcm.For("basecamp-mcp cursor of changes", caller.Key), fmt.Appendf(nil, "%s\x00%d", caller.Subject, caller.Account)
}
