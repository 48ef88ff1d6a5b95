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

const (
	feedPage  = 100              // events on a page
	feedDelay = 30 * time.Second // before an event is served
)

type feedEventJSON struct {
	ID          int64  `json:"id"`
	Kind        string `json:"kind"`
	Action      string `json:"action"`
	CreatedAt   stamp  `json:"created_at"`
	EventType   string `json:"event_type"`
	BucketID    int64  `json:"bucket_id"`
	CreatorID   int64  `json:"creator_id"`
	RecordingID int64  `json:"recording_id"`
}

type feedJSON struct {
	Events   []feedEventJSON `json:"events"`
	Position string          `json:"position"`
	Next     string          `json:"next,omitempty"`
}

// listFeed answers with a page of the event feed. Of its types, the sandbox has boost.created. What
// the seed made is from before the feed existed.
func listFeed(c *call) reply {
	after, err := strconv.ParseInt(cmp.Or(c.query.Get("position"), c.query.Get("since")), 10, 64)
	creators := strings.FieldsFunc(c.query.Get("creators"), func(r rune) bool { return r == ',' })
	if err != nil || c.query.Get("types") != "boost.created" {
		return replyWith(http.StatusBadRequest, map[string]string{"error": "Unknown types or position.", "reason": "invalid_filter"})
	}
	var boosts []*boost
	for _, r := range c.account.recordings {
		if len(r.boosts) > 0 && c.sees(r) {
			boosts = append(boosts, r.boosts...)
		}
	}
	boosts = slices.DeleteFunc(boosts, func(b *boost) bool {
		return b.id <= max(after, c.account.epoch) || b.at.After(c.now().Add(-feedDelay)) ||
			len(creators) > 0 && !slices.Contains(creators, strconv.FormatInt(b.by.id, 10))
	})
	slices.SortFunc(boosts, func(a, b *boost) int { return cmp.Compare(a.id, b.id) })
	shown := boosts[:min(len(boosts), feedPage)]
	body := feedJSON{apply(shown, viewFeedEvent), strconv.FormatInt(after, 10), ""}
	if len(shown) > 0 {
		body.Position = strconv.FormatInt(shown[len(shown)-1].id, 10)
	}
	if len(boosts) > len(shown) {
		query := url.Values{"position": {body.Position}, "types": c.query["types"], "creators": c.query["creators"]}
		body.Next = c.url("/events.json?%s", query.Encode())
	}
	return ok(body)
}

func viewFeedEvent(b *boost) feedEventJSON {
	return feedEventJSON{b.id, "boost_created", "created", stamp(b.at), "boost.created", b.on.bucket.id, b.by.id, b.on.id}
}
