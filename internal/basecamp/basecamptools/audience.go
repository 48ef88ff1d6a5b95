package basecamptools

import (
	"context"
	"slices"
	"sync"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	requests "basecamp-mcp/internal/upstream"
)

// audience finds out which people of clients see what one call reads or writes. It reads whatever
// decides about that once, and nothing in a project that is known to have no clients.
type audience struct {
	rs      *resolver
	call    func() context.Context // of the call, because several of its parts wait for one read
	eager   bool                   // read what holds an item before it is known whether there are clients
	mu      sync.Mutex
	known   map[int64]basecamp.Recording
	started []func() (struct{}, error) // what is found out beside a write
}

// audience returns an audience that knows the items that the call has read. The context must be the
// call's own.
func (rs *resolver) audience(ctx context.Context, known ...basecamp.Recording) *audience {
	a := &audience{rs: rs, call: func() context.Context { return ctx }, known: map[int64]basecamp.Recording{}}
	a.know(known...)
	return a
}

// audienceBeside starts to find out who sees an item that the call is about to change or to add to,
// so that the answer is known when the write is done.
func (rs *resolver) audienceBeside(ctx context.Context, item basecamp.Recording) *audience {
	a := rs.audience(ctx, item)
	a.start(item)
	return a
}

// besideIn starts to find out who sees a new item that is visible by itself.
func (rs *resolver) besideIn(ctx context.Context, project int64) *audience {
	a := rs.audience(ctx)
	a.expectClients(project)
	return a
}

// expectClients starts to read the people of clients on a project, unless it is known to have none.
func (a *audience) expectClients(project int64) {
	if a.rs.withoutClients(a.call(), project) {
		return
	}
	a.begin(func(ctx context.Context) error { _, err := a.clients(ctx, project); return err })
}

// start finds out one after the other who sees the items. If their project has no clients, it reads
// nothing for all but the first.
func (a *audience) start(items ...basecamp.Recording) {
	a.eager = true
	a.begin(func(ctx context.Context) error {
		for _, item := range items {
			if _, err := a.seers(ctx, item); err != nil {
				return err
			}
		}
		return nil
	})
}

// begin finds something out while the call goes on.
func (a *audience) begin(find func(context.Context) error) {
	a.started = append(a.started, ahead(a.call(), func(ctx context.Context) (struct{}, error) { return struct{}{}, find(ctx) }))
}

// await waits for what was begun: afterwards, the answer is known without a read, and so it is to
// later calls. What failed is asked for again.
func (a *audience) await() {
	for _, await := range a.started {
		_, _ = await()
	}
}

// know keeps items that the call has read, so that the audience does not read them again.
func (a *audience) know(items ...basecamp.Recording) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, item := range items {
		if item.ID != 0 && item.Type != "" {
			a.known[item.ID] = item
		}
	}
}

// knowTable keeps a card table that the call has read, as what holds its columns.
func (a *audience) knowTable(table basecamp.CardTable) {
	a.know(table.Recording)
	for _, column := range table.Columns {
		c := column.Recording
		c.Parent = &basecamp.Parent{ID: table.ID, Type: table.Type}
		a.know(c)
		if column.OnHold != nil {
			a.know(basecamp.Recording{ID: column.OnHold.ID, Type: onHold, Parent: c.Parent, Bucket: table.Bucket})
		}
	}
}

// seers returns the people of clients who see an item.
func (a *audience) seers(ctx context.Context, item basecamp.Recording) ([]basecamp.Person, error) {
	if a.rs.withoutClients(ctx, item.Bucket.ID) {
		return nil, nil
	}
	if _, visible, decided := a.decide(item); decided && !visible {
		return nil, nil
	}
	clients := ahead(ctx, func(ctx context.Context) ([]basecamp.Person, error) { return a.clients(ctx, item.Bucket.ID) })
	some := func() bool { people, err := clients(); return err == nil && len(people) > 0 }
	visible := ahead(ctx, func(ctx context.Context) (bool, error) { return a.visible(ctx, item, some) })
	requests.Started(ctx)
	people, err := clients()
	if err != nil || len(people) == 0 {
		return nil, err
	}
	if seen, err := visible(); err != nil || !seen {
		return nil, err
	}
	return people, nil
}

// withoutClients reports whether it is known that no clients are on a project.
func (rs *resolver) withoutClients(ctx context.Context, project int64) bool {
	key, err := keyFor(ctx, rs, project)
	if err != nil {
		return false
	}
	has, _, known := rs.hasClients.get(key)
	return known && !has
}

func isClient(p basecamp.Person) bool { return p.Client }

// clients returns the people of clients on a project.
func (a *audience) clients(ctx context.Context, project int64) ([]basecamp.Person, error) {
	all, err := a.rs.peopleOn(ctx, project)
	return matching(all, isClient), err
}

// visible reports whether clients see an item, if any are on its project. What holds the item is
// read at once beside a write, and otherwise, as what holds that, only if there are some.
func (a *audience) visible(ctx context.Context, item basecamp.Recording, some func() bool) (bool, error) {
	for at := item; ; {
		undecided, visible, decided := a.decide(at)
		if decided {
			return visible, nil
		}
		if (!a.eager || undecided.ID != item.ID) && !some() {
			return false, nil
		}
		holder, err := a.rs.readHolder(ctx, *undecided.Parent)
		if err != nil {
			return false, err
		}
		holder.Bucket = item.Bucket
		a.know(holder)
		at = undecided
	}
}

// decide follows what an item inherits from, among what is known, up to what is visible by itself.
// If what holds an item is unknown, it returns that item.
func (a *audience) decide(item basecamp.Recording) (undecided basecamp.Recording, visible, decided bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		by := visibilityOf(item)
		switch {
		case item.Status == drafted:
			return item, false, true
		case by == byItself, by == byFolder && a.rs.inTool(a.call(), item):
			return item, isFlagged(item), true
		}
		holder, known := a.known[item.Parent.ID]
		switch {
		case !known:
			return item, false, false
		case by == byFolder && holder.Parent == nil: // the top folder
			return item, isFlagged(item), true
		}
		item = holder
	}
}

// inTool reports whether it is known that an item is directly in a tool of its project.
func (rs *resolver) inTool(ctx context.Context, item basecamp.Recording) bool {
	key, err := keyFor(ctx, rs, item.Bucket.ID)
	if err != nil {
		return false
	}
	project, _, _ := rs.projects.get(key)
	return slices.ContainsFunc(project.Dock, func(d basecamp.DockItem) bool { return d.ID == item.Parent.ID })
}

// readHolder reads what holds an item: the table of a column at once, if an earlier call saw it.
func (rs *resolver) readHolder(ctx context.Context, parent basecamp.Parent) (basecamp.Recording, error) {
	if isColumn(parent.Type) {
		return rs.tableHolding(ctx, parent)
	}
	switch parent.Type {
	case boardType:
		table, err := rs.bc.CardTable(ctx, parent.ID)
		return table.Recording, err
	case "Chat::Transcript":
		chat, err := rs.bc.Chat(ctx, parent.ID)
		return chat.Recording, err
	case todosetType:
		return rs.bc.Todoset(ctx, parent.ID)
	case listKind.upstream:
		list, err := rs.bc.Todolist(ctx, parent.ID)
		return list.Recording, err
	}
	k := kindOf(parent.Type)
	if k.kind == "" {
		return basecamp.Recording{}, fault.New(fault.NotFound, "it is not known who sees what is in a %s", typeOf(parent.Type))
	}
	item, err := rs.bc.Item(ctx, k.kind, parent.ID)
	return item.Recording, err
}

// tableHolding returns a column, with the visibility of its table if an earlier call saw it there.
func (rs *resolver) tableHolding(ctx context.Context, column basecamp.Parent) (basecamp.Recording, error) {
	r := basecamp.Recording{ID: column.ID, Type: column.Type}
	for _, id := range rs.hinted(ctx, boardOf(column.ID)) {
		table, err := rs.bc.CardTable(ctx, id)
		if err == nil && slices.ContainsFunc(table.Columns, func(c basecamp.Column) bool { return holdsCardsOf(c, column.ID) }) {
			r.VisibleToClients = table.VisibleToClients
			return r, nil
		}
	}
	c, err := rs.bc.Column(ctx, column.ID)
	if err == nil && c.Parent != nil && c.Parent.Type == boardType {
		rs.learn(ctx, boardOf(column.ID), c.Parent.ID)
	}
	return c.Recording, err
}

// seenBy returns the clients who see any of the items that the call made or changed. The write is
// done, so what cannot be read is left out.
func (a *audience) seenBy(items ...basecamp.Recording) (clients []basecamp.Person, left gaps) {
	a.await()
	for _, item := range items {
		people, err := a.seers(a.call(), item)
		if err != nil {
			left.leaveOut("clients_see", fault.From(err))
			break
		}
		clients = unite(clients, people)
	}
	return clients, left
}

// recordingsOf returns the recordings of what a batch changes.
func recordingsOf[T any](planned []T, of func(T) basecamp.Recording) []basecamp.Recording {
	all := make([]basecamp.Recording, len(planned))
	for i, p := range planned {
		all[i] = of(p)
	}
	return all
}

// settle sets whether clients see items that a call shows and that may inherit it.
func settle[T any, P interface {
	*T
	Record() *basecamp.Recording
}](a *audience, items []T) (left gaps, err error) {
	all := make([]P, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	problems, err := listing.InParallel(a.call(), all, func(ctx context.Context, item P) (*fault.Error, error) {
		r := item.Record()
		clients, err := a.seers(ctx, *r)
		r.ClientsSee = len(clients) > 0
		if f, ok := dispensable(err); ok {
			return f, nil
		}
		return nil, err
	})
	for _, f := range problems {
		if f != nil {
			left.leaveOut("clients_see", f)
			break
		}
	}
	return left, err
}

// rememberedSeen reports whether clients see an item, as far as that is known without a read.
func (rs *resolver) rememberedSeen(ctx context.Context, item basecamp.Recording) bool {
	key, err := keyFor(ctx, rs, item.Bucket.ID)
	if err != nil {
		return false
	}
	has, _, _ := rs.hasClients.get(key)
	_, visible, decided := rs.audience(ctx).decide(item)
	return has && decided && visible
}

// settled returns an extra that sets whether clients see an item that a call shows.
func (a *audience) settled(r *basecamp.Recording) extra {
	return extra{"clients_see", func(ctx context.Context) error {
		clients, err := a.seers(ctx, *r)
		r.ClientsSee = len(clients) > 0
		return err
	}}
}
