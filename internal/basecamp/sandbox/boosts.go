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
	ID        int64
	Recording *recording
	Booster   *person
	Content   string
	CreatedAt time.Time
}

func (c *call) boost(b *boost) view      { return c.as("boost", b) }
func (c *call) wholeBoost(b *boost) view { return c.as("whole_boost", b) }

func listBoosts(c *call, r *recording) reply {
	if !r.Type.documents("boosts_url") {
		return notFound()
	}
	return page(c, r.boosts, c.boost)
}

// createBoost refuses a text that is blank or too long without a body.
func createBoost(c *call, r *recording) reply {
	content := c.fields.trimmed("content")
	switch {
	case !r.Type.documents("boosts_url"):
		return notFound()
	case content == "", utf8.RuneCountInString(content) > maxBoost:
		return replyWith(http.StatusUnprocessableEntity, nil)
	}
	b := &boost{ID: c.s.nextID(), Recording: r, Booster: c.me, Content: content, CreatedAt: c.now()}
	r.boosts = append(r.boosts, b)
	return created(c.wholeBoost(b))
}

// findBoost returns the boost {id}, or nil if the caller may not see what it is on.
func (c *call) findBoost() *boost {
	for _, r := range c.account.recordings {
		i := slices.IndexFunc(r.boosts, func(b *boost) bool { return b.ID == c.id(0) })
		if i >= 0 && c.find(r.ID) != nil {
			return r.boosts[i]
		}
	}
	return nil
}

// deleteBoost lets a boost's author and administrators delete it.
func deleteBoost(c *call, b *boost) reply {
	if b.Booster != c.me && !c.me.Admin {
		return forbidden()
	}
	b.Recording.boosts = slices.DeleteFunc(b.Recording.boosts, func(other *boost) bool { return other == b })
	return noContent()
}
