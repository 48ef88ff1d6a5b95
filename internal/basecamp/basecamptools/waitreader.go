package basecamptools

import (
	"context"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/waiting"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/listing"
	requests "basecamp-mcp/internal/upstream"
)

const (
	waitingDays  = 14 // that a question waits
	mostWaitings = 12 // requests of a call
	waitingOfDay = 6  // of a day, beside what the day itself reads
	busy         = 60 // comments in these days, from which on whole lists are cheaper
)

// waitReader reads what may wait for a person, or whom the person may wait for, with few requests.
type waitReader struct {
	*resolver
	of      basecamp.Person
	mine    bool // whether the person is the caller
	deep    bool // whether it reads on where a list goes on
	now     time.Time
	since   time.Time
	left    int // requests
	talk    *waiting.Talk
	lists   map[string]*changedList
	further map[basecamp.Tasks]int // the next page of open tasks; 0 if there is none, or none was read
	due     []dueTask
	owed    []basecamp.Reminder
	shown   map[int64]basecamp.Reading // notifications of chats, by line
	heard   map[int64]bool             // chats whose lines were read
	gaps    []hub.Gap
	failed  error
	read    bool // whether anything was
}

// dueTask is an open task whose day has passed.
type dueTask struct {
	id        int64
	ref       hub.Ref
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

// together reads parts at once, as far as the requests go. What fails is a gap.
func (r *waitReader) together(ctx context.Context, parts ...part) {
	if n := max(0, r.left); len(parts) > n {
		for _, p := range parts[n:] {
			r.lack(p.name, fault.LimitReached, "the call has sent its requests")
		}
		parts = parts[:n]
	}
	r.left -= len(parts)
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
			f := fault.From(err).Shown()
			r.lack(p.name, f.Code, f.Message)
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

// readAll reads in turn what the person is told, what was said, who owns that, and who boosted it.
func (r *waitReader) readAll(ctx context.Context) error {
	parts := []part{r.changed("Comment", 1)}
	if r.mine {
		parts = append(parts, r.notifications(), r.reminders())
	} else {
		r.lack("chats and pings", fault.PermissionDenied, "only their people see what waits there")
		r.lack("check-ins", fault.PermissionDenied, "Basecamp says only to the person which ones are owed")
	}
	if !r.deep {
		parts = append(parts, r.changed("Message", 1), r.assignments())
	}
	r.together(ctx, parts...)
	if r.deep {
		r.readOn(ctx)
	}
	r.readThreads(ctx)
	if texts, _ := r.boostsToRead(); r.deep && len(texts) == 0 {
		r.readLists(ctx, 0)
	}
	r.readBoosts(ctx)
	for kind, page := range r.further {
		if page > 0 {
			r.lack(kindWord(kind), fault.LimitReached, "those of some projects were not read")
		}
	}
	for _, kind := range talkLists {
		if l := r.lists[kind]; l.goesOn(r.since) {
			r.lack(manyOf(kind), fault.LimitReached, "read back to "+l.oldest.In(r.since.Location()).Format("2006-01-02 15:04"))
		}
	}
	if !r.read {
		return r.failed
	}
	return nil
}

// add adds an item or a comment to the talk.
func (r *waitReader) add(item basecamp.Changed) {
	x := waiting.Text{ID: item.ID, Kind: lookup.TypeOf(item.Type), Thread: item.ID, By: item.Creator, At: item.CreatedAt, Body: item.Words(), Boosts: boostsOn(item.Recording)}
	switch {
	case x.Kind != lookup.CommentKind.Kind:
		x.Title = item.Title
		r.talk.AddThread(waiting.Thread{
			ID: item.ID, Kind: x.Kind, Title: item.Title, URL: item.AppURL, Bucket: item.Bucket, By: item.Creator, Assignees: item.Assignees, Done: item.Completed,
		})
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

// readOn reads further pages of what was said, and then the work of the person: all of it where
// much was said.
func (r *waitReader) readOn(ctx context.Context) {
	whole := r.lists["Comment"].expected(r.now, r.since) >= busy
	work := 4
	switch {
	case whole:
		work = 2
	case r.mine:
		work = 3
	}
	r.readLists(ctx, work+1)
	r.readWork(ctx, whole)
}

// readWork reads open work: all of it, or what is assigned to the person and what is overdue.
func (r *waitReader) readWork(ctx context.Context, whole bool) {
	var parts []part
	if r.mine && !whole {
		parts = append(parts, r.assignments())
	}
	for _, kind := range []basecamp.Tasks{basecamp.Todos, basecamp.Cards} {
		if whole {
			parts = append(parts, r.open(kind, 0, 1))
			continue
		}
		parts = append(parts, part{"overdue " + kindWord(kind), func(ctx context.Context) (func(), error) {
			all, err := r.BC.Overdue(ctx, kind, 0)
			return func() { r.addTasks(kind, all) }, err
		}})
		if !r.mine {
			parts = append(parts, r.open(kind, r.of.ID, 1))
		}
	}
	r.together(ctx, parts...)
}

// open returns the open tasks of a kind in a page of projects, of a person or, for 0, of everyone.
func (r *waitReader) open(kind basecamp.Tasks, person int64, page int) part {
	return part{kindWord(kind), func(ctx context.Context) (func(), error) {
		p, err := r.BC.Everywhere(ctx, kind, basecamp.Open, person, page)
		return func() {
			for _, project := range p.Items {
				r.addTasks(kind, slices.Concat(project.Todos, project.Cards))
			}
			r.further[kind] = p.Next
		}, err
	}}
}

func kindWord(kind basecamp.Tasks) string {
	if kind == basecamp.Cards {
		return lookup.CardKind.Many
	}
	return lookup.TodoKind.Many
}

// addTasks adds tasks and their texts to the talk, and those whose day has passed, with subtasks.
func (r *waitReader) addTasks(kind basecamp.Tasks, all []basecamp.Task) {
	word, upstream := lookup.TodoKind.Kind, "Todo"
	if kind == basecamp.Cards {
		word, upstream = lookup.CardKind.Kind, "Kanban::Card"
	}
	for _, task := range all {
		task.Type = upstream
		r.add(basecamp.Changed{Recording: task.Recording, Completable: task.Completable, Description: task.Description, DueOn: task.DueOn, Assignees: task.Assignees})
		r.addDue(dueTask{task.ID, refOf(word, task.ID), task.Title, task.DueOn, task.Creator, task.Assignees, task.Bucket}, task.Completed)
		for _, s := range task.Steps {
			r.addDue(dueTask{s.ID, refOf(lookup.SubtaskKind.Kind, s.ID), s.Title, s.DueOn, s.Creator, s.Assignees, task.Bucket}, s.Completed)
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
func (rs *resolver) newWaitReader(ctx context.Context, of, me basecamp.Person, deep bool) (*waitReader, error) {
	today, err := rs.Today(ctx)
	if err != nil {
		return nil, err
	}
	r := &waitReader{
		resolver: rs, of: of, mine: of.ID == me.ID, deep: deep, now: rs.Now().In(today.Location()), left: waitingOfDay,
		lists: map[string]*changedList{}, shown: map[int64]basecamp.Reading{}, heard: map[int64]bool{}, further: map[basecamp.Tasks]int{},
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
