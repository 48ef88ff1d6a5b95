package changes

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

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/aesgcm"
)

// The limits of a cursor.
const (
	CursorLife = 30 * 24 * time.Hour
	// changeOverlap is how long before the end of the last walk the next one ends. What becomes
	// visible later than that after its own time is missed.
	changeOverlap = time.Minute
	mostTold      = 800  // changes that a cursor remembers
	mostPassed    = 1500 // items of a walk that a cursor remembers
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

// changeState is where a series of calls stands. A cursor holds it, sealed. Its times are in
// milliseconds.
type changeState struct {
	Made    int64           `json:"m"` // seconds
	Filter  changeFilter    `json:"f,omitzero"`
	After   int64           `json:"a,omitempty"` // the last entry of the timeline
	Listed  int64           `json:"l"`           // what changed before was told
	Trashed int64           `json:"r"`           // and what was trashed before
	Walk    *changeWalk     `json:"w,omitempty"` // through the lists, that goes on
	Told    told            `json:"t,omitempty"`
	Since   int64           `json:"s,omitempty"` // where GitHub's begins, in seconds
	GitHub  json.RawMessage `json:"g,omitempty"` // where GitHub's ended; nil before the first reading
}

// changeWalk is a walk through the lists of items, from the last change back to Low: first those of
// all kinds, and at last the timeline.
type changeWalk struct {
	Trash bool  `json:"r,omitempty"`
	Low   int64 `json:"l"`
	Until int64 `json:"u"`           // what changed later comes after the walk
	Last  bool  `json:"z,omitempty"` // it has come to the timeline
	At    int64 `json:"h,omitempty"` // what changed later was told
	Same  told  `json:"e,omitempty"` // what was told of that moment
	// Lists has two numbers for each list: a page, and how long before Until the first item on it
	// changed that was not told. The page is 0 at the end.
	Lists []int64 `json:"p,omitempty"`
	Told  told    `json:"i,omitempty"` // items that an older comment or line could bring again
	Empty bool    `json:"n,omitempty"` // the last answer had nothing
}

// told has when the items that were told last had changed, by their IDs. In a walk, they have no
// times.
type told map[int64]int64

// MarshalJSON writes it as differences: IDs from the one before, times from the first.
func (t told) MarshalJSON() ([]byte, error) {
	ids := slices.Sorted(maps.Keys(t))
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

// has reports whether an item was told.
func (t told) has(id int64) bool {
	_, ok := t[id]
	return ok
}

// knows reports whether a change of an item was told.
func (t told) knows(id int64, at time.Time) bool {
	last, ok := t[id]
	return ok && at.UnixMilli() <= last
}

// forget drops what changed before a time. If too much is left, it drops the oldest too, and
// returns the time of the last that it dropped: a later walk must not go back so far.
func (t told) forget(before int64) (low int64) {
	maps.DeleteFunc(t, func(_, when int64) bool { return when < before })
	if len(t) <= mostTold {
		return 0
	}
	low = slices.Sorted(maps.Values(t))[len(t)-mostTold-1]
	maps.DeleteFunc(t, func(_, when int64) bool { return when <= low })
	return low
}

// seal returns the state as a cursor for the caller.
func (s changeState) seal(ctx context.Context, now time.Time) (string, error) {
	s.Made = now.Unix()
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
	case now.Sub(time.Unix(s.Made, 0)) > CursorLife:
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
