package overview

import (
	"context"
	"html"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/tool/listing"
)

// withDrafts returns a search whose first page begins with the caller's drafts that have its words:
// Basecamp's search finds none. left says if they could not be read.
func (rs *Resolver) withDrafts(asked searched, left *listing.Gaps, read listing.Source[basecamp.SearchResult]) listing.Source[basecamp.SearchResult] {
	return func(ctx context.Context, number int) (page basecamp.Page[basecamp.SearchResult], err error) {
		if number > 1 {
			return read(ctx, number)
		}
		var drafts []basecamp.SearchResult
		err = listing.Together(ctx,
			func(ctx context.Context) (err error) { page, err = read(ctx, number); return err },
			func(ctx context.Context) (err error) {
				*left, err = listing.Extras(ctx, listing.Into("drafts", &drafts, func(ctx context.Context) ([]basecamp.SearchResult, error) {
					return rs.draftsWith(ctx, asked)
				}))
				return err
			},
		)
		page.Items = append(drafts, page.Items...)
		if page.Total >= 0 {
			page.Total += len(drafts)
		}
		return page, err
	}
}

// draftsWith returns the caller's drafts that a search asks for.
func (rs *Resolver) draftsWith(ctx context.Context, asked searched) (found []basecamp.SearchResult, err error) {
	caller, _ := identity.From(ctx)
	kinds := lookup.Matching([]lookup.Kind{lookup.MessageKind, lookup.DocumentKind}, func(k lookup.Kind) bool {
		return len(asked.Types) == 0 || slices.Contains(asked.Types, k.Upstream)
	})
	if caller.Fence.Read != nil || len(kinds) == 0 { // what belongs to a person is closed to a client with limits
		return nil, nil
	}
	all, err := listing.Everything(ctx, basecamp.Drafts.Source(rs.BC))
	words := strings.Fields(naming.Fold(asked.Text))
	for _, d := range all {
		i := slices.IndexFunc(kinds, func(k lookup.Kind) bool { return k.Kind == d.Type })
		text := naming.Fold(d.Title + " " + d.Excerpt)
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		if i < 0 || slices.ContainsFunc(words, lacks) || asked.Project != 0 && asked.Project != d.Bucket.ID || d.CreatedAt.Before(asked.begin) {
			continue
		}
		d.Type, d.Status = kinds[i].Upstream, lookup.Drafted
		found = append(found, basecamp.SearchResult{Recording: d.Recording, Content: basecamp.HTML(html.EscapeString(d.Excerpt))})
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	me, err := rs.Me(ctx)
	if asked.Creator != 0 && asked.Creator != me.ID {
		return nil, err
	}
	for i := range found {
		found[i].Creator = me
	}
	return found, err
}

// latest returns what a person has made, the latest first, from the person's timeline.
func (rs *Resolver) latest(asked searched, types []string) listing.Source[basecamp.SearchResult] {
	var kinds []string
	for _, word := range types {
		kinds = append(kinds, map[string][]string{
			"chat": {lookup.LineKind.Kind}, "checkin": {lookup.QuestionKind.Kind, lookup.AnswerKind.Kind}, "card": {"card", lookup.SubtaskKind.Kind},
		}[word]...)
		kinds = append(kinds, word)
	}
	read := rs.backTo(asked.begin, rs.Timeline(0, asked.Creator))
	return func(ctx context.Context, number int) (page basecamp.Page[basecamp.SearchResult], err error) {
		p, err := read(ctx, number)
		page.Next, page.Total, page.Likely = p.Next, p.Total, p.Likely
		for _, h := range p.Items {
			kind, r := madeIn(h)
			if r.ID != 0 && (kinds == nil || slices.Contains(kinds, kind)) && (asked.Project == 0 || asked.Project == h.Bucket.ID) {
				page.Items = append(page.Items, r)
			}
		}
		return page, err
	}
}

// madeIn returns the item that someone made in an entry of a timeline, with the word for its kind.
// A chat stands for its last line.
func madeIn(h basecamp.Happening) (kind string, r basecamp.SearchResult) {
	r.Title, r.CreatedAt, r.UpdatedAt, r.AppURL, r.Creator, r.Bucket = h.Target, h.CreatedAt, h.CreatedAt, h.AppURL, h.Creator, h.Bucket
	r.Content = basecamp.HTML(html.EscapeString(h.Excerpt))
	link, err := basecamp.ParseLink(h.AppURL)
	if err != nil {
		return "", basecamp.SearchResult{}
	}
	kind, id, _ := strings.Cut(itemOf(h), ":")
	switch {
	case activityKind(h.Kind) == "chatted" && link.Within != 0:
		kind, r.ID, r.Type = lookup.LineKind.Kind, link.ID, lookup.RichLine
		return kind, r
	case !strings.HasSuffix(h.Kind, "_created"):
		return "", basecamp.SearchResult{}
	}
	r.ID, _ = strconv.ParseInt(id, 10, 64)
	r.Type = lookup.KindOf(kind).Upstream
	if on := lookup.KindAt(link); kind == lookup.CommentKind.Kind && on.Kind != "" {
		r.Parent = &basecamp.Parent{ID: link.ID, Type: on.Upstream, Title: h.Target}
	}
	if kind == lookup.TodoKind.Kind { // its target is its list
		r.Title, r.Content, r.Parent = h.Excerpt, "", &basecamp.Parent{Title: h.Target}
	}
	return kind, r
}
