package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// ChecklistSide is the side of items of checklists. They have no IDs, and cannot be read, so
// nothing is linked to them: what was made of them is noted as long as their list lives.
const ChecklistSide = "checklist"

const checklistLives = 8 * 24 * time.Hour

// mostLinks is how many links a thing may have.
const mostLinks = 5

// Link is what a thing is linked to.
type Link struct {
	To Ref `json:"to"`
	// Alone means that a task is not done when what it is linked to is done.
	Alone bool `json:"alone,omitempty"`
	// Into is the digest of the place in which To was made of the thing; empty if it was not.
	Into string `json:"into,omitempty"`
}

// links is the row of a thing.
type links struct {
	Of    Ref    `json:"of"`
	Links []Link `json:"links"`

	revision int64
}

// linkKey returns the key of a thing's row. References have no |, so no key begins with another.
func linkKey(of Ref) string { return "L/" + of.Side + "/" + of.ID + "|" }

// row returns what is stored. A row that has no links any more stays for a day, so that its
// revision grows while calls that have read it may write it.
func (l links) row(now time.Time) (Row, error) {
	r := Row{Key: linkKey(l.Of), Revision: l.revision + 1}
	switch {
	case len(l.Links) == 0:
		r.ExpiresAt = now.Add(24 * time.Hour)
	case l.Of.Side == ChecklistSide:
		r.ExpiresAt = now.Add(checklistLives)
	}
	var err error
	r.Body, err = json.Marshal(l)
	return r, err
}

// link returns the link to a thing, or nil.
func (l links) link(to Ref) *Link {
	if i := l.index(to); i >= 0 {
		return &l.Links[i]
	}
	return nil
}

func (l links) index(to Ref) int {
	return slices.IndexFunc(l.Links, func(link Link) bool { return link.To == to })
}

// with returns the row with a link, which it had or not.
func (l links) with(link Link) links {
	l.Links = slices.Clone(l.Links)
	if i := l.index(link.To); i >= 0 {
		l.Links[i] = link
	} else {
		l.Links = append(l.Links, link)
	}
	return l
}

// without returns the row without the link to a thing.
func (l links) without(to Ref) links {
	l.Links = slices.DeleteFunc(slices.Clone(l.Links), func(link Link) bool { return link.To == to })
	return l
}

// rows returns the rows of things whose keys have a prefix.
func (h *Hub) rows(ctx context.Context, prefix string) ([]links, error) {
	stored, err := h.stored(ctx, prefix)
	if err != nil {
		return nil, err
	}
	all := make([]links, len(stored))
	for i, row := range stored {
		if err := json.Unmarshal(row.Body, &all[i]); err != nil {
			return nil, fmt.Errorf("read links: %w", err)
		}
		all[i].revision = row.Revision
	}
	return all, nil
}

// of returns the row of a thing, empty if it has no links.
func (h *Hub) of(ctx context.Context, ref Ref) (links, error) {
	found, err := h.rows(ctx, linkKey(ref))
	if err != nil || len(found) == 0 {
		return links{Of: ref}, err
	}
	return found[0], nil
}

// Link links two things, and reports whether that changed anything.
func (h *Hub) Link(ctx context.Context, a, b Ref, alone bool) (changed bool, err error) {
	return h.change(ctx, a, b, &Link{To: b, Alone: alone}, nil)
}

// Unlink takes a link away, and reports whether there was one.
func (h *Hub) Unlink(ctx context.Context, a, b Ref) (changed bool, err error) {
	return h.change(ctx, a, b, nil, nil)
}

// attempts is how often a change is tried while other calls change the same rows.
const attempts = 5

// change makes the link of a to b as it should be, nil for none. If unless is not nil, it is asked
// whether the link as it is may be changed.
func (h *Hub) change(ctx context.Context, a, b Ref, to *Link, unless func(now *Link) error) (changed bool, err error) {
	for range attempts {
		x, err := h.of(ctx, a)
		if err != nil {
			return false, err
		}
		y, err := h.of(ctx, b)
		if err != nil {
			return false, err
		}
		was := x.link(b)
		if was != nil && to != nil && to.Into == "" {
			to.Into = was.Into
		}
		if unless != nil {
			if err := unless(was); err != nil {
				return false, err
			}
		}
		if same(was, to) {
			return false, nil
		}
		back := y.link(a)
		if x, y, err = linking(x, y, to); err != nil {
			return false, err
		}
		err = h.keep(ctx, step{A: a, B: b, Was: was, Left: to}, func() error {
			if a.Side == ChecklistSide {
				return h.saveLinks(ctx, x)
			}
			return h.saveLinks(ctx, x, y)
		})
		if err == nil && to == nil {
			h.forgetMade(ctx, a, was)
			h.forgetMade(ctx, b, back)
		}
		if !errors.Is(err, ErrChanged) {
			return err == nil, err
		}
	}
	return false, unreachable(ErrChanged)
}

// forgetMade lets another call make again what was made of a thing, once the link to that is gone.
func (h *Hub) forgetMade(ctx context.Context, from Ref, was *Link) {
	if was != nil && was.Into != "" {
		h.release(ctx, intentKey(from, was.Into))
	}
}

func same(a, b *Link) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// linking returns the rows of two things after their link is as it should be.
func linking(x, y links, to *Link) (links, links, error) {
	if to == nil {
		return x.without(y.Of), y.without(x.Of), nil
	}
	back := Link{To: x.Of, Alone: to.Alone}
	if was := y.link(x.Of); was != nil {
		back.Into = was.Into // one of both may have been made of the other
	}
	x, y = x.with(*to), y.with(back)
	for _, one := range []links{x, y} {
		if len(one.Links) > mostLinks {
			return x, y, tooMany(one.Of)
		}
	}
	return x, y, nil
}

func tooMany(of Ref) error {
	return fault.New(fault.LimitReached, "%s has %d links, which is the limit; take one away with link and remove: true", of.ID, mostLinks)
}

func (h *Hub) saveLinks(ctx context.Context, all ...links) error {
	rows := make([]Row, len(all))
	for i, l := range all {
		var err error
		if rows[i], err = l.row(h.now()); err != nil {
			return err
		}
	}
	return h.save(ctx, rows...)
}

// Linked returns what a thing is linked to.
func (h *Hub) Linked(ctx context.Context, ref Ref) ([]Link, error) {
	found, err := h.of(ctx, ref)
	return found.Links, err
}

// ChecklistItem returns the reference of an item of a checklist.
func ChecklistItem(list, content string) Ref {
	return Ref{Side: ChecklistSide, ID: list + "/" + digest(content)}
}

// LinksOf returns the links of all things of a side, or of every side for "", by reference.
func (h *Hub) LinksOf(ctx context.Context, side string) (map[Ref][]Link, error) {
	prefix := "L/"
	if side != "" {
		prefix += side + "/"
	}
	found, err := h.rows(ctx, prefix)
	all := make(map[Ref][]Link, len(found))
	for _, l := range found {
		all[l.Of] = l.Links
	}
	return all, err
}
