package overview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/waiting"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	requests "basecamp-mcp/internal/wire/upstream"
)

const (
	waitingDays  = 14                   // that a question waits
	mostWaitings = 18                   // requests of a call
	waitingOfDay = 6                    // of a day, beside what the day itself reads
	muchSaid     = 150                  // comments in these days, from which on all open work is read
	roundTime    = hub.Patience * 3 / 4 // for what is read at once
	manyItems    = 6                    // of a kind, from which on the same holds
)

// waitReader reads what may wait for a person, or whom the person may wait for, with few requests.
type waitReader struct {
	*Resolver
	of     basecamp.Person
	mine   bool // whether the person is the caller
	deep   bool // whether it reads on where a list goes on
	now    time.Time
	since  time.Time
	left   int // requests
	talk   *waiting.Talk
	lists  map[string]*changedList
	opened map[basecamp.Tasks]int // the next page of all open tasks, or -1
	told   map[int64]string       // items that mention the caller, as notifications show them, with their kinds
	due    []dueTask
	owed   []basecamp.Reminder
	shown  map[int64]basecamp.Reading // notifications of chats, by line
	heard  map[int64]bool             // chats whose lines were read
	gaps   []hub.Gap
	failed error
	read   bool // whether anything was
}

// dueTask is an open task whose day has passed.
type dueTask struct {
	id        int64
	ref       hub.Ref
	on        string // what a comment on it is left on: of a subtask, what it is in
	title     string
	dueOn     string
	by        basecamp.Person
	assignees []basecamp.Person
	bucket    basecamp.Bucket
}

// part is something to read. It returns what takes in what was read.
type part struct {
	name string
	read func(ctx context.Context) (take func(), err error)
}

// partOf returns a part that reads something and takes it in.
func partOf[T any](name string, read func(context.Context) (T, error), take func(T)) part {
	return part{name, func(ctx context.Context) (func(), error) {
		found, err := read(ctx)
		return func() { take(found) }, err
	}}
}

// together reads parts at once, as far as the requests go. What fails is a gap.
func (r *waitReader) together(ctx context.Context, parts ...part) {
	if n := max(0, r.left); len(parts) > n {
		for _, p := range parts[n:] {
			r.lack(p.name, fault.LimitReached, "the call has sent its requests")
		}
		parts = parts[:n]
	}
	r.left -= len(parts)
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	takes, errs := make([]func(), len(parts)), make([]error, len(parts))
	var all sync.WaitGroup
	for i, p := range parts {
		all.Go(func() {
			_, errs[i] = listing.InParallel(ctx, []part{p}, func(ctx context.Context, p part) (_ struct{}, err error) {
				takes[i], err = p.read(ctx)
				return struct{}{}, err
			})
		})
	}
	all.Wait()
	for i, p := range parts {
		if err := errs[i]; err != nil {
			g := hub.GapOf(ctx, p.name, err)
			r.lack(g.Source, g.Code, g.Reason)
			r.failed = err
			continue
		}
		r.read = true
		takes[i]()
	}
}

// lack notes what the answer lacks, once.
func (r *waitReader) lack(source string, code fault.Code, reason string) {
	if g := (hub.Gap{Source: source, Code: code, Reason: reason}); !slices.Contains(r.gaps, g) {
		r.gaps = append(r.gaps, g)
	}
}

// readAll reads in turn what the person is told, what was said, about what, and who boosted it.
func (r *waitReader) readAll(ctx context.Context) error {
	parts := []part{r.changed("Comment", 1)}
	if r.mine {
		parts = append(parts, r.notifications(), r.reminders())
	} else {
		r.lack("chats and pings", fault.PermissionDenied, "only their people see what waits there")
		r.lack("check-ins", fault.PermissionDenied, "Basecamp says only to the person which ones are owed")
	}
	if !r.deep {
		r.together(ctx, append(parts, r.changed("Message", 1), r.assignments())...)
		r.together(ctx, r.spare(append(r.chats(), r.threads()...)...)...)
	} else {
		r.together(ctx, parts...)
		r.readDeep(ctx)
	}
	r.readBoosts(ctx)
	r.sayLimits()
	if !r.read {
		return r.failed
	}
	return nil
}

// readDeep reads on what was said, and then the work that it is about, with its texts: all open
// work where much was said, otherwise what changed last. Comments change what they are on.
func (r *waitReader) readDeep(ctx context.Context) {
	work := []part{r.changed("Todo", 1), r.changed("Kanban::Card", 1)}
	if r.lists["Comment"].expected(r.now, r.since) >= muchSaid {
		work = []part{r.open(basecamp.Todos), r.open(basecamp.Cards)}
	}
	r.readLists(ctx, len(work)+1, "Comment")
	r.together(ctx, work...)
	if r.mine && r.left > 1 { // with subtasks, and complete
		r.together(ctx, r.assignments())
	}
	if chats := r.chats(); len(chats) > 0 {
		r.together(ctx, r.spare(chats[0])...)
	}
	for range 3 { // rounds, because a list need not have all of them
		r.together(ctx, r.spare(r.threads()...)...)
	}
	if r.lists["Message"] == nil {
		r.together(ctx, r.spare(r.changed("Message", 1))...)
	}
	r.together(ctx, r.spare(r.chats()...)...)
	if work := r.spare(r.overdue(basecamp.Todos), r.overdue(basecamp.Cards)); len(work) == 2 {
		r.together(ctx, work...)
	} else {
		r.lack("overdue work", fault.LimitReached, "the call has sent its requests; list_work with state: overdue has what others owe")
	}
	texts, _ := r.boostsToRead()
	r.readLists(ctx, min(1, len(texts)), "Comment", "Message")
}

// spare returns those parts for which there are requests, without one for boosts.
func (r *waitReader) spare(parts ...part) []part {
	return parts[:min(len(parts), max(0, r.left-1))]
}

// sayLimits notes how far the lists were read, and what was not.
func (r *waitReader) sayLimits() {
	for _, kind := range []string{"Comment", "Message"} {
		l := r.lists[kind]
		switch {
		case l == nil && r.read:
			r.lack(manyOf(kind), fault.LimitReached, "the call has sent its requests")
		case l.goesOn(r.since):
			r.lack(manyOf(kind), fault.LimitReached, "read back to "+l.oldest.In(r.since.Location()).Format("2006-01-02 15:04"))
		}
	}
	if n := len(r.unread()); n > 0 {
		r.lack("items", fault.LimitReached, fmt.Sprintf("%d items were not read; questions there may wait as well", n))
	}
}

func (r *waitReader) add(item basecamp.Changed) {
	x := waiting.Text{ID: item.ID, Kind: lookup.TypeOf(item.Type), Thread: item.ID, By: item.Creator, At: item.CreatedAt, Body: item.Words(), Boosts: boostsOn(item.Recording)}
	switch {
	case x.Kind != lookup.CommentKind.Kind:
		x.Title = item.Title
		r.talk.AddThread(waiting.Thread{
			ID: item.ID, Kind: x.Kind, Title: item.Title, URL: item.AppURL, Bucket: item.Bucket, By: item.Creator, Assignees: item.Assignees, Done: item.Completed,
		})
		ref := parts.RefOf(x.Kind, item.ID)
		r.addDue(dueTask{item.ID, ref, ref.ID, item.Title, item.DueOn, item.Creator, item.Assignees, item.Bucket}, item.Completed)
	case item.Parent == nil:
		return
	default:
		x.Thread = item.Parent.ID
		r.talk.AddThread(waiting.Thread{ID: x.Thread, Kind: lookup.TypeOf(item.Parent.Type), Title: item.Parent.Title, URL: item.Parent.AppURL, Bucket: item.Bucket})
	}
	r.talk.Add(x)
}

func boostsOn(item basecamp.Recording) int {
	if item.BoostsCount == nil {
		return 0
	}
	return *item.BoostsCount
}

// overdue returns the tasks of a kind whose day has passed, of everyone.
func (r *waitReader) overdue(kind basecamp.Tasks) part {
	return partOf("overdue "+kindWord(kind),
		func(ctx context.Context) ([]basecamp.Task, error) { return basecamp.Overdue(kind, 0).All(ctx, r.BC) },
		func(all []basecamp.Task) { r.addTasks(kind, all) })
}

// open returns the open tasks of a kind, of everyone, in the next page of projects.
func (r *waitReader) open(kind basecamp.Tasks) part {
	page := max(1, r.opened[kind])
	return partOf(kindWord(kind), func(ctx context.Context) (basecamp.Page[basecamp.ProjectTasks], error) {
		return basecamp.Everywhere(kind, basecamp.Open, 0).Page(ctx, r.BC, page)
	}, func(p basecamp.Page[basecamp.ProjectTasks]) {
		for _, project := range p.Items {
			r.addTasks(kind, slices.Concat(project.Todos, project.Cards))
		}
		r.opened[kind] = cmp.Or(p.Next, -1)
	})
}

func kindWord(kind basecamp.Tasks) string {
	if kind == basecamp.Cards {
		return lookup.CardKind.Many
	}
	return lookup.TodoKind.Many
}

// addTasks adds tasks and their texts to the talk, and those whose day has passed, with subtasks.
func (r *waitReader) addTasks(kind basecamp.Tasks, all []basecamp.Task) {
	for _, task := range all {
		task.Type = map[basecamp.Tasks]string{basecamp.Todos: lookup.TodoKind.Upstream, basecamp.Cards: lookup.CardKind.Upstream}[kind]
		r.add(basecamp.Changed{Recording: task.Recording, Completable: task.Completable, Description: task.Description, DueOn: task.DueOn, Assignees: task.Assignees})
		for _, s := range task.Steps {
			r.addDue(dueTask{s.ID, parts.RefOf(lookup.SubtaskKind.Kind, s.ID), parts.RefOf(lookup.TypeOf(task.Type), task.ID).ID, s.Title, s.DueOn, s.Creator, s.Assignees, task.Bucket}, s.Completed)
		}
	}
}

// addDue adds a task whose day has passed, once: the one that says who made it.
func (r *waitReader) addDue(t dueTask, done bool) {
	if done || t.dueOn == "" || t.dueOn >= r.now.Format(time.DateOnly) {
		return
	}
	i := slices.IndexFunc(r.due, func(other dueTask) bool { return other.ref == t.ref })
	switch {
	case i < 0:
		r.due = append(r.due, t)
	case t.by.ID != 0:
		r.due[i] = t
	}
}

// newWaitReader returns a reader of what waits for a person. A deep one has all the requests of a
// call.
func (rs *Resolver) newWaitReader(ctx context.Context, of, me basecamp.Person, deep bool) (*waitReader, error) {
	today, err := rs.Today(ctx)
	if err != nil {
		return nil, err
	}
	r := &waitReader{
		Resolver: rs, of: of, mine: of.ID == me.ID, deep: deep, now: rs.Now().In(today.Location()), left: waitingOfDay,
		lists: map[string]*changedList{}, shown: map[int64]basecamp.Reading{}, heard: map[int64]bool{}, opened: map[basecamp.Tasks]int{}, told: map[int64]string{},
	}
	if deep {
		spent, _ := requests.Spent(ctx)
		r.left = mostWaitings - spent
	}
	r.since = r.now.AddDate(0, 0, -waitingDays)
	r.talk = waiting.New(r.since)
	r.talk.Know(of, me)
	return r, nil
}
