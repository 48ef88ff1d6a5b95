package sandbox

import (
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

var boostRoutes = []route{
	{"GET /recordings/{id}/boosts", func(c *call, r *recording) reply {
		refuse(!r.Type.documents("boosts_url"), notFound())
		return page(c, r.boosts, "")
	}},
	// Refuses a text that is blank or too long without a body.
	{"POST /recordings/{id}/boosts", func(c *call, r *recording) reply {
		content := c.fields.trimmed("content")
		refuse(!r.Type.documents("boosts_url"), notFound())
		refuse(content == "" || utf8.RuneCountInString(content) > maxBoost, replyWith(http.StatusUnprocessableEntity, nil))
		b := &boost{ID: c.s.nextID(), Recording: r, Booster: c.me, Content: content, CreatedAt: c.now()}
		r.boosts = append(r.boosts, b)
		return created(c.as("whole_boost", b))
	}},
	{"GET /boosts/{id}", on((*call).findBoost, showAs[boost]("whole_boost"))},
	// Lets a boost's author and administrators delete it.
	{"DELETE /boosts/{id}", on((*call).findBoost, func(c *call, b *boost) reply {
		refuse(b.Booster != c.me && !c.me.Admin, forbidden())
		b.Recording.boosts = slices.DeleteFunc(b.Recording.boosts, func(other *boost) bool { return other == b })
		return noContent()
	})},
}

// maxBoost is the length of the longest boost, in characters.
const maxBoost = 16

// A boost is a short cheer on a recording.
type boost struct {
	ID        int64
	Recording *recording
	Booster   *Person
	Content   string
	CreatedAt time.Time
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
