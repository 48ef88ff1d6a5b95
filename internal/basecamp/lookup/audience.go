package lookup

import (
	"context"
	"errors"
	"slices"
	"sync"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	requests "basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

// Audience finds out which people of clients see what one call reads or writes. It reads whatever
// decides about that once, and nothing in a project that is known to have no clients.
type Audience struct {
	rs      *Resolver
	call    func() context.Context // of the call, because several of its parts wait for one read
	eager   bool                   // read what holds an item before it is known whether there are clients
	mu      sync.Mutex
	known   map[int64]basecamp.Recording
	started []func() (struct{}, error) // what is found out beside a write
}

// Audience returns an audience that knows the items that the call has read. The context must be the
// call's own.
func (rs *Resolver) Audience(ctx context.Context, known ...basecamp.Recording) *Audience {
	a := &Audience{rs: rs, call: func() context.Context { return ctx }, known: map[int64]basecamp.Recording{}}
	a.Know(known...)
	return a
}

// AudienceBeside starts to find out who sees an item that the call is about to change or to add to,
// so that the answer is known when the write is done.
func (rs *Resolver) AudienceBeside(ctx context.Context, item basecamp.Recording) *Audience {
	a := rs.Audience(ctx, item)
	a.Start(item)
	return a
}

// BesideIn starts to find out who sees a new item that is visible by itself.
func (rs *Resolver) BesideIn(ctx context.Context, project int64) *Audience {
	a := rs.Audience(ctx)
	a.ExpectClients(project)
	return a
}

// ExpectClients starts to read the people of clients on a project, unless it is known to have none.
func (a *Audience) ExpectClients(project int64) {
	if a.rs.WithoutClients(a.call(), project) {
		return
	}
	a.begin(func(ctx context.Context) error { _, err := a.clients(ctx, project); return err })
}

// Start finds out one after the other who sees the items. If their project has no clients, it reads
// nothing for all but the first.
func (a *Audience) Start(items ...basecamp.Recording) {
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
func (a *Audience) begin(find func(context.Context) error) {
	a.started = append(a.started, listing.ReadAhead(a.call(), func(ctx context.Context) (struct{}, error) { return struct{}{}, find(ctx) }))
}

// await waits for what was begun: afterwards, the answer is known without a read, and so it is to
// later calls. What failed is asked for again.
func (a *Audience) await() {
	for _, await := range a.started {
		_, _ = await()
	}
}

// Know keeps items that the call has read, so that the audience does not read them again.
func (a *Audience) Know(items ...basecamp.Recording) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, item := range items {
		if item.ID != 0 && item.Type != "" {
			a.known[item.ID] = item
		}
	}
}

// KnowTable keeps a card table that the call has read, as what holds its columns.
func (a *Audience) KnowTable(table basecamp.CardTable) {
	a.Know(table.Recording)
	for _, column := range table.Columns {
		c := column.Recording
		c.Parent = &basecamp.Parent{ID: table.ID, Type: table.Type}
		a.Know(c)
		if column.OnHold != nil {
			a.Know(basecamp.Recording{ID: column.OnHold.ID, Type: onHold, Parent: c.Parent, Bucket: table.Bucket})
		}
	}
}

// seers returns the people of clients who see an item.
func (a *Audience) seers(ctx context.Context, item basecamp.Recording) ([]basecamp.Person, error) {
	if item.Bucket.IsPing() || a.rs.WithoutClients(ctx, item.Bucket.ID) { // people of clients cannot be pinged
		return nil, nil
	}
	if visible, err := a.visible(ctx, item, never); err == nil && !visible {
		return nil, nil
	}
	clients := listing.ReadAhead(ctx, func(ctx context.Context) ([]basecamp.Person, error) { return a.clients(ctx, item.Bucket.ID) })
	visible := listing.ReadAhead(ctx, func(ctx context.Context) (bool, error) {
		return a.visible(ctx, item, func(of basecamp.Recording) bool {
			if a.eager && of.ID == item.ID {
				return true
			}
			some, err := clients()
			return err == nil && len(some) > 0
		})
	})
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

// IsClient reports whether a person belongs to a client.
func IsClient(p basecamp.Person) bool { return p.Client }

// clients returns the people of clients on a project.
func (a *Audience) clients(ctx context.Context, project int64) ([]basecamp.Person, error) {
	all, err := a.rs.PeopleOn(ctx, project)
	return Matching(all, IsClient), err
}

// errUnread is the error for an item whose holder is not known and may not be read.
var errUnread = errors.New("it is not known what the item is in")

// never reads nothing.
func never(basecamp.Recording) bool { return false }

// visible reports whether clients see an item, if any are on its project. It reads what holds an
// item if that is not known and mayRead accepts the item.
func (a *Audience) visible(ctx context.Context, item basecamp.Recording, mayRead func(of basecamp.Recording) bool) (bool, error) {
	by, err := a.decider(item, func(of basecamp.Recording) (basecamp.Recording, error) {
		a.mu.Lock()
		holder, known := a.known[of.Parent.ID]
		a.mu.Unlock()
		switch {
		case of.Status == Drafted:
			return basecamp.Recording{}, nil // it decides
		case known:
			return holder, nil
		case !mayRead(of):
			return holder, errUnread
		}
		holder, err := a.rs.readHolder(ctx, *of.Parent)
		if err == nil {
			holder.Bucket = of.Bucket
			a.Know(holder)
		}
		return holder, err
	})
	return err == nil && by.Status != Drafted && isFlagged(by), err
}

// Decider returns what decides whether clients see an item: the item itself, or the list, card
// table or folder from which it inherits that.
func (a *Audience) Decider(item basecamp.Recording) (basecamp.Recording, error) {
	return a.decider(item, func(of basecamp.Recording) (basecamp.Recording, error) {
		if of.Parent.Type == boardType {
			return basecamp.Recording{ID: of.Parent.ID, Type: boardType, Title: of.Parent.Title}, nil
		}
		return a.rs.readHolder(a.call(), *of.Parent)
	})
}

// decider follows what an item inherits from up to what decides whether clients see it.
func (a *Audience) decider(item basecamp.Recording, holderOf func(basecamp.Recording) (basecamp.Recording, error)) (basecamp.Recording, error) {
	for {
		by := visibilityOf(item)
		if by == byItself || by == byFolder && a.rs.inTool(a.call(), item) {
			return item, nil
		}
		holder, err := holderOf(item)
		if err != nil || by == byFolder && holder.Parent == nil { // the top folder
			return item, err
		}
		holder.Bucket = item.Bucket
		item = holder
	}
}

// inTool reports whether it is known that an item is directly in a tool of its project.
func (rs *Resolver) inTool(ctx context.Context, item basecamp.Recording) bool {
	project, _, _ := rs.projects.get(ctx, item.Bucket.ID)
	return slices.ContainsFunc(project.Dock, func(d basecamp.DockItem) bool { return d.ID == item.Parent.ID })
}

// readHolder reads what holds an item, with what holds that.
func (rs *Resolver) readHolder(ctx context.Context, parent basecamp.Parent) (basecamp.Recording, error) {
	if isColumn(parent.Type) {
		column, err := basecamp.ColumnAt.Get(ctx, rs.BC, parent.ID)
		return column.Recording, err
	}
	switch parent.Type {
	case boardType:
		table, err := basecamp.BoardAt.Get(ctx, rs.BC, parent.ID)
		return table.Recording, err
	case "Chat::Transcript":
		return basecamp.ChatAt.Get(ctx, rs.BC, parent.ID)
	case TodosetType:
		return basecamp.TodosetAt.Get(ctx, rs.BC, parent.ID)
	case ListKind.Upstream:
		list, err := basecamp.TodolistAt.Get(ctx, rs.BC, parent.ID)
		return list.Recording, err
	}
	k := KindOf(parent.Type)
	if k.Kind == "" {
		return basecamp.Recording{}, fault.New(fault.NotFound, "it is not known who sees what is in a %s", TypeOf(parent.Type))
	}
	item, err := basecamp.ItemAt[basecamp.Listed](k.Kind).Get(ctx, rs.BC, parent.ID)
	return item.Recording, err
}

// SeenBy returns the clients who see any of the items that the call made or changed. The write is
// done, so what cannot be read is left out.
func (a *Audience) SeenBy(items ...basecamp.Recording) (clients []basecamp.Person, left listing.Gaps) {
	a.await()
	for _, item := range items {
		people, err := a.seers(a.call(), item)
		if err != nil {
			left.LeaveOut("clients_see", fault.From(err))
			break
		}
		clients = unite(clients, people)
		a.tellPlan(item)
	}
	return clients, left
}

// tellPlan says in a plan who sees the project of an item.
func (a *Audience) tellPlan(item basecamp.Recording) {
	plan := writeplan.From(a.call())
	if plan == nil || item.Status == Drafted || item.Bucket.ID == 0 || item.Bucket.IsPing() {
		return
	}
	people, err := a.rs.PeopleOn(a.call(), item.Bucket.ID)
	if err == nil {
		plan.SeenBy(plaintext.Clean(item.Bucket.Name), SeenByWords(people))
	}
}

// MarkSeen sets whether clients see items that a call shows and that may inherit it.
func MarkSeen[T any, P interface {
	*T
	Record() *basecamp.Recording
}](a *Audience, items []T) (left listing.Gaps, err error) {
	parts := make([]listing.Extra, len(items))
	for i := range items {
		parts[i] = a.SeenInto(P(&items[i]).Record())
	}
	left, err = listing.Extras(a.call(), parts...)
	left.LeftOut = left.LeftOut[:min(1, len(left.LeftOut))]
	return left, err
}

// RememberedSeen reports whether clients see an item, as far as that is known without a read.
func (rs *Resolver) RememberedSeen(ctx context.Context, item basecamp.Recording) bool {
	has, _, _ := rs.hasClients.get(ctx, item.Bucket.ID)
	visible, err := rs.Audience(ctx).visible(ctx, item, never)
	return has && err == nil && visible
}

// SeenInto returns an extra that sets whether clients see an item that a call shows.
func (a *Audience) SeenInto(r *basecamp.Recording) listing.Extra {
	return listing.Extra{Name: "clients_see", Read: func(ctx context.Context) error {
		clients, err := a.seers(ctx, *r)
		r.ClientsSee = len(clients) > 0
		return err
	}}
}

// Shows reports whether clients see an item for certain.
func (a *Audience) Shows(item basecamp.Recording) bool {
	seen, err := a.visible(a.call(), item, func(basecamp.Recording) bool { return true })
	return err == nil && seen
}
