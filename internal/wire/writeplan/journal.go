package writeplan

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"basecamp-mcp/internal/text/plaintext"
)

// Step is a write that was carried out, with what undoes it.
type Step struct {
	Provider string          `json:"provider"` // who can undo it
	What     string          `json:"what"`     // what the write did, in words
	Type     string          `json:"type,omitempty"`
	ID       string          `json:"id,omitempty"` // of what it wrote
	Also     []string        `json:"-"`            // the IDs of what else it wrote, for the audit trail
	Cannot   string          `json:"cannot,omitempty"`
	Unsure   bool            `json:"unsure,omitempty"`   // the write may not have been carried out
	Opposite json.RawMessage `json:"opposite,omitempty"` // in the provider's form; empty if there is nothing to undo
	Answered `json:"-"`
}

// Answered is how a provider's answer to a write differs from what was asked. A provider may answer
// with success and the record as it was.
type Answered struct {
	NotAsAsked []string // "due_on: none": the fields, and what they are
	AsWas      bool     // no field is as asked
	changed    bool     // a field is as asked
}

const mostAnswered = 100

// Compare adds a field that was asked to be another than before. was is nil if that is not known. A
// text that is neither as before nor as asked counts as asked: the provider has formatted it.
func (a *Answered) Compare(name string, was *any, asked, now any, show func(any) any) {
	switch {
	case was != nil && Equal(*was, asked):
	case !Equal(asked, now) && (was == nil || Equal(*was, now) || isExact(asked)):
		shown := "none"
		if !Equal(now, nil) {
			shown, _ = plaintext.Excerpt(fmt.Sprint(show(now)), mostAnswered)
		}
		a.changed = a.changed || was != nil && !Equal(*was, now)
		a.AsWas = !a.changed
		a.NotAsAsked = append(a.NotAsAsked, name+": "+shown)
	default:
		a.changed, a.AsWas = true, false
	}
}

// isExact reports whether a provider stores a value as it is: a truth value, IDs, a day or a time.
func isExact(value any) bool {
	switch v := value.(type) {
	case bool, []int64:
		return true
	case string:
		_, err := time.Parse(time.DateOnly, v[:min(len(v), len(time.DateOnly))])
		return err == nil
	}
	return false
}

// Restored is the result of undoing a step.
type Restored struct {
	Result  string         `json:"result"`           // Undone, Refused or Cannot
	Except  []string       `json:"except,omitempty"` // what did not come back of what was undone: Position
	Reason  string         `json:"reason,omitempty"`
	Left    map[string]any `json:"left,omitempty"` // of a refusal: what the write left, where it differs
	Now     map[string]any `json:"now,omitempty"`  // and what is there now
	By      string         `json:"by,omitempty"`   // who changed it last, if that is known
	At      string         `json:"at,omitempty"`   // when it was last changed
	Touched bool           `json:"touched,omitempty"`
	Gone    bool           `json:"-"` // of a refusal: it cannot be read
	Err     error          `json:"-"` // why it was not undone, or why that is not known; the other fields are empty
}

// The results of undoing a step.
const (
	Undone  = "undone"
	Refused = "refused"
	Cannot  = "cannot"
)

// Position is the place of an item among others, as Except names it.
const Position = "position"

// Journal holds the writes of a call that are carried out, with what undoes each, and what the call
// has read. It is safe for concurrent use.
type Journal struct {
	Reads

	mu    sync.Mutex
	begin func(context.Context) error // nil once it has succeeded
	steps []Step
}

type journalKey struct{}

// WithJournal returns a context whose writes are kept in a journal. begin is called before the
// first write, which is not sent if begin fails.
func WithJournal(ctx context.Context, begin func(context.Context) error) (context.Context, *Journal) {
	j := &Journal{begin: begin}
	return context.WithValue(ctx, journalKey{}, j), j
}

// JournalFrom returns the journal of ctx, or nil if writes are not kept.
func JournalFrom(ctx context.Context) *Journal {
	j, _ := ctx.Value(journalKey{}).(*Journal)
	return j
}

// Begin says that a write is about to be carried out.
func (j *Journal) Begin(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.begin == nil {
		return nil
	}
	if err := j.begin(ctx); err != nil {
		return err
	}
	j.begin = nil
	return nil
}

// Add adds a step.
func (j *Journal) Add(s Step) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.steps = append(j.steps, s)
}

// Journaled carries a write out. If ctx has a journal, it keeps the step of a write that was
// carried out.
func Journaled(ctx context.Context, write func() error, step func() Step) error {
	j := JournalFrom(ctx)
	if j == nil {
		return write()
	}
	if err := j.Begin(ctx); err != nil {
		return err
	}
	err := write()
	if err == nil {
		j.Add(step())
	}
	return err
}

// Begun reports whether a write may have been carried out.
func (j *Journal) Begun() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.begin == nil
}

// Steps returns the steps in the order of the writes.
func (j *Journal) Steps() []Step {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.steps
}

// Kept has the fields that a write changed, and what it left. A field may be only in Left.
type Kept struct {
	Was  map[string]any `json:"was,omitempty"`
	Left map[string]any `json:"left,omitempty"`
}

// Keep adds a field if a write changed it.
func (k *Kept) Keep(name string, was, left any) {
	if !Equal(was, left) {
		k.Was[name], k.Left[name] = was, left
	}
}

// Settled returns the result of undoing a write that needs no request: another person or call
// changed it since, or all is as before already. It is given what the fields are now, and reports
// whether there is such a result. A field that is as before the write is not refused. show returns
// a value as a person reads it.
func (k *Kept) Settled(now map[string]any, show func(any) any) (r Restored, settled bool) {
	r = Restored{Result: Refused, Reason: "it was changed since", Left: map[string]any{}, Now: map[string]any{}}
	for name, left := range k.Left {
		was, changed := k.Was[name]
		if Equal(now[name], left) || changed && Equal(now[name], was) {
			continue
		}
		r.Left[name], r.Now[name] = excerpt(show(left)), excerpt(show(now[name]))
	}
	if len(r.Now) > 0 {
		return r, true
	}
	for name, was := range k.Was {
		if !Equal(now[name], was) {
			return Restored{}, false
		}
	}
	return Restored{Result: Undone, Reason: "it was as before already"}, len(k.Was) > 0
}

// Gone returns the result of undoing a write of what cannot be read any more.
func Gone() Restored {
	return Restored{Result: Refused, Reason: "it no longer exists, or you no longer have access to it", Gone: true}
}

const mostShown = 300

func excerpt(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	short, _ := plaintext.Excerpt(text, mostShown)
	return short
}

// Equal reports whether two values are the same. Null, an empty text and an empty list are nothing.
func Equal(a, b any) bool { return plainly(a) == plainly(b) }

func plainly(value any) string {
	encoded, _ := json.Marshal(value) // what was decoded from JSON can be encoded
	switch text := string(encoded); text {
	case `""`, `[]`:
		return "null"
	default:
		return text
	}
}
