package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/writeplan"
)

// Made is something that was made of another thing.
type Made struct {
	Thing      Thing
	Notified   []string
	ClientsSee any
	NotApplied []string // what could not be done once it was made
}

// Maker makes one thing in a place. Everything that it needs is resolved.
type Maker struct {
	Into string // the place, the same in every call
	// Make makes the thing. With an error, the thing may still have been made.
	Make func(ctx context.Context) (Made, error)
	// Finish does with a thing that an earlier call made what that call may not have done after it;
	// nil: Make needs one request.
	Finish func(ctx context.Context, made Thing) (Made, error)
	// Since returns what the caller made there since a time, with the title of the thing.
	Since func(ctx context.Context, since time.Time) ([]Thing, error)
}

// Making returns what makes a thing with a title in a place that is resolved.
type Making func(title string) (Maker, error)

// intent says that a call is about to make something. Its row expires after a day.
type intent struct {
	At   time.Time `json:"at"`   // of the first call
	Next time.Time `json:"next"` // when another call may make it, if it was not made until then
}

// intentKey returns the key of what is made of a thing. into is the digest of the place.
func intentKey(from Ref, into string) string { return "I/" + digest(from.Side, from.ID, into) + "|" }

const (
	intentLives = 24 * time.Hour
	// inFlight is how long a request that makes something may still be carried out.
	inFlight = 30 * time.Second
	// skew is how far the clocks of others may be behind.
	skew = time.Minute
)

// digest returns what an intent is stored under.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Promote makes something of a thing once, and links both. If an earlier call did so, it returns
// that, with already. Basecamp and GitHub do not recognize a repeated request. So an intent is
// stored before the request. A call that finds an intent and no link looks for what was made.
func (h *Hub) Promote(ctx context.Context, from Ref, m Maker) (made Made, already bool, err error) {
	into := digest(m.Into)
	key := intentKey(from, into)
	for range attempts {
		now, err := h.of(ctx, from)
		if err != nil {
			return Made{}, false, err
		}
		if i := slices.IndexFunc(now.Links, func(l Link) bool { return l.Into == into }); i >= 0 {
			return Made{Thing: h.asSeen(ctx, now.Links[i].To)}, true, nil
		}
		if len(now.Links) >= mostLinks {
			return Made{}, false, tooMany(from)
		}
		found, err := h.begin(ctx, key, from, m)
		switch {
		case errors.Is(err, ErrChanged):
			continue
		case err != nil:
			return Made{}, false, err
		case found != nil:
			made, err = m.finish(ctx, *found)
			return made, true, errors.Join(err, h.linkMade(ctx, from, found.Ref, into))
		}
		made, err = m.Make(ctx)
		if made.Thing.Ref.ID != "" {
			return made, false, errors.Join(err, h.linkMade(ctx, from, made.Thing.Ref, into))
		}
		if f := fault.From(err); !f.MayHaveHappened && ctx.Err() == nil {
			h.release(ctx, key)
		}
		return Made{}, false, err
	}
	return Made{}, false, unreachable(ErrChanged)
}

func (m Maker) finish(ctx context.Context, found Thing) (Made, error) {
	if m.Finish == nil {
		return Made{Thing: found}, nil
	}
	made, err := m.Finish(ctx, found)
	made.Thing = found
	return made, err
}

// asSeen returns a thing as it is now. What cannot be read has only a reference and a state.
func (h *Hub) asSeen(ctx context.Context, ref Ref) Thing {
	seen, err := h.Seen(ctx, []Ref{ref}, 1)
	if err != nil {
		return Thing{Ref: ref, State: Unknown}
	}
	return seen[ref]
}

// begin stores an intent. If it returns nothing, the caller makes the thing now. If an earlier call
// made it, begin returns that. ErrChanged means that another call was faster.
func (h *Hub) begin(ctx context.Context, key string, from Ref, m Maker) (*Thing, error) {
	held, err := h.intend(ctx, key)
	if err != nil || !held.earlier {
		return nil, err
	}
	found, err := h.madeSince(ctx, from, m, held.intent)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 1:
		return &found[0], nil
	case len(found) > 1:
		return nil, severalMade(found)
	}
	return nil, h.again(ctx, key, held)
}

// held is an intent as it is stored.
type held struct {
	intent
	revision int64
	earlier  bool // of an earlier call
}

// intend stores an intent, or returns that of an earlier call. A plan stores none.
func (h *Hub) intend(ctx context.Context, key string) (held, error) {
	stored, err := h.stored(ctx, key)
	if err != nil {
		return held{}, err
	}
	v := held{intent: intent{At: h.now(), Next: h.now().Add(inFlight)}}
	if len(stored) > 0 {
		v.revision, v.earlier = stored[0].Revision, true
		return v, json.Unmarshal(stored[0].Body, &v.intent)
	}
	if writeplan.From(ctx) != nil {
		return v, nil
	}
	return v, h.saveIntent(ctx, key, v.intent, 1)
}

func (h *Hub) saveIntent(ctx context.Context, key string, i intent, revision int64) error {
	return h.saveAs(ctx, Row{Key: key, Revision: revision, ExpiresAt: h.now().Add(intentLives)}, i)
}

// again takes over the intent of an earlier call whose request was not carried out.
func (h *Hub) again(ctx context.Context, key string, v held) error {
	if writeplan.From(ctx) != nil {
		return nil
	}
	if wait := v.Next.Sub(h.now()); wait > 0 {
		f := fault.New(fault.Conflict, "an earlier call is making this, or was cut; repeat this one in %d seconds", int(wait.Seconds())+1)
		f.Retryable, f.RetryAfter = true, wait.Truncate(time.Second)+time.Second
		return f
	}
	v.Next = h.now().Add(inFlight)
	return h.saveIntent(ctx, key, v.intent, v.revision+1)
}

// release lets the next call begin at once, because this one made nothing, or its link was taken
// away. If that fails, the next call waits.
func (h *Hub) release(ctx context.Context, key string) {
	if writeplan.From(ctx) != nil {
		return
	}
	stored, err := h.stored(ctx, key)
	var i intent
	if err != nil || len(stored) == 0 || json.Unmarshal(stored[0].Body, &i) != nil {
		return
	}
	i.Next = h.now()
	_ = h.saveIntent(ctx, key, i, stored[0].Revision+1)
}

// madeSince returns what the caller made since an intent, without what has links already.
func (h *Hub) madeSince(ctx context.Context, from Ref, m Maker, i intent) ([]Thing, error) {
	found, err := m.Since(ctx, i.At.Add(-skew))
	if err != nil {
		return nil, err
	}
	var free []Thing
	for _, t := range found {
		if t.State == Trashed { // as by an undo
			continue
		}
		row, err := h.of(ctx, t.Ref)
		if err != nil {
			return nil, err
		}
		if len(row.Links) == 0 || row.link(from) != nil {
			free = append(free, t)
		}
	}
	return free, nil
}

func severalMade(found []Thing) error {
	f := fault.New(fault.Conflict, "an earlier call was cut, and several things have this title; link the one that it made")
	f.MayHaveHappened = true
	for _, t := range found {
		f.Candidates = append(f.Candidates, fault.Candidate{Ref: t.Ref.ID, Name: t.Title})
	}
	return f
}

// linkMade links a thing with what was made of it. Both exist, so it must not fail because the call
// was cancelled.
func (h *Hub) linkMade(ctx context.Context, from, to Ref, into string) error {
	_, err := h.change(ctx, from, to, &Link{To: to, Into: into}, nil)
	if err != nil {
		f := *fault.From(err)
		f.Message = fmt.Sprintf("%s was made, but not linked: %s; repeat the call", to.ID, f.Message)
		return &f
	}
	return nil
}
