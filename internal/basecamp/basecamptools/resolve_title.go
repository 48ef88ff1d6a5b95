package basecamptools

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
)

// titles lists the items of a kind in a project that have a status.
type titles func(rs *resolver, k kind, project basecamp.Project, status string) listing.Source[basecamp.Listed]

// titlesOf is the cache key of such a list.
type titlesOf struct {
	kind, status string
	project      int64
}

// byTitle returns the id of the item of a kind in a project that has a title. A call that writes
// trusts the cache only after it has read the item again.
func (rs *resolver) byTitle(ctx context.Context, k kind, title string, projectID int64) (int64, error) {
	found, age, err := rs.titled(ctx, k, title, projectID, justRead)
	if age == 0 {
		return found.ID, err
	}
	old := fault.Is(err, fault.NotFound) // it may be new
	if mcptool.Writes(ctx) {
		switch {
		case err == nil:
			old, err = rs.outdated(ctx, k, found, projectID)
		case fault.Is(err, fault.Ambiguous): // the other one may have been renamed
			old = true
		}
	}
	if old {
		found, _, err = rs.titled(ctx, k, title, projectID, -1)
	}
	return found.ID, err
}

// outdated reads an item and reports whether its title, status or project is no longer the same.
func (rs *resolver) outdated(ctx context.Context, k kind, item basecamp.Listed, projectID int64) (bool, error) {
	now, err := rs.bc.Item(ctx, k.kind, item.ID)
	if fault.Is(err, fault.NotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return now.Title != item.Title || now.Status != item.Status || now.Bucket.ID != projectID, nil
}

// forgetTitles drops the caller's lists of titles. It runs after every call that may have written.
func (rs *resolver) forgetTitles(ctx context.Context) {
	caller, _ := identity.From(ctx)
	rs.titles.forgetAll(func(key callerKey[titlesOf]) bool { return key.subject == caller.Subject })
}

// titled searches lists that were read within maxAge. It returns the age of the oldest one.
func (rs *resolver) titled(ctx context.Context, k kind, title string, projectID int64, maxAge time.Duration) (found basecamp.Listed, age time.Duration, err error) {
	project, err := rs.projectByID(ctx, projectID)
	if err != nil {
		return basecamp.Listed{}, 0, err
	}
	options := choice[basecamp.Listed]{
		argument: k.argument, noun: k.noun,
		name:  func(r basecamp.Listed) string { return r.Title },
		id:    func(r basecamp.Listed) int64 { return r.ID },
		where: func(r basecamp.Listed) string { return whereabouts(r, project) },
	}
	for _, status := range k.sought() {
		items, old, err := rs.listed(ctx, k, project, status, maxAge)
		if err != nil {
			return basecamp.Listed{}, 0, err
		}
		options.items, age = append(options.items, items...), max(age, old)
	}
	found, err = pickTitle(ctx, options, title)
	if fault.Is(err, fault.NotFound) && len(k.statuses) == 0 {
		fault.From(err).Message += "; find drafts, archived and trashed items by id or URL"
	}
	return found, age, err
}

// pickTitle finds an item by its title. A call that only reads also accepts the only open one of
// several items, and the only item whose title contains the text. A call that changes something
// accepts neither, because the same call could find another item later.
func pickTitle(ctx context.Context, c choice[basecamp.Listed], title string) (basecamp.Listed, error) {
	exact := exactly(c.items, title, c.label)
	if mcptool.Changes(ctx) {
		if len(exact) == 0 {
			if found := containing(c.items, title, c.label); len(found) > 0 {
				return basecamp.Listed{}, c.ambiguous(found, "%q is only part of a title; give the whole title, or type:id", shorten(title))
			}
		}
		return pick(c, title)
	}
	open := matching(exact, func(r basecamp.Listed) bool { return !r.Completed })
	if len(exact) > 1 && len(open) == 1 {
		return open[0], nil
	}
	return pick(c, title)
}

// whereabouts describes an item's place and state, to distinguish items of the same title.
func whereabouts(r basecamp.Listed, project basecamp.Project) string {
	where := projectName(project)
	if r.Parent != nil {
		where = r.Parent.Title
	}
	if r.Completed {
		where += ", completed"
	}
	if r.Status == archived || r.Status == trashed {
		where += ", " + r.Status
	}
	return where
}

// listed returns the items of a kind in a project, and the age of the list. The list comes from
// the cache if it was read within maxAge; a list that was just read has age 0.
func (rs *resolver) listed(ctx context.Context, k kind, project basecamp.Project, status string, maxAge time.Duration) ([]basecamp.Listed, time.Duration, error) {
	key, err := keyFor(ctx, rs, titlesOf{k.kind, status, project.ID})
	if err != nil {
		return nil, 0, err
	}
	if items, age, ok := rs.titles.get(key); ok && age <= maxAge {
		return items, max(age, 1), nil
	}
	items, err := listing.Everything(ctx, k.titles(rs, k, project, status))
	if err != nil {
		return nil, 0, err
	}
	rs.titles.put(key, items)
	return items, 0, nil
}

// recordingTitles reads Basecamp's list of all recordings of a type.
func recordingTitles(rs *resolver, k kind, project basecamp.Project, status string) listing.Source[basecamp.Listed] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Listed], error) {
		return rs.bc.Recordings(ctx, k.upstream, project.ID, status, page)
	}
}

// questionTitles reads the check-in questions, which that list does not contain.
func questionTitles(rs *resolver, _ kind, project basecamp.Project, _ string) listing.Source[basecamp.Listed] {
	return func(ctx context.Context, _ int) (basecamp.Page[basecamp.Listed], error) {
		sets, err := rs.docks(project, checkins)
		if err != nil {
			return basecamp.Page[basecamp.Listed]{}, err
		}
		questions, err := listing.EverythingIn(ctx, sets, func(set basecamp.DockItem) listing.Source[basecamp.Question] {
			return listing.SourceOf(rs.bc.Questions, set.ID)
		})
		all := make([]basecamp.Listed, len(questions))
		for i, q := range questions {
			all[i].Recording = q.Recording
			all[i].Title = q.Title
		}
		return basecamp.Page[basecamp.Listed]{Items: slices.Clip(all)}, err
	}
}
