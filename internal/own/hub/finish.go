package hub

import (
	"context"

	"basecamp-mcp/internal/tool/toolanswer"
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
	Error      *toolanswer.ItemError `json:"error,omitempty"`
}

// Everywhere is the answer of a call that was to complete also what is linked.
type Everywhere struct {
	Finished *[]Finished `json:"everywhere,omitempty"`      // nil if the call did not ask
	None     string      `json:"everywhere_none,omitempty"` // why it is empty
}

// mostFinished is how many things a call completes beside its own.
const mostFinished = 20

// Finish completes all that things are linked to, directly or by others. The things themselves are
// completed already. h may be nil: then there are no links.
func (h *Hub) Finish(ctx context.Context, done ...Ref) (v Everywhere, err error) {
	v.Finished = &[]Finished{}
	if len(done) == 0 {
		v.None = "the call completed nothing"
		return v, nil
	}
	if h != nil {
		*v.Finished, err = h.finishAll(ctx, done)
	}
	if len(*v.Finished) == 0 && err == nil {
		v.None = "nothing is linked, so nothing else was completed"
	}
	return v, err
}

func (h *Hub) finishAll(ctx context.Context, done []Ref) (results []Finished, err error) {
	results = []Finished{}
	known := map[Ref]bool{}
	for _, ref := range done {
		known[ref] = true
	}
	for len(done) > 0 {
		linked, err := h.Linked(ctx, done[0])
		if err != nil {
			return results, err
		}
		done = done[1:]
		for _, link := range linked {
			if !known[link.To] && len(results) < mostFinished {
				known[link.To] = true
				results, done = append(results, h.finish(ctx, link.To)), append(done, link.To)
			}
		}
	}
	return results, nil
}

// finish completes one thing.
func (h *Hub) finish(ctx context.Context, ref Ref) Finished {
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
		return Finished{Ref: ref.ID, Error: &failed}
	}
	return Finished{
		Ref: ref.ID, Title: c.Thing.Title, URL: c.Thing.URL, OK: true, Changed: c.Changed, Notified: c.Notified, ClientsSee: c.ClientsSee,
	}
}
