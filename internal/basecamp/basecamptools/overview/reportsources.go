package overview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

const (
	reportTitle   = 90  // characters of a title in a report
	reportExcerpt = 140 // characters of a message in a report
	reportPages   = 10  // pages of messages that a report reads
)

// expectReported starts to read what does not depend on the days of a report, unless a name must be
// looked up first: Basecamp selects neither completed tasks nor overdue to-dos by day.
func (rs *Resolver) expectReported(ctx context.Context, in getReportInput) {
	var project int64
	if !in.Project.IsZero() {
		var err error
		if project, err = rs.ProjectID(ctx, "project", toolargs.Ref{ID: in.Project.ID, URL: in.Project.URL}); err != nil || project <= 0 {
			return
		}
	}
	for _, kind := range []basecamp.Tasks{basecamp.Todos, basecamp.Cards} {
		listing.ReadAhead(ctx, func(ctx context.Context) ([]basecamp.Task, error) {
			return listing.Everything(ctx, rs.Work.Tasks(kind, basecamp.Completed, 0, project))
		})
	}
	if in.Person.IsZero() {
		listing.ReadAhead(ctx, func(ctx context.Context) ([]basecamp.Task, error) {
			return basecamp.Overdue(basecamp.Todos, 0).All(ctx, rs.BC)
		})
	}
}

// read reads the sections from the reports that Basecamp has on all projects, not from each
// project. A section that cannot be read is left out; if none can be read, the call fails.
func (a reportAsked) read(ctx context.Context, rs *Resolver) (ReportFound, listing.Gaps, error) {
	if a.project.Status == lookup.Archived {
		return ReportFound{}, listing.Gaps{LeftOut: []string{"everything: the project is archived, and Basecamp reports only on active ones; use list_todos and list_messages"}}, nil
	}
	var todos, cards, lateTodos, lateCards []basecamp.Task
	var upcoming []calendar.UpcomingItem
	var unread listing.Gaps
	var messages []basecamp.Message
	completed := func(kind basecamp.Tasks) func(context.Context) ([]basecamp.Task, error) {
		return func(ctx context.Context) ([]basecamp.Task, error) {
			return rs.Work.CompletedTasks(ctx, []basecamp.Tasks{kind}, 0, a.project.ID, a.back)
		}
	}
	late := func(kind basecamp.Tasks) func(context.Context) ([]basecamp.Task, error) {
		return func(ctx context.Context) ([]basecamp.Task, error) {
			return basecamp.Overdue(kind, a.person).All(ctx, rs.BC)
		}
	}
	parts := []listing.Extra{ // those with several pages first: they take longest
		listing.Into("completed to-dos", &todos, completed(basecamp.Todos)),
		listing.Into("completed cards", &cards, completed(basecamp.Cards)),
		listing.Into("messages", &messages, func(ctx context.Context) ([]basecamp.Message, error) { return a.messages(ctx, rs) }),
		listing.Into("overdue to-dos", &lateTodos, late(basecamp.Todos)),
		listing.Into("overdue cards", &lateCards, late(basecamp.Cards)),
		{Name: "upcoming", Read: func(ctx context.Context) (err error) {
			upcoming, unread, err = rs.Calendar.Upcoming(ctx, a.ahead, a.ahead, a.project.ID, false)
			return err
		}},
	}
	why := make([]error, len(parts))
	for i, p := range parts {
		parts[i].Read = func(ctx context.Context) error { why[i] = p.Read(ctx); return why[i] }
	}
	left, err := listing.Extras(ctx, parts...)
	if err == nil && len(left.LeftOut) == len(parts) {
		err = why[0]
	}
	if err != nil {
		return ReportFound{}, listing.Gaps{}, err
	}
	left.LeftOut = append(left.LeftOut, unread.LeftOut...)
	return ReportFound{
		Completed: a.completed(slices.Concat(todos, cards)),
		Overdue:   a.overdue(slices.Concat(lateTodos, lateCards)),
		Upcoming:  a.upcoming(upcoming),
		Messages:  a.posted(rs, messages),
	}, left, nil
}

// messages reads the messages of the period, the last posted first.
func (a reportAsked) messages(ctx context.Context, rs *Resolver) ([]basecamp.Message, error) {
	var found []basecamp.Message
	number := 1
	for range reportPages {
		page, err := basecamp.RecordingsIn[basecamp.Message]("Message", a.project.ID, "", basecamp.Sorted("created_at", "desc")).Page(ctx, rs.BC, number)
		if err != nil {
			return nil, err
		}
		for _, m := range page.Items {
			if m.CreatedAt.Before(a.back.From) {
				return found, nil
			}
			if !a.back.IsOver(m.CreatedAt) {
				found = append(found, m)
			}
		}
		if number = page.Next; number == 0 {
			return found, nil
		}
	}
	return nil, fault.New(fault.LimitReached, "there are too many messages since then; report on a shorter period, or on one project")
}

func (a reportAsked) completed(tasks []basecamp.Task) []Found {
	slices.SortStableFunc(tasks, func(x, y basecamp.Task) int { return y.CompletedAt().Compare(x.CompletedAt()) })
	var all []Found
	for _, t := range tasks {
		if a.person != 0 && !a.completedBy(t) {
			continue
		}
		f := taskFound(t, t.CompletedAt().In(a.ahead.From.Location()).Format(time.DateOnly))
		if t.Completion != nil {
			f.Who = parts.OneLine(plaintext.Clean(t.Completion.Creator.Name))
		}
		if t.Completion != nil && t.Completion.Creator.ID != 0 {
			f.people = []lookup.Ref{lookup.ViewName(t.Completion.Creator)}
		}
		all = append(all, f)
	}
	return all
}

// completedBy reports whether the person completed a task. If Basecamp does not say who did, it
// was an assignee.
func (a reportAsked) completedBy(t basecamp.Task) bool {
	if t.Completion != nil && t.Completion.Creator.ID != 0 {
		return t.Completion.Creator.ID == a.person
	}
	return lookup.IsAmong(t.Assignees, a.person)
}

func (a reportAsked) overdue(tasks []basecamp.Task) []Found {
	slices.SortStableFunc(tasks, func(x, y basecamp.Task) int { return cmp.Compare(x.DueOn, y.DueOn) })
	today := a.ahead.From.Format(time.DateOnly)
	late := lookup.Matching(tasks, func(t basecamp.Task) bool {
		return t.DueOn < today && (a.project.ID == 0 || a.project.ID == t.Bucket.ID)
	})
	return lookup.Mapped(late, func(t basecamp.Task) Found { return taskFound(t, t.DueOn) })
}

func taskFound(t basecamp.Task, day string) Found {
	return Found{lookup.ViewBucket(t.Bucket), ReportItem{
		Item: fmt.Sprintf("%s:%d", lookup.TypeOf(t.Type), t.ID), Title: parts.LineOf(t.Title, reportTitle), Day: day, Who: nameList(lookup.ViewNames(t.Assignees)),
	}, t.Recording, lookup.ViewNames(t.Assignees)}
}

func (a reportAsked) upcoming(items []calendar.UpcomingItem) []Found {
	var all []Found
	for _, u := range items {
		if a.person != 0 && !slices.ContainsFunc(u.People, func(p lookup.Ref) bool { return p.ID == a.person }) {
			continue
		}
		f := Found{u.Project, ReportItem{
			Item: fmt.Sprintf("%s:%d", u.Type, u.ID), Title: parts.LineOf(u.Title, reportTitle), Day: u.Day, Who: nameList(u.People),
		}, u.Is, u.People}
		if !u.Starts.IsZero() {
			f.At = u.Starts.Format("15:04")
		}
		all = append(all, f)
	}
	return all
}

func (a reportAsked) posted(rs *Resolver, messages []basecamp.Message) []Found {
	var all []Found
	for _, m := range messages {
		if a.person != 0 && m.Creator.ID != a.person {
			continue
		}
		all = append(all, Found{lookup.ViewBucket(m.Bucket), ReportItem{
			Item:    fmt.Sprintf("%s:%d", lookup.MessageKind.Kind, m.ID),
			Title:   parts.LineOf(cmp.Or(m.Subject, m.Title), reportTitle),
			Day:     m.CreatedAt.In(a.ahead.From.Location()).Format(time.DateOnly),
			Who:     parts.OneLine(plaintext.Clean(m.Creator.Name)),
			Excerpt: parts.LineOf(rs.Markdown(m.Content, m.Attachments...), reportExcerpt),
		}, m.Recording, nil})
	}
	return all
}

func nameList(people []lookup.Ref) string {
	return strings.Join(lookup.Mapped(people, func(p lookup.Ref) string { return parts.OneLine(p.Name) }), ", ")
}

// reportAudience are the members of the project to whom a report is read; nil for the caller alone.
type reportAudience struct {
	project lookup.ProjectRef
	members []basecamp.Person
}

// readAudience reads the members of the project that the call names as its audience. The word
// project means the report's own.
func (rs *Resolver) readAudience(ctx context.Context, in getReportInput) (*reportAudience, error) {
	named := in.Audience
	if strings.EqualFold(named.Name, "project") {
		named = in.Project
	}
	switch {
	case in.Audience.IsZero():
		return nil, nil
	case named.IsZero():
		return nil, fault.Invalid("audience", `"project" means the project of the report; give project too, or name another project here`)
	}
	project, err := rs.Project(ctx, "audience", named)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.NotFound {
		told := *f
		told.Message += `; give the project whose members, clients among them, will read the report, or "project" for that of the report`
		return nil, &told
	}
	if err != nil {
		return nil, err
	}
	members, err := rs.PeopleOn(ctx, project.ID)
	return &reportAudience{lookup.ProjectRef{ID: project.ID, Name: lookup.ProjectName(project)}, members}, err
}

// withhold leaves out what a member of the audience's project cannot see: everything in a project
// on which one of them is not, and what its clients do not see if clients are among them.
func (to *reportAudience) withhold(ctx context.Context, rs *Resolver, f *ReportFound) (listing.Gaps, error) {
	members, err := rs.membersOf(ctx, f.projects())
	if err != nil {
		return listing.Gaps{}, err
	}
	clients := slices.ContainsFunc(to.members, lookup.IsClient)
	a := rs.Audience(ctx)
	hidden := 0
	for _, section := range []*[]Found{&f.Completed, &f.Overdue, &f.Upcoming, &f.Messages} {
		shows, err := listing.InParallel(ctx, *section, func(_ context.Context, item Found) (bool, error) {
			if item.Project.ID != to.project.ID && !to.within(members[item.Project.ID]) {
				return false, nil
			}
			return !clients || a.Shows(item.is), nil
		})
		if err != nil {
			return listing.Gaps{}, err
		}
		var kept []Found
		for i, item := range *section {
			if shows[i] {
				kept = append(kept, item)
			}
		}
		hidden += len(*section) - len(kept)
		*section = kept
	}
	if hidden == 0 {
		return listing.Gaps{}, nil
	}
	return listing.Gaps{LeftOut: []string{fmt.Sprintf("%d items that not all members of %s can see, as audience asks", hidden, plaintext.Quote(to.project.Name))}}, nil
}

// toAudience leaves out what the audience cannot see, and reads who sees each project.
func (rs *Resolver) toAudience(ctx context.Context, to *reportAudience, f *ReportFound, left listing.Gaps) (listing.Gaps, error) {
	if to != nil {
		withheld, err := to.withhold(ctx, rs, f)
		if err != nil {
			return left, err
		}
		left.LeftOut = append(left.LeftOut, withheld.LeftOut...)
	}
	seen, unseen, err := rs.readReadership(ctx, f.projects())
	left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	f.seenBy = seen
	return left, err
}

// within reports whether all members of the audience's project are among people.
func (to *reportAudience) within(people []basecamp.Person) bool {
	return !slices.ContainsFunc(to.members, func(p basecamp.Person) bool { return !lookup.IsAmong(people, p.ID) })
}

func (rs *Resolver) membersOf(ctx context.Context, projects []lookup.ProjectRef) (map[int64][]basecamp.Person, error) {
	read, err := listing.InParallel(ctx, projects, func(ctx context.Context, p lookup.ProjectRef) ([]basecamp.Person, error) {
		return rs.PeopleOn(ctx, p.ID)
	})
	members := map[int64][]basecamp.Person{}
	for i, p := range projects {
		members[p.ID] = read[i]
	}
	return members, err
}

func (f ReportFound) projects() []lookup.ProjectRef {
	all := slices.Concat(f.Completed, f.Overdue, f.Upcoming, f.Messages)
	return distinctProjects(lookup.Mapped(all, func(item Found) lookup.ProjectRef { return item.Project }))
}

// maxSeenBy is the number of projects whose people one call reads to say who sees them: each costs
// a request. An answer says it of further projects only if their people have been read lately.
const maxSeenBy = 4

// readReadership returns who sees projects, by ID.
func (rs *Resolver) readReadership(ctx context.Context, projects []lookup.ProjectRef) (map[int64]string, listing.Gaps, error) {
	var parts []listing.Extra
	words := make([]string, len(projects))
	for i, p := range projects {
		people, known := rs.KnownPeople(ctx, p.ID)
		if words[i] = lookup.SeenByWords(people); !known && len(parts) < maxSeenBy {
			parts = append(parts, listing.Extra{Name: "seen_by", Read: func(ctx context.Context) error {
				people, err := rs.PeopleOn(ctx, p.ID)
				words[i] = lookup.SeenByWords(people)
				return err
			}})
		}
	}
	left, err := listing.Extras(ctx, parts...)
	left.LeftOut = slices.Compact(left.LeftOut)
	seen := map[int64]string{}
	for i, p := range projects {
		seen[p.ID] = words[i]
	}
	return seen, left, err
}

// distinctProjects returns projects, each once, in their order.
func distinctProjects(projects []lookup.ProjectRef) (all []lookup.ProjectRef) {
	for _, p := range projects {
		if p.ID != 0 && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
