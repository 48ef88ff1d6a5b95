package lookup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// titlesOf is a list of titles: of a kind and a status, in a project or for 0 in all.
type titlesOf struct {
	kind, status string
	project      int64
}

// titleWanted is a title that a call gives for an item of one of several kinds.
type titleWanted struct {
	argument string
	title    string
	kinds    []Kind // all with the same statuses
	project  int64  // 0: it may be in any project that the user can see
	look     func(int) bool
}

func (w titleWanted) noun() Noun {
	if len(w.kinds) == 1 {
		return w.kinds[0].Noun
	}
	return Noun{TypesOf(w.kinds), "items", "item"}
}

// among returns the items as those from which the title chooses one.
func (w titleWanted) among(items []basecamp.Listed) Choice[basecamp.Listed] {
	return Choice[basecamp.Listed]{
		Argument: w.argument, Noun: w.noun(), Items: items, look: w.look,
		Name:   func(r basecamp.Listed) string { return r.Title },
		ID:     func(r basecamp.Listed) int64 { return r.ID },
		Where:  w.whereabouts,
		typeOf: func(r basecamp.Listed) string { return TypeOf(r.Type) },
	}
}

// whereabouts describes an item's place and state, to distinguish items of the same title.
func (w titleWanted) whereabouts(r basecamp.Listed) string {
	where := r.Bucket.Name
	switch {
	case r.Parent != nil && w.project == 0:
		where += ", " + r.Parent.Title
	case r.Parent != nil:
		where = r.Parent.Title
	}
	if r.Completed {
		where += ", completed"
	}
	if r.Status == Archived || r.Status == Trashed {
		where += ", " + r.Status
	}
	return where
}

// titledIn returns the item that has a title, in the project that the call names, if any. If the
// item shows that the project's name in the cache is old, both are looked up again.
func (rs *Resolver) titledIn(ctx context.Context, w titleWanted, inProject toolargs.Ref, argument string) (found basecamp.Listed, err error) {
	w.look = looking(ctx)
	for range 2 {
		if !inProject.IsZero() {
			if w.project, err = rs.ProjectID(ctx, argument, inProject); err != nil {
				return found, err
			}
		}
		found, err = rs.byTitle(ctx, w)
		if err == nil {
			pin(ctx, w.argument)
		}
		rs.LearnHolder(ctx, found.Recording)
		if err != nil || inProject.Name == "" {
			break
		}
		named, unread := rs.ProjectByID(ctx, found.Bucket.ID) // from the cache, where it was just found by name
		if unread != nil || found.Bucket.Name == "" || named.Name == found.Bucket.Name {
			break
		}
		rs.ForgetProjects(ctx)
	}
	return found, err
}

// byTitle returns the item that has a title. A call that writes trusts the cache only after it has
// read the item again. For part of a title it reads the titles again, so that the part is unique
// now.
func (rs *Resolver) byTitle(ctx context.Context, w titleWanted) (found basecamp.Listed, err error) {
	if w.project == 0 {
		return findInAccounts(ctx, w.argument, w.title, func(ctx context.Context) (basecamp.Listed, error) { return rs.byTitleAnywhere(ctx, w) })
	}
	var age time.Duration
	found, age, err = rs.titled(ctx, w, justRead)
	if age > 0 {
		old := fault.Is(err, fault.NotFound) // it may be new
		if mcptool.Writes(ctx) && !old {
			if old, err = rs.outdated(ctx, w, found, err); err != nil {
				return found, err
			}
		}
		if old {
			found, _, err = rs.titled(ctx, w, -1)
		}
	}
	if err == nil && mcptool.Writes(ctx) && !w.isTitleOf(found) {
		err = rs.notPutAwayInstead(ctx, w, found)
	}
	return found, err
}

func (w titleWanted) isTitleOf(item basecamp.Listed) bool {
	return len(naming.Exactly([]string{plaintext.Clean(item.Title)}, w.title, strings.Clone)) > 0
}

// outdated reports whether what was found in the cache must be looked up again, before a change. Of
// an ambiguous title, one item may have been renamed.
func (rs *Resolver) outdated(ctx context.Context, w titleWanted, found basecamp.Listed, err error) (bool, error) {
	if fault.Is(err, fault.Ambiguous) {
		return true, nil
	}
	if err != nil || !w.isTitleOf(found) {
		return true, err
	}
	now, err := rs.readAgain(ctx, found)
	return now.ID == 0 || now.Completed != found.Completed, err
}

// readAgain reads an item that was found by its title. The result is empty if the item no longer
// has its title, its status or its project.
func (rs *Resolver) readAgain(ctx context.Context, item basecamp.Listed) (again basecamp.Listed, err error) {
	read, err := rs.whole(ctx, KindOf(item.Type), item.ID)
	if fault.Is(err, fault.NotFound) {
		return again, nil
	}
	if err != nil {
		return again, err
	}
	now := read.Common()
	if now.Title != item.Title || now.Status != item.Status || now.Bucket.ID != item.Bucket.ID {
		return again, nil
	}
	again.Recording = now
	if c, ok := read.(completable); ok {
		again.Completable = c.State()
	}
	return again, nil
}

// notPutAwayInstead returns an error if the wanted title is only a part of found's, and the whole
// title of an archived or trashed item. The call means that item, or repeats the call that put it
// away.
func (rs *Resolver) notPutAwayInstead(ctx context.Context, w titleWanted, found basecamp.Listed) error {
	others := w
	others.kinds = slices.Clone(w.kinds)
	for i, k := range w.kinds {
		others.kinds[i].Statuses = Matching([]string{Active, Archived, Trashed}, func(s string) bool { return !slices.Contains(k.sought(), s) })
	}
	items, _, err := rs.allTitles(ctx, others, justRead)
	if err != nil {
		return err
	}
	away := Matching(items, others.isTitleOf)
	if len(away) == 0 {
		return nil
	}
	f := w.among([]basecamp.Listed{found}).Unknown(w.title)
	f.Message += fmt.Sprintf("; %s:%d has this title, and is %s", TypeOf(away[0].Type), away[0].ID, away[0].Status)
	return f
}

// ForgetNames drops the caller's lists of titles and people, and what confirms the names of
// projects, and notes the time. It runs after every call that may have written.
func (rs *Resolver) ForgetNames(ctx context.Context) {
	caller, _ := identity.From(ctx)
	rs.titles.forget(ctx)
	rs.peopleLists.forget(ctx)
	rs.confirmed.forget(ctx)
	rs.todoLists.forget(ctx)
	caller.Fence = fence.Fence{} // other clients learn of the write too
	rs.wrote.put(identity.With(ctx, caller), 0, rs.Now())
}

// LastWrite returns when the caller last wrote, or zero.
func (rs *Resolver) LastWrite(ctx context.Context) time.Time {
	wrote, _, _ := rs.wrote.get(ctx, 0)
	return wrote
}

// titled searches lists that were read within maxAge. It returns the age of the oldest one.
func (rs *Resolver) titled(ctx context.Context, w titleWanted, maxAge time.Duration) (found basecamp.Listed, age time.Duration, err error) {
	items, age, err := rs.allTitles(ctx, w, maxAge)
	if err != nil {
		return basecamp.Listed{}, 0, err
	}
	found, err = pickTitle(ctx, w.among(items), w.title)
	if fault.Is(err, fault.NotFound) && len(w.kinds[0].Statuses) == 0 {
		fault.From(err).Message += "; find drafts, archived and trashed items by id or URL"
	}
	return found, age, err
}

// allTitles returns the items of all wanted kinds and statuses in the project, from lists that were
// read within maxAge, and the age of the oldest list.
func (rs *Resolver) allTitles(ctx context.Context, w titleWanted, maxAge time.Duration) ([]basecamp.Listed, time.Duration, error) {
	project, err := rs.ProjectByID(ctx, w.project)
	if err != nil {
		return nil, 0, err
	}
	type list struct {
		items []basecamp.Listed
		age   time.Duration
	}
	lists, err := listing.InParallel(ctx, w.lists(), func(ctx context.Context, of titlesOf) (l list, err error) {
		l.items, l.age, err = rs.listed(ctx, of, project, maxAge)
		if fault.Is(err, fault.ToolNotEnabled) && len(w.kinds) > 1 { // the project has no items of this kind
			err = nil
		}
		return l, err
	})
	var all list
	for _, l := range lists {
		all.items, all.age = append(all.items, l.items...), max(all.age, l.age)
	}
	return all.items, all.age, err
}

func (w titleWanted) lists() (lists []titlesOf) {
	for _, k := range w.kinds {
		for _, status := range k.sought() {
			lists = append(lists, titlesOf{k.Kind, status, w.project})
		}
	}
	return lists
}

// pickTitle finds an item by its title or, if there is none, the only item whose title contains the
// text. A call that only reads also accepts the only open one of several items.
func pickTitle(ctx context.Context, c Choice[basecamp.Listed], title string) (basecamp.Listed, error) {
	exact := naming.Exactly(c.Items, title, c.Label)
	open := Matching(exact, func(r basecamp.Listed) bool { return !r.Completed })
	if len(exact) > 1 && len(open) == 1 && !mcptool.Modifies(ctx) {
		return open[0], nil
	}
	return Pick(c, title)
}

// listed returns the items of a list in a project, and the age of the list. It comes from the cache
// if it was read within maxAge; a list that was just read has age 0. Basecamp's list of all
// recordings of a type does not contain check-in questions.
func (rs *Resolver) listed(ctx context.Context, of titlesOf, project basecamp.Project, maxAge time.Duration) ([]basecamp.Listed, time.Duration, error) {
	if items, age, ok := rs.titles.get(ctx, of); ok && age <= maxAge {
		return items, max(age, 1), nil
	}
	source := func(ctx context.Context, page int) (basecamp.Page[basecamp.Listed], error) {
		return basecamp.RecordingsIn[basecamp.Listed](KindOf(of.kind).Upstream, of.project, of.status, basecamp.Sorted("updated_at", "desc")).Page(ctx, rs.BC, page)
	}
	if of.kind == QuestionKind.Kind {
		source = rs.questionTitles(project)
	}
	items, err := listing.Everything(ctx, source)
	if err != nil {
		return nil, 0, err
	}
	rs.titles.put(ctx, of, items)
	return items, 0, nil
}

func (rs *Resolver) questionTitles(project basecamp.Project) listing.Source[basecamp.Listed] {
	return func(ctx context.Context, _ int) (basecamp.Page[basecamp.Listed], error) {
		sets, err := rs.Docks(project, Checkins)
		if err != nil {
			return basecamp.Page[basecamp.Listed]{}, err
		}
		questions, err := listing.EverythingIn(ctx, sets, func(set basecamp.DockItem) listing.Source[basecamp.Question] {
			return basecamp.QuestionsIn.Source(rs.BC, set.ID)
		})
		all := make([]basecamp.Listed, len(questions))
		for i, q := range questions {
			all[i].Recording = q.Recording
			all[i].Title = q.Title
		}
		return basecamp.Page[basecamp.Listed]{Items: slices.Clip(all)}, err
	}
}
