package hub

import (
	"context"

	"basecamp-mcp/internal/toolanswer"
)

// Call is a call of a tool.
type Call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// Finished is what became of a thing that is linked to one that was completed.
type Finished struct {
	Ref        string                `json:"ref"`
	Title      string                `json:"title,omitempty"`
	URL        string                `json:"url,omitempty"`
	OK         bool                  `json:"ok"`
	Changed    bool                  `json:"changed"`
	Notified   []string              `json:"notified,omitempty"`
	ClientsSee any                   `json:"clients_see,omitempty" limits:"types=true|list"`
	Claimed    bool                  `json:"claimed,omitempty"` // by a line that does not count, so it is as it was
	Error      *toolanswer.ItemError `json:"error,omitempty"`
}

// mostFinished is how many things a call completes beside its own.
const mostFinished = 20

// Finish completes all that things are linked to, directly or by others, privately or by a visible
// line that counts. The things themselves are completed already.
func (h *Hub) Finish(ctx context.Context, done ...Thing) (results []Finished, err error) {
	known, claims, lines := map[Ref]bool{}, []Ref(nil), mostFinished // to check, each with some requests
	for i := range done {
		known[done[i].Ref] = true
		h.lined(&done[i])
	}
	for len(done) > 0 {
		t := done[0]
		done = done[1:]
		linked, err := h.Linked(ctx, t.Ref)
		if err != nil {
			return results, err
		}
		checked := min(len(t.Lines), lines)
		claims = append(claims, refsOf(t.Lines[checked:])...)
		t.Lines, lines = t.Lines[:checked], lines-checked
		said := h.Said(ctx, t)
		for _, other := range said.Pairs {
			linked = append(linked, Link{To: other.Ref})
		}
		for _, link := range linked {
			if known[link.To] || len(results) == mostFinished {
				continue
			}
			known[link.To] = true
			v, thing := h.finish(ctx, link.To)
			results, done = append(results, v), append(done, thing)
		}
		claims = append(claims, said.Claims...)
	}
	for _, ref := range claims {
		if !known[ref] && len(results) < mostFinished {
			known[ref] = true
			results = append(results, Finished{Ref: ref.ID, Claimed: true})
		}
	}
	return results, nil
}

// finish completes one thing, and returns it as its side did.
func (h *Hub) finish(ctx context.Context, ref Ref) (Finished, Thing) {
	v := Finished{Ref: ref.ID}
	s := h.side(ref.Side)
	var err error
	if h.MayGoOn != nil {
		err = h.MayGoOn(ctx)
	}
	if s == nil {
		err = notConfigured(ref)
	}
	var c Completed
	if err == nil {
		c, err = s.Complete(ctx, ref.ID)
	}
	if err != nil {
		failed := toolanswer.Failure(err)
		v.Error = &failed
		return v, Thing{Ref: ref}
	}
	c.Thing.Ref = ref // also if it has moved
	h.lined(&c.Thing)
	return Finished{
		Ref: ref.ID, Title: c.Thing.Title, URL: c.Thing.URL, OK: true, Changed: c.Changed, Notified: c.Notified, ClientsSee: c.ClientsSee,
	}, c.Thing
}
