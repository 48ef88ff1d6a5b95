package sandbox

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

var feedRoutes = []route{
	// Answers with a page of the event feed. Of its types, the sandbox has boost.created. What the
	// seed made is from before the feed existed.
	{"GET /events", func(c *call) reply {
		after, err := strconv.ParseInt(cmp.Or(c.query.Get("position"), c.query.Get("since")), 10, 64)
		creators := strings.FieldsFunc(c.query.Get("creators"), func(r rune) bool { return r == ',' })
		refuse(err != nil || c.query.Get("types") != "boost.created", replyWith(http.StatusBadRequest, view{{"error", "Unknown types or position."}, {"reason", "invalid_filter"}}))
		var boosts []*boost
		for _, r := range c.account.recordings {
			if len(r.boosts) > 0 && c.sees(r) {
				boosts = append(boosts, r.boosts...)
			}
		}
		boosts = slices.DeleteFunc(boosts, func(b *boost) bool {
			return b.ID <= max(after, c.account.epoch) || b.CreatedAt.After(c.now().Add(-feedDelay)) ||
				len(creators) > 0 && !slices.Contains(creators, strconv.FormatInt(b.Booster.ID, 10))
		})
		slices.SortFunc(boosts, func(a, b *boost) int { return cmp.Compare(a.ID, b.ID) })
		shown := boosts[:min(len(boosts), feedPage)]
		position := strconv.FormatInt(after, 10)
		if len(shown) > 0 {
			position = strconv.FormatInt(shown[len(shown)-1].ID, 10)
		}
		body := view{{"events", apply(shown, func(b *boost) view { return c.as("feed_event", b) })}, {"position", position}}
		if len(boosts) > len(shown) {
			query := url.Values{"position": {position}, "types": c.query["types"], "creators": c.query["creators"]}
			body = append(body, field{"next", c.url("/events.json?%s", query.Encode())})
		}
		return ok(body)
	}},
}

const (
	feedPage  = 100              // events on a page
	feedDelay = 30 * time.Second // before an event is served
)
