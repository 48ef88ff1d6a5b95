package overview

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
)

// putAwayKinds are the kinds whose trashed and archived items Basecamp lists. The first six are
// listed by default.
var putAwayKinds = []lookup.Kind{
	lookup.TodoKind, lookup.CardKind, lookup.MessageKind, lookup.DocumentKind, lookup.UploadKind, lookup.CommentKind,
	lookup.ListKind, lookup.EntryKind, lookup.FolderKind, lookup.SubtaskKind, lookup.AnswerKind, lookup.ProjectKind,
}

// UsualPutAway is how many kinds of what is archived or trashed a search reads by default.
const UsualPutAway = 6

// PutAway returns the kinds for the words of types.
func PutAway(words []string) (kinds []lookup.Kind, err error) {
	if len(words) == 0 {
		return putAwayKinds[:UsualPutAway], nil
	}
	for n, word := range words {
		if slices.Contains(words[:n], word) {
			continue
		}
		i := slices.IndexFunc(putAwayKinds, func(k lookup.Kind) bool { return k.Kind == word })
		if i < 0 {
			return nil, fault.Invalid("types", "the trash and the archive list no %s; use %s", plaintext.Quote(word), lookup.TypesOf(putAwayKinds))
		}
		kinds = append(kinds, putAwayKinds[i])
	}
	return kinds, nil
}

// searchPutAway lists trashed or archived items, the last changed first: Basecamp's search does not
// find them. Words narrow the list to titles that contain them.
func (rs *Resolver) searchPutAway(ctx context.Context, in searchInput) (FoundList, error) {
	kinds, err := PutAway(in.Types)
	if err != nil {
		return FoundList{}, err
	}
	within, creator, begin, err := rs.searchFilters(ctx, in)
	if err != nil {
		return FoundList{}, err
	}
	words := naming.Fold(strings.TrimSpace(in.Query))
	l := &listing.List[basecamp.SearchResult]{
		Of: listing.Digest("put away", in.Status, in.Types, within.ID, creator, in.Since, words),
		ID: ResultID,
		Keep: func(r basecamp.SearchResult) bool {
			return !r.UpdatedAt.Before(begin) && (creator == 0 || r.Creator.ID == creator) && strings.Contains(naming.Fold(r.Title), words)
		},
		Sources: []listing.Source[basecamp.SearchResult]{rs.putAwayOf(kinds, within.ID, in.Status, begin)},
	}
	found, err := l.Collect(ctx, in.Paging())
	if err := rs.VerifyProject(ctx, within, err); err != nil {
		return FoundList{}, err
	}
	list := listing.Scrolled(listing.Answer(l, found, ViewFound))
	return FoundList{SinceList: listing.SinceList[FoundItem]{Scroll: list, Since: listing.Understood(begin)}}, nil
}

// putAwayOf returns the source of the items of some kinds with a status. Each of its pages has one
// page of every kind, all sorted by their last change. It ends where all items are from before
// begin.
func (rs *Resolver) putAwayOf(kinds []lookup.Kind, project int64, status string, begin time.Time) listing.Source[basecamp.SearchResult] {
	return func(ctx context.Context, number int) (page basecamp.Page[basecamp.SearchResult], err error) {
		pages, err := listing.InParallel(ctx, kinds, func(ctx context.Context, k lookup.Kind) (basecamp.Page[basecamp.Listed], error) {
			if k.Kind == lookup.ProjectKind.Kind {
				return rs.projectsPutAway(ctx, project, status, number)
			}
			return basecamp.RecordingsIn[basecamp.Listed](k.Upstream, project, status, basecamp.Sorted("updated_at", "desc")).Page(ctx, rs.BC, number)
		})
		page.Total = -1
		for _, p := range pages {
			for _, item := range p.Items {
				page.Items = append(page.Items, basecamp.SearchResult{Recording: item.Recording, Completed: &item.Completed})
			}
			if n := len(p.Items); p.Next > 0 && n > 0 && !p.Items[n-1].UpdatedAt.Before(begin) {
				page.Next = number + 1
			}
		}
		slices.SortStableFunc(page.Items, func(a, b basecamp.SearchResult) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
		return page, err
	}
}

// projectsPutAway returns a page of projects as items. A project is in no other one.
func (rs *Resolver) projectsPutAway(ctx context.Context, within int64, status string, number int) (page basecamp.Page[basecamp.Listed], err error) {
	if within != 0 {
		return page, nil
	}
	projects, err := basecamp.Projects.Where(basecamp.WithStatus(status)).Page(ctx, rs.BC, number)
	for _, p := range projects.Items {
		page.Items = append(page.Items, basecamp.Listed{Recording: basecamp.Recording{
			ID: p.ID, Type: lookup.ProjectKind.Upstream, Title: p.Name, Status: p.Status, AppURL: p.AppURL,
			Bucket: basecamp.Bucket{ID: p.ID, Name: p.Name}, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		}})
	}
	page.Next = projects.Next
	return page, err
}
