package held

import (
	"slices"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/writeplan"
)

// Outsiders is the kind of what a fence holds only because the client has read a text by someone
// outside the account.
const Outsiders fence.Kind = "outsiders"

// Facts are what is known about a call besides its plan.
type Facts struct {
	Admin     bool // it administers the account
	Unsure    bool // its answer does not say whom it reaches
	Outsiders bool // the client has read a text by an outsider
}

// Asks reports whether a fence can hold a call.
func Asks(f fence.Fence, facts Facts) bool {
	return len(f.Ask) > 0 || f.AskAfterOutsiders && facts.Outsiders
}

// Why returns the kinds because of which a fence holds a plan. What is not known about the plan
// counts as being so.
func Why(f fence.Fence, p Plan, facts Facts) (why []fence.Kind) {
	if len(p.Writes) == 0 {
		return nil
	}
	reach := p.reach(facts)
	is := map[fence.Kind]bool{
		fence.SeenByClients: reach.clients,
		fence.Notifies:      facts.Unsure || len(reach.notified) > f.AskAbove,
		fence.Trashes:       reach.gone,
		fence.Public:        reach.public,
		fence.Admin:         facts.Admin,
		fence.Everything:    true,
	}
	for _, kind := range f.Ask {
		if is[kind] {
			why = append(why, kind)
		}
	}
	publishes := reach.clients || reach.public || reach.links || facts.Unsure || len(reach.notified) > 0
	if f.AskAfterOutsiders && facts.Outsiders && publishes {
		why = append(why, Outsiders)
	}
	return why
}

// reached is whom all writes of a plan reach, and what they do.
type reached struct {
	notified                     []string
	clients, gone, public, links bool
}

func (p Plan) reach(facts Facts) reached {
	r := reached{notified: p.Notified, clients: facts.Unsure || p.ClientsSee != nil}
	for _, w := range p.Writes {
		for _, name := range w.Notified {
			if !slices.Contains(r.notified, name) {
				r.notified = append(slices.Clip(r.notified), name)
			}
		}
		r.clients = r.clients || w.Seen || w.ClientsSee != nil
		r.gone = r.gone || w.Gone
		r.public = r.public || w.Public
		r.links = r.links || hasLink(w.Request.Body)
	}
	return r
}

// hasLink reports whether a text in the JSON of a request has a link.
func hasLink(body string) bool {
	value, err := writeplan.Decode([]byte(body))
	return err == nil && writeplan.Contains(value, func(value any) bool {
		text, _ := value.(string)
		return len(fence.Links(text)) > 0
	})
}
