package sandbox

import (
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// maxBoost is the length of the longest boost, in characters.
const maxBoost = 16

// A boost is a short cheer on a recording.
type boost struct {
	id      int64
	on      *recording
	by      *person
	content string
	at      time.Time
}

// boost returns a boost as lists show it.
func (c *call) boost(b *boost) view {
	return view{{"id", b.id}, {"content", b.content}, {"created_at", b.at}, {"booster", c.person(b.by)}}
}

// wholeBoost returns a boost with what it is on.
func (c *call) wholeBoost(b *boost) view {
	return append(c.boost(b), field{"recording", c.reference(b.on)})
}

func listBoosts(c *call, r *recording) reply {
	if !r.kind.documents("boosts_url") {
		return notFound()
	}
	return page(c, r.boosts, c.boost)
}

// createBoost refuses a text that is blank or too long without a body.
func createBoost(c *call, r *recording) reply {
	content := c.fields.trimmed("content")
	switch {
	case !r.kind.documents("boosts_url"):
		return notFound()
	case content == "", utf8.RuneCountInString(content) > maxBoost:
		return replyWith(http.StatusUnprocessableEntity, nil)
	}
	b := &boost{id: c.s.nextID(), on: r, by: c.me, content: content, at: c.now()}
	r.boosts = append(r.boosts, b)
	return created(c.wholeBoost(b))
}

// findBoost returns the boost {id}, or nil if the caller may not see what it is on.
func (c *call) findBoost() *boost {
	for _, r := range c.account.recordings {
		i := slices.IndexFunc(r.boosts, func(b *boost) bool { return b.id == c.id(0) })
		if i >= 0 && c.find(r.id) != nil {
			return r.boosts[i]
		}
	}
	return nil
}

// deleteBoost lets a boost's author and administrators delete it.
func deleteBoost(c *call, b *boost) reply {
	if b.by != c.me && !c.me.admin {
		return forbidden()
	}
	b.on.boosts = slices.DeleteFunc(b.on.boosts, func(other *boost) bool { return other == b })
	return noContent()
}
