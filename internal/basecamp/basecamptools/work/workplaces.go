package work

import (
	"cmp"
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

// setPlace finds the list, the column or the folder in which an item is after the change.
func (w *workBatch) setPlace(ctx context.Context, p *workPlan) (b blame) {
	project := toolargs.Ref{ID: p.now.Bucket.ID}
	if parent := p.now.Parent; parent != nil {
		p.to = basecamp.Recording{ID: parent.ID, Type: parent.Type, Title: parent.Title}
	}
	switch {
	case !p.change.List.IsZero():
		list, err := w.Todos.ListToWrite(ctx, p.change.List, project)
		p.list, p.to = &list, list.Recording
		b.add(!p.own.List.IsZero(), err)
	case !p.change.Column.IsZero():
		column, err := w.ColumnOf(ctx, p.table, p.change.Column)
		p.column, p.to = &column, column.Recording
		if err == nil && column.Type == basecamp.DoneColumn && !p.now.done.Completed {
			p.toDone.by, p.toDone.notified, p.toDone.left, err = w.notifiedOfCompletion(ctx, p.now.notified)
		}
		b.add(!p.own.Column.IsZero(), err)
	case !p.change.Folder.IsZero():
		folder, err := w.Files.Folder(ctx, "project", project, p.change.Folder)
		if err == nil {
			err = lookup.NotPutAway("folder", folder)
		}
		if err == nil {
			err = w.outside(ctx, p.now.Recording, folder)
		}
		p.to, p.to.Type = folder, lookup.FolderKind.Upstream
		b.add(!p.own.Folder.IsZero(), err)
	}
	p.moves = p.change.Position != 0 || p.leaves() && p.to.ID != 0
	return b
}

// outside returns an error if a folder is the one that moves, or in it.
func (w *workBatch) outside(ctx context.Context, moving, folder basecamp.Recording) error {
	if lookup.KindOf(moving.Type).Kind != lookup.FolderKind.Kind {
		return nil
	}
	for at := folder; at.ID != moving.ID; {
		if at.Parent == nil {
			return nil
		}
		above, err := basecamp.FolderAt.Get(ctx, w.BC, at.Parent.ID)
		if err != nil {
			return err
		}
		at = above.Recording
	}
	return fault.Invalid("folder", "%s is the folder that moves, or in it; name another one", plaintext.Quote(cmp.Or(folder.Title, moving.Title)))
}

// placeAll sets the positions of the items that move. Items to which the call gives a place
// together come one below the other, in the order of the call. One that gives its own place moves
// as if it were alone: to its position, or to the top.
func placeAll(planned []workPlan) {
	type place struct {
		holder int64
		kind   string
		done   bool
	}
	blocks := map[place][]int{}
	for i := range planned {
		p := &planned[i]
		switch {
		case !p.moves:
		case p.own.Position != 0 || p.change.Position == 0 && !p.change.Folder.IsZero():
			p.position = p.own.Position
		case p.change.Position == 0 && !(p.own.List.IsZero() && p.own.Column.IsZero()):
			p.position = 1
		default:
			at := place{p.to.ID, p.Kind.Kind, p.now.done.Completed && p.column == nil}
			blocks[at] = append(blocks[at], i)
		}
	}
	for _, block := range blocks {
		current := make([]int, len(block))
		for n, i := range block {
			if !planned[i].leaves() {
				current[n] = planned[i].now.Position
			}
		}
		for n, position := range Positions(current, max(1, planned[block[0]].change.Position)) {
			planned[block[n]].position = position
		}
	}
}

// Positions returns the positions to which items move one after the other so that in the end they
// are one below the other, and the first at a position. Current are the positions that they have in
// the same place, 0 for one that comes from elsewhere. An item that still has to leave its place
// above the others moves them up when it does, so they are placed lower before.
func Positions(current []int, first int) []int {
	order := make([]int, first+slices.Max(current)) // the items by number, -1 for all others
	for i := range order {
		order[i] = -1
	}
	for item, position := range current {
		if position > 0 {
			order[position-1] = item
		}
	}
	moved := make([]int, len(current))
	for item := range current {
		if i := slices.Index(order, item); i >= 0 {
			order = slices.Delete(order, i, i+1)
		}
		at := 0
		if item > 0 {
			at = slices.Index(order, item-1) + 1 // below the item before it
		}
		for others := 0; item == 0 && others < first-1; at++ {
			if order[at] < 0 {
				others++
			}
		}
		order = slices.Insert(order, at, item)
		moved[item] = at + 1
	}
	return moved
}
