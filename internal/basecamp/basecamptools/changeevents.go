package basecamptools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

const (
	eventPrefix = "basecamp."
	usualEvents = 50               // in one answer to a poll
	pollPause   = 30 * time.Second // between two polls: the feed is as late
)

// eventArguments narrow a subscription.
type eventArguments struct {
	Project       json.RawMessage `json:"project"`
	Mine          bool            `json:"mine"`
	ExcludeMe     *bool           `json:"exclude_me"`
	ExcludePerson bool            `json:"exclude_person"`
}

const eventArgumentsSchema = `{"type":"object","additionalProperties":false,"properties":{` +
	`"project":{"type":["string","integer"],"description":"Id, name or URL"},` +
	`"mine":{"type":"boolean","description":"Assigned to me, mentions me, or under what I wrote"},` +
	`"exclude_me":{"type":"boolean","default":true,"description":"Not what this connection wrote"},` +
	`"exclude_person":{"type":"boolean","description":"Not what I did"}}}`

const eventDataSchema = `{"type":"object","properties":{"project":{"type":"object"},"type":{"type":"string"},"title":{"type":"string"},` +
	`"what":{"type":"string"},"who":{"type":"array","items":{"type":"string"}},"excerpt":{"type":"string"},"item":{"type":"string"},"url":{"type":"string"}}}`

// eventData is what an event holds: the item as it is now.
type eventData struct {
	Project lookup.ProjectRef `json:"project"`
	itemNews
}

// events returns what clients can poll: the types of Basecamp's event feed.
func (rs *resolver) events() *mcptool.Events {
	types := []mcptool.EventType{}
	for _, name := range slices.Sorted(maps.Keys(feedTypes())) {
		noun := strings.ReplaceAll(name[:strings.LastIndexByte(name, '.')], ".", " ")
		types = append(types, mcptool.EventType{Name: eventPrefix + name, Description: "A " + noun + " in Basecamp: " + feedTypes()[name]})
	}
	return &mcptool.Events{Types: types, Schema: json.RawMessage(eventArgumentsSchema), Data: json.RawMessage(eventDataSchema), Poll: rs.pollEvents}
}

// pollEvents returns the events of a type since a cursor. A cursor that is too old enters now, and
// the answer says that events may have been skipped.
func (rs *resolver) pollEvents(ctx context.Context, p mcptool.EventPoll) (batch mcptool.EventBatch, err error) {
	f, err := rs.eventFilter(ctx, p)
	if err != nil {
		return batch, err
	}
	state, first := changeState{Filter: f, Told: told{}}, p.Cursor == ""
	if !first {
		opened, err := openCursor(ctx, p.Cursor, rs.Now())
		switch batch.Truncated = errors.Is(err, errOldCursor); {
		case batch.Truncated:
			first = true
		case err != nil:
			return batch, err
		case !sameFilter(opened.Filter, f):
			return batch, badChangeCursor("this cursor belongs to another event or other arguments")
		default:
			state = opened
		}
	}
	r := rs.newChangeReader(ctx, state)
	news, more, err := r.occurrences(ctx, first)
	if err != nil {
		return batch, err
	}
	if most := usualEvents; len(news) > 0 {
		if p.MaxEvents != nil {
			most = min(most, *p.MaxEvents)
		}
		if r.state.Feed != "" && len(news) > most {
			r.cutFeed(news[most].event - 1)
			news, more = news[:most], true
		}
	}
	if _, err := r.name(ctx, news); err != nil {
		return batch, err
	}
	r.remember(news)
	batch.Events = []mcptool.Occurrence{}
	for _, n := range news {
		if p.MaxAge != nil && r.now.Sub(n.at) > time.Duration(*p.MaxAge)*time.Millisecond {
			batch.Truncated = true
		} else if !n.excluded {
			batch.Events = append(batch.Events, r.occurrence(ctx, n))
		}
	}
	batch.Truncated, batch.HasMore = batch.Truncated || r.gapped, more
	batch.NextPoll = (pollPause * time.Duration(2+rs.BC.SentLately(ctx)/4) / 2).Milliseconds()
	batch.Cursor, err = r.state.seal(ctx, r.now)
	return batch, err
}

// occurrences returns what is new, the oldest first.
func (r *changeReader) occurrences(ctx context.Context, first bool) (news []changeNews, more bool, err error) {
	news, more, err = r.fromFeed(ctx, first)
	if err == nil && r.state.Feed == "" {
		if first {
			now := r.now.UnixMilli()
			r.state.Readings[eventReading] = window{Read: now, Ran: now}
			return nil, false, r.entersTimeline()
		}
		if news, err = r.read(ctx, eventReading); err == nil {
			err = r.again(ctx, r.newsOfTimeline(news))
		}
		for i := range news {
			news[i].item = r.items[news[i].hint.item]
		}
		more = r.settle(news, true)
		slices.Reverse(news)
	}
	if err == nil {
		news, err = r.kept(ctx, news)
	}
	return news, more, err
}

// entersTimeline returns an error if the timeline does not have what the feed would say.
func (r *changeReader) entersTimeline() error {
	if slices.Contains(slices.Collect(maps.Values(timelineKinds())), r.state.Filter.Type) {
		return nil
	}
	return fault.New(fault.PermissionDenied, "this Basecamp account or connection has no event feed, and without it there are no events of this type; poll a .created or .completed type instead")
}

func (r *changeReader) occurrence(ctx context.Context, n changeNews) mcptool.Occurrence {
	row := r.rows(ctx, []changeNews{n})[0]
	return mcptool.Occurrence{
		ID: strconv.FormatInt(n.event, 10), Name: eventPrefix + n.name, At: n.at.UTC(),
		Data: eventData{lookup.ViewBucket(r.bucketOf(ctx, row.bucket)), row.view},
	}
}

// eventFilter returns the filter of a subscription.
func (rs *resolver) eventFilter(ctx context.Context, p mcptool.EventPoll) (f changeFilter, err error) {
	var in eventArguments
	if decoder := json.NewDecoder(bytes.NewReader(p.Arguments)); len(p.Arguments) > 0 && string(p.Arguments) != "null" {
		decoder.DisallowUnknownFields()
		if decoder.Decode(&in) != nil {
			return f, fault.Invalid("arguments", "must have only project (an id, name or URL), and mine, exclude_me and exclude_person (true or false)")
		}
	}
	f.Type = strings.TrimPrefix(p.Name, eventPrefix)
	f.Kinds = []string{feedKind(f.Type)}
	if f.Kinds[0] == chatWord && in.Mine {
		f.Kinds = append(f.Kinds, pingWord)
	}
	f.Mine, f.ExcludePerson, f.IncludeMe = in.Mine, in.ExcludePerson, in.ExcludeMe != nil && !*in.ExcludeMe
	if in.Project == nil || string(in.Project) == "null" {
		return f, nil
	}
	var ref toolargs.Ref
	if err := ref.UnmarshalJSON(in.Project); err != nil {
		return f, fault.Invalid("arguments.project", "must be an id, a name or a URL")
	}
	f.Project, err = rs.ProjectID(ctx, "project", ref)
	return f, err
}

func sameFilter(a, b changeFilter) bool {
	return a.Type == b.Type && a.Project == b.Project && a.Mine == b.Mine && a.IncludeMe == b.IncludeMe && a.ExcludePerson == b.ExcludePerson
}
