package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

var chatRoutes = []route{
	// Answers with the caller's pings that have a line, the last updated first.
	{"GET /circles", func(c *call) reply {
		refuse(!c.me.canPing(), pingsDisabled())
		mine := filter(c.account.circles, func(p *project) bool {
			return slices.Contains(p.People, c.me) && len(c.active(p.Dock[0].within(lineKinds...))) > 0
		})
		slices.SortStableFunc(mine, func(a, b *project) int { return b.Dock[0].UpdatedAt.Compare(a.Dock[0].UpdatedAt) })
		return whole(c, mine, "ping")
	}},
	// Answers with the ping of these people, which it makes unless there is one. It drops people
	// who cannot be pinged.
	{"POST /circles", func(c *call) reply {
		refuse(!c.me.canPing(), pingsDisabled())
		ids := c.fields.numbers("user_ids")
		people := filter(c.visiblePeople(), func(p *Person) bool { return p != c.me && p.canPing() && slices.Contains(ids, p.ID) })
		refuse(len(people) == 0, replyWith(http.StatusUnprocessableEntity, nil))
		if !c.fields.yes("new_group") || len(people) == 1 {
			for _, p := range c.account.circles {
				if slices.Contains(p.People, c.me) && len(p.People) == len(people)+1 && !slices.ContainsFunc(people, func(who *Person) bool { return !slices.Contains(p.People, who) }) {
					return created(c.as("ping", p))
				}
			}
		}
		return created(c.as("ping", c.s.openPing(c.account, append([]*Person{c.me}, people...))))
	}},
	{"GET /circles/{id}", func(c *call) reply {
		refuse(!c.me.canPing(), pingsDisabled())
		if p := first(c.account.circles, func(p *project) bool { return p.ID == c.id(0) && slices.Contains(p.People, c.me) }); p != nil {
			return ok(c.as("ping", p))
		}
		return notFound()
	}},
	// Answers with the enabled chats of all projects. Those of pings are not in a dock.
	{"GET /chats", func(c *call) reply {
		chats := filter(c.everywhere(kindChat), func(r *recording) bool { return !r.Disabled && !r.Bucket.circle })
		return page(c, chats, "full")
	}},
	{"GET /chats/{id}/lines", listLines(lineKinds...)},
	{"GET /chats/{id}/uploads", listLines(kindUploadLine)},
	// Adds plain text, or HTML if content_type is text/html.
	{"POST /chats/{id}/lines", func(c *call, chat *recording) reply {
		f := c.fields
		refuse(f.trimmed("content") == "", invalidBare("content", blank))
		line := &recording{Type: kindTextLine, Body: f.text("content")}
		if f.text("content_type") == "text/html" {
			line.Type, line.Body = kindRichLine, c.s.richText(c.account, line.Body)
		}
		c.create(chat, line)
		chat.UpdatedAt = line.CreatedAt
		if line.Type == kindRichLine {
			c.mention(line, nil)
		}
		if chat.Bucket.circle {
			for _, p := range line.Bucket.others(c.me) {
				c.s.notify(p, line.Parent, line, "pings", c.now())
			}
		}
		return created(c.show(line)).located(c.appURL("%s", line.anchor()))
	}},
	{"GET /chats/{id}/lines/{id}", on((*call).findLine, shows((*call).show))},
	// Lets a line's author change it. The line becomes rich text, whatever its type was.
	{"PUT /chats/{id}/lines/{id}", on((*call).findLine, func(c *call, line *recording) reply {
		f := c.fields
		refuse(line.Creator != c.me || line.Type == kindUploadLine, forbidden())
		refuse(f.trimmed("content") == "", invalidBare("content", blank))
		line.Type, line.Body = kindRichLine, c.s.richText(c.account, f.text("content"))
		line.UpdatedAt = c.now()
		return noContent()
	})},
	// Lets a line's author and administrators delete it.
	{"DELETE /chats/{id}/lines/{id}", on((*call).findLine, func(c *call, line *recording) reply {
		refuse(line.Creator != c.me && !c.me.Admin, forbidden())
		line.Status = trashed
		return noContent()
	})},
}

// listLines answers with lines of a chat, the oldest first unless direction is desc.
func listLines(kinds ...kind) func(*call, *recording) reply {
	return func(c *call, chat *recording) reply {
		lines := newestFirst(c.active(chat.within(kinds...)))
		if c.query.Get("direction") != "desc" {
			slices.Reverse(lines)
		}
		return page(c, lines, "full")
	}
}

// findLine returns the line that a path names after its chat, or nil.
func (c *call) findLine() *recording {
	chat, line := c.find(c.id(0), kindChat), c.find(c.id(1), lineKinds...)
	if chat == nil || line == nil || line.Parent != chat || line.effective() != active {
		return nil
	}
	return line
}

// others returns the people in a ping without one of them.
func (p *project) others(me *Person) []*Person {
	return filter(p.People, func(other *Person) bool { return other != me })
}

// canPing reports whether a person can ping and be pinged: not clients and integrations.
func (p *Person) canPing() bool { return p.Kind == "User" }

func pingsDisabled() reply { return failure(http.StatusForbidden, "Pings have been disabled") }

// openPing makes a ping. The first of the people starts it.
func (s *Sandbox) openPing(a *account, people []*Person) *project {
	names := apply(people, (*Person).short)
	now := s.now()
	p := &project{ID: s.nextID(), account: a, Name: strings.Join(names, ", "), Status: active, CreatedAt: now, UpdatedAt: now, People: people, circle: true}
	a.circles = append(a.circles, p)
	s.add(p, nil, &recording{Type: kindChat, Title: p.Name, Creator: people[0], CreatedAt: now})
	return p
}
