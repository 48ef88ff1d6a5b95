package parts

import (
	"cmp"
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
)

// thumb is the usual boost.
const thumb = "👍"

type boostInput struct {
	Item   string `json:"item" jsonschema:"URL, type:id (todo:123), or title" limits:"minlen=1 maxlen=2000"`
	Text   string `json:"text,omitzero" jsonschema:"Default 👍"`
	Remove bool   `json:"remove,omitzero" jsonschema:"Take yours back"`
}

// shownBoost is a boost in the view of its item.
type shownBoost struct {
	Text string     `json:"text"`
	By   lookup.Ref `json:"by"`
}

// WithBoosts is part of the view of an item that has some.
type WithBoosts struct {
	Boosts []shownBoost `json:"boosts,omitempty"`
}

// Boosted is an item after the caller boosted it, or took boosts back.
type Boosted struct {
	ActedOn
	WithBoosts
	lookup.Seen
	Changed  bool     `json:"changed"`
	Notified []string `json:"notified" jsonschema:"Without the caller"`
	listing.Gaps
}

// BoostItem returns the tool boost.
func BoostItem(rs *Base) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "boost",
		Title:       "Boost an item",
		Description: "Boosts a Basecamp item: a thumbs up or a few letters.",
		Words:       "give a thumbs up, like, reaction, emoji",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in boostInput) (Boosted, error) {
		var me basecamp.Person
		var item basecamp.Recording
		var head ActedOn
		err := listing.Together(ctx,
			func(ctx context.Context) (err error) { me, err = rs.Me(ctx); return err },
			func(ctx context.Context) (err error) {
				item, head, err = rs.itemToActOn(ctx, lookup.ItemInput{Item: in.Item})
				return err
			},
		)
		if err != nil {
			return Boosted{}, err
		}
		if item.BoostsCount == nil {
			return Boosted{}, fault.Invalid("item", "Basecamp has no boosts on a %s; name another item, such as a message, a to-do or a comment", head.Type)
		}
		all, err := rs.boostsOf(ctx, item)
		if err != nil {
			return Boosted{}, err
		}
		v := Boosted{ActedOn: head, Notified: []string{}}
		text := lookup.Plainly(in.Text)
		own := lookup.Matching(all, func(b basecamp.Boost) bool {
			return b.Booster.ID == me.ID && (text == "" && in.Remove || b.Content == cmp.Or(text, thumb))
		})
		if in.Remove {
			v.Changed = len(own) > 0
			all, err = rs.takeBack(ctx, all, own)
			v.Boosts = viewBoosts(all)
			return v, err
		}
		if len(own) == 0 {
			beside := rs.AudienceBeside(ctx, item)
			made, err := basecamp.BoostsOn.Post(ctx, rs.BC, map[string]any{"content": cmp.Or(text, thumb)}, item.ID)
			if err != nil {
				return Boosted{}, Unexplained(err, fault.Invalid("text", "Basecamp did not accept this boost and gave no reason; it is probably too long: give an emoji or at most 16 characters"))
			}
			v.Changed, all = true, append(all, made)
			reached := beside.Reached(me.ID, item, lookup.Composed{}, item.Creator)
			v.Seen, v.Notified, v.Gaps = reached.ViewClients(), reached.Notified, reached.Gaps
		}
		v.Boosts = viewBoosts(all)
		return v, nil
	})
}

func (rs *Base) takeBack(ctx context.Context, all, some []basecamp.Boost) ([]basecamp.Boost, error) {
	for _, b := range some {
		if err := basecamp.BoostAt.Delete(ctx, rs.BC, b.ID); err != nil && !fault.Is(err, fault.NotFound) {
			return all, err
		}
		all = lookup.Matching(all, func(other basecamp.Boost) bool { return other.ID != b.ID })
	}
	return all, nil
}

// boostsOf reads the boosts on an item, if it has some.
func (rs *Base) boostsOf(ctx context.Context, item basecamp.Recording) ([]basecamp.Boost, error) {
	if item.BoostsCount == nil || *item.BoostsCount == 0 {
		return nil, nil
	}
	return listing.Everything(ctx, basecamp.BoostsOn.Source(rs.BC, item.ID))
}

// BoostsInto reads the boosts of an item into what shows it.
func (rs *Base) BoostsInto(v *WithBoosts, item basecamp.Recording) listing.Extra {
	return listing.Extra{Name: "boosts", Read: func(ctx context.Context) error {
		all, err := rs.boostsOf(ctx, item)
		v.Boosts = viewBoosts(all)
		return err
	}}
}

func viewBoosts(all []basecamp.Boost) []shownBoost {
	return lookup.Mapped(all, func(b basecamp.Boost) shownBoost {
		return shownBoost{plaintext.Clean(b.Content), lookup.ViewName(b.Booster)}
	})
}
