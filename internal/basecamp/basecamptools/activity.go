package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

const usualActivity = "last_7_days"

type getActivityInput struct {
	Project mcptool.Ref `json:"project,omitzero" jsonschema:"Only in this project"`
	Person  mcptool.Ref `json:"person,omitzero" jsonschema:"Only by this person: id, name or me"`
	Since   string      `json:"since,omitzero" jsonschema:"Day, time or span: friday, 3 days ago, last_7_days (default)"`
	listing.OverviewInput
}

// happening is an entry of a timeline.
type happening struct {
	At        time.Time  `json:"at"`
	Who       ref        `json:"who"`
	What      string     `json:"what"`
	Title     string     `json:"title,omitempty"`
	Excerpt   string     `json:"excerpt,omitempty"`
	Truncated bool       `json:"truncated,omitempty"`
	URL       string     `json:"url"`
	Project   projectRef `json:"project"`
}

func (h *happening) Trim(characters int) {
	listing.Excerpt(&h.Excerpt, characters, &h.Truncated)
	listing.Excerpt(&h.Title, characters, &h.Truncated)
}

func getActivity(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_activity",
		Title:       "Read recent activity",
		Description: "Lists what happened in Basecamp, newest first, by default in the last 7 days: in all projects or one, by all people or one. excerpt quotes what was written.",
	}, func(ctx context.Context, in getActivityInput) (sinceList[happening], error) {
		since := in.Since
		if since == "" {
			since = usualActivity
		}
		var begin time.Time
		var project int64
		err := listing.Together(ctx,
			func(ctx context.Context) (err error) { begin, err = rs.since(ctx, "since", since); return err },
			func(ctx context.Context) (err error) { project, err = rs.filterProject(ctx, in.Project); return err },
		)
		if err != nil {
			return sinceList[happening]{}, err
		}
		person, err := rs.filterPerson(ctx, "person", in.Person, project)
		if err != nil {
			return sinceList[happening]{}, err
		}
		l := &listing.List[basecamp.Happening]{
			Of:      listing.Digest("activity", project, person, since),
			ID:      func(h basecamp.Happening) int64 { return h.ID },
			Sources: []listing.Source[basecamp.Happening]{until(begin, rs.timeline(project, person))},
		}
		if project != 0 && person != 0 {
			l.Keep = func(h basecamp.Happening) bool { return h.Bucket.ID == project }
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return sinceList[happening]{}, err
		}
		return sinceList[happening]{listing.Scrolled(listing.Answer(l, found, viewHappening)), understood(begin)}, nil
	})
}

// timeline returns the timeline of the person if one is named, or of the project if one is named,
// or of the account. A project's timeline shows only the last speaker of a chat.
func (rs *resolver) timeline(project, person int64) listing.Source[basecamp.Happening] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Happening], error) {
		switch {
		case person != 0:
			return rs.bc.PersonTimeline(ctx, person, page)
		case project != 0:
			return rs.bc.ProjectTimeline(ctx, project, page)
		}
		return rs.bc.Timeline(ctx, page)
	}
}

// until ends a timeline, which goes back in time, at begin.
func until(begin time.Time, read listing.Source[basecamp.Happening]) listing.Source[basecamp.Happening] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Happening], error) {
		p, err := read(ctx, page)
		p.Total = -1
		if i := slices.IndexFunc(p.Items, func(h basecamp.Happening) bool { return h.CreatedAt.Before(begin) }); i >= 0 {
			p.Items, p.Next = p.Items[:i], 0
		}
		return p, err
	}
}

func viewHappening(h basecamp.Happening) happening {
	return happening{
		At:      h.CreatedAt.UTC(),
		Who:     viewName(h.Creator),
		What:    plaintext.Clean(h.Action),
		Title:   plaintext.Clean(h.Target),
		Excerpt: plaintext.Clean(h.Excerpt),
		URL:     cmp.Or(h.AppURL, h.Bucket.AppURL),
		Project: viewBucket(h.Bucket),
	}
}
